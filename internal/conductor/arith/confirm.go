package arith

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/system/lazyregexp"
)

// Confirm evaluates an expression a second time and compares. Its error says what differs.
func Confirm(expr string, v Value) error {
	again, err := evaluateAgain(expr)
	if err != nil {
		return fmt.Errorf("a second evaluation is refused: %w", err)
	}
	places, ends := again.FloatPrec()
	if ends {
		if want := again.FloatString(places); v.Exact != want || v.Decimal != "" {
			return fmt.Errorf("a second evaluation gives %s", want)
		}
		return nil
	}
	if want := again.RatString(); v.Exact != want {
		return fmt.Errorf("a second evaluation gives %s", want)
	}
	return confirmDecimal(again, v.Decimal)
}

var decimal = lazyregexp.New(`^-?([0-9]+)(?:\.([0-9]+))?(?:e(-?[0-9]{1,4}))?$`)

// confirmDecimal checks that a decimal of twenty digits is at most half a unit of its last place from a value.
func confirmDecimal(value *big.Rat, text string) error {
	parts := decimal().FindStringSubmatch(text)
	if len(text) > 40 || parts == nil || len(strings.TrimLeft(parts[1]+parts[2], "0")) != 20 {
		return errors.New("the decimal does not have twenty digits")
	}
	written, unit := new(big.Rat), new(big.Rat)
	exponent := parts[3]
	if exponent == "" {
		exponent = "0"
	}
	_, ok := written.SetString(text)
	_, okUnit := unit.SetString("1e" + exponent)
	if !ok || !okUnit {
		return errors.New("the decimal cannot be read")
	}
	unit.Quo(unit, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(parts[2]))), nil)))
	off := written.Sub(written, value)
	if off.Abs(off).Mul(off, big.NewRat(2, 1)).Cmp(unit) > 0 {
		return errors.New("the decimal is not the nearest one")
	}
	return nil
}

// evaluateAgain returns the value of an expression.
func evaluateAgain(expr string) (*big.Rat, error) {
	if err := checkLength(expr); err != nil {
		return nil, err
	}
	y := yard{expr: expr}
	if err := y.read(); err != nil {
		return nil, err
	}
	return run(y.out)
}

// word matches a token of an expression: space, number, operator or bracket.
var word = lazyregexp.New(`^(?:([ \t\r\n]+)|((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(\*\*|[-+*/%()]))`)

// instruction pushes a number, or applies an operator to the top of the stack; "~" negates.
type instruction struct {
	push string
	op   string
}

