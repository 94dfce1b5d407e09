package arith

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/measure"
)

// row is an expression and its value, or the code and the detail with which it is refused.
type row struct{ expr, want, decimal, code, detail string }

var one = big.NewInt(1)

func is(expr, want string) row             { return row{expr: expr, want: want} }
func third(expr, want, decimal string) row { return row{expr: expr, want: want, decimal: decimal} }
func bad(expr, code string) row            { return row{expr: expr, code: code} }
func syntax(expr, detail string) row {
	return row{expr: expr, code: "expression_syntax", detail: detail}
}
func times(n int, text string) string { return strings.Repeat(text, n) }
func nested(n int) string             { return times(n, "(") + "1" + times(n, ")") }
func (r row) name() string            { return fault.Clip(r.expr, 40) }
func codeOf(t require.TestingT, err error) string {
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.ErrorIs(t, err, fault.Invalid)
	require.NotEmpty(t, f.Fix)
	return string(f.Code)
}

var rows = []row{
	is("2+2", "4"), is("0", "0"), is("007", "7"), is("  1\t+\n1 ", "2"), is("1+2*3", "7"), is("(1+2)*3", "9"), is("2*3+1", "7"),
	is("10-4-3", "3"), is("100/10/2", "5"), is("2-3", "-1"), is("7/2", "3.5"), is("1/8", "0.125"), is("-1/8", "-0.125"), is("3/1.5", "2"),
	is("0.1+0.2", "0.3"), is("1.10", "1.1"), is("0.000", "0"), is("-0", "0"), is("-0.0", "0"), is("1e3", "1000"), is("1E+3", "1000"), is("1e1233/1e1232", "10"), is("1e-1233*1e1233", "1"),
	is("1e-3", "0.001"), is("1.5e1", "15"), is("0e0", "0"), is(".5", "0.5"), is("5.", "5"), is("5.e1", "50"), is("2+5.", "7"),
	is("--2", "2"), is("---2", "-2"), is("-+-2", "2"), is("+2", "2"), is("3--2", "5"), is("3-+2", "1"), is("2*-3", "-6"), is("2/-4", "-0.5"),
	is("2**10", "1024"), is("2**-1", "0.5"), is("-2**2", "-4"), is("(-2)**2", "4"), is("(-2)**3", "-8"), is("(-2)**-3", "-0.125"),
	is("2**3**2", "512"), is("(2**3)**2", "64"), is("2**-1**2", "0.5"), is("2**--2", "4"), is("2**-1*4", "2"), is("2*3**2", "18"),
	is("2*-3**2", "-18"), is("0**0", "1"), is("0**5", "0"), is("5**0", "1"), is("2**0.5e1", "32"), is("2**(1/2+1/2)", "2"), is("(1/2)**2", "0.25"),
	is("1.5**2", "2.25"), is("1**"+times(900, "9"), "1"), is("(-1)**"+times(900, "9"), "-1"), is("(0-1)**1e999", "1"), is("0**1e999", "0"),
	is("7%3", "1"), is("-7%3", "2"), is("7%-3", "-2"), is("-7%-3", "-1"), is("(-6)%3", "0"), is("5.5%2", "1.5"), is("-0.5%0.3", "0.1"), is("0%5", "0"),
	is("7%4*2", "6"), is("2*7%4", "2"), is("99999999999999999999*99999999999999999999", "9999999999999999999800000000000000000001"),
	is("(2**61-1)*(2**89-1)%1000000007", new(big.Int).Mod(new(big.Int).Mul(big.NewInt(1<<61-1), new(big.Int).Sub(new(big.Int).Lsh(one, 89), one)), big.NewInt(1000000007)).String()),
	is(nested(100), "1"), is(times(999, "-")+"1", "-1"), is(times(499, "1+")+"1", "500"), is(times(333, "1**")+"1", "1"),
	is("2**4095", new(big.Int).Lsh(one, 4095).String()), is("2**4096-2**4095+0*2", ""), is("2**4095+(2**4095-1)", new(big.Int).Sub(new(big.Int).Lsh(one, 4096), one).String()),
	third("1/3", "1/3", "0.33333333333333333333"), third("-2/3", "-2/3", "-0.66666666666666666667"), third("4/6", "2/3", "0.66666666666666666667"),
	third("10/7", "10/7", "1.4285714285714285714"), third("1/3e8", "1/300000000", "3.3333333333333333333e-9"), third("1/3e6", "1/3000000", "0.00000033333333333333333333"),
	third("1e30/3", "1"+times(30, "0")+"/3", "3.3333333333333333333e29"), third("2e20/3", "2"+times(20, "0")+"/3", "66666666666666666667"),
	third("1-1/(3*10**30)", times(1, "2")+times(30, "9")+"/3"+times(30, "0"), "1.0000000000000000000"), third("2**-1/3", "1/6", "0.16666666666666666667"),
	bad("1/0", "division_by_zero"), bad("0**-1", "division_by_zero"), bad("1%0", "division_by_zero"), bad("1/(2-2)", "division_by_zero"), bad("0/0", "division_by_zero"),
	bad("5%(1-1)", "division_by_zero"), bad("0.0**-2", "division_by_zero"),
	bad("9**9**9", "number_too_large"), bad("9**9**9**9", "number_too_large"), bad("2**4096", "number_too_large"), bad("2**-4096", "number_too_large"), bad("0.5**5000", "number_too_large"),
	bad("1e2001", "number_too_large"), bad("1e-99999999999999999999", "number_too_large"), bad("1e1234", "number_too_large"), bad("2**1e99", "number_too_large"), bad("2**2000*2**2096", "number_too_large"),
	bad("-(2**4095)-2**4095", "number_too_large"), bad("(9**1000)**1000", "number_too_large"), bad("0e2001", "number_too_large"),
	bad("2**0.5", "exponent_not_whole"), bad("4**(1/2)", "exponent_not_whole"), bad("0**0.5", "exponent_not_whole"),
	bad(times(1001, "1"), "expression_too_long"), bad(times(501, " 1"), "expression_too_long"), bad(nested(101), "expression_too_deep"), bad(times(1000, "("), "expression_too_deep"),
	syntax("", "column 1: expected a number or (, found the end"), syntax("   ", "column 4: expected a number or (, found the end"),
	syntax("0x10", `column 2: expected an operator or the end, found "x"`), syntax("1,000", `column 2: expected an operator or the end, found ","`),
	syntax("1_000", `column 2: expected an operator or the end, found "_"`), syntax("2+２", `column 3: expected a number or (, found "２"`), syntax("２+２", `column 1: expected a number or (, found "２"`),
	syntax("2 3", `column 3: expected an operator or the end, found "3"`), syntax("1.2.3", `column 4: expected an operator or the end, found "."`), syntax(".", `column 1: expected a number or (, found "."`),
	syntax("1e", "column 3: expected the digits of the exponent, found the end"), syntax("1e+", "column 4: expected the digits of the exponent, found the end"), syntax("2^3", `column 2: expected an operator or the end, found "^"`),
	syntax("2+", "column 3: expected a number or (, found the end"), syntax("*2", `column 1: expected a number or (, found "*"`), syntax("2***3", `column 4: expected a number or (, found "*"`), syntax("2* *3", `column 4: expected a number or (, found "*"`),
	syntax("(1", "column 3: expected an operator or ), found the end"), syntax("1)", `column 2: expected an operator or the end, found ")"`), syntax("()", `column 2: expected a number or (, found ")"`), syntax("2(3)", `column 2: expected an operator or the end, found "("`),
	syntax("(1)(2)", `column 4: expected an operator or the end, found "("`), syntax("2//3", `column 3: expected a number or (, found "/"`), syntax("pi", `column 1: expected a number or (, found "p"`), syntax("5!", `column 2: expected an operator or the end, found "!"`),
	syntax("é+1", `column 1: expected a number or (, found "é"`), syntax("1+\xff", `column 3: expected a number or (, found "�"`), syntax("1\x00", "column 2: expected an operator or the end, found \"\x00\""), syntax("1/0+", "column 5: expected a number or (, found the end"),
	syntax("１", `column 1: expected a number or (, found "１"`), syntax("2×3", `column 2: expected an operator or the end, found "×"`),
}

