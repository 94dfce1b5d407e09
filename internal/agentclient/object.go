package agentclient

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// object is a JSON object: its members as they were written. Names are case-sensitive, and none comes twice.
type object map[string]jsontext.Value

func decoder(source []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(source), jsontext.AllowInvalidUTF8(true)) // which reads it in place
}

// readObject reads one object and nothing after it. The members are parts of the source. An error names the place.
func readObject(source []byte) (object, error) {
	if len(bytes.TrimSpace(source)) == 0 {
		return nil, errors.New("it is empty")
	}
	d := decoder(source)
	if kind := d.PeekKind(); kind != '{' && kind != 0 {
		return nil, fmt.Errorf("it is %s; want an object", kindName(kind))
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, plain(err)
	}
	members := object{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, plain(err)
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, plain(err)
		}
		end := d.InputOffset()
		members[key] = jsontext.Value(source[end-int64(len(value)) : end])
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, plain(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the object")
	}
	return members, nil
}

// plain returns in our words what is wrong with the JSON, and where.
func plain(err error) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("member %s comes twice", strings.TrimPrefix(string(syntactic.JSONPointer), "/"))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	return fmt.Errorf("it is no JSON at byte %d", syntactic.ByteOffset)
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	default:
		return "an array"
	}
}

// has reports whether the member is there with a value other than null.
func (o object) has(name string) bool {
	value, found := o[name]
	return found && value.Kind() != 'n'
}

// text returns a member that is a string. Absent or null is "".
func (o object) text(name string) (string, error) {
	if !o.has(name) {
		return "", nil
	}
	if kind := o[name].Kind(); kind != '"' {
		return "", fmt.Errorf("%s is %s; want a string", name, kindName(kind))
	}
	return unquote(o[name]), nil
}

// first returns the first of the members that is there and not empty.
func (o object) first(names []string) (string, error) {
	for _, name := range names {
		if text, err := o.text(name); err != nil || text != "" {
			return text, err
		}
	}
	return "", nil
}

// required returns a member that must be a string with something in it.
func (o object) required(name string) (string, error) {
	value, found := o[name]
	if !found {
		return "", fmt.Errorf("%s is missing", name)
	}
	if kind := value.Kind(); kind != '"' {
		return "", fmt.Errorf("%s is %s; want a string", name, kindName(kind))
	}
	text := unquote(value)
	if text == "" {
		return "", fmt.Errorf("%s is empty", name)
	}
	return text, nil
}

// loose returns a member as text, whatever it is: a string as it reads, anything else as JSON.
func (o object) loose(name string) string {
	if !o.has(name) {
		return ""
	}
	if o[name].Kind() == '"' {
		return unquote(o[name])
	}
	return string(o[name])
}

// inner returns a member that is an object; absent or null is an empty one.
func (o object) inner(name string) (object, error) {
	if !o.has(name) {
		return object{}, nil
	}
	if kind := o[name].Kind(); kind != '{' {
		return nil, fmt.Errorf("%s is %s; want an object", name, kindName(kind))
	}
	members, err := readObject(o[name])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return members, nil
}

// texts reads an array of strings; ok is false where the value is something else.
func texts(value jsontext.Value) (all []string, ok bool) {
	if value.Kind() != '[' {
		return nil, false
	}
	d := decoder(value)
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		all = append(all, token.String())
	}
	return all, d.PeekKind() == ']'
}

// unquote returns the text of a JSON string that has been read before.
func unquote(value jsontext.Value) string {
	token, err := decoder(value).ReadToken()
	if err != nil {
		return ""
	}
	return token.String()
}
