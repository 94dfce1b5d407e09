package language

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Result is the result of a tool, by member: values as JSON is read into, and numbers of any type.
type Result map[string]any

// template renders a result as text, or "" if the result lacks the members that it needs.
type template func(o planning.Obligation, r Result) string

// templates are by the obligation as contracts name it.
var templates = map[string]template{
	"REPORT(query.math)":          sayMath,
	"REPORT(query.count_letters)": sayCount,
	"REPORT(status.name)": func(_ planning.Obligation, r Result) string {
		return filled("Your name is %s.", r["value"])
	},
	"ACHIEVE(status.name)": func(_ planning.Obligation, r Result) string {
		return filled("From now on your name is %s.", r["value"])
	},
	"REPORT(query.people)":                    sayPeople,
	"REPORT(query.requirements)":              sayRequirements,
	"REPORT(requirement.status)":              sayRequirement,
	"ACHIEVE(requirement.status)":             sayMoved,
	"ACHIEVE(requirement.signoff)":            sayDecided,
	"ACHIEVE(requirement.pm_notes)":           sayKept("note on %s is kept"),
	"ACHIEVE(requirement.deviations)":         sayKept("deviation of %s is kept"),
	"ACHIEVE(requirement.accept_fingerprint)": sayKept("text of %s is accepted"),
	"ACHIEVE(requirement.design_spec)":        sayKept("design of %s is kept"),
	"ACHIEVE(requirement.implementation)":     sayKept("implementation of %s is kept"),
	"ACHIEVE(requirement.test)":               sayKept("test record of %s is kept"),
	"REPORT(requirement.history)":             sayHistory,
	"REPORT(requirement.acts)":                sayActs,
	"REPORT(query.refusals)":                  sayRefusals,
	"VERIFY(answers)":                         sayConfirmed,
	"REPORT(requirement.next)":                sayNext,
	"REPORT(requirement.missing)":             sayMissing,
	"REPORT(project.status)":                  sayProject,
	"VERIFY(audit)":                           sayChecked("The log"),
	"VERIFY(requirement.evidence)":            sayChecked("The evidence"),
	"ACHIEVE(ir.assert)":                      sayFacts,
	"ACHIEVE(ir.retract)":                     sayForgotten,
	"REPORT(query.facts)":                     sayHeld,
	"REPORT(normalize.email)": func(_ planning.Obligation, r Result) string {
		return filled("The address is %s", r["value"])
	},
	"REPORT(normalize.url)": func(_ planning.Obligation, r Result) string {
		return filled("The link is %s", r["value"])
	},
	"REPORT(time.now)":     sayTime,
	"REPORT(rules.deduce)": sayDeduced,
	"SCHEDULE":             sayScheduled,
	"DISCOVER_OP":          sayTools,
	"JUSTIFY":              sayReasons,
}

// templateOf returns the template of an obligation: that of its kind, or else that of its type.
func templateOf(o planning.Obligation) (say template, found bool) {
	if say, found = templates[o.String()]; !found {
		say, found = templates[string(o.Type)]
	}
	return say, found
}

// Out renders the checked result of an obligation as text: by a template for the kinds that forms.go makes, by the names
// of its members for any other, and as compact JSON where it lacks the members that its template needs. The same
// result gives the same text. It has no control characters but line feeds.
func Out(o planning.Obligation, result Result) string {
	if say, found := templateOf(o); found {
		if said := say(o, result); said != "" {
			return printable(said)
		}
		return printable(compact(result))
	}
	return printable(sayMembers(o, result))
}

// sayMembers says a result of any kind: "shop.price: 5" where value is all that it has, or its members by their names.
func sayMembers(o planning.Obligation, r Result) string {
	about := cmp.Or(o.Kind(), string(o.Type))
	if value := say(r["value"]); value != "" && len(r) == 1 {
		return about + ": " + value
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r)) {
		value := say(r[name])
		if value == "" {
			value = compact(r[name])
		}
		all = append(all, name+" "+value)
	}
	return about + ": " + cmp.Or(strings.Join(all, "; "), "nothing")
}

// Unverified adds to the text of an answer that nothing confirms it.
func Unverified(text string) string { return text + " (not verified)" }

// Uncertain renders that there is no answer that can be trusted, and why. It repeats nothing of the result.
func Uncertain(o planning.Obligation, why string) string {
	about := o.String()
	if what := asked(o); what != "" {
		about += " about " + what
	}
	return printable("I have no answer that I can vouch for to " + about + ": " + sentence(why))
}

// asked returns what of a payload names the question.
func asked(o planning.Obligation) string {
	for _, member := range []string{"id", "expr", "text", "email", "url", "query"} {
		if text, ok := o.Payload[member].(string); ok && text != "" {
			return fault.Clip(say(text), 200)
		}
	}
	return ""
}

// AskFor asks for the value of a slot: the question if there is one, and always the name of the slot.
func AskFor(slot, question string) string {
	if strings.TrimSpace(question) == "" {
		question = "What is the value?"
	}
	return printable(fmt.Sprintf("%s (%s is missing)", strings.TrimSpace(question), slot))
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// printable takes out what could steer a terminal, and the bytes that are no characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(v)) // what no tool can produce: a channel, NaN
	}
	return strings.TrimSpace(b.String())
}

// say renders a value in a sentence: strings on one line, lists with commas, the rest as JSON.
func say(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.Join(strings.FieldsFunc(v, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	case []any:
		all := make([]string, len(v))
		for i, each := range v {
			all[i] = say(each)
		}
		return strings.Join(all, ", ")
	}
	return compact(v)
}

// filled renders a format with values, or "" if one is missing.
func filled(format string, values ...any) string {
	texts := make([]any, len(values))
	for i, v := range values {
		text := say(v)
		if text == "" {
			return ""
		}
		texts[i] = text
	}
	return fmt.Sprintf(format, texts...)
}

// rows returns a list of objects; ok is false if it is not a list, or has something else.
func rows(v any) (all []map[string]any, ok bool) {
	list, ok := v.([]any)
	for _, each := range list {
		row, isObject := each.(map[string]any)
		if !isObject {
			return nil, false
		}
		all = append(all, row)
	}
	return all, ok
}

// listed renders filters in the order of their names.
func listed(filters any) string {
	m, _ := filters.(map[string]any)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, strings.ReplaceAll(name, "_", " ")+" "+say(m[name]))
	}
	return strings.Join(all, ", ")
}
