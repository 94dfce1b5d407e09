package requirements

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/secret"
)

// refuseSecrets refuses a request in which something looks like a secret. It is asked before anything of the request
// can be put on record: of what it refuses the log keeps size and digest, and the places.
func refuseSecrets(p Proposal, inBody []fault.Field) error {
	return refuseFound(append(secretsInHeaders(p), inBody...))
}

// RefuseSecrets refuses a body, known to be JSON, in which something looks like a secret, however it is written.
func RefuseSecrets(body []byte) error { return refuseFound(secretsInJSON(body)) }

func refuseFound(found []fault.Field) error {
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "secret_in_text",
		"the request holds what looks like a secret; nothing of it was kept").
		WithFields(decision.Limited(found)...).WithFix(secret.Fix)
}

// secretsInHeaders looks at the headers that the log keeps.
func secretsInHeaders(p Proposal) []fault.Field {
	found := secretsIn("", "the header Idempotency-Key", p.IdempotencyKey)
	for _, tag := range p.IfMatch {
		found = append(found, secretsIn("", "the header If-Match", tag)...)
	}
	return found
}

// secretsIn has a field for each secret in a text, which what names.
func secretsIn(pointer, what, text string) (fields []fault.Field) {
	for _, f := range secret.Find(text) {
		fields = append(fields, fault.Field{Pointer: pointer, Code: f.Rule, Fix: secret.Fix,
			Detail: fmt.Sprintf("%s holds what looks like %s, %d characters from character %d on", what, f.What,
				f.End-f.Start, f.Start+1)})
	}
	return fields
}

// secretsInJSON looks at every string of a body that is known to be JSON, and at the names of its members.
func secretsInJSON(body []byte) []fault.Field {
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
		if fields := secretsIn("", "this", token.String()); len(fields) > 0 {
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

// secretsInTests looks at what is kept of a test report.
func secretsInTests(cases []testreport.Case) (found []fault.Field) {
	for i, c := range cases {
		fields := append(secretsIn("", "its name", c.Name), secretsIn("", "its suite", c.Suite)...)
		for _, field := range fields {
			field.Detail = fmt.Sprintf("test %d of the report: %s", i+1, field.Detail)
			found = append(found, field)
		}
	}
	return found
}

// unreadable is why a body cannot be read, without the places in it where it holds secrets: they are cut short, and
// what is left of a secret might not be known as one.
func unreadable(body []byte, err error) error {
	refusal := fault.As(err)
	if refusal == nil || len(refusal.Fields) == 0 || len(secret.Find(string(body))) == 0 {
		return err
	}
	bare := *refusal
	bare.Fields = nil
	return &bare
}
