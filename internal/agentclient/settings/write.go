package settings

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// fields are the members of an object that is to be written, in their order.
type fields []field

// field is one member: a string, an int, a bool, fields or []any.
type field struct {
	name  string
	value any
}

// style is how new text is written; without a newline it is all on one line.
type style struct{ unit, newline string }

func (s style) onOneLine() style { return style{} }

// member returns a value, with its name where it has one.
func (s style) member(name string, value any, indent string) string {
	if name == "" {
		return s.value(value, indent)
	}
	return quote(name) + ": " + s.value(value, indent)
}

// value returns a value whose lines after the first are indented.
func (s style) value(value any, indent string) string {
	inner := indent + s.unit
	var parts []string
	switch value := value.(type) {
	case fields:
		for _, f := range value {
			parts = append(parts, s.member(f.name, f.value, inner))
		}
		return s.list("{", parts, "}", indent)
	case []any:
		for _, v := range value {
			parts = append(parts, s.value(v, inner))
		}
		return s.list("[", parts, "]", indent)
	case string:
		return quote(value)
	default:
		return fmt.Sprint(value)
	}
}

func (s style) list(open string, parts []string, end, indent string) string {
	if len(parts) == 0 {
		return open + end
	}
	if s.newline == "" {
		return open + strings.Join(parts, ", ") + end
	}
	inner := s.newline + indent + s.unit
	return open + inner + strings.Join(parts, ","+inner) + s.newline + indent + end
}

func quote(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "�"))
	return string(quoted)
}