func TestEveryRow(t *testing.T) {
	require.Greater(t, len(rows), 100)
	for _, r := range rows {
		t.Run(r.name(), func(t *testing.T) {
			got, err := Eval(r.expr)
			if r.code == "" && r.want != "" {
				require.NoError(t, err)
				require.Equal(t, Value{Exact: r.want, Decimal: r.decimal}, got)
				require.NoError(t, Confirm(r.expr, got))
				return
			}
			if r.want == "" && r.code == "" {
				r.code = "number_too_large" // a step may not be too large either, though the end is not
			}
			require.Equal(t, r.code, codeOf(t, err))
			var f *fault.Error
			require.True(t, errors.As(err, &f))
			if r.detail != "" {
				require.Equal(t, r.detail, f.Detail)
			}
			_, err = evaluateAgain(r.expr)
			require.Equal(t, r.code, codeOf(t, err), "the second evaluation")
		})
	}
}

// Of a number that is too large no digit is computed.
func TestWhatIsTooLargeIsRefusedAtOnce(t *testing.T) {
	for _, expr := range []string{"9**9**9", "9**9**9**9", "2**1e999", "0.1**1e999", "(9**1000)**10000"} {
		for _, eval := range []func(string) error{
			func(e string) error { _, err := Eval(e); return err },
			func(e string) error { _, err := evaluateAgain(e); return err },
		} {
			var err error
			allocated := measure.Allocated(func() { err = eval(expr) })
			require.Equal(t, "number_too_large", codeOf(t, err))
			require.Less(t, allocated, uint64(1<<20), expr) // the smallest of these numbers takes 3.9 MB
		}
	}
}

