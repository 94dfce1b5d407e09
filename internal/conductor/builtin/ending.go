package builtin

import (
	"context"
	"time"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// endingContracts returns the contracts of the tools that list and end facts.
func endingContracts(text map[string]any) []planning.Contract {
	input := func(name string, schema map[string]any, required bool) planning.Input {
		return planning.Input{Name: name, Schema: schema, Required: required}
	}
	object := map[string]any{"type": []any{"string", "number", "boolean"}, "maxLength": 20000}
	list := contractOf("ir.list", "Lists the facts that the caller sees, with owner, scope, source and since when.", 5000,
		[]string{"REPORT(query.facts)"},
		map[string]any{"type": "object", "required": []any{"facts", "total"}, "properties": map[string]any{
			"facts": map[string]any{"type": "array"}, "total": map[string]any{"type": "integer"}}},
		input("limit", map[string]any{"type": "integer", "minimum": 1, "maximum": 1000}, false),
		input("owner", text, false), input("predicate", text, false), input("subject", text, false))
	count := map[string]any{"type": "integer", "minimum": 0}
	retract := contractOf("ir.retract", "Ends a fact that the caller stated; a pm ends those of others as well.", 5000,
		[]string{"ACHIEVE(ir.retract)"},
		map[string]any{"type": "object", "required": []any{"ended", "left"},
			"properties": map[string]any{"ended": count, "left": count}},
		input("object", object, true), input("owner", text, false), input("predicate", text, true),
		input("subject", text, true))
	retract.Preconditions = []string{planning.NotViewer} // which changes nothing
	retract.Postconditions = []string{"result.left == 0"}
	return []planning.Contract{list, retract}
}

// mayName refuses an owner other than the caller to all but a pm.
func (c Call) mayName(owner string) error {
	if owner == "" || owner == c.Caller.Name || c.isPM() {
		return nil
	}
	return fault.New(fault.Forbidden, codeFactForbidden, "only a pm may name the owner of facts").
		WithFix("leave the owner out, or ask a pm")
}

func (c Call) isPM() bool { return c.Caller.Role == string(lifecycle.PM) }

const codeFactForbidden fault.Code = "fact_forbidden"

// defaultListed is how many facts are listed where nothing is said.
const defaultListed = 100

// listFacts returns what the caller sees or, for a pm, what the owner named sees.
func listFacts(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	owner, subject, predicate := c.text("owner"), c.text("subject"), c.text("predicate")
	if subject == "user" {
		subject = c.user()
	}
	limit := int(asUint(c.Inputs["limit"]))
	if limit == 0 {
		limit = defaultListed
	}
	facts, total := []any{}, 0
	err := c.mayName(owner)
	if err == nil {
		err = c.View(ctx, func(v state.View) error {
			if owner != "" {
				v = v.For(owner)
			}
			wanted := func(s, p string) bool {
				return (subject == "" || subject == s) && (predicate == "" || predicate == p)
			}
			facts, total = []any{}, 0
			return v.EachHeld(wanted, func(a state.Assertion) error {
				if owner == "" && total >= limit { // whose it is makes no difference
					total++
					return nil
				}
				of, err := v.Owner(a)
				if err != nil || owner != "" && owner != of {
					return err
				}
				if total++; total > limit {
					return nil
				}
				fact, err := c.shown(v, a, of)
				facts = append(facts, fact)
				return err
			})
		})
	}
	return map[string]any{"facts": facts, "total": total}, nil, err
}

// shown returns a fact as it is listed. What this run itself stated has no moment, so that the same request gives the
// same trace.
func (c Call) shown(v state.View, a state.Assertion, owner string) (map[string]any, error) {
	source, _, err := v.Source(a.Source)
	if err != nil {
		return nil, err
	}
	by, err := v.Actor(a.Source)
	from := map[string]any{"kind": source.Kind, "by": by}
	if source.Kind == state.SourceTool {
		from["tool"] = source.Name
	}
	if len(source.Words) > 0 {
		from["words"] = listOf(source.Words)
	}
	fact := map[string]any{"subject": a.Subject, "predicate": a.Predicate, "object": a.Object, "owner": owner,
		"scope": state.ScopeProject, "source": from}
	if a.Own() {
		fact["scope"] = state.ScopeOwn
	}
	if source.Run != c.Run {
		fact["since"] = a.Since.UTC().Format(time.RFC3339)
	}
	return fact, err
}

// endable returns the facts of the obligation that the caller may end: their own and, for a pm, whatever the pm sees or
// what is the owner's who is named. Where there are others, owner is whose.
func (c Call) endable(ctx context.Context) (found Effect, owner string, err error) {
	named := c.text("owner")
	if err := c.mayName(named); err != nil {
		return found, "", err
	}
	as := c
	if named != "" {
		as.Caller.Name = named
	}
	found = as.asserted(c.Inputs)
	err = c.View(ctx, func(v state.View) error {
		held, err := v.For(as.Caller.Name).Held(found.Subject, found.Predicate)
		if err != nil {
			return err
		}
		for _, a := range held {
			if !state.Equal(a.Object, found.Object) {
				continue
			}
			of, err := v.Owner(a)
			if err != nil {
				return err
			}
			if of == as.Caller.Name || named == "" && c.isPM() {
				found.Ends = append(found.Ends, a.ID)
			} else {
				owner = of
			}
		}
		return nil
	})
	return found, owner, err
}

// retract ends a fact.
func retract(ctx context.Context, c Call) (map[string]any, []Effect, error) {
	found, owner, err := c.endable(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case len(found.Ends) == 0 && owner != "":
		return nil, nil, fault.New(fault.Forbidden, codeFactForbidden, "the fact is %s's: only %s and a pm may end it", owner,
			owner).WithFix("ask one of them")
	case len(found.Ends) == 0:
		return nil, nil, fault.New(fault.NotFound, "not_held", "nothing like that is held of %q",
			fault.Clip(found.Subject, 80)).
			WithFix("REPORT(query.facts) lists what is held; give subject, predicate and object as they stand there")
	}
	return map[string]any{"ended": len(found.Ends), "left": 0}, []Effect{found}, nil
}

// shownEnded counts the facts of an ACHIEVE that are held although they were to be ended.
func shownEnded(ctx context.Context, c Call) (map[string]any, error) {
	found, _, err := c.endable(ctx)
	return map[string]any{"ended": 0, "left": len(found.Ends)}, err
}
