// Package flow decides how the results of obligations become the inputs of others: what refers to what, in which order
// they have to run, and what a payload is once the values are known.
//
// A member of a payload whose value is an object with the one member "from" takes the value that it names:
//
//	{"from": "o1.value"}
//
// Within a text, also of a nested member, {{o1.value}} stands for the value. The package is pure, and looks at
// obligations and contracts alone: all that can be found wrong before anything runs is found by [Check].
package flow

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Input is the name by which the steps of a contract refer to the inputs of their plan: input.person.
const Input = "input"

// Ref is a reference to the result of an obligation, or to a value in it.
type Ref struct {
	At   string   // where it stands, as a JSON Pointer into the payload
	Name string   // of the obligation
	Path []string // of the value in its result; none for the whole result

	inText bool                // it is part of a text
	by     planning.Obligation // that has it
	member string              // of the payload of by
}

// String returns the reference as it is written: o1.value.
func (r Ref) String() string { return strings.Join(append([]string{r.Name}, r.Path...), ".") }

const (
	open, closed = "{{", "}}"
	literal      = `{{"{{"}}` // stands for {{
)

var written = regexp.MustCompile(`^[a-z][a-z0-9_-]*(\.[^\s.{}"]+)*$`)

// parse reads a reference.
func parse(text string) (r Ref, ok bool) {
	if !written.MatchString(text) {
		return r, false
	}
	parts := strings.Split(text, ".")
	return Ref{Name: parts[0], Path: parts[1:]}, true
}

// from returns what a value refers to, if it is a reference: an object with the one member from, a text.
func from(value any) (text string, is bool) {
	object, isObject := value.(map[string]any)
	if !isObject || len(object) != 1 {
		return "", false
	}
	text, is = object["from"].(string)
	return text, is
}

// piece is a part of a text: characters as they stand, or a reference.
type piece struct {
	text string
	ref  *Ref
}

// pieces takes a text apart. It reports false for a text with braces that begin no reference.
func pieces(text string) (all []piece, ok bool) {
	for {
		before, rest, found := strings.Cut(text, open)
		all = append(all, piece{text: before})
		if !found {
			return all, true
		}
		if after, is := strings.CutPrefix(rest, literal[len(open):]); is {
			all, text = append(all, piece{text: open}), after
			continue
		}
		named, after, found := strings.Cut(rest, closed)
		ref, is := parse(strings.TrimSpace(named))
		if !found || !is {
			return all, false
		}
		all, text = append(all, piece{ref: &ref}), after
	}
}

// found gathers the references of payloads, and what is wrong with them.
type found struct {
	refs  []Ref
	wrong []fault.Field
}

// inPayload gathers the references of a payload, without those of obligations that it brings with it.
func (f *found) inPayload(o planning.Obligation) {
	for _, name := range slices.Sorted(maps.Keys(o.Payload)) {
		if apart(o, name) {
			continue
		}
		at := "/" + fault.PointerToken(name)
		text, is := from(o.Payload[name])
		first := len(f.refs)
		if is {
			f.inMember(at, text)
		} else {
			f.inValue(at, o.Payload[name])
		}
		for i := first; i < len(f.refs); i++ {
			f.refs[i].by, f.refs[i].member = o, name
		}
	}
}

func (f *found) inMember(at, text string) {
	ref, ok := parse(text)
	if !ok {
		f.wrong = append(f.wrong, fault.Field{Pointer: at + "/from", Code: codeSyntax,
			Detail: "this is no reference",
			Fix:    "write the name of an obligation and a path into its result, such as o1.value"})
		return
	}
	ref.At = at
	f.refs = append(f.refs, ref)
}

// inValue gathers the references within the texts of a value.
func (f *found) inValue(at string, value any) {
	switch v := value.(type) {
	case string:
		f.inText(at, v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f.inValue(at+"/"+fault.PointerToken(name), v[name])
		}
	case []any:
		for i, item := range v {
			f.inValue(at+"/"+strconv.Itoa(i), item)
		}
	}
}

func (f *found) inText(at, text string) {
	if !strings.Contains(text, open) {
		return
	}
	all, ok := pieces(text)
	if !ok {
		f.wrong = append(f.wrong, fault.Field{Pointer: at, Code: codeSyntax,
			Detail: "the text has {{, and no reference follows",
			Fix:    "write a reference such as {{o1.value}}, or " + literal + " for the two braces themselves"})
	}
	for _, p := range all {
		if p.ref != nil {
			p.ref.At, p.ref.inText = at, true
			f.refs = append(f.refs, *p.ref)
		}
	}
}

// Needs returns the references of an obligation to others of its list: its own, and those of its steps to what is not
// a step beside them. They are ordered by where they stand.
func Needs(o planning.Obligation) []Ref {
	var f found
	f.inPayload(o)
	steps := Steps(o)
	inner := places(steps)
	for i, step := range steps {
		for _, ref := range Needs(step) {
			if _, is := inner[ref.Name]; !is {
				ref.At = stepPointer(i) + ref.At
				f.refs = append(f.refs, ref)
			}
		}
	}
	return f.refs
}

// stepPointer returns where the payload of a step stands in that of its plan.
func stepPointer(i int) string { return "/" + stepsMember + "/" + strconv.Itoa(i) + "/payload" }

// Stated returns a member of a payload as its sender stated it; none where it refers to what another obligation results
// in.
func Stated(value any, given bool) (stated any, is bool) {
	var f found
	_, refers := from(value)
	if f.inValue("", value); !given || refers || len(f.refs) > 0 {
		return nil, false
	}
	return replaced(value, func(text string) string { return strings.ReplaceAll(text, literal, open) }), true
}

// Literal returns an obligation whose texts stand for themselves: what was said or written elsewhere refers to nothing.
func Literal(o planning.Obligation) planning.Obligation {
	o.Payload, _ = replaced(o.Payload, func(text string) string {
		return strings.ReplaceAll(text, open, literal)
	}).(map[string]any)
	return o
}

// replaced returns a value with its texts changed. What has no {{ is not copied.
func replaced(value any, change func(text string) string) any {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, open) {
			return change(v)
		}
	case map[string]any:
		if !hasBraces(v) {
			return v
		}
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = replaced(member, change)
		}
		return out
	case []any:
		if !hasBraces(v) {
			return v
		}
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = replaced(item, change)
		}
		return out
	}
	return value
}

// hasBraces reports whether a text of a value has {{.
func hasBraces(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, open)
	case map[string]any:
		for _, member := range v {
			if hasBraces(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasBraces)
	}
	return false
}
