package flow

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Values are what references stand for.
type Values struct {
	// Of returns what the obligation of a name resulted in, as JSON is read into any. It is asked once for each name.
	Of func(name string) any
	// Take is told how many bytes the next value has before it is taken. With its error nothing further is taken.
	Take func(bytes int) error
}

// Resolve returns an obligation with the values in the place of its references. It asks for the names that [Needs]
// returned. The steps of a plan, and the obligations of a SCHEDULE, are left as they are: they are resolved when their
// turn comes. Its error says which value there is not, or is that of Take.
//
// Implements: ORC-250
func Resolve(o planning.Obligation, values Values) (planning.Obligation, error) {
	r := resolver{values: values, known: map[string]any{}}
	payload := make(map[string]any, len(o.Payload))
	for _, name := range slices.Sorted(maps.Keys(o.Payload)) {
		value := o.Payload[name]
		r.formula = o.Kind() == "query.math" && name == "expr"
		if !apart(o, name) {
			value = r.resolved(value)
		}
		payload[r.text(name)] = value
	}
	o.Payload = payload
	return o, r.err
}

// resolver replaces references; err is the first that it could not.
type resolver struct {
	values Values
	known  map[string]any // what the obligations that were asked for resulted in, by name
	err    error

	formula bool // a text is one: what stands for a number in it must be one
}

func (r *resolver) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.Conflict, "no_such_value", format, args...).
			WithFix("GET /traces/{run} has the result that the value was to come from")
	}
}

// resolved returns a value with the values in the place of its references. What has none is not copied.
func (r *resolver) resolved(value any) any {
	if !refers(value) {
		return value
	}
	if text, is := from(value); is {
		ref, _ := parse(text) // which Check has accepted
		return r.value(ref)
	}
	switch v := value.(type) {
	case string:
		return r.text(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = r.resolved(item)
		}
		return out
	}
	object, _ := value.(map[string]any)
	out := make(map[string]any, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		out[r.text(name)] = r.resolved(object[name])
	}
	return out
}

// value returns what a reference stands for; nil after the first error.
func (r *resolver) value(ref Ref) any {
	if r.err != nil {
		return nil
	}
	value, is := r.known[ref.Name]
	if !is {
		value = r.values.Of(ref.Name)
		r.known[ref.Name] = value
	}
	for _, step := range ref.Path {
		var has bool
		if value, has = below(value, step); !has {
			r.fail("the result of %s has no %s", ref.Name, fault.Clip(strings.Join(ref.Path, "."), 100))
			return nil
		}
	}
	if r.err = r.values.Take(size(value)); r.err != nil {
		return nil
	}
	return value
}

// size returns about how many bytes a value has as JSON.
func size(value any) int {
	const around = 4 // quotes, a colon and a comma
	switch v := value.(type) {
	case string:
		return len(v) + around
	case jsontext.Value:
		return len(v) + around
	case map[string]any:
		sum := around
		for name, member := range v {
			sum += len(name) + around + size(member)
		}
		return sum
	case []any:
		sum := around
		for _, item := range v {
			sum += size(item)
		}
		return sum
	}
	return around
}

// below returns a member or an item of a value.
func below(value any, step string) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		member, has := v[step]
		return member, has
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

var (
	aNumber  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	anAmount = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(/[0-9]+)?$`)
)

// operand returns a value as it stands in a formula: one number, whatever stands beside it. A text with an operator
// would be taken apart.
func (r *resolver) operand(ref Ref, value any) string {
	text, is := value.(string)
	if !is {
		raw, _ := jsonv2.Marshal(value)
		text = string(raw)
	}
	switch {
	case aNumber.MatchString(text):
		return text
	case anAmount.MatchString(text):
		return "(" + text + ")"
	}
	r.fail("%s is no number, and cannot be part of a formula", ref)
	return ""
}

// text returns a text with the values in it.
func (r *resolver) text(text string) string {
	if !strings.Contains(text, open) {
		return text
	}
	all, _ := pieces(text) // which Check has accepted
	all = slices.DeleteFunc(all, func(p piece) bool { return p.ref == nil && p.text == "" })
	var out strings.Builder
	for _, p := range all {
		if p.ref == nil {
			out.WriteString(p.text)
			continue
		}
		value := r.value(*p.ref)
		if r.err != nil {
			break
		}
		if r.formula && len(all) > 1 { // a value alone may be the whole formula
			out.WriteString(r.operand(*p.ref, value))
			continue
		}
		switch value := value.(type) {
		case string:
			out.WriteString(value)
		case bool:
			fmt.Fprint(&out, value)
		case float64, jsontext.Value:
			number, err := jsonv2.Marshal(value)
			if err != nil {
				r.fail("%s cannot be written as a number", p.ref)
			}
			out.Write(number)
		default:
			r.fail("%s is no text, number or boolean, and cannot be part of a text", p.ref)
		}
	}
	return out.String()
}
