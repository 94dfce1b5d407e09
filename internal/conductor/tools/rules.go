package tools

import (
	"context"
	"errors"
	"fmt"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/datalog"
	"orchestrator/internal/rules/planning"
)

// rulesDeduce answers a query from facts and rules:
//
//	{"facts": ["parent(ann, bob)", "parent(bob, cid)"], "rules": ["grandparent(X, Z) :- parent(X, Y), parent(Y, Z)."],
//	 "query": "grandparent(ann, X)"}
//
// to holds, answers, count and proof, a tree written as a list of steps.
func rulesDeduce() Tool {
	line := textSchema("one of them", 8000)
	step := object(map[string]any{
		"step": countSchema("its number, from 1", 1),
		"fact": textSchema("what it proves", 0),
		"rule": textSchema("the rule that makes it; a fact without one is given", 0),
		"from": listSchema("the steps that the rule makes it of, in the order of its body",
			countSchema("an earlier step", 1), 0),
	}, "step", "fact")
	c := contract("rules.deduce", "REPORT(rules.deduce)",
		"Answers a query from facts and rules (positive Datalog), and proves the answers.",
		[]planning.Input{
			optional("facts", listSchema("facts such as parent(ann, bob); none where it is missing", line,
				datalog.MaxFacts)),
			required("rules", listSchema("rules such as grandparent(X, Z) :- parent(X, Y), parent(Y, Z).", line,
				datalog.MaxRules)),
			required("query", textSchema("what to ask for, such as grandparent(ann, X)", 8000)),
		},
		object(map[string]any{
			"holds": flagSchema("whether the query has an answer"),
			"answers": listSchema("the facts that answer it, sorted; at most what fits in a MiB with its proof",
				textSchema("a fact", 0), 0),
			"count": countSchema("how many answers there are, also where not all are given", 0),
			"proof": listSchema("the steps that prove the answers; what a step comes from stands before it", step, 0),
		}, "holds", "answers", "count", "proof"))
	c.Verify = planning.CheckBlocking
	c.LatencyMS, c.TimeoutMS = 5, 10_000
	return Tool{Contract: c, Run: runDeduce, Again: againDeduce,
		Senses: map[string]agreement.Sense{"answers": agreement.Ordered, "proof": agreement.Free}}
}

func programOf(in In) (datalog.Program, error) {
	facts, err := in.texts("facts")
	if err != nil {
		return datalog.Program{}, err
	}
	rules, err := in.texts("rules")
	if err != nil {
		return datalog.Program{}, err
	}
	query, err := in.text("query")
	if err != nil {
		return datalog.Program{}, err
	}
	p, err := datalog.Read(facts, rules, query)
	if err == nil {
		err = p.CheckSense()
	}
	return p, err
}

func runDeduce(ctx context.Context, in In) (map[string]any, error) {
	p, err := programOf(in)
	if err != nil {
		return nil, err
	}
	a, err := datalog.Deduce(ctx, p)
	if err != nil {
		return nil, err
	}
	proof := make([]any, len(a.Proof))
	for i, s := range a.Proof {
		step := map[string]any{"step": i + 1, "fact": s.Fact}
		if s.Rule != "" {
			step["rule"], step["from"] = s.Rule, list(s.From)
		}
		proof[i] = step
	}
	return map[string]any{"holds": a.Holds, "answers": list(a.Answers), "count": a.Count, "proof": proof}, nil
}

// list returns a list as JSON would give it.
func list[T any](of []T) []any {
	out := make([]any, len(of))
	for i, v := range of {
		out[i] = v
	}
	return out
}

func againDeduce(ctx context.Context, in In, result map[string]any) error {
	p, err := programOf(in)
	if err != nil {
		return err
	}
	a, err := answerOf(result)
	if err == nil {
		err = datalog.Confirm(ctx, p, a)
	}
	if err != nil {
		return unconfirmed("rules.deduce", err)
	}
	return nil
}

// answerOf reads a result back.
func answerOf(result map[string]any) (datalog.Answer, error) {
	var a datalog.Answer
	holds, isHolds := result["holds"].(bool)
	answers, isAnswers := result["answers"].([]any)
	texts, isTexts := textsOf(answers)
	count, isCount := whole(result["count"])
	proof, isProof := result["proof"].([]any)
	if !isHolds || !isAnswers || !isTexts || !isCount || !isProof {
		return a, errors.New("holds, answers, count or proof is missing")
	}
	a = datalog.Answer{Holds: holds, Answers: texts, Count: count}
	for i, v := range proof {
		step, is := stepOf(v, i+1)
		if !is {
			return a, fmt.Errorf("step %d of the proof cannot be read", i+1)
		}
		a.Proof = append(a.Proof, step)
	}
	return a, nil
}

func stepOf(v any, number int) (datalog.Step, bool) {
	var s datalog.Step
	step, is := v.(map[string]any)
	if n, _ := whole(step["step"]); !is || n != number {
		return s, false
	}
	if s.Fact, is = step["fact"].(string); !is {
		return s, false
	}
	s.Rule, _ = step["rule"].(string)
	from, _ := step["from"].([]any)
	for _, v := range from {
		n, is := whole(v)
		if !is {
			return s, false
		}
		s.From = append(s.From, n)
	}
	return s, true
}
