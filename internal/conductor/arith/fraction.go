package arith

import (
	"math/big"
	"strconv"
	"strings"
)

var ten = big.NewInt(10)

// bounded returns a value, or an error if it is too large.
func bounded(r *big.Rat) (*big.Rat, error) { return r, within(r.Num(), r.Denom()) }

// value returns the value of a literal.
func (l literal) value() (*big.Rat, error) {
	digits, _ := new(big.Int).SetString("0"+l.whole+l.fraction, 10)
	shift := -len(l.fraction)
	if l.exponent != "" {
		n, err := strconv.Atoi(l.exponent)
		if err != nil || n > maxExponent || n < -maxExponent {
			return nil, tooLarge()
		}
		shift += n
	}
	r := new(big.Rat).SetInt(digits)
	return bounded(r.Mul(r, tenTo(shift)))
}

// tenTo returns 10**n.
func tenTo(n int) *big.Rat {
	r := new(big.Rat).SetInt(new(big.Int).Exp(ten, big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		r.Inv(r)
	}
	return r
}

// eval evaluates the left operand first.
func (n *node) eval() (*big.Rat, error) {
	if n.op == "" {
		return n.number.value()
	}
	left, err := n.left.eval()
	if err != nil {
		return nil, err
	}
	if n.op == "neg" {
		return left.Neg(left), nil
	}
	right, err := n.right.eval()
	if err != nil {
		return nil, err
	}
	return operations[n.op](left, right)
}

var operations = map[string]func(a, b *big.Rat) (*big.Rat, error){
	"+":  func(a, b *big.Rat) (*big.Rat, error) { return bounded(new(big.Rat).Add(a, b)) },
	"-":  func(a, b *big.Rat) (*big.Rat, error) { return bounded(new(big.Rat).Sub(a, b)) },
	"*":  func(a, b *big.Rat) (*big.Rat, error) { return bounded(new(big.Rat).Mul(a, b)) },
	"/":  quotient,
	"%":  modulo,
	"**": power,
}

func quotient(a, b *big.Rat) (*big.Rat, error) {
	if b.Sign() == 0 {
		return nil, byZero()
	}
	return bounded(new(big.Rat).Quo(a, b))
}

// modulo returns a - b*floor(a/b). Over their common denominator both are integers.
func modulo(a, b *big.Rat) (*big.Rat, error) {
	if b.Sign() == 0 {
		return nil, byZero()
	}
	x, y := new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom())
	rest := x.Rem(x, y)
	if rest.Sign() != 0 && rest.Sign() != y.Sign() {
		rest.Add(rest, y)
	}
	return bounded(new(big.Rat).SetFrac(rest, y.Mul(a.Denom(), b.Denom())))
}

// power refuses before it computes: a number of b bits to the power n has more than (b-1)·n bits.
func power(base, exponent *big.Rat) (*big.Rat, error) {
	if !exponent.IsInt() {
		return nil, exponentNotInteger()
	}
	if exponent.Sign() < 0 {
		if base.Sign() == 0 {
			return nil, byZero()
		}
		base = new(big.Rat).Inv(base)
	}
	num, den := base.Num(), base.Denom()
	n := new(big.Int).Abs(exponent.Num())
	if bits := max(num.BitLen(), den.BitLen()); bits <= 1 { // 0, 1 and -1: only whether n is 0, odd or even matters
		n = sameParity(n)
	} else if !n.IsInt64() || n.Int64() > MaxBits || int64(bits-1)*n.Int64() >= MaxBits {
		return nil, tooLarge()
	}
	return bounded(new(big.Rat).SetFrac(new(big.Int).Exp(num, n, nil), new(big.Int).Exp(den, n, nil)))
}

// sameParity returns 0 for 0, 1 for odd and 2 for even numbers.
func sameParity(n *big.Int) *big.Int {
	if n.Sign() == 0 {
		return n
	}
	return big.NewInt(2 - int64(n.Bit(0)))
}

// valueOf writes a number as people read it.
func valueOf(r *big.Rat) Value {
	if places, ends := r.FloatPrec(); ends {
		return Value{Exact: r.FloatString(places)}
	}
	return Value{Exact: r.RatString(), Decimal: rounded(r)}
}

const shown = 20 // digits of a decimal that does not end

// rounded returns a number in shown digits, rounded half away from zero.
func rounded(r *big.Rat) string {
	sign, abs := "", new(big.Rat).Abs(r)
	if r.Sign() < 0 {
		sign = "-"
	}
	exponent := (r.Num().BitLen()-r.Denom().BitLen())*30103/100000 - 2 // of the first digit, or up to three less
	digits := scaled(abs, shown-1-exponent)
	for ; len(digits) != shown; digits = scaled(abs, shown-1-exponent) {
		exponent++
	}
	if exponent >= shown || exponent < -7 {
		return sign + digits[:1] + "." + digits[1:] + "e" + strconv.Itoa(exponent)
	}
	return sign + pointed(digits, shown-1-exponent)
}

// scaled returns r·10**n in digits, rounded half away from zero.
func scaled(r *big.Rat, n int) string { return new(big.Rat).Mul(r, tenTo(n)).FloatString(0) }

// pointed puts the decimal point before the last places digits.
func pointed(digits string, places int) string {
	if places == 0 {
		return digits
	}
	if lack := places + 1 - len(digits); lack > 0 {
		digits = strings.Repeat("0", lack) + digits
	}
	cut := len(digits) - places
	return digits[:cut] + "." + digits[cut:]
}