func TestConfirmFindsWrongValues(t *testing.T) {
	for _, c := range []struct {
		expr string
		v    Value
	}{
		{"2+2", Value{Exact: "5"}}, {"2+2", Value{Exact: ""}}, {"2+2", Value{Exact: "4.0"}}, {"2+2", Value{Exact: "4", Decimal: "4"}}, {"1/0", Value{Exact: "0"}}, {"9**9**9", Value{Exact: "1"}},
		{"1/3", Value{Exact: "1/3"}}, {"1/3", Value{Exact: "1/3", Decimal: "0.33333333333333333334"}}, {"1/3", Value{Exact: "1/3", Decimal: "0.3333333333333333333"}}, {"2/6", Value{Exact: "2/6", Decimal: "0.33333333333333333333"}},
		{"1/3", Value{Exact: "1/3", Decimal: "-0.33333333333333333333"}}, {"1/3", Value{Exact: "1/3", Decimal: "3.3333333333333333333e-2"}}, {"1/3", Value{Exact: "1/3", Decimal: "3.3333333333333333333e9999"}},
	} {
		require.Error(t, Confirm(c.expr, c.v), "%s = %v", c.expr, c.v)
	}
	require.NoError(t, Confirm("1/3", Value{Exact: "1/3", Decimal: "3.3333333333333333333e-1"}), "another way to write the same decimal")
}

// drawn is a random expression and what math/big makes of the tree that it was written from; nil where that is no number.
type drawn struct {
	text  string
	value *big.Rat
}

func drawExpr(t *rapid.T, depth int) drawn {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		text := rapid.SampledFrom([]string{"0", "1", "2", "3", "7", "10", "0.5", ".25", "3.", "1.5e1", "12e-1", "123456789012345678901234567890"}).Draw(t, "number")
		value, ok := new(big.Rat).SetString(text)
		require.True(t, ok)
		return drawn{text, value}
	}
	op := rapid.SampledFrom([]string{"+", "-", "*", "/", "%", "**", "neg", "pos"}).Draw(t, "op")
	a := drawExpr(t, depth-1)
	if op == "neg" || op == "pos" {
		if op == "pos" {
			return drawn{"(+" + a.text + ")", a.value}
		}
		if a.value == nil {
			return drawn{"(-" + a.text + ")", nil}
		}
		return drawn{"(-" + a.text + ")", new(big.Rat).Neg(a.value)}
	}
	b := drawExpr(t, depth-1)
	d := drawn{text: fmt.Sprintf("(%s %s %s)", a.text, op, b.text)}
	if a.value != nil && b.value != nil {
		d.value = worked(op, a.value, b.value)
	}
	return d
}

