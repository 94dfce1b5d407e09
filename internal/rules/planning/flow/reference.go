// Package flow decides how the results of obligations become the inputs of others: what refers to what, in which order
// they have to run, and what a payload is once the values are known.
//
// An object with the one member "from", anywhere in a payload, takes the value that it names:
//
//	{"from": "o1.value"}
//
// Within a text {{o1.value}} stands for the value. The names of members refer to nothing. The package is pure, and
// looks at obligations and contracts alone: all that can be found wrong before anything runs is found by [Check].
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

// within returns the path that leads to the reference from the member of the payload that has it.
func (r Ref) within() []string {
	path := strings.Split(strings.TrimPrefix(r.At, "/"), "/")[1:]
	for i := range path {
		path[i] = pointerText.Replace(path[i])
	}
	return path
}

// pointerText reads what stands between two slashes of a JSON Pointer.
var pointerText = strings.NewReplacer("~1", "/", "~0", "~")

// String returns the reference as it is written: o1.value.
func (r Ref) String() string { return strings.Join(append([]string{r.Name}, r.Path...), ".") }

const (
	open, closed = "{{", "}}"
	literal      = `{{"{{"}}` // stands for {{
	empty        = `{{""}}`   // stands for nothing: {{""}}from is a name that makes no reference
	fromMember   = "from"
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
	text, is = object[fromMember].(string)
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
		if after, is := strings.CutPrefix(rest, empty[len(open):]); is {
			text = after
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
		first := len(f.refs)
		f.inName("", name)
		f.inValue("/"+fault.PointerToken(name), o.Payload[name])
		for i := first; i < len(f.refs); i++ {
			f.refs[i].by, f.refs[i].member = o, name
		}
	}
}

// inValue gathers the references within a value.
func (f *found) inValue(at string, value any) {
	if text, is := from(value); is {
		f.whole(at, text)
		return
	}
	switch v := value.(type) {
	case string:
		f.inText(at, v)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			f.inName(at, name)
			f.inValue(at+"/"+fault.PointerToken(name), v[name])
		}
	case []any:
		for i, item := range v {
			f.inValue(at+"/"+strconv.Itoa(i), item)
		}
	}
}

// whole gathers the reference of a value that is one.
func (f *found) whole(at, text string) {
	ref, ok := parse(text)
	if !ok {
		f.wrong = append(f.wrong, fault.Field{Pointer: at + "/" + fromMember, Code: codeSyntax,
			Detail: "this is no reference",
			Fix:    "write the name of an obligation and a path into its result, such as o1.value"})
		return
	}
	ref.At = at
	f.refs = append(f.refs, ref)
}

// inName finds what is wrong with the name of a member of the value at a pointer: it refers to nothing.
func (f *found) inName(at, name string) {
	if !strings.Contains(name, open) {
		return
	}
	if all, ok := pieces(name); !ok || slices.ContainsFunc(all, func(p piece) bool { return p.ref != nil }) {
		f.wrong = append(f.wrong, fault.Field{Pointer: at + "/" + fault.PointerToken(name), Code: codeSyntax,
			Detail: "the name of a member cannot refer to a value",
			Fix:    "refer to it in the value of the member, or write " + literal + " for the two braces themselves"})
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
	if f.inValue("", value); !given || len(f.refs) > 0 || len(f.wrong) > 0 {
		return nil, false
	}
	return (&resolver{}).resolved(value), true
}

// Literal returns an obligation whose texts stand for themselves: what was said or written elsewhere refers to nothing.
func Literal(o planning.Obligation) planning.Obligation {
	o.Payload, _ = escaped(o.Payload).(map[string]any)
	return o
}

// escaped returns a value that resolves to the one given. What has no reference is not copied.
func escaped(value any) any {
	if !refers(value) {
		return value
	}
	escape := func(text string) string { return strings.ReplaceAll(text, open, literal) }
	switch v := value.(type) {
	case string:
		return escape(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = escaped(item)
		}
		return out
	}
	object, _ := value.(map[string]any)
	out := make(map[string]any, len(object))
	_, is := from(object)
	for name, member := range object {
		name = escape(name)
		if is {
			name = empty + name
		}
		out[name] = escaped(member)
	}
	return out
}

// refers reports whether a value has what is read as a reference, or has {{ in a text or a name.
func refers(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, open)
	case map[string]any:
		if _, is := from(v); is {
			return true
		}
		for name, member := range v {
			if strings.Contains(name, open) || refers(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, refers)
	}
	return false
}
