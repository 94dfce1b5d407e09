package provenance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/questions"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/rules/planning/flow"
)

// Request is what the caller states: in the payload of an obligation, as it was sent, and in answers to its questions.
type Request struct {
	Run, Obligation string // ids
	By              string
	Payload         planning.Inputs
	Given           []questions.Given
}

// Said returns what is stated for a member.
func (r Request) Said(member string) (all []Said) {
	if value, given := r.stated(member); given && member != "kind" {
		all = append(all, Said{value, Source{ID: r.Run + "/" + r.Obligation, Kind: state.SourceCaller, By: r.By}})
	}
	for _, g := range r.Given {
		if g.Slot == member {
			id := r.Run + "/" + g.Question
			all = append(all, Said{g.Value, Source{ID: id, Kind: state.SourceAnswer, By: g.By.Name}})
		}
	}
	return all
}

// States reports whether all inputs of a tool are stated. answer is the source of the last one, by their names, that
// is the answer to a question; "" if none is.
func (r Request) States(inputs planning.Inputs) (stated bool, answer string) {
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		i := slices.IndexFunc(r.Given, func(g questions.Given) bool {
			return g.Slot == name && state.Equal(g.Value, inputs[name])
		})
		switch {
		case i >= 0:
			answer = r.Run + "/" + r.Given[i].Question
		case !r.requests(name, inputs[name]):
			return false, ""
		}
	}
	return true, answer
}

// stated returns what the payload states for a member: not what it takes from the result of another obligation.
func (r Request) stated(member string) (any, bool) {
	value, given := r.Payload[member]
	return flow.Stated(value, given)
}

// requests reports whether the payload states a value for a member.
func (r Request) requests(member string, value any) bool {
	stated, given := r.stated(member)
	return given && state.Equal(stated, value)
}

// Doubted returns why one of the facts that an answer rests on does not carry it, and which sources stand against it;
// "" if all do. A fact does not if it is contradicted, or merely the word of a tool. run is the run that asks.
func Doubted(v state.View, run string, facts []builtin.Fact,
	functional func(subject, predicate string) bool) (why string, against []Source, err error) {
	for _, f := range facts {
		if functional(f.Subject, f.Predicate) {
			held, err := Held(v, run, f.Subject, f.Predicate)
			if err != nil {
				return "", nil, err
			}
			if why, against = Disputed(f, held); why != "" {
				return why, against, nil
			}
		}
		if why, against, err = merelyWord(v, run, f); why != "" || err != nil {
			return why, against, err
		}
	}
	return "", nil, nil
}

// merelyWord returns why a fact does not count that only tools have said, and from which sources it is; "" where
// somebody else stated it.
func merelyWord(v state.View, run string, f builtin.Fact) (why string, from []Source, err error) {
	held, err := v.Held(f.Subject, f.Predicate)
	if err != nil {
		return "", nil, err
	}
	for _, a := range held {
		if !agreement.Equal(a.Object, f.Object) {
			continue
		}
		source, _, err := v.Source(a.Source)
		if err != nil || len(source.Words) == 0 {
			return "", nil, err
		}
		by, err := v.Actor(a.Source)
		if err != nil {
			return "", nil, err
		}
		from = append(from, named(source, by, run))
		why = fmt.Sprintf("%s of %s is %s by the word of %s alone, which nothing confirms", f.Predicate, f.Subject,
			agreement.Shown(f.Object), strings.Join(source.Words, " and "))
	}
	return why, from, nil
}

// Evidence returns what a JUSTIFY says of an answer that was not confirmed: by what, with which tool or sources, why,
// and the run of the tool that answered. sources stand against the answer.
func Evidence(by, why, run string, with []string, sources []Source) planning.Inputs {
	e := planning.Inputs{"by": by, "why": why, "run": run}
	var names, against []any
	for _, name := range with {
		names = append(names, name)
	}
	for _, s := range sources {
		v := map[string]any{"id": s.ID, "kind": s.Kind, "by": s.By}
		if s.Tool != "" {
			v["tool"] = s.Tool
		}
		if s.Run != "" {
			v["run"], v["at"] = s.Run, s.At.UTC().Format(time.RFC3339Nano)
		}
		against = append(against, v)
	}
	if len(names) > 0 {
		e["with"] = names
	}
	if len(against) > 0 {
		e["sources"] = against
	}
	return e
}
