package provenance

import (
	"maps"
	"slices"
	"strings"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/rules/planning"
)

// Question is an answer that is to be confirmed.
type Question struct {
	Obligation planning.Obligation
	User       string // subject of what is known of the caller
	Answered   planning.Inputs
	Required   []string // members that the contract promises; none where all count
	About      string   // the member of the payload that names whom the answer is about; "" where the contract names none
	Stated     func(member string) []Said
	Held       func(subject, predicate string) ([]Said, error)
	Functional func(subject, predicate string) bool
}

// Finding is what the sources say of an answer.
type Finding struct {
	Kept    planning.Inputs // the members that are confirmed
	Sources []Source        // that confirm them or, where Why says so, that stand against them
	Why     string          // it is not confirmed; "" where it is
}

// Confirm looks for sources of an answer: each member that the contract promises must be stated by one, and none of
// the relations that they state may be contradicted. Other members are kept only if they are stated too.
//
// Implements: ORC-241
func Confirm(q Question) (Finding, error) {
	required := q.Required
	if len(required) == 0 {
		required = slices.Sorted(maps.Keys(q.Answered))
	}
	if len(required) == 0 {
		return Finding{Why: "the answer says nothing that could be confirmed"}, nil
	}
	f := Finding{Kept: planning.Inputs{}}
	var confirming []Said
	for _, name := range slices.Sorted(maps.Keys(q.Answered)) {
		said, disputed, err := q.said(name)
		if err != nil {
			return f, err
		}
		by := statedBy(q.Answered[name], said)
		needed := slices.Contains(required, name)
		switch {
		case disputed != nil && needed:
			return *disputed, nil
		case len(by) > 0:
			f.Kept[name], confirming = q.Answered[name], append(confirming, by...)
		case needed && len(said) == 0:
			return Finding{Why: "no source states " + name +
				": neither the request, nor an answer to a question, nor a fact that was asserted before" + q.unclear()}, nil
		case needed:
			return Finding{Sources: sources(said), Why: name + " is " + agreement.Shown(q.Answered[name]) +
				", but stated is " + listed(said)}, nil
		}
	}
	f.Sources = sources(confirming)
	return f, nil
}

// said returns what is stated for a member; where that is a relation that is contradicted, the finding says so.
func (q Question) said(member string) (all []Said, disputed *Finding, err error) {
	all = q.Stated(member)
	predicate := member
	if member == "value" || member == "values" {
		predicate = q.Obligation.Kind()[strings.LastIndexByte(q.Obligation.Kind(), '.')+1:]
	}
	subject, is := q.subject()
	if !is {
		return all, nil, nil
	}
	held, err := q.Held(subject, predicate)
	if err != nil {
		return nil, nil, err
	}
	if q.Functional(subject, predicate) {
		if why, against := Disputed(builtin.Fact{Subject: subject, Predicate: predicate}, held); why != "" {
			return nil, &Finding{Sources: against, Why: why}, nil
		}
	}
	return append(all, held...), nil, nil
}

// subject returns whom the facts that an answer is held against are about: whom the member of the payload names that
// the contract says; where it says none, the only text of the payload or, where there is none, the caller. is is false
// where several texts might name somebody.
func (q Question) subject() (subject string, is bool) {
	if strings.HasPrefix(q.Obligation.Kind(), planning.AboutCaller) {
		return q.User, true
	}
	named := q.texts()
	if q.About != "" {
		named = nil
		if text, given := q.Obligation.Payload[q.About].(string); given {
			named = []string{q.About}
			subject = text
		}
	} else if len(named) == 1 {
		subject, _ = q.Obligation.Payload[named[0]].(string)
	}
	if len(named) == 0 || subject == builtin.SubjectUser {
		subject = q.User
	}
	return subject, len(named) <= 1
}

// texts returns the members of the payload that are texts, in order.
func (q Question) texts() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(q.Obligation.Payload)) {
		if _, is := q.Obligation.Payload[name].(string); is && name != "kind" {
			names = append(names, name)
		}
	}
	return names
}

// unclear says why no facts were looked up, "" where they were.
func (q Question) unclear() string {
	if _, is := q.subject(); is {
		return ""
	}
	return "; and whom it is about is not clear: the payload has " + strings.Join(q.texts(), " and ") +
		", and the contract does not say about which"
}

// Disputed returns how a functional relation is contradicted, and by which sources; "" where it is not.
func Disputed(f builtin.Fact, held []Said) (why string, against []Source) {
	one, other, is := Contradiction(held)
	if !is {
		return "", nil
	}
	return f.Predicate + " of " + f.Subject + " is functional, and contradicted: " + listed([]Said{one, other}),
		sources([]Said{one, other})
}

// statedBy returns the statements that confirm a value: one of it or, for a list, of each of its items.
func statedBy(value any, said []Said) (by []Said) {
	find := func(v any) []Said {
		var found []Said
		for _, s := range said {
			if agreement.Equal(v, s.Value) {
				found = append(found, s)
			}
		}
		return found
	}
	if by = find(value); len(by) > 0 {
		return by
	}
	list, _ := value.([]any)
	for _, item := range list {
		found := find(item)
		if len(found) == 0 {
			return nil
		}
		by = append(by, found...)
	}
	return by
}

// maxListed bounds the statements that a text lists.
const maxListed = 4

func listed(all []Said) string {
	var texts []string
	for _, s := range all[:min(len(all), maxListed)] {
		texts = append(texts, s.String())
	}
	return strings.Join(texts, " and ")
}
