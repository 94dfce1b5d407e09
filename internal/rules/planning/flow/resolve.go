package flow

import (
	"fmt"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Resolve returns an obligation with the values in the place of its references. result returns what the obligation of a
// name resulted in, as JSON is read into any; it is asked for names that [Needs] returned. The steps of a plan, and
// the obligations of a SCHEDULE, are left as they are: they are resolved when their turn comes. Its error says which
// value there is not.
//
// Implements: ORC-250
func Resolve(o planning.Obligation, result func(name string) any) (planning.Obligation, error) {
	r := resolver{result: result}
	payload := make(map[string]any, len(o.Payload))
	for name, value := range o.Payload {
		text, is := from(value)
		switch ref, ok := parse(text); {
		case apart(o, name):
			payload[name] = value
		case is && ok:
			payload[name] = r.value(ref)
		default:
			payload[name] = replaced(value, r.text)
		}
	}
	o.Payload = payload
	return o, r.err
}

// resolver replaces references; err is the first that it could not.
type resolver struct {
	result func(name string) any
	err    error
}

func (r *resolver) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fault.New(fault.Conflict, "no_such_value", format, args...).
			WithFix("GET /traces/{run} has the result that the value was to come from")
	}
}

// value returns what a reference stands for.
func (r *resolver) value(ref Ref) any {
	value := r.result(ref.Name)
	for _, step := range ref.Path {
		var has bool
		if value, has = below(value, step); !has {
			r.fail("the result of %s has no %s", ref.Name, fault.Clip(strings.Join(ref.Path, "."), 100))
			return nil
		}
	}
	return value
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

// text returns a text with the values in it.
func (r *resolver) text(text string) string {
	all, _ := pieces(text) // which Check has accepted
	var out strings.Builder
	for _, p := range all {
		if p.ref == nil {
			out.WriteString(p.text)
			continue
		}
		switch value := r.value(*p.ref).(type) {
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
