package settings

import (
	"bytes"
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

// member is a value, with its name where it has one.
func (s style) member(name string, value any, indent string) string {
	if name == "" {
		return s.value(value, indent)
	}
	return quote(name) + ": " + s.value(value, indent)
}

// value is a value whose lines after the first are indented.
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

// withoutComments puts spaces in the place of // and /* */ comments and of commas before a closing bracket. What
// stands where stays the same.
func withoutComments(text []byte) []byte {
	plain := bytes.Clone(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if plain[i] != '\n' && plain[i] != '\r' {
				plain[i] = ' '
			}
		}
	}
	comma := -1 // the last one, as long as only white space and comments follow
	for i := 0; i < len(plain); i++ {
		rest := string(plain[i:min(i+2, len(plain))])
		switch {
		case plain[i] == '"':
			comma = -1
			for i++; i < len(plain) && plain[i] != '"'; i++ {
				if plain[i] == '\\' {
					i++
				}
			}
		case rest == "//":
			end := until(plain, i, "\n")
			blank(i, end)
			i = end - 1
		case rest == "/*":
			end := until(plain, i+2, "*/")
			end = min(end+2, len(plain))
			blank(i, end)
			i = end - 1
		case plain[i] == ',':
			comma = i
		case plain[i] == '}' || plain[i] == ']':
			if comma >= 0 {
				plain[comma] = ' '
			}
			comma = -1
		case !strings.ContainsRune(" \t\r\n", rune(plain[i])):
			comma = -1
		}
	}
	return plain
}

// until is where the mark begins, from a place on, or the end.
func until(text []byte, from int, mark string) int {
	if from >= len(text) {
		return len(text)
	}
	if at := bytes.Index(text[from:], []byte(mark)); at >= 0 {
		return from + at
	}
	return len(text)
}
