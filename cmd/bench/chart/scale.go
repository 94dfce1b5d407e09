package chart

import (
	"math"
	"strconv"
	"strings"
)

// scale places values on a logarithmic axis, from low at the pixel from to high at the pixel to. Low and high are
// powers of ten.
type scale struct{ low, high, from, to float64 }

// decades returns the shortest scale of whole decades that has all the values; it has one at least.
func decades(values []float64, from, to float64) scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, math.Floor(exponent(v))), max(high, math.Ceil(exponent(v)))
	}
	if low == high {
		high++
	}
	return scale{math.Pow(10, low), math.Pow(10, high), from, to}
}

// exponent returns the logarithm of v, to as many digits as make that of a power of ten whole.
func exponent(v float64) float64 {
	const digits = 1e9
	return math.Round(math.Log10(v)*digits) / digits
}

// place returns the pixel of a value.
func (s scale) place(v float64) float64 {
	part := math.Log(v/s.low) / math.Log(s.high/s.low)
	return s.from + part*(s.to-s.from)
}

// ticks returns the powers of ten of the scale.
func (s scale) ticks() (all []float64) {
	for e := exponent(s.low); e <= exponent(s.high); e++ {
		all = append(all, math.Pow(10, e))
	}
	return all
}

// number returns a power of ten, with its thousands in groups.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', max(0, -int(exponent(v))), 64)
	if strings.Contains(text, ".") {
		return text
	}
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
