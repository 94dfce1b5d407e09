package strictjson

import (
	"errors"
	"math/big"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Exact returns the option that reads a number into any as a float64 where that has its value, such as 7, 1.50 and 0.1,
// and as a jsontext.Value with the number as it stands where not, such as 12345678901234567890. Either is written with
// the value that was read.
func Exact() jsonv2.Options { return exactly() }

// exactly is made once, so that the library remembers what it has found out of it, and only where it is used: programs
// that start often have this package too.
var exactly = sync.OnceValue(func() jsonv2.Options {
	return jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(readExactly))
})

func readExactly(d *jsontext.Decoder, into *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported // which leaves it to the ways of the library
	}
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	*into = exact(raw)
	return nil
}

func exact(raw jsontext.Value) any {
	var f float64
	err := jsonv2.Unmarshal(raw, &f)
	if err == nil && same(raw, f) {
		return f
	}
	return raw.Clone()
}

// same reports whether a float64 is written as a number of the same value.
func same(raw jsontext.Value, f float64) bool {
	written, err := jsonv2.Marshal(f)
	if err != nil || string(written) == string(raw) {
		return err == nil
	}
	if len(raw) > 2*MaxNumber { // which Parse refuses
		return false
	}
	x, isX := new(big.Rat).SetString(string(raw))
	y, isY := new(big.Rat).SetString(string(written))
	return isX && isY && x.Cmp(y) == 0
}
