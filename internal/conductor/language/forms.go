package language

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"orchestrator/internal/conductor/language/near"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/lazyregexp"
)

// form is a kind of sentence and the obligation that it makes.
type form struct {
	Say  []string // patterns; see pattern
	Type planning.Type
	Kind string
	// member of the payload that takes the slots; "" is the payload itself
	Into string
	// the payload's members from the slots, or why not; nil is the slots
	Build func(slots map[string]any, now time.Time) (map[string]any, string)
	// each pattern has at least one; the first stands for the form
	Examples []string
}

// forms are all sentences of the grammar. docs/conductor-language.md and the listing of the forms are made from this
// table.
var forms = slices.Concat(reads, acts)

// name returns what a form makes: REPORT(query.math).
func (f *form) name() string {
	return planning.Obligation{Type: f.Type, Payload: map[string]any{"kind": f.Kind}}.String()
}

// payload returns the members that a form makes of its slots.
func (f *form) payload(slots map[string]any, now time.Time) (payload map[string]any, why string) {
	if f.Build != nil {
		if slots, why = f.Build(slots, now); why != "" {
			return nil, why
		}
	}
	payload = map[string]any{}
	if f.Kind != "" {
		payload["kind"] = f.Kind
	}
	if f.Into != "" {
		payload[f.Into] = slots
		return payload, ""
	}
	maps.Copy(payload, slots)
	return payload, ""
}

var patternWords = lazyregexp.New(`\{(?:(\w+):)?(\w+)\}`)

// shown returns a pattern as a reader sees it: {city:place} becomes CITY.
func shown(say string) string {
	return patternWords().ReplaceAllStringFunc(say, func(slot string) string {
		name, _, _ := strings.Cut(strings.Trim(slot, "{}"), ":")
		return strings.ToUpper(name)
	})
}

// compiled is a form with one of its patterns.
type compiled struct {
	form    *form
	pattern *pattern
	words   *near.Pattern // the same pattern, for sentences that are near it
}

// grammar is every pattern of every form, in their order.
var grammar = sync.OnceValue(func() []compiled {
	var all []compiled
	for i := range forms {
		for _, say := range forms[i].Say {
			all = append(all, compiled{&forms[i], compile(say), near.Compile(say, !forms[i].Type.Reads())})
		}
	}
	return all
})
