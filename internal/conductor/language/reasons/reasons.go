// Package reasons makes the members of a change out of what people say: a justification of a reason, and notes of a text.
// It is pure; what it cannot tell is left as it is.
package reasons

import (
	"reflect"
	"strings"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

// shownBy finds the words before the file that shows a reason, and the lines of that file.
var shownBy = lazyregexp.New(`(?i)^(.+?),? see ([^\s:"]+)(?::([1-9][0-9]*(?:-[1-9][0-9]*)?))?$`)

// Justification returns a justification: a reason, and the file that shows it where one is named. What else shows it is
// for the service to add.
func Justification(reason string) any {
	found := shownBy().FindStringSubmatch(reason)
	if found == nil {
		return map[string]any{"reason": reason}
	}
	evidence := map[string]any{"kind": "file", "path": found[2]}
	if found[3] != "" {
		evidence["lines"] = found[3]
	}
	return map[string]any{"reason": unquoted(found[1]), "evidence": []any{evidence}}
}

// Notes returns the notes that a text makes: one.
func Notes(text string) any { return []any{map[string]any{"text": text}} }

func unquoted(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// Question asks for a member in words; "" for one that is not said in words.
func Question(member string) string {
	switch member {
	case lifecycle.FieldJustification:
		return `why is the status to change (a reason and, behind "see", the file that shows it: the design stands, see docs/design.md)`
	case lifecycle.FieldPMNotes:
		return "what is to be noted, such as why a changed text is accepted"
	}
	return ""
}

// Answer returns a member of a change by the text that answers the question for it. ok is false if the value is no text,
// or the member is not said in words.
func Answer(member string, value any) (made any, ok bool) {
	text, is := value.(string)
	if text = strings.TrimSpace(text); !is || text == "" {
		return nil, false
	}
	switch member {
	case lifecycle.FieldJustification:
		return Justification(text), true
	case lifecycle.FieldPMNotes:
		return Notes(text), true
	}
	return nil, false
}

// Made reports whether a member that is kept was made of the same text; the service may have added evidence.
func Made(member string, kept, value any) bool {
	said, ok := Answer(member, value)
	if one, is := said.(map[string]any); ok && is {
		of, _ := kept.(map[string]any)
		for name, part := range one {
			ok = ok && reflect.DeepEqual(of[name], part)
		}
		return ok
	}
	return ok && reflect.DeepEqual(kept, said)
}
