// Package jsonobject writes JSON objects member by member, in the bytes that github.com/go-json-experiment/json writes,
// for the few values that are written so often that its reflection is felt. It also finds where strings end in JSON.
package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Writer appends to B. The methods whose names begin with Some leave out what is empty.
type Writer struct {
	B   []byte
	Err error // the first, such as of a text that is no UTF-8, or a time for which RFC 3339 has no form
}

// Begin begins an object that is no member.
func (w *Writer) Begin() { w.B = append(w.B, '{') }

// End ends an object.
func (w *Writer) End() { w.B = append(w.B, '}') }

// Name begins a member, whose name needs no escapes. Its value, or Begin, comes next.
func (w *Writer) Name(name string) {
	if n := len(w.B); n > 0 && w.B[n-1] != '{' { // which ends no value
		w.B = append(w.B, ',')
	}
	w.B = append(append(append(w.B, '"'), name...), '"', ':')
}

// Object begins a member that is an object.
func (w *Writer) Object(name string) {
	w.Name(name)
	w.Begin()
}

// Text writes a member that is a string.
func (w *Writer) Text(name, text string) {
	w.Name(name)
	w.Quote(text)
}

// SomeText writes a member that is a string, unless it is "".
func (w *Writer) SomeText(name, text string) {
	if text != "" {
		w.Text(name, text)
	}
}

// Quote writes a string.
func (w *Writer) Quote(text string) {
	b, err := jsontext.AppendQuote(w.B, text)
	w.B = b
	w.Fail(err)
}

// Fail keeps an error, unless there was one before.
func (w *Writer) Fail(err error) {
	if w.Err == nil {
		w.Err = err
	}
}

// Bool writes a member that is true or false.
func (w *Writer) Bool(name string, is bool) {
	w.Name(name)
	w.B = strconv.AppendBool(w.B, is)
}

// SomeBool writes a member that is true, unless it is false.
func (w *Writer) SomeBool(name string, is bool) {
	if is {
		w.Bool(name, is)
	}
}

// Uint writes a member that is a number.
func (w *Writer) Uint(name string, n uint64) {
	w.Name(name)
	w.B = strconv.AppendUint(w.B, n, 10)
}

// SomeUint writes a member that is a number, unless it is 0.
func (w *Writer) SomeUint(name string, n uint64) {
	if n != 0 {
		w.Uint(name, n)
	}
}

// Int writes a member that is a number.
func (w *Writer) Int(name string, n int64) {
	w.Name(name)
	w.B = strconv.AppendInt(w.B, n, 10)
}

// SomeInt writes a member that is a number, unless it is 0.
func (w *Writer) SomeInt(name string, n int64) {
	if n != 0 {
		w.Int(name, n)
	}
}

// Time writes a member that is a time, as RFC 3339 has it, with as many digits after the second as it needs.
func (w *Writer) Time(name string, at time.Time) {
	w.Name(name)
	b, err := at.AppendText(append(w.B, '"'))
	w.B = append(b, '"')
	w.Fail(err)
}

// SomeTime writes a member that is a time, unless it is the zero time.
func (w *Writer) SomeTime(name string, at time.Time) {
	if !at.IsZero() {
		w.Time(name, at)
	}
}

// Encoded writes a member whose value has been encoded.
func (w *Writer) Encoded(name string, value []byte) {
	w.Name(name)
	w.B = append(w.B, value...)
}

// Some writes a member whose value has been encoded, unless that is null, or an empty string, object or array.
func (w *Writer) Some(name string, encoded []byte) {
	if !isEmpty(encoded) {
		w.Encoded(name, encoded)
	}
}

func isEmpty(encoded []byte) bool {
	switch string(encoded) {
	case "", "null", `""`, "{}", "[]":
		return true
	}
	return false
}

// SomeJSON writes a member whose value is JSON that was parsed before, as the library writes it: without white space
// and needless escapes. It leaves out what Some does. It does not look for errors in the value, though it fails on
// some.
func (w *Writer) SomeJSON(name string, value json.RawMessage) {
	if bytes.IndexByte(value, '\\') < 0 {
		compact := Compact(jsontext.Value(value))
		if compact == nil && value != nil {
			w.Fail(errors.New("jsonobject: the member " + name + " is not JSON"))
		}
		w.Some(name, compact)
		return
	}
	w.SomeValue(name, value)
}

// SomeValue writes a member with a value that the library encodes. It leaves out what Some does.
func (w *Writer) SomeValue(name string, value any) { w.Some(name, w.encoded(value)) }

// Value writes a value that the library encodes, such as an element of a list.
func (w *Writer) Value(value any) { w.B = append(w.B, w.encoded(value)...) }

func (w *Writer) encoded(value any) []byte {
	encoded, err := jsonv2.Marshal(value, jsonv2.Deterministic(true), jsontext.AllowDuplicateNames(true))
	w.Fail(err)
	return encoded
}

// Compact returns JSON that was parsed before without its white space. What has none is returned as it is. It returns
// nil for what has white space and is not JSON.
func Compact(raw jsontext.Value) json.RawMessage {
	if raw == nil || isCompact(raw) {
		return json.RawMessage(raw)
	}
	raw = bytes.Clone(raw)
	if err := raw.Compact(); err != nil {
		return nil
	}
	return json.RawMessage(raw)
}

// isCompact reports whether valid JSON has no white space but in its strings. It is false of a string without an end.
func isCompact(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		switch {
		case raw[i] <= ' ':
			return false
		case raw[i] == '"':
			n := StringEnd(raw[i:])
			if n == 0 {
				return false
			}
			i += n - 1
		}
	}
	return true
}

// StringEnd returns the length of the string that b begins with, quotation marks included. It is 0 where b begins with
// none, or ends first.
func StringEnd(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	for i := 1; i < len(b); i++ {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			return 0
		}
		if i += quote; !isEscaped(b, i) {
			return i + 1
		}
	}
	return 0
}

// isEscaped reports whether an odd number of backslashes is before b[i].
func isEscaped(b []byte, i int) bool {
	start := i
	for i > 0 && b[i-1] == '\\' {
		i--
	}
	return (start-i)%2 == 1
}

// List writes a member that is an array, of elements that a function writes.
func List[T any](w *Writer, name string, of []T, element func(*Writer, *T)) {
	w.Name(name)
	w.B = append(w.B, '[')
	for i := range of {
		if i > 0 {
			w.B = append(w.B, ',')
		}
		element(w, &of[i])
	}
	w.B = append(w.B, ']')
}

// SomeList writes a member that is an array, unless it is empty.
func SomeList[T any](w *Writer, name string, of []T, element func(*Writer, *T)) {
	if len(of) > 0 {
		List(w, name, of, element)
	}
}

// Texts writes a member that is an array of texts.
func (w *Writer) Texts(name string, texts []string) { List(w, name, texts, quote) }

// SomeTexts writes a member that is an array of texts, unless it is empty.
func (w *Writer) SomeTexts(name string, texts []string) { SomeList(w, name, texts, quote) }

func quote(w *Writer, text *string) { w.Quote(*text) }
