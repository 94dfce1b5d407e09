// Package agreement compares what a tool answered with what a built-in tool works out for the same obligation.
//
// Two values agree if they say the same, in whatever notation: 4, "4", 4.0 and "8/2" are one number. What the contract
// of the built-in tool requires has to be there and to agree; so has the rest, if it is there. The package is pure.
package agreement

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"orchestrator/internal/fault"
)

// Sense says how the values of a member are compared.
type Sense int

// The senses. A number that a built-in tool answers with is compared as a number in each of them.
const (
	Plain   Sense = iota // as JSON; a list in any order
	Ordered              // as JSON; a list in its order
	Number               // as numbers, also in texts: "4", "8/2"
	Moment               // as moments in the same zone, at most Tolerance apart
	Free                 // not compared: it may be worked out in several ways
)

// Tolerance is how far apart two moments may be that say the same.
const Tolerance = 2 * time.Second

// Difference is a member in which two results do not agree.
type Difference struct {
	Member   string
	Answered any  // nil where it is missing
	Missing  bool // the tool left the member out
	Expected any
}

// Between describes the difference, with the values of both.
func (d Difference) Between(tool, evaluator string) string {
	if d.Missing {
		return fmt.Sprintf("%s leaves out %s, and %s finds %s", tool, d.Member, evaluator, Shown(d.Expected))
	}
	return fmt.Sprintf("%s says that %s is %s, and %s finds %s", tool, d.Member, Shown(d.Answered), evaluator,
		Shown(d.Expected))
}

// Compare compares an answer with what a built-in tool expects. It returns the first difference, by name: in a member
// that both have, or a missing one that must be there. Where there is none, what may be answered is all that is
// expected: what an answer leaves out is no secret, and is added.
func Compare(answered, expected map[string]any, must []string, senses map[string]Sense) (map[string]any, *Difference) {
	kept := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		value, given := answered[name]
		compared := senses[name] != Free && (given || slices.Contains(must, name))
		if compared && !(given && agree(value, expected[name], senses[name])) {
			return nil, &Difference{Member: name, Answered: value, Missing: !given, Expected: expected[name]}
		}
		kept[name] = expected[name]
	}
	return kept, nil
}

// Strict compares two results of the same tool, which have to agree in every member.
func Strict(answered, expected map[string]any, senses map[string]Sense) *Difference {
	for _, name := range slices.Sorted(maps.Keys(answered)) {
		if value, has := expected[name]; !has || !agree(answered[name], value, senses[name]) {
			return &Difference{Member: name, Answered: answered[name], Expected: value}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if _, has := answered[name]; !has {
			return &Difference{Member: name, Missing: true, Expected: expected[name]}
		}
	}
	return nil
}

// Equal reports whether two values say the same, lists in their order.
func Equal(a, b any) bool { return agree(a, b, Ordered) || agree(b, a, Ordered) }

// maxShown bounds the bytes of a value in a text.
const maxShown = 200

// Shown returns a value as texts name it.
func Shown(v any) string {
	if text, is := encoded(v); is {
		return fault.Clip(text, maxShown)
	}
	return "something that is no JSON"
}
