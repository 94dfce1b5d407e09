package decision

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/secret"
)

// RefuseSecrets returns the refusal of a request with the secrets that were found in it; nil where there are none. Of
// what it refuses the log keeps size and digest, and the places.
func RefuseSecrets(found []fault.Field) error {
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "secret_in_text",
		"the request holds what looks like a secret; nothing of it was kept").
		WithFields(Limited(found)...).WithFix(secret.Fix)
}

// SecretsIn returns a field for each secret in a text, which what names.
func SecretsIn(pointer, what, text string) (fields []fault.Field) {
	for _, f := range secret.Find(text) {
		fields = append(fields, fault.Field{Pointer: pointer, Code: f.Rule, Fix: secret.Fix,
			Detail: fmt.Sprintf("%s holds what looks like %s, %d characters from character %d on", what, f.What,
				f.End-f.Start, f.Start+1)})
	}
	return fields
}

// SecretsInHeaders looks at the headers that the log keeps.
func SecretsInHeaders(idempotencyKey string, ifMatch []string) []fault.Field {
	found := SecretsIn("", "the header Idempotency-Key", idempotencyKey)
	for _, tag := range ifMatch {
		found = append(found, SecretsIn("", "the header If-Match", tag)...)
	}
	return found
}

// SecretsInJSON looks at every string of a body that is known to be JSON, and at the names of its members.
func SecretsInJSON(body []byte) []fault.Field {
	if bytes.IndexByte(body, '\\') < 0 && len(secret.Find(string(body))) == 0 {
		return nil // without escapes the strings stand in it as they are
	}
	var found []fault.Field
	for d := jsontext.NewDecoder(bytes.NewBuffer(body)); ; {
		token, err := d.ReadToken()
		if err != nil {
			return found
		}
		if token.Kind() != '"' {
			continue
		}
		if fields := SecretsIn("", "this", token.String()); len(fields) > 0 {
			for i := range fields {
				fields[i].Pointer = maskedPointer(d.StackPointer())
			}
			found = append(found, fields...)
		}
	}
}

// maskedPointer leaves out of a pointer the names that hold secrets.
func maskedPointer(pointer jsontext.Pointer) string {
	masked := jsontext.Pointer("")
	for name := range pointer.Tokens() {
		masked = masked.AppendToken(secret.Mask(name))
	}
	return string(masked)
}

// SecretsInTests looks at what is kept of a test report.
func SecretsInTests(cases []testreport.Case) (found []fault.Field) {
	for i, c := range cases {
		fields := append(SecretsIn("", "its name", c.Name), SecretsIn("", "its suite", c.Suite)...)
		for _, field := range fields {
			field.Detail = fmt.Sprintf("test %d of the report: %s", i+1, field.Detail)
			found = append(found, field)
		}
	}
	return found
}

// Unreadable returns why a body cannot be read, without the places in it where it holds secrets: they are cut short,
// and what is left of a secret might not be known as one.
func Unreadable(body []byte, err error) error {
	refusal := fault.As(err)
	if refusal == nil || len(refusal.Fields) == 0 || len(secret.Find(string(body))) == 0 {
		return err
	}
	bare := *refusal
	bare.Fields = nil
	return &bare
}
