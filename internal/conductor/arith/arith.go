// Package arith evaluates arithmetic expressions, exactly and within bounds.
//
// An expression is made of whole and decimal numbers (12, 1.5, .5, 5., 2e3), + - * / % **, round brackets, and the
// signs - and + before a value. ** binds tightest and to the right, then the signs, then * / %, then + and -: -2**2 is
// -4 and 2**-1 is 0.5. x % y has the sign of y: -7 % 3 is 2. x**0 is 1 for every x.
//
// Values are fractions of whole numbers; nothing is rounded. No numerator or denominator may have more than MaxBits
// bits; a power that would have more is refused before it is computed.
//
// Eval parses by recursive descent and evaluates the tree. Confirm evaluates the same expression another way: it cuts
// the text with a pattern, orders it by the shunting yard and runs it on a stack. The two share math/big, the bounds
// and the errors, and no other code. The package is pure.
package arith

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/fault"
)

// The bounds of an expression and its values.
const (
	MaxLength   = 1000 // characters of the expression
	MaxDepth    = 100  // brackets within brackets
	MaxBits     = 4096 // bits of a numerator or denominator, between steps too
	maxExponent = 2000 // of a literal, in either direction: 1e2000
)

// Value is the value of an expression.
type Value struct {
	Exact string // 4, -0.5; a fraction in lowest terms where no decimal ends: 1/3
	// of a fraction: 20 digits, rounded half away from zero, as 0.333… or 3.33…e+30; "" where Exact is a decimal
	Decimal string
}

// Eval evaluates an expression. Each of its errors is Invalid, with a code, and with the column where it is about one:
// the fault is the user's data, never a defect.
func Eval(expr string) (Value, error) {
	if err := checkLength(expr); err != nil {
		return Value{}, err
	}
	tree, err := parse(expr)
	if err != nil {
		return Value{}, err
	}
	r, err := tree.eval()
	if err != nil {
		return Value{}, err
	}
	return valueOf(r), nil
}

func checkLength(expr string) error {
	if len(expr) > 4*MaxLength || utf8.RuneCountInString(expr) > MaxLength {
		return fault.New(fault.Invalid, "expression_too_long", "the expression has more than %d characters", MaxLength).
			WithFix("send a shorter one, or several")
	}
	return nil
}

// unexpected returns a syntax error. At is the offset in bytes; the column is in characters, from 1.
func unexpected(expr string, at int, expected string) error {
	found, hint := "the end", "write an expression such as 2 * (3 + 4)"
	if at < len(expr) {
		r, size := utf8.DecodeRuneInString(expr[at:])
		found = "\"" + strings.ToValidUTF8(expr[at:at+size], "�") + "\""
		if h, known := hints[r]; known {
			hint = h
		}
	}
	column := utf8.RuneCountInString(expr[:at]) + 1
	return fault.New(fault.Invalid, "expression_syntax", "column %d: expected %s, found %s", column, expected, found).
		WithFix("%s", hint)
}

// hints say what to write instead of characters that people write.
var hints = map[rune]string{
	',': "write numbers without separators: 1000, and decimals with a point: 1.5",
	'_': "write numbers without separators: 1000",
	'^': "write a power as 2**3",
	'×': "write a product as 2*3",
	'÷': "write a quotient as 2/3",
	'−': "write the sign as -",
	'–': "write the sign as -",
	'x': "write a product as 2*3, and numbers in decimal",
	'!': "factorials are not supported; write the product",
	'=': "write only the expression",
	'[': "write brackets as ( and )",
	'{': "write brackets as ( and )",
}

func tooDeep() error {
	return fault.New(fault.Invalid, "expression_too_deep", "more than %d brackets within brackets", MaxDepth).
		WithFix("use fewer brackets, or send parts of the expression")
}

func tooLarge() error {
	return fault.New(fault.Invalid, "number_too_large", "a number would have more than %d binary digits", MaxBits).
		WithFix("ask for something smaller; the largest power of ten is 1e1233")
}

func byZero() error {
	return fault.New(fault.Invalid, "division_by_zero", "the expression divides by zero").
		WithFix("change the divisor; a negative power of 0 divides by zero too")
}

func exponentNotInteger() error {
	return fault.New(fault.Invalid, "exponent_not_whole", "the exponent of a power is not a whole number").
		WithFix("use whole exponents; roots are not computed")
}

// within refuses a fraction in lowest terms that is too large.
func within(num, den *big.Int) error {
	if num.BitLen() > MaxBits || den.BitLen() > MaxBits {
		return tooLarge()
	}
	return nil
}
