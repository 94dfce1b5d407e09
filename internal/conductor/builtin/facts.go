package builtin

import (
	"context"
	"maps"
	"slices"
	"strings"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// Facts returns the tools that work on what is known, by name.
func Facts() map[string]Tool {
	return map[string]Tool{
		"ir.assert":   {Run: assertFacts, Shown: shownFacts},
		"ir.list":     {Run: listFacts, Repeatable: true},
		"ir.retract":  {Run: retract, Shown: shownEnded},
		"ir.query":    {Run: querySubjects, Repeatable: true, Rests: restsOnFilters},
		"ir.recall":   {Run: recall, Repeatable: true, Rests: restsOnName},
		"ir.remember": {Run: remember, Shown: shownName},
	}
}

// FactContracts returns the contracts of the tools that work on what is known.
func FactContracts() []planning.Contract {
	text := map[string]any{"type": "string", "minLength": 1, "maxLength": 1000}
	list := map[string]any{"type": "object", "required": []any{"values"},
		"properties": map[string]any{"values": map[string]any{"type": "array"}}}
	value := map[string]any{"type": "object", "required": []any{"value"}}
	facts := map[string]any{"type": "array", "minItems": 1, "maxItems": 1000, "items": map[string]any{
		"type": "object", "required": []any{"subject", "predicate", "object"}, "additionalProperties": false,
		"properties": map[string]any{"subject": text, "predicate": text,
			"object": map[string]any{"type": []any{"string", "number", "boolean"}, "maxLength": 20000}},
	}}
	filters := map[string]any{"type": "object", "minProperties": 1, "maxProperties": 20,
		"additionalProperties": map[string]any{"type": []any{"string", "number", "boolean"}}}
	required := func(name string, schema map[string]any) planning.Input {
		return planning.Input{Name: name, Schema: schema, Required: true}
	}
	scope := planning.Input{Name: "scope", Schema: map[string]any{"enum": []any{state.ScopeOwn, state.ScopeProject}}}
	assert := contractOf("ir.assert",
		"Holds facts true: subject, predicate, object. The subject user is the caller.",
		5000, []string{"ACHIEVE(ir.assert)"},
		map[string]any{"type": "object", "required": []any{"asserted"}}, required("facts", facts), scope)
	assert.Preconditions = []string{planning.NotViewer} // others see these facts
	assert.Postconditions = []string{"result.asserted == size(input.facts)"}
	query := contractOf("ir.query",
		"Lists the subjects on which all filters, predicate and object, are held.", 5000,
		[]string{"REPORT(query.people)"}, list, required("filters", filters))
	recall := contractOf("ir.recall", "Says the caller's name, as far as it is known.", 5000,
		[]string{"REPORT(status.name)"}, value, required("name", text))
	recall.Postconditions = []string{"result.value == input.name"}
	remember := contractOf("ir.remember", "Remembers the caller's name.", 5000,
		[]string{"ACHIEVE(status.name)"}, value,
		scope, required("value", text))
	remember.Preconditions = []string{planning.NotViewer} // which leaves nothing behind
	remember.Postconditions = []string{"result.value == payload.value"}
	return append([]planning.Contract{assert, query, recall, remember}, endingContracts(text)...)
}

func assertFacts(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	facts, _ := c.Inputs["facts"].([]any)
	var effects []Effect
	for _, f := range facts {
		fact, _ := f.(map[string]any)
		one := c.asserted(fact)
		if reserved(one.Subject) && one.Subject != c.user() {
			return nil, nil, fault.New(fault.Forbidden, "subject_forbidden",
				"only the conductor, or that user, may assert facts about %q", fault.Clip(one.Subject, 80)).
				WithFix("assert facts about user, which is yourself, or about a subject of your own")
		}
		effects = append(effects, one)
	}
	if err := c.checkRoom(ctx, effects); err != nil {
		return nil, nil, err
	}
	if err := c.checkSpelling(ctx, effects); err != nil {
		return nil, nil, err
	}
	return map[string]any{"asserted": len(effects)}, effects, nil
}

// asserted returns the assertion that a fact makes. What somebody is to the caller is about the caller.
func (c Call) asserted(fact map[string]any) Effect {
	subject, _ := fact["subject"].(string)
	predicate, _ := fact["predicate"].(string)
	if subject == SubjectUser {
		subject = c.user()
	}
	if relation, is := relationIn(predicate, fact["object"]); is && !reserved(subject) {
		return c.scoped(Effect{Subject: c.user(), Predicate: relation, Object: subject})
	}
	return c.scoped(Effect{Subject: subject, Predicate: predicate, Object: fact["object"]})
}

// scoped gives an assertion the scope that the obligation names, unless it has that anyway.
func (c Call) scoped(e Effect) Effect {
	scope := c.text("scope")
	if own := strings.HasPrefix(e.Subject, UserPrefix); scope != "" && own != (scope == state.ScopeOwn) {
		e.Scope = scope
	}
	return e
}

// shownFacts counts the facts of an ACHIEVE that are held.
func shownFacts(ctx context.Context, c Call) (map[string]any, error) {
	facts, _ := c.Inputs["facts"].([]any)
	count := 0
	err := c.View(ctx, func(v state.View) error {
		for _, f := range facts {
			fact, _ := f.(map[string]any)
			one := c.asserted(fact)
			held, err := v.Held(one.Subject, one.Predicate)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(held, func(a state.Assertion) bool {
				return state.Equal(a.Object, one.Object) && a.Own() == state.Assertion{Subject: one.Subject, Scope: one.Scope}.Own()
			}) {
				count++
			}
		}
		return nil
	})
	return map[string]any{"asserted": count}, err
}

// predicateRelation says what somebody is to the caller: friend, colleague. That is between the two, and is kept on the
// caller, where nobody else can assert it: user:ada, friend, Bob.
const predicateRelation = "relation"

// relationIn returns what a fact, or a filter, says that somebody is to the caller; is reports whether it says that.
func relationIn(predicate string, object any) (relation string, is bool) {
	relation, is = object.(string)
	return relation, is && relation != "" && predicate == predicateRelation
}

// maxHeld bounds the objects held on one subject and predicate, since each is compared with a new one.
const maxHeld = 100

func (c Call) checkRoom(ctx context.Context, effects []Effect) error {
	held := map[[2]string]int{}
	return c.View(ctx, func(v state.View) error {
		for _, e := range effects {
			pair := [2]string{e.Subject, e.Predicate}
			if _, counted := held[pair]; !counted {
				now, err := v.Held(e.Subject, e.Predicate)
				if err != nil {
					return err
				}
				held[pair] = len(now)
			}
			if held[pair]++; held[pair] > maxHeld {
				return fault.New(fault.Invalid, "too_much_held", "more than %d objects would be held for %q and %q",
					maxHeld, fault.Clip(e.Subject, 80), fault.Clip(e.Predicate, 80)).
					WithFix("split the facts among several subjects or predicates")
			}
		}
		return nil
	})
}

// querySubjects takes a relation among the filters as a relation to the caller.
func querySubjects(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	filters, _ := c.Inputs["filters"].(map[string]any)
	relation, related := relationIn(predicateRelation, filters[predicateRelation])
	if related {
		filters = maps.Clone(filters)
		delete(filters, predicateRelation)
	}
	var subjects []string
	err := c.View(ctx, func(v state.View) (err error) {
		if !related || len(filters) > 0 {
			subjects, err = v.Subjects(filters)
		}
		if err != nil || !related {
			return err
		}
		held, err := v.Held(c.user(), relation)
		people := []string{}
		for _, one := range held {
			if name, is := one.Object.(string); is && (len(filters) == 0 || slices.Contains(subjects, name)) {
				people = append(people, name)
			}
		}
		slices.Sort(people)
		subjects = people
		return err
	})
	values := []any{}
	for _, s := range subjects {
		values = append(values, s)
	}
	return map[string]any{"values": values}, nil, err
}

// restsOnFilters lists what the filters say of each subject that was found.
func restsOnFilters(c Call, result map[string]any) (facts []Fact) {
	filters, _ := c.Inputs["filters"].(map[string]any)
	subjects, _ := result["values"].([]any)
	for _, predicate := range slices.Sorted(maps.Keys(filters)) {
		if relation, is := relationIn(predicate, filters[predicate]); is {
			for _, s := range subjects {
				facts = append(facts, Fact{c.user(), relation, s})
			}
			continue
		}
		for _, s := range subjects {
			if subject, is := s.(string); is {
				facts = append(facts, Fact{subject, predicate, filters[predicate]})
			}
		}
	}
	return facts
}

func restsOnName(c Call, result map[string]any) []Fact {
	return []Fact{{c.user(), PredicateName, result["value"]}}
}

// PredicateName says what somebody is called.
const PredicateName = "name"

// recall returns what is known, and not what the payload may say of it.
func recall(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	var held []state.Assertion
	err := c.View(ctx, func(v state.View) (err error) {
		held, err = v.Held(c.user(), PredicateName)
		return err
	})
	if err == nil && (len(held) != 1 || !state.Equal(held[0].Object, c.Inputs["name"])) {
		err = fault.New(fault.Conflict, "answer_differs", "this differs from what is known").
			WithFix("ask without a name")
	}
	return map[string]any{"value": c.Inputs["name"]}, nil, err
}

func remember(_ context.Context, c Call) (map[string]any, []Effect, error) {
	return map[string]any{"value": c.Inputs["value"]},
		[]Effect{c.scoped(Effect{Subject: c.user(), Predicate: PredicateName, Object: c.Inputs["value"]})}, nil
}

// shownName returns what is known of the caller's name.
func shownName(ctx context.Context, c Call) (map[string]any, error) {
	result := map[string]any{}
	err := c.View(ctx, func(v state.View) error {
		held, err := v.Held(c.user(), PredicateName)
		if len(held) == 1 {
			result["value"] = held[0].Object
		}
		return err
	})
	return result, err
}
