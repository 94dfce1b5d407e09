package proposal

import (
	"bytes"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/lazyregexp"
)

var (
	hint      = lazyregexp.New(`<[^<>\n]+>`)
	wholeHint = lazyregexp.New(`^\s*<[^<>\n]+>\s*$`)
)

// CheckSaid refuses what somebody typed if it is the hint of an example still, such as <why>: what is sent goes on
// record.
func CheckSaid(what, text string) error {
	if !wholeHint().MatchString(text) {
		return nil
	}
	return unreplaced(what, strings.TrimSpace(text), "the example").WithFix("replace it; what is sent goes on record")
}

func unreplaced(what, hint, of string) *fault.Error {
	return fault.Misuse("%s still has %s of %s", what, hint, of)
}

// checkFilled refuses a part that has hints of its template still.
func (p Part) checkFilled(what string, value Value) error {
	encoded, err := jsonv2.Marshal(value, jsonv2.Deterministic(true))
	if err != nil {
		return fault.Misuse("the text of %s cannot be sent", p.Field).
			WithFix("use names, texts, numbers and lists alone").Because(err)
	}
	for _, offered := range hint().FindAllString(p.start+p.more, -1) {
		if bytes.Contains(encoded, []byte(offered)) {
			return unreplaced(what, offered, "the template").WithFix("replace it, or take its line away")
		}
	}
	return checkHints(what, value.members)
}

// checkHints refuses a value that has, anywhere in it, a text that is the hint of an example.
func checkHints(what string, value any) error {
	switch v := value.(type) {
	case string:
		return CheckSaid(what, v)
	case []any:
		for _, item := range v {
			if err := checkHints(what, item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, item := range v {
			if err := checkHints(what, item); err != nil {
				return err
			}
		}
	}
	return nil
}
