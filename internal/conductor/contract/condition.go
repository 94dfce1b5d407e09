package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"orchestrator/internal/fault"
)

// The limits of a condition.
const (
	maxCondition = 2000    // characters
	maxNodes     = 2000    // of its syntax tree, macros written out
	maxCost      = 100_000 // of one evaluation, in CEL's units: about one for each value looked at
	maxRegex     = 1000    // of a compiled pattern
	maxWhy       = 200     // bytes of a reason
)

// Condition is a compiled CEL condition. It is safe for concurrent use.
type Condition struct {
	text    string
	program cel.Program
	inputs  []string // that it names: input.n and input["n"]
	names   []string // variables that it names
}

// Verdict says whether a condition holds, and why not.
type Verdict struct {
	Condition string `json:"condition"`
	Holds     bool   `json:"holds"`
	Why       string `json:"why,omitempty"` // "" where it holds
}

// FirstFailing returns the first condition that does not hold, or "".
func FirstFailing(all []Verdict) string {
	for _, v := range all {
		if !v.Holds {
			return v.String()
		}
	}
	return ""
}

const isFalse = "it is false"

// Decided reports whether the condition could be evaluated. One that could not does not hold, and nor does its
// opposite.
func (v Verdict) Decided() bool { return v.Holds || v.Why == isFalse }

// String returns that the condition does not hold, and why.
func (v Verdict) String() string {
	return strings.TrimSuffix(v.Condition+" does not hold: "+v.Why, ": ")
}

// CompileCondition compiles what must hold before anything is run: a precondition, or the condition of a MAINTAIN or
// AVOID. It knows the variables payload, input, caller, ir and state. What is wrong is a *fault.Error of kind Invalid.
//
// Implements: ORC-277
func CompileCondition(text string) (*Condition, error) {
	c, err := compile(text, false)
	if err != nil {
		return nil, fault.New(fault.Invalid, "condition_invalid", "the condition cannot be used: %s", err).
			WithFix("write a condition in CEL over payload, input, caller, ir and state; docs/conductor.md shows some")
	}
	return c, nil
}

// Holds evaluates the condition. What cannot be evaluated is false, and the verdict says why: a key that is not there,
// values of types that do not go together, or too much to look at.
func (c *Condition) Holds(facts Facts) Verdict { return c.holds(facts.variables()) }

func (c *Condition) holds(on *variables) Verdict {
	v := Verdict{Condition: c.text}
	value, _, err := c.program.Eval(on)
	switch {
	case err != nil && strings.Contains(err.Error(), "limit exceeded"):
		v.Why = "the evaluation exceeds the cost limit"
	case err != nil:
		v.Why = fault.Clip(err.Error(), maxWhy)
	default:
		v.Holds, _ = value.Value().(bool)
		if !v.Holds {
			v.Why = isFalse
		}
	}
	return v
}

// environment has the variables of conditions. It is made once, and only when there is a condition.
type environment struct{ before, after *cel.Env }

var environments = sync.OnceValues(func() (environment, error) {
	facts := cel.MapType(cel.StringType, cel.DynType)
	before, err := cel.NewEnv(
		cel.Variable(varPayload, facts), cel.Variable(varInput, facts), cel.Variable(varCaller, facts),
		cel.Variable(varIR, cel.DynType), cel.Variable(varState, cel.DynType),
		cel.CustomTypeAdapter(adapter{}), cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(maxCondition), cel.ExpressionNodeLimit(maxNodes),
		cel.RegexProgramSizeLimit(maxRegex), cel.ASTValidators(cel.ValidateRegexLiterals()),
	)
	if err != nil {
		return environment{}, err
	}
	after, err := before.Extend(cel.Variable(varResult, cel.DynType))
	return environment{before: before, after: after}, err
})

// compile checks a text: its length, its names, and that its result is true or false.
func compile(text string, after bool) (*Condition, error) {
	if length := utf8.RuneCountInString(text); length > maxCondition {
		return nil, errors.New("it is longer than 2000 characters")
	}
	both, err := environments()
	if err != nil {
		return nil, err
	}
	env := both.before
	if after {
		env = both.after
	}
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, errors.New(explained(issues))
	}
	if checked.OutputType() != cel.BoolType {
		return nil, errors.New("its result is " + checked.OutputType().String() + ", not bool: compare it, as in " +
			text + " == true")
	}
	program, err := env.Program(checked, cel.CostLimit(maxCost), cel.CostTracking(prices{}),
		cel.CustomDecoratorV2(guard))
	if err != nil {
		return nil, err
	}
	return &Condition{text: text, program: program, inputs: inputsOf(checked), names: namesOf(checked)}, nil
}

// explained returns all issues in one line, with the places that CEL gives them.
func explained(issues *cel.Issues) string {
	var all []string
	for _, e := range issues.Errors() {
		message := strings.TrimSuffix(strings.Join(strings.Fields(e.Message), " "), " (in container '')")
		all = append(all, fmt.Sprintf("character %d of line %d: %s", e.Location.Column()+1, e.Location.Line(), message))
	}
	return strings.Join(all, "; ")
}

// namesOf returns the variables that a condition names.
func namesOf(checked *cel.Ast) (names []string) {
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.IdentKind {
			names = append(names, e.AsIdent())
		}
	}))
	return names
}

// Names reports whether the condition names one of some variables.
func (c *Condition) Names(variables ...string) bool {
	return slices.ContainsFunc(variables, func(v string) bool { return slices.Contains(c.names, v) })
}

// Names reports whether a condition of the tool names one of some variables.
func (t *Tool) Names(variables ...string) bool {
	return slices.ContainsFunc(slices.Concat(t.before, t.after),
		func(c *Condition) bool { return c.Names(variables...) })
}

// inputsOf returns the inputs that a condition names.
func inputsOf(checked *cel.Ast) (named []string) {
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			if isInput(e.AsSelect().Operand()) {
				named = append(named, e.AsSelect().FieldName())
			}
		case ast.CallKind:
			call := e.AsCall()
			if call.FunctionName() != operators.Index || !isInput(call.Args()[0]) ||
				call.Args()[1].Kind() != ast.LiteralKind {
				return
			}
			if name, is := call.Args()[1].AsLiteral().Value().(string); is {
				named = append(named, name)
			}
		}
	}))
	return named
}

func isInput(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == varInput }
