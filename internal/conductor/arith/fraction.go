package arith

import (
	"math/big"
	"strconv"
	"strings"
)

// fraction is num/den in lowest terms; den is positive.
type fraction struct{ num, den *big.Int }

var (
	one = big.NewInt(1)
	ten = big.NewInt(10)
)

// reduced is num/den in lowest terms, within the bounds. It takes both over.
func reduced(num, den *big.Int) (fraction, error) {
	if den.Sign() == 0 {
		return fraction{}, byZero()
	}
	if den.Sign() < 0 {
		num.Neg(num)
		den.Neg(den)
	}
	if den.Cmp(one) != 0 {
		if divisor := new(big.Int).GCD(nil, nil, new(big.Int).Abs(num), den); divisor.Cmp(one) > 0 {
			num.Quo(num, divisor)
			den.Quo(den, divisor)
		}
	}
	return fraction{num, den}, within(num, den)
}

func (w literal) value() (fraction, error) {
	num, _ := new(big.Int).SetString("0"+w.whole+w.part, 10)
	shift := -len(w.part)
	if w.exponent != "" {
		n, err := strconv.Atoi(w.exponent)
		if err != nil || n > maxExponent || n < -maxExponent {
			return fraction{}, tooLarge()
		}
		shift += n
	}
	if shift >= 0 {
		return reduced(num.Mul(num, tenTo(shift)), big.NewInt(1))
	}
	return reduced(num, tenTo(-shift))
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// eval works the left side out first.
func (n *node) eval() (fraction, error) {
	if n.op == "" {
		return n.number.value()
	}
	left, err := n.left.eval()
	if err != nil {
		return fraction{}, err
	}
	if n.op == "neg" {
		return fraction{new(big.Int).Neg(left.num), left.den}, nil
	}
	right, err := n.right.eval()
	if err != nil {
		return fraction{}, err
	}
	return operations[n.op](left, right)
}

var operations = map[string]func(a, b fraction) (fraction, error){
	"+":  func(a, b fraction) (fraction, error) { return sum(a, b, (*big.Int).Add) },
	"-":  func(a, b fraction) (fraction, error) { return sum(a, b, (*big.Int).Sub) },
	"*":  func(a, b fraction) (fraction, error) { return reduced(product(a.num, b.num), product(a.den, b.den)) },
	"/":  func(a, b fraction) (fraction, error) { return reduced(product(a.num, b.den), product(a.den, b.num)) },
	"%":  modulo,
	"**": power,
}

func product(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }

func sum(a, b fraction, op func(z, x, y *big.Int) *big.Int) (fraction, error) {
	num := op(new(big.Int), product(a.num, b.den), product(b.num, a.den))
	return reduced(num, product(a.den, b.den))
}

// modulo is what is left of a after b was taken away as often as a/b, rounded down, says. Over their common denominator
// both are whole numbers.
func modulo(a, b fraction) (fraction, error) {
	if b.num.Sign() == 0 {
		return fraction{}, byZero()
	}
	x, y := product(a.num, b.den), product(b.num, a.den)
	rest := new(big.Int).Rem(x, y)
	if rest.Sign() != 0 && rest.Sign() != y.Sign() {
		rest.Add(rest, y)
	}
	return reduced(rest, product(a.den, b.den))
}

// power refuses before it reckons: a number of b bits to the power n has more than (b-1)·n bits.
func power(base, exponent fraction) (fraction, error) {
	if exponent.den.Cmp(one) != 0 {
		return fraction{}, exponentNotInteger()
	}
	if base.num.Sign() == 0 && exponent.num.Sign() < 0 {
		return fraction{}, byZero()
	}
	num, den := base.num, base.den
	if exponent.num.Sign() < 0 {
		num, den = den, num
	}
	n := new(big.Int).Abs(exponent.num)
	if bits := max(num.BitLen(), den.BitLen()); bits <= 1 { // 0, 1 and -1: only whether n is 0, odd or even matters
		n = smallAlike(n)
	} else if !n.IsInt64() || n.Int64() > MaxBits || int64(bits-1)*n.Int64() >= MaxBits {
		return fraction{}, tooLarge()
	}
	return reduced(new(big.Int).Exp(num, n, nil), new(big.Int).Exp(den, n, nil))
}

// smallAlike is 0 for 0, 1 for odd and 2 for even numbers.
func smallAlike(n *big.Int) *big.Int {
	if n.Sign() == 0 {
		return n
	}
	return big.NewInt(2 - int64(n.Bit(0)))
}

// show writes a value as people read it.
func (f fraction) show() Value {
	twos := f.den.TrailingZeroBits()
	rest := new(big.Int).Rsh(f.den, twos)
	fives := uint(0)
	for five, left := big.NewInt(5), new(big.Int); ; fives++ {
		quotient, _ := new(big.Int).QuoRem(rest, five, left)
		if left.Sign() != 0 {
			break
		}
		rest = quotient
	}
	if rest.Cmp(one) != 0 {
		return Value{Exact: f.num.String() + "/" + f.den.String(), Decimal: f.rounded()}
	}
	places := int(max(twos, fives))
	digits := product(new(big.Int).Abs(f.num), tenTo(places))
	return Value{Exact: f.sign() + pointed(digits.Quo(digits, f.den).String(), places)}
}

func (f fraction) sign() string {
	if f.num.Sign() < 0 {
		return "-"
	}
	return ""
}

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

const shown = 20 // digits of a decimal that does not end

// rounded is the value in shown digits.
func (f fraction) rounded() string {
	num, den := new(big.Int).Abs(f.num), f.den
	tenfold := (num.BitLen() - den.BitLen()) * 30103 / 100000 // of the first digit, but for one or two
	var digits string
	for tenfold -= 2; ; tenfold++ {
		digits = scaled(num, den, shown-1-tenfold).String()
		if len(digits) == shown {
			break
		}
	}
	switch {
	case tenfold >= shown || tenfold < -7:
		return f.sign() + digits[:1] + "." + digits[1:] + "e" + strconv.Itoa(tenfold)
	default:
		return f.sign() + pointed(digits, shown-1-tenfold)
	}
}

// scaled is num/den times ten to the power n, rounded half away from zero.
func scaled(num, den *big.Int, n int) *big.Int {
	top, bottom := num, den
	if n >= 0 {
		top = product(num, tenTo(n))
	} else {
		bottom = product(den, tenTo(-n))
	}
	top = new(big.Int).Lsh(top, 1)
	top.Add(top, bottom)
	return top.Quo(top, new(big.Int).Lsh(bottom, 1))
}
