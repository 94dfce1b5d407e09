package settings

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// document is a settings file: JSON in which its owner may have comments and trailing commas. It is edited value by
// value, so that what is not touched stays as it was written, byte for byte.
type document struct{ root hujson.Value }

// child is a member of an object, or an element of an array, which has no name.
type child struct {
	name  string
	value *hujson.Value
}

// maxBrackets bounds how deep values can lie in each other.
const maxBrackets = 100_000

// parse reads a text. No name may come twice in an object, and all text must be UTF-8.
func parse(text []byte) (*document, error) {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > maxBrackets {
		return nil, errors.New("it has too many brackets")
	}
	root, err := hujson.Parse(append(bytes.Clone(text), '\n')) // a comment may be its last line
	if err != nil {
		return nil, err
	}
	root.AfterExtra = root.AfterExtra[:len(root.AfterExtra)-1]
	d := &document{root}
	if !jsontext.Value(d.standard()).IsValid() {
		return nil, errors.New("a name comes twice, or a text is not UTF-8")
	}
	return d, nil
}

// text returns the document as it is to be written.
func (d *document) text() []byte { return d.root.Pack() }

// standard returns the document without comments and trailing commas.
func (d *document) standard() []byte {
	v := d.root.Clone()
	v.Standardize()
	return v.Pack()
}

// get returns the member of the root at a path, nil where there is none.
func (d *document) get(path ...string) *hujson.Value { return get(&d.root, path...) }

// get returns the member of a value at a path, nil where there is none.
func get(v *hujson.Value, path ...string) *hujson.Value {
	for _, name := range path {
		at := index(v, name)
		if at < 0 {
			return nil
		}
		v = children(v)[at].value
	}
	return v
}

// index returns where a member stands in an object, -1 where there is none.
func index(v *hujson.Value, name string) int {
	if isObject(v) {
		for i, c := range children(v) {
			if c.name == name {
				return i
			}
		}
	}
	return -1
}

// children returns what an object or an array holds, nil of any other value. The values are those of the document.
func children(v *hujson.Value) (all []child) {
	if v == nil {
		return nil
	}
	switch value := v.Value.(type) {
	case *hujson.Object:
		for i := range value.Members {
			all = append(all, child{str(&value.Members[i].Name), &value.Members[i].Value})
		}
	case *hujson.Array:
		for i := range value.Elements {
			all = append(all, child{"", &value.Elements[i]})
		}
	}
	return all
}

func isObject(v *hujson.Value) bool { return v != nil && v.Value.Kind() == '{' }

func isArray(v *hujson.Value) bool { return v != nil && v.Value.Kind() == '[' }

// str returns a string's text, "" for anything else.
func str(v *hujson.Value) string {
	if v == nil || v.Value.Kind() != '"' {
		return ""
	}
	return v.Value.(hujson.Literal).String()
}

// number returns a number, 0 for anything else.
func number(v *hujson.Value) float64 {
	if v == nil || v.Value.Kind() != '0' {
		return 0
	}
	n, err := strconv.ParseFloat(literal(v), 64)
	if err != nil {
		return 0
	}
	return n
}

// literal returns a value as it is written, without the space around it; "" for none.
func literal(v *hujson.Value) string {
	if v == nil {
		return ""
	}
	return string(hujson.Value{Value: v.Value}.Pack())
}

// compact returns a value without comments and white space.
func compact(v hujson.Value) string {
	v = v.Clone()
	v.Minimize()
	return string(v.Pack())
}

// comments returns the words of all comments of a document.
func (d *document) comments() string {
	var words []string
	write := func(extra hujson.Extra) { words = append(words, strings.Fields(string(extra))...) }
	var walk func(v hujson.Value)
	walk = func(v hujson.Value) {
		write(v.BeforeExtra)
		switch value := v.Value.(type) {
		case *hujson.Object:
			for _, m := range value.Members {
				walk(m.Name)
				walk(m.Value)
			}
			write(value.AfterExtra)
		case *hujson.Array:
			for _, e := range value.Elements {
				walk(e)
			}
			write(value.AfterExtra)
		}
		write(v.AfterExtra)
	}
	walk(d.root)
	return strings.Join(words, " ")
}
