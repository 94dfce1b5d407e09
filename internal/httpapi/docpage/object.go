package docpage

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object, in the order of its text.
type object []member

type member struct {
	name  string
	value jsontext.Value
}

// objectOf returns the members of a value; what is no object has none.
func objectOf(v jsontext.Value) object {
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	if v.Kind() != '{' {
		return nil
	}
	_, _ = d.ReadToken()
	var o object
	for d.PeekKind() == '"' {
		name, _ := d.ReadToken()
		text := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return o
		}
		o = append(o, member{text, value.Clone()})
	}
	return o
}

// arrayOf returns the elements of a value; what is no array has none.
func arrayOf(v jsontext.Value) []jsontext.Value {
	d := jsontext.NewDecoder(strings.NewReader(string(v)))
	if v.Kind() != '[' {
		return nil
	}
	_, _ = d.ReadToken()
	var all []jsontext.Value
	for d.PeekKind() > 0 && d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return all
		}
		all = append(all, value.Clone())
	}
	return all
}

// at returns the value of a name, or nil.
func (o object) at(name string) jsontext.Value {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// text returns the value of a name that is a text, or "".
func (o object) text(name string) string { return textOf(o.at(name)) }

func textOf(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, v)
	return string(text)
}

// under returns the object at a path of names.
func (o object) under(names ...string) object {
	for _, name := range names {
		o = objectOf(o.at(name))
	}
	return o
}
