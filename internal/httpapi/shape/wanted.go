package shape

import (
	"bytes"
	"net/url"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Wanted is what a client wants to read of an answer.
type Wanted struct {
	Prefer string   // Minimal or Whole; "" says nothing
	Fields []string // nil is all
}

// WantedOf reads what a client wants of an answer that can have these members: from the fields of the header Prefer and
// the parameter fields.
func WantedOf(prefer []string, values url.Values, known []string) (o Wanted, err error) {
	o.Prefer = Preference(prefer)
	if values.Has("fields") {
		o.Fields, err = Fields(values.Get("fields"), known)
	}
	return o, err
}

// Cut returns an object with the members that were asked for.
func (o Wanted) Cut(object []byte) ([]byte, error) {
	if o.Fields == nil {
		return object, nil
	}
	return Only(object, o.Fields...)
}

// CutValue encodes a value, and cuts it.
func (o Wanted) CutValue(v any) ([]byte, error) {
	whole, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return o.Cut(whole)
}

// minimal are what is left of a requirement where a client prefers to read little.
var minimal = []string{"id", "status", "revision"}

// roomForOthers is as much as what comes next takes in most answers.
const roomForOthers = 1 << 10

// Requirement returns as much of a requirement as is wanted in the answer to a change: without its history, unless that
// was asked for. The members of others follow. What it returns is memory of its own.
func (o Wanted) Requirement(stored []byte, others ...any) (object []byte, err error) {
	stored = bytes.TrimRight(stored, "\n")
	object = make([]byte, 0, len(stored)+roomForOthers)
	switch {
	case o.Prefer == Minimal && o.Fields == nil:
		object, err = filter(object, stored, minimal, true)
	case o.Prefer == Whole || slices.Contains(o.Fields, "history"):
		object = append(object, stored...)
	default:
		object, err = filter(object, stored, []string{"history"}, false)
	}
	if err != nil {
		return nil, err
	}
	return with(object, others...)
}

// CutAll cuts each of n values.
func (o Wanted) CutAll(n int, value func(i int) any) ([]jsontext.Value, error) {
	cut := make([]jsontext.Value, n)
	for i := range n {
		one, err := o.CutValue(value(i))
		if err != nil {
			return nil, err
		}
		cut[i] = one
	}
	return cut, nil
}