func worked(op string, a, b *big.Rat) *big.Rat {
	z := new(big.Rat)
	switch {
	case op == "+":
		z.Add(a, b)
	case op == "-":
		z.Sub(a, b)
	case op == "*":
		z.Mul(a, b)
	case op == "**":
		if z = repeated(a, b); z == nil {
			return nil
		}
	case b.Sign() == 0:
		return nil
	case op == "/":
		z.Quo(a, b)
	default:
		whole := z.Quo(a, b)
		down := new(big.Int).Div(whole.Num(), whole.Denom())
		z = new(big.Rat).Sub(a, new(big.Rat).Mul(b, new(big.Rat).SetInt(down)))
	}
	if z.Num().BitLen() > MaxBits || z.Denom().BitLen() > MaxBits {
		return nil
	}
	return z
}

// repeated multiplies as often as the exponent says: the plainest way.
func repeated(a, b *big.Rat) *big.Rat {
	if !b.IsInt() || a.Sign() == 0 && b.Sign() < 0 {
		return nil
	}
	z := big.NewRat(1, 1)
	if a.Sign() == 0 && b.Sign() > 0 {
		return new(big.Rat)
	}
	if a.Num().CmpAbs(one) == 0 && a.IsInt() {
		if a.Sign() < 0 && b.Num().Bit(0) == 1 {
			return big.NewRat(-1, 1)
		}
		return z
	}
	n := new(big.Int).Abs(b.Num())
	for i := new(big.Int); i.Cmp(n) < 0; i.Add(i, one) {
		if z.Mul(z, a); z.Num().BitLen() > MaxBits || z.Denom().BitLen() > MaxBits {
			return nil
		}
	}
	if b.Sign() < 0 {
		z.Inv(z)
	}
	return z
}

func TestItAgreesWithMathBig(t *testing.T) {
	drawn, valued := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawExpr(t, rapid.IntRange(0, 5).Draw(t, "depth"))
		if len(d.text) > MaxLength {
			t.Skip("too long")
		}
		drawn++
		v, err := Eval(d.text)
		if d.value == nil {
			require.Error(t, err, d.text)
			return
		}
		valued++
		require.NoError(t, err, d.text)
		got, ok := new(big.Rat).SetString(v.Exact)
		require.True(t, ok)
		require.Zero(t, d.value.Cmp(got), "%s = %s, not %s", d.text, v.Exact, d.value)
	})
	require.Greater(t, valued, drawn/5)
}

// agree holds the two evaluators against each other.
func agree(t require.TestingT, expr string) bool {
	v, err := Eval(expr)
	again, errAgain := evaluateAgain(expr)
	if err != nil {
		require.Error(t, errAgain, "%q is refused (%v), and a second time it is %v", expr, err, again)
		require.Equal(t, codeOf(t, err), codeOf(t, errAgain), expr)
		return false
	}
	require.NoError(t, errAgain, expr)
	require.NoError(t, Confirm(expr, v), expr)
	return true
}

// TestTheTwoEvaluatorsAgree takes words without brackets around each step, so that ranks count, and many that are no expressions.
func TestTheTwoEvaluatorsAgree(t *testing.T) {
	words := []string{"0", "1", "2", "3", "10", "0.5", "2.", ".5", "1e2", "4e-1", "+", "-", "*", "/", "%", "**", "(", ")", " "}
	operators := []string{"+", "-", "*", "/", "%", "**", " - ", "*-", "**-", "/+"}
	seen, valued := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 100 {
			expr := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "words"), "")
			if rapid.Bool().Draw(t, "well formed") {
				expr = rapid.SampledFrom(words[:10]).Draw(t, "first")
				for range rapid.IntRange(0, 8).Draw(t, "length") {
					expr += rapid.SampledFrom(operators).Draw(t, "op") + rapid.SampledFrom(words[:10]).Draw(t, "number")
				}
			}
			seen++
			if agree(t, expr) {
				valued++
			}
		}
	})
	require.Greater(t, valued, seen/10)
}

func FuzzEval(f *testing.F) {
	for _, r := range rows {
		f.Add(r.expr)
	}
	f.Fuzz(func(t *testing.T, expr string) { agree(t, expr) })
}

func BenchmarkEval(b *testing.B) {
	for _, expr := range []string{"2+2", "((1.5+2)*3**4-7%4)/(2**-3)", "9**9**9", "1/3", "2**4095"} {
		b.Run(expr, func(b *testing.B) {
			for b.Loop() {
				_, _ = Eval(expr)
			}
		})
	}
}

func BenchmarkConfirm(b *testing.B) {
	v, err := Eval("2+2")
	require.NoError(b, err)
	for b.Loop() {
		_ = Confirm("2+2", v)
	}
}
