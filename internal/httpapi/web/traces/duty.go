package traces

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// duty is what an obligation obliges to.
type duty struct {
	Type    string                    `json:"type"`
	Payload map[string]jsontext.Value `json:"payload"`
}

// Name returns a duty as contracts name it: REPORT(query.math).
func (d duty) Name() string {
	if kind := plain(d.Payload["kind"]); kind != "" {
		return d.Type + "(" + kind + ")"
	}
	return d.Type
}

// Says returns the other members of the payload: "floor 2, day tomorrow"; of a question, what it asks.
func (d duty) Says() string {
	if question, is := d.Payload["question"]; is && d.IsQuestion() {
		return plain(question)
	}
	return membersSay(d.Payload)
}

// Requirement returns the id of the requirement that the duty is about, or "".
func (d duty) Requirement() string {
	if !strings.HasPrefix(plain(d.Payload["kind"]), "requirement.") {
		return ""
	}
	return plain(d.Payload["id"])
}

// IsQuestion reports whether the duty is to ask somebody.
func (d duty) IsQuestion() bool { return d.Type == "CLARIFY" }

// mostSaid is how many characters of a payload stand in one line.
const mostSaid = 160

// Short returns what Says returns, cut where it is long.
func (d duty) Short() string {
	said := []rune(d.Says())
	if len(said) <= mostSaid {
		return string(said)
	}
	return string(said[:mostSaid]) + " ..."
}

// membersSay returns the members of an object as a person reads them, but for its kind, which stands before them.
func membersSay(members map[string]jsontext.Value) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch name {
		case "kind":
		case "justification":
			var why struct {
				Reason string `json:"reason"`
			}
			_ = json.Unmarshal(members[name], &why) // a schema says what it is
			all = append(all, "because "+why.Reason)
		default:
			all = append(all, strings.ReplaceAll(name, "_", " ")+" "+says(members[name]))
		}
	}
	return strings.Join(all, ", ")
}

// says returns a value as a person reads it: objects in parentheses, duties by their names.
func says(value jsontext.Value) string {
	var one duty
	if json.Unmarshal(value, &one) == nil && one.Type != "" {
		return strings.TrimSpace(one.Name() + " " + one.Says())
	}
	var members map[string]jsontext.Value
	if json.Unmarshal(value, &members) == nil && members != nil {
		return "(" + membersSay(members) + ")"
	}
	var list []jsontext.Value
	if json.Unmarshal(value, &list) != nil {
		return plain(value)
	}
	all := make([]string, 0, len(list))
	for _, item := range list {
		all = append(all, says(item))
	}
	return strings.Join(all, "; ")
}

// plain returns a value as a person reads it: a text without quotes, and all else as JSON.
func plain(value jsontext.Value) string {
	if value.Kind() == '"' {
		if text, err := jsontext.AppendUnquote(nil, value); err == nil {
			return string(text)
		}
	}
	return string(value)
}
