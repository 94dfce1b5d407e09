package builtin

import (
	"strings"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// ProjectStatus counts the requirements in each status.
type ProjectStatus struct {
	Counts map[lifecycle.Status]int
	Total  int
}

// Requirement is a requirement as it is stored now.
type Requirement struct {
	ID         string
	Status     lifecycle.Status
	Was        lifecycle.Status // before the last move; "" where there was none
	Title      string
	Kind       string
	Why        string // the reason that was given for the status
	WaitingFor []lifecycle.Party
	Suspect    bool
	Stale      bool
	Retired    bool
	Revision   uint64
	Parts      []string // that stand: design_spec, implementation, test, signoff, pm_notes, deviations
}

// RequirementList is a page of requirements.
type RequirementList struct {
	Requirements []Requirement
	Total        int
	Next         string // where the next page goes on; "" where this is the last
}

// NextStep is a piece of work that a requirement waits for.
type NextStep struct {
	ID    string // of the requirement
	By    lifecycle.Party
	Do    string
	Lacks []string
}

// NextSteps is a page of steps.
type NextSteps struct {
	Steps   []NextStep
	Next    string   // where the next page goes on; "" where this is the last
	For     string   // the role that they were asked for; "" where none was named
	Waiting []Waited // where there are no steps: whose turn it is
}

// Waited says how much waits for somebody.
type Waited struct {
	For   lifecycle.Party
	Count int
	First []string // ids
}

// Missing is what keeps a requirement from being done.
type Missing struct {
	ID     string
	Status lifecycle.Status
	Moves  int // on the way to done
	Lacks  []Lacking
}

// Lacking is one thing that is missing, who supplies or mends it, and with what.
type Lacking struct {
	What string
	By   lifecycle.Party
	With string
}

// EvidenceCheck says whether what a requirement cites still holds.
type EvidenceCheck struct {
	Problems []string // none where all of it holds
	Cited    int
}

// LogCheck says whether the log is whole, and every decision in it was right.
type LogCheck struct {
	Problems []string // none where all is well
	Records  uint64
	Root     string
}

// A result is what tools answer with: values in the types that JSON is read into, for schemas, conditions and traces.
type result interface{ values() map[string]any }

func (s ProjectStatus) values() map[string]any {
	counts := map[string]any{}
	for status, n := range s.Counts {
		counts[string(status)] = float64(n)
	}
	return map[string]any{"counts": counts, "total": float64(s.Total)}
}

// Values returns the counts as conditions see them.
func (s ProjectStatus) Values() map[string]any { return s.values() }

func (r Requirement) values() map[string]any {
	v := map[string]any{"id": r.ID, "status": string(r.Status), "title": r.Title,
		"waiting_for": listOf(r.WaitingFor), "revision": float64(r.Revision)}
	putText(v, "kind", r.Kind)
	putText(v, "why", r.Why)
	for name, set := range map[string]bool{"suspect": r.Suspect, "stale": r.Stale, "retired": r.Retired} {
		if set {
			v[name] = true
		}
	}
	if len(r.Parts) > 0 {
		v["parts"] = listOf(r.Parts)
	}
	return v
}

func (l RequirementList) values() map[string]any {
	v := map[string]any{"requirements": valuesOf(l.Requirements), "total": float64(l.Total)}
	putText(v, "next", l.Next)
	return v
}

func (s NextStep) values() map[string]any {
	v := map[string]any{"id": s.ID, "role": string(s.By), "do": s.Do}
	if len(s.Lacks) > 0 {
		v["lacks"] = listOf(s.Lacks)
	}
	return v
}

func (l NextSteps) values() map[string]any {
	v := map[string]any{"steps": valuesOf(l.Steps)}
	putText(v, "next", l.Next)
	putText(v, "for", l.For)
	if len(l.Waiting) > 0 {
		v["waiting"] = valuesOf(l.Waiting)
	}
	return v
}

func (w Waited) values() map[string]any {
	return map[string]any{"for": string(w.For), "count": float64(w.Count), "first": listOf(w.First)}
}

func (m Missing) values() map[string]any {
	return map[string]any{"id": m.ID, "status": string(m.Status), "moves": float64(m.Moves), "missing": valuesOf(m.Lacks)}
}

func (l Lacking) values() map[string]any {
	return map[string]any{"what": l.What, "by": string(l.By), "with": l.With}
}

func (c EvidenceCheck) values() map[string]any {
	return map[string]any{"ok": len(c.Problems) == 0, "problems": listOf(c.Problems), "cited": float64(c.Cited)}
}

func (c LogCheck) values() map[string]any {
	v := map[string]any{"ok": len(c.Problems) == 0, "problems": listOf(c.Problems)}
	if len(c.Problems) == 0 {
		v["records"], v["root"] = float64(c.Records), c.Root
	}
	return v
}

// Words returns the tools whose word a result has, as it says itself: by the facts that it lists, or by what it tells of
// a run.
func Words(result map[string]any) (tools []string) {
	add := func(of map[string]any) {
		words, _ := of["words"].([]any)
		for _, word := range words {
			if tool, is := word.(string); is {
				tools = append(tools, tool)
			}
		}
	}
	add(result)
	facts, _ := result["facts"].([]any)
	for _, one := range facts {
		fact, _ := one.(map[string]any)
		source, _ := fact["source"].(map[string]any)
		add(source)
	}
	return tools
}

// putText sets a member that is absent where it would be empty.
func putText(values map[string]any, name, text string) {
	if text != "" {
		values[name] = text
	}
}

func listOf[T ~string](texts []T) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = string(text)
	}
	return list
}

func valuesOf[T result](all []T) []any {
	list := make([]any, len(all))
	for i, one := range all {
		list[i] = one.values()
	}
	return list
}

// Problems returns the problems that a result names, after a colon; "" if it names none.
func Problems(result map[string]any) string {
	list, _ := result["problems"].([]any)
	var all []string
	for _, p := range list {
		if text, is := p.(string); is {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + fault.Clip(strings.Join(all, "; "), state.MaxFields)
}