// precedence is higher for operators that bind tighter.
var precedence = map[string]int{"+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "~": 3, "**": 4}

// yard is Dijkstra's shunting yard: it orders the tokens of an expression so that operators follow their operands.
type yard struct {
	expr    string
	at      int
	waiting []string // operators and open brackets
	out     []instruction
	valued  bool // a value has just been read: an operator may follow
	open    int
}

func (y *yard) read() error {
	for y.at < len(y.expr) {
		m := word().FindStringSubmatch(y.expr[y.at:])
		var err error
		switch {
		case m == nil:
			err = unexpected(y.expr, y.at, "something else")
		case m[2] != "":
			err = y.value(m[2])
		case m[3] != "":
			err = y.operator(m[3])
		}
		if err != nil {
			return err
		}
		y.at += len(m[0])
	}
	if !y.valued || y.open > 0 {
		return unexpected(y.expr, y.at, "more")
	}
	y.release(0)
	return nil
}

func (y *yard) value(text string) error {
	if y.valued {
		return unexpected(y.expr, y.at, "an operator")
	}
	y.out = append(y.out, instruction{push: text})
	y.valued = true
	return nil
}

func (y *yard) operator(op string) error {
	switch {
	case op == "(" && !y.valued:
		if y.open++; y.open > MaxDepth {
			return tooDeep()
		}
		y.waiting = append(y.waiting, op)
	case op == ")" && y.valued && y.open > 0:
		y.open--
		y.release(0)
		y.waiting = y.waiting[:len(y.waiting)-1]
	case !y.valued && op == "-":
		y.waiting = append(y.waiting, "~")
	case !y.valued && op == "+":
	case y.valued && precedence[op] > 0:
		if op == "**" { // binds to the right: one that waits goes on waiting
			y.release(precedence[op] + 1)
		} else {
			y.release(precedence[op])
		}
		y.waiting = append(y.waiting, op)
		y.valued = false
	default:
		return unexpected(y.expr, y.at, "something else")
	}
	return nil
}

// release moves waiting operators of at least a precedence to the output, down to the last open bracket.
func (y *yard) release(atLeast int) {
	for n := len(y.waiting); n > 0 && y.waiting[n-1] != "(" && precedence[y.waiting[n-1]] >= atLeast; n-- {
		y.out = append(y.out, instruction{op: y.waiting[n-1]})
		y.waiting = y.waiting[:n-1]
	}
}

// run executes instructions on a stack. The yard leaves none that lacks its operands.
func run(program []instruction) (*big.Rat, error) {
	var stack []*big.Rat
	for _, in := range program {
		var value *big.Rat
		var err error
		top := len(stack) - 1
		switch in.op {
		case "":
			value, err = rational(in.push)
		case "~":
			value = new(big.Rat).Neg(stack[top])
			stack = stack[:top]
		default:
			value, err = apply(in.op, stack[top-1], stack[top])
			stack = stack[:top-1]
		}
		if err == nil {
			err = within(value.Num(), value.Denom())
		}
		if err != nil {
			return nil, err
		}
		stack = append(stack, value)
	}
	return stack[0], nil
}

// rational reads a number, and checks its exponent first.
func rational(text string) (*big.Rat, error) {
	if _, exponent, has := strings.Cut(strings.ToLower(text), "e"); has {
		n, ok := new(big.Int).SetString(exponent, 10)
		if !ok || n.CmpAbs(big.NewInt(maxExponent)) > 0 {
			return nil, tooLarge()
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, unexpected(text, utf8.RuneCountInString(text), "a number")
	}
	return r, nil
}

func apply(op string, a, b *big.Rat) (*big.Rat, error) {
	switch op {
	case "+":
		return new(big.Rat).Add(a, b), nil
	case "-":
		return new(big.Rat).Sub(a, b), nil
	case "*":
		return new(big.Rat).Mul(a, b), nil
	case "**":
		return raise(a, b)
	}
	if b.Sign() == 0 {
		return nil, byZero()
	}
	quotient := new(big.Rat).Quo(a, b)
	if op == "/" {
		return quotient, nil
	}
	// Div rounds down, as the denominator is positive.
	down := new(big.Rat).SetInt(new(big.Int).Div(quotient.Num(), quotient.Denom()))
	return down.Sub(a, down.Mul(down, b)), nil
}

// raise squares and multiplies, and stops as soon as a number is too large.
func raise(base, exponent *big.Rat) (*big.Rat, error) {
	if !exponent.IsInt() {
		return nil, exponentNotInteger()
	}
	if exponent.Sign() < 0 {
		if base.Sign() == 0 {
			return nil, byZero()
		}
		base = new(big.Rat).Inv(base)
	}
	n := new(big.Int).Abs(exponent.Num())
	if new(big.Rat).Mul(base, base).Cmp(new(big.Rat).Abs(base)) == 0 && n.Cmp(big.NewInt(2)) > 0 { // 0, 1 or -1
		n = big.NewInt(2 + int64(n.Bit(0)))
	}
	result := big.NewRat(1, 1)
	for i := n.BitLen() - 1; i >= 0; i-- {
		result = new(big.Rat).Mul(result, result)
		if n.Bit(i) == 1 {
			result.Mul(result, base)
		}
		if err := within(result.Num(), result.Denom()); err != nil {
			return nil, err
		}
	}
	return result, nil
}
