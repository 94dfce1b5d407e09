package tools

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"orchestrator/internal/conductor/agreement"
	"orchestrator/internal/conductor/arith"
	"orchestrator/internal/conductor/lettercount"
	"orchestrator/internal/rules/planning"
)

// mathEval works an expression out: {"expr": "2+2"} to {"value": "4"}, and 1/3 to its fraction with a decimal beside
// it.
func mathEval() Tool {
	c := contract("math.eval", "REPORT(query.math)",
		"Works out an expression of numbers, exactly: + - * / % ** and brackets.",
		[]planning.Input{required("expr", textSchema("the expression, such as 2 * (3 + 4)", arith.MaxLength))},
		object(map[string]any{
			"value":   textSchema("the exact value: a decimal that ends, or a fraction in lowest terms", 0),
			"decimal": textSchema("of a fraction: twenty digits of it, rounded", 0),
		}, "value"))
	c.Verify = planning.CheckBlocking
	return Tool{Contract: c, Run: runMath, Again: againMath,
		Senses: map[string]agreement.Sense{"value": agreement.Number}}
}

func runMath(_ context.Context, in In) (map[string]any, error) {
	expr, err := in.text("expr")
	if err != nil {
		return nil, err
	}
	v, err := arith.Eval(expr)
	if err != nil {
		return nil, err
	}
	result := map[string]any{"value": v.Exact}
	if v.Decimal != "" {
		result["decimal"] = v.Decimal
	}
	return result, nil
}

func againMath(_ context.Context, in In, result map[string]any) error {
	expr, err := in.text("expr")
	if err != nil {
		return err
	}
	exact, is := result["value"].(string)
	if !is {
		return unconfirmed("math.eval", errors.New("it has no value"))
	}
	decimal, _ := result["decimal"].(string)
	if err := arith.Confirm(expr, arith.Value{Exact: exact, Decimal: decimal}); err != nil {
		return unconfirmed("math.eval", err)
	}
	return nil
}

// textCountLetters counts: {"text": "strawberry", "letter": "r"} to {"value": 3}.
func textCountLetters() Tool {
	c := contract("text.count_letters", "REPORT(query.count_letters)", "Counts how often a letter stands in a text.",
		[]planning.Input{
			required("text", textSchema("the word, or another text, in which to count", lettercount.MaxText)),
			required("letter", textSchema("one letter, with its marks", 64)),
			optional("case_sensitive", flagSchema("whether r and R are two letters; false where it is missing")),
		},
		object(map[string]any{"value": countSchema("how often", 0)}, "value"))
	c.Verify = planning.CheckBlocking
	return Tool{Contract: c, Run: runCount, Again: againCount}
}

// counted returns the input of text.count_letters.
func counted(in In) (text, letter string, exact bool, err error) {
	text, err = in.text("text")
	if err == nil {
		letter, err = in.text("letter")
	}
	if err == nil {
		exact, err = in.flag("case_sensitive")
	}
	return text, letter, exact, err
}

func runCount(_ context.Context, in In) (map[string]any, error) {
	text, letter, exact, err := counted(in)
	if err != nil {
		return nil, err
	}
	n, err := lettercount.Count(text, letter, exact)
	if err != nil {
		return nil, err
	}
	return map[string]any{"value": n}, nil
}

func againCount(_ context.Context, in In, result map[string]any) error {
	text, letter, exact, err := counted(in)
	if err != nil {
		return err
	}
	n, is := whole(result["value"])
	if !is {
		return unconfirmed("text.count_letters", errors.New("its value is no whole number"))
	}
	if err := lettercount.Confirm(text, letter, exact, n); err != nil {
		return unconfirmed("text.count_letters", err)
	}
	return nil
}

// whole reads a whole number as tools write it or as JSON gives it back.
func whole(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), n == float64(int(n))
	case json.Number:
		i, err := strconv.Atoi(n.String())
		return i, err == nil
	}
	return 0, false
}
