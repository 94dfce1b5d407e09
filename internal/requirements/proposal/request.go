package proposal

import (
	"bytes"
	"errors"
	"strings"

	"orchestrator/internal/fault"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Request checks that a text can be a change request, and returns it as it is.
func Request(text []byte) (jsontext.Value, error) {
	const fix = `write it as PATCH takes it: {"status":"planned","justification":{"reason":"…","evidence":[…]}}`
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fault.Misuse("the request has nothing in it").WithFix(fix)
	}
	var members map[string]any
	if !jsontext.Value(text).IsValid() {
		err := jsonv2.Unmarshal(text, &members)
		return nil, fault.Misuse("the request is no JSON").WithFix(fix).Because(plainly(err))
	}
	if err := jsonv2.Unmarshal(text, &members); err != nil || members == nil {
		return nil, fault.Misuse("the request is no JSON object").WithFix(fix)
	}
	return text, checkHints("the request", members)
}

// plainly takes the name of the library off its error.
func plainly(err error) error {
	if err == nil {
		return nil
	}
	said := err.Error()
	if at := strings.LastIndex(said, "jsontext: "); at >= 0 {
		said = said[at+len("jsontext: "):]
	}
	return errors.New(said)
}
