// Package shape cuts answers to what a client asks for, with the header Prefer (RFC 7240) and the parameter fields.
//
// It works on encoded objects: what is left out was never decoded, and what is kept has the bytes that were stored.
package shape

import (
	"bytes"
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

// Without returns an object without some of its members.
func Without(object []byte, names ...string) ([]byte, error) { return filtered(object, names, false) }

// Only returns an object with some of its members alone.
func Only(object []byte, names ...string) ([]byte, error) { return filtered(object, names, true) }

// filtered returns an object with the members that are among the names, or those that are not. Each has the bytes that
// it has.
func filtered(object []byte, names []string, among bool) ([]byte, error) {
	out := append(make([]byte, 0, len(object)), '{')
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

// With returns an object with the members of others after its own, in memory of its own.
func With(object []byte, others ...any) ([]byte, error) {
	object = bytes.TrimRight(object, "\n")
	whole := append(make([]byte, 0, len(object)+roomForOthers), object...)
	for _, other := range others {
		own := len(whole)
		var err error
		if whole, err = appendJSON(whole, other); err != nil {
			return nil, err
		}
		switch {
		case len(whole) == own+len("{}"):
			whole = whole[:own]
		case own == len("{}"):
			whole = whole[:copy(whole, whole[own:])]
		default: // a comma takes the place of the braces between them
			whole[own-1] = ','
			whole = append(whole[:own], whole[own+1:]...)
		}
	}
	return whole, nil
}

// roomForOthers is as much as what comes next takes in most answers.
const roomForOthers = 1 << 10

// appender is a value that encodes itself, in the bytes of the library.
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
