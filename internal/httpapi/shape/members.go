package shape

import (
	"bytes"
	"errors"
	"iter"

	"orchestrator/internal/system/jsonobject"
)

var errMalformed = errors.New("shape: not the encoding of an object")

// member is one of an object, in the bytes that it has there.
type member struct {
	name  []byte // without its quotes
	whole []byte // name, colon and value
}

func (m member) isNamed(name string) bool { return string(m.name) == name }

// membersOf visits the members of an encoded object, which must have no white space between its tokens: all objects
// that are stored or answered are encoded like that. It finds where each member ends, and does not check the values. An
// object that does not end, or goes on after its end, is errMalformed.
func membersOf(object []byte) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		rest, ok := bytes.CutPrefix(object, []byte("{"))
		for more := !bytes.Equal(rest, []byte("}")); ok && more; {
			colon := jsonobject.StringEnd(rest)
			if ok = colon > 0 && colon < len(rest) && rest[colon] == ':'; !ok {
				break
			}
			end := colon + 1 + valueEnd(rest[colon+1:])
			if ok = end > colon+1 && end < len(rest); !ok {
				break
			}
			if !yield(member{rest[1 : colon-1], rest[:end]}, nil) {
				return
			}
			more = rest[end] == ','
			ok = more || string(rest[end:]) == "}"
			rest = rest[end+1:]
		}
		if !ok {
			yield(member{}, errMalformed)
		}
	}
}

// valueEnd returns the length of the value that b begins with, or 0 where b ends first.
func valueEnd(b []byte) int {
	for i, depth := 0, 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			n := jsonobject.StringEnd(b[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		case c == '{', c == '[':
			depth++
		case depth > 0 && (c == '}' || c == ']'):
			depth--
		case depth == 0 && (c == '}' || c == ']' || c == ','):
			return i // of a number or a literal
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return 0
}
