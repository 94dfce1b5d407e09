// Package catalogue holds what the service says of each problem code: the statuses, what it means, what to do, whether
// to send the same again, and an example that the service gave. It is the page that the type of a problem leads to, and
// the only place that knows which problems are worth a second try. It does no I/O.
package catalogue

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
)

// Root is the path below which each code has its page.
const Root = "/problems"

// Path returns the path of the page of a code, which is the type of its problems (RFC 9457, section 3.1.1).
func Path(code fault.Code) string { return Root + "/" + string(code) }

// Whether the same request may succeed later, unchanged, with nothing to do but wait.
const (
	again  = true
	asItIs = false
)

// Entry is what is to be known of one code.
type Entry struct {
	Code      fault.Code `json:"code"`
	Statuses  []int      `json:"statuses"`
	Retryable bool       `json:"retryable"`
	Means     string     `json:"means"`
	Fix       string     `json:"fix"`
}

// Example is a request, and the problem that the service answered it with. What no request brings about by itself has
// the problem alone.
type Example struct {
	Request string         `json:"request,omitempty"`
	Body    string         `json:"body,omitempty"`
	Problem jsontext.Value `json:"problem"`
}

// entries are all of them, by code.
var entries = func() []Entry {
	all := slices.Concat(reading, access, rules, service)
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Code, b.Code) })
	return all
}()

// recorded are the examples, as the tests of the service met them.
//
//go:embed examples.json
var recorded []byte

// Entries returns every entry, by code.
//
// Implements: ORC-131
func Entries() []Entry { return slices.Clone(entries) }

// Find returns the entry of a code.
func Find(code fault.Code) (Entry, bool) {
	i, found := slices.BinarySearchFunc(entries, code, func(e Entry, c fault.Code) int { return cmp.Compare(e.Code, c) })
	if !found {
		return Entry{}, false
	}
	return entries[i], true
}

// Retryable reports whether the same request may succeed later, unchanged. A code without an entry is one that no
// client is meant to meet.
func Retryable(code fault.Code) bool {
	e, _ := Find(code)
	return e.Retryable
}

// Examples returns the example of each code.
func Examples() (map[fault.Code]Example, error) {
	var all map[fault.Code]Example
	err := json.Unmarshal(recorded, &all)
	return all, err
}

// numbers returns the statuses of an entry, as a text.
func (e Entry) numbers() string {
	texts := make([]string, len(e.Statuses))
	for i, status := range e.Statuses {
		texts[i] = fmt.Sprint(status)
	}
	return strings.Join(texts, " or ")
}

// again says whether to send the same request again.
func (e Entry) again() string {
	if e.Retryable {
		return "The same request may succeed later, unchanged."
	}
	return "The same request is refused again until something is changed."
}
