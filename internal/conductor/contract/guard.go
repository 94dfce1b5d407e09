package contract

import (
	"regexp"
	"regexp/syntax"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// CEL counts the cost of a call when it is over, and counts some for little that take long: a pattern over a long text,
// a value compared with itself that holds one list a million times. The calls here are therefore paid before they are
// made, by the size of what they are given; whoever cannot pay is stopped. The library of texts (replace, join, format)
// is left out for the same reason: one call could ask for all memory there is.

// prices estimates the cost of calls by their arguments.
type prices struct{}

const (
	priceLeaf  = 5  // of comparing one value that has no parts
	charsAUnit = 64 // bytes of a text that are looked at for one unit
	stepsAUnit = 10 // steps of a pattern's program over a text
)

// CallCost implements interpreter.ActualCostEstimator. Nil is CEL's own price.
func (prices) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	cost := uint64(1)
	switch function {
	case operators.Equals, operators.NotEquals:
		cost += priceLeaf * uint64(lesser(args[0], args[1]))
	case operators.In:
		cost += priceLeaf * uint64(weigh(args[1], maxCost))
		if _, is := args[1].(traits.Mapper); is {
			cost = 1 + uint64(weigh(args[0], maxCost))
		}
	case overloads.Matches:
		cost += patternSteps(args) / stepsAUnit
	case operators.Add:
		if list, is := args[1].(traits.Lister); is { // a list keeps its two parts; what was doubled is paid by its size
			size, _ := list.Size().(types.Int)
			cost += uint64(size)
			break
		}
		cost += costOfTexts(args) * 2
	default:
		cost += costOfTexts(args)
	}
	return &cost
}

// costOfTexts returns the cost of reading all texts among the arguments.
func costOfTexts(args []ref.Val) (cost uint64) {
	for _, arg := range args {
		switch v := arg.(type) {
		case types.String:
			cost += uint64(len(v) / charsAUnit)
		case types.Bytes:
			cost += uint64(len(v) / charsAUnit)
		}
	}
	return cost
}

// lesser returns the size of the smaller of two values, without walking through the larger.
func lesser(a, b ref.Val) int {
	for most := 16; ; most *= 4 {
		if least := min(weigh(a, most), weigh(b, most)); least < most || most > maxCost {
			return least
		}
	}
}

// weigh counts the values in a value, long texts more than once, and stops when there are so many.
func weigh(v ref.Val, most int) int {
	count := 1
	switch v := v.(type) {
	case types.String:
		count += len(v) / charsAUnit
	case types.Bytes:
		count += len(v) / charsAUnit
	case traits.Mapper:
		for it := v.Iterator(); count < most && it.HasNext() == types.True; {
			key := it.Next()
			count += weigh(key, most-count)
			if count < most {
				count += weigh(v.Get(key), most-count)
			}
		}
	case traits.Lister:
		for it := v.Iterator(); count < most && it.HasNext() == types.True; {
			count += weigh(it.Next(), most-count)
		}
	}
	return min(count, most)
}

// patternSteps returns the most steps that a pattern takes over a text.
func patternSteps(args []ref.Val) uint64 {
	text, isText := args[0].(types.String)
	pattern, isPattern := args[1].(types.String)
	if !isText || !isPattern || len(pattern) > maxCondition {
		return 0 // it will not be run
	}
	parsed, err := syntax.Parse(string(pattern), syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return uint64(len(text)+1) * uint64(len(program.Inst))
}

// guarded is a call that is paid before it is made.
type guarded struct {
	interpreter.InterpretableCall
	call func(a, b ref.Val) ref.Val
}

var guards = map[string]func(a, b ref.Val) ref.Val{
	operators.Equals:    types.Equal,
	operators.NotEquals: func(a, b ref.Val) ref.Val { return types.Bool(types.Equal(a, b) != types.True) },
	operators.In:        within,
	overloads.Matches:   matches,
}

// guard decorates a program.
func guard(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, is := i.(interpreter.InterpretableCall)
	if !is || len(call.Args()) != 2 {
		return i, nil
	}
	if made, known := guards[call.Function()]; known {
		return guarded{InterpretableCall: call, call: made}, nil
	}
	return i, nil
}

// Exec implements interpreter.InterpretableV2.
func (g guarded) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	var args [2]ref.Val
	for i, arg := range g.Args() {
		if args[i] = arg.Exec(frame); types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	if costs := frame.CostTracker(); costs != nil {
		costs.EvalBinary(frame, g.ID(), g, args[0], args[1], nil) // panics where it cannot be paid, and Eval recovers
	}
	return g.call(args[0], args[1])
}

// Eval implements interpreter.Interpretable.
func (g guarded) Eval(on interpreter.Activation) ref.Val {
	return interpreter.EvalActivation(on, g.Exec)
}

func within(value, in ref.Val) ref.Val {
	// by its items, not by the lists that it was joined of, which may be many and empty
	if list, is := in.(traits.Lister); is {
		for it := list.Iterator(); it.HasNext() == types.True; {
			if types.Equal(value, it.Next()) == types.True {
				return types.True
			}
		}
		return types.False
	}
	container, is := in.(traits.Container)
	if !is {
		return types.MaybeNoSuchOverloadErr(in)
	}
	return container.Contains(value)
}

func matches(text, pattern ref.Val) ref.Val {
	t, isText := text.(types.String)
	p, isPattern := pattern.(types.String)
	if !isText || !isPattern {
		return types.MaybeNoSuchOverloadErr(text)
	}
	if len(p) > maxCondition {
		return types.NewErrFromString("the pattern is too long")
	}
	compiled, err := regexp.Compile(string(p))
	if err != nil {
		return types.WrapErr(err)
	}
	return types.Bool(compiled.MatchString(string(t)))
}
