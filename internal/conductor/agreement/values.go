package agreement

import (
	"encoding/json"
	"math/big"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/system/lazyregexp"
)

// agree reports whether a value says what is expected.
func agree(value, expected any, sense Sense) bool {
	switch sense {
	case Free:
		return true
	case Number:
		a, isA := numberIn(value)
		b, isB := numberIn(expected)
		return isA && isB && a.Cmp(b) == 0
	case Moment:
		return sameMoment(value, expected)
	}
	if number, is := plainNumber(expected); is {
		given, isNumber := numberIn(value)
		return isNumber && given.Cmp(number) == 0
	}
	switch expected := expected.(type) {
	case []any:
		list, is := value.([]any)
		return is && len(list) == len(expected) && sameItems(list, expected, sense)
	case map[string]any:
		object, is := value.(map[string]any)
		return is && Strict(object, expected, nil) == nil
	}
	a, isA := encoded(value)
	b, isB := encoded(expected)
	return isA && isB && a == b
}

// encoded returns a value as JSON, the same text for the same value.
func encoded(v any) (string, bool) {
	raw, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	return string(raw), err == nil
}

// sameItems compares two lists of the same length.
func sameItems(list, expected []any, sense Sense) bool {
	if sense == Ordered {
		for i := range expected {
			if !agree(list[i], expected[i], sense) {
				return false
			}
		}
		return true
	}
	left := slices.Clone(list)
	for _, want := range expected {
		i := slices.IndexFunc(left, func(item any) bool { return agree(item, want, sense) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return true
}

// written matches the numbers and fractions that are read; an exponent is short, so that a number stays small.
var written = lazyregexp.New(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?(/[0-9]+)?$`)

// maxWritten bounds the bytes of a number that is read: a fraction of the largest numbers that are worked out.
const maxWritten = 4000

// numberIn returns a number, or the number that a text writes.
func numberIn(value any) (*big.Rat, bool) {
	if text, is := value.(string); is {
		return parsed(text)
	}
	return plainNumber(value)
}

func parsed(text string) (*big.Rat, bool) {
	if len(text) > maxWritten || !written().MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// plainNumber returns a number of any type that JSON is read into, or that a tool writes.
func plainNumber(value any) (*big.Rat, bool) {
	switch n := value.(type) {
	case json.Number:
		return parsed(string(n))
	case float64:
		r := new(big.Rat).SetFloat64(n)
		return r, r != nil
	case int:
		return new(big.Rat).SetInt64(int64(n)), true
	case int64:
		return new(big.Rat).SetInt64(n), true
	case uint64:
		return new(big.Rat).SetUint64(n), true
	}
	return nil, false
}

// sameMoment compares two texts in the form of RFC 3339.
func sameMoment(value, expected any) bool {
	a, isA := momentIn(value)
	b, isB := momentIn(expected)
	if !isA || !isB {
		return false
	}
	_, east := a.Zone()
	_, want := b.Zone()
	return east == want && a.Sub(b).Abs() <= Tolerance
}

func momentIn(value any) (time.Time, bool) {
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339, text)
	return at, err == nil
}
