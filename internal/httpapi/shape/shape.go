// Package shape cuts answers to what a client asks for, with the header Prefer (RFC 7240) and the parameter fields.
//
// It works on encoded objects: what is left out was never decoded, and what is kept has the bytes that were stored.
package shape

import (
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
)

// The preferences that are known (RFC 7240, section 4.2).
const (
	Minimal = "return=minimal"
	Whole   = "return=representation"
)

// Preference returns the first known preference that the fields of the header Prefer name, or "". What is not known is
// ignored, as the RFC wants.
func Preference(header []string) string {
	for part := range strings.SplitSeq(strings.Join(header, ","), ",") {
		name, _, _ := strings.Cut(part, ";")
		switch name = strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(name, `"`, "")), "")); name {
		case Minimal, Whole:
			return name
		}
	}
	return ""
}

// Fields reads the parameter fields: names of known members, with commas between them. An unknown one is
// fault.Malformed.
func Fields(value string, known []string) ([]string, error) {
	names := strings.Split(value, ",")
	for i, name := range names {
		if names[i] = strings.TrimSpace(name); !slices.Contains(known, names[i]) {
			return nil, fault.New(fault.Malformed, "invalid_parameter", "the parameter fields cannot be used: the answer has no member %q",
				fault.Clip(names[i], 64)).WithFix("use some of %s, with commas between them", strings.Join(known, ","))
		}
	}
	return names, nil
}

// Names lists the members that values of a type can have, in their order.
func Names[T any]() []string { return namesOf(reflect.TypeFor[T]()) }

func namesOf(t reflect.Type) (names []string) {
	for f := range fieldsOf(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, namesOf(f.Type)...)
		case name != "-":
			names = append(names, name)
		}
	}
	return names
}

func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// Only returns an object with some of its members alone.
func Only(object []byte, names ...string) ([]byte, error) {
	return filter(make([]byte, 0, len(object)), object, names, true)
}

// filter writes an object into out, which must be empty: the members that are among the names, or those that are not,
// each as it is.
func filter(out, object []byte, names []string, among bool) ([]byte, error) {
	out = append(out, '{')
	for m, err := range membersOf(object) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(names, m.isNamed) != among {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, m.whole...)
	}
	return append(out, '}'), nil
}

// with appends the members of others to those of an object, in its memory.
func with(object []byte, others ...any) ([]byte, error) {
	for _, other := range others {
		own := len(object)
		var err error
		if object, err = appendJSON(object, other); err != nil {
			return nil, err
		}
		switch {
		case len(object) == own+len("{}"):
			object = object[:own]
		case own == len("{}"):
			object = object[:copy(object, object[own:])]
		default: // a comma takes the place of the braces between them
			object[own-1] = ','
			object = append(object[:own], object[own+1:]...)
		}
	}
	return object, nil
}

// appender is a value that encodes itself, in the bytes of the library. A struct that embeds one is an appender too,
// and needs an AppendJSON of its own.
type appender interface {
	AppendJSON(b []byte) ([]byte, error)
}

func appendJSON(b []byte, v any) ([]byte, error) {
	if v, is := v.(appender); is {
		return v.AppendJSON(b)
	}
	raw, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	return append(b, raw...), err
}
