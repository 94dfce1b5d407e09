package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// defaultLogBudget is beyond what honest work comes to: 22,000 changes of 24 KB each, their Idempotency-Keys included.
const defaultLogBudget = 512 << 20

// byteSize is a flag for a number of bytes: 1000, 64KiB, 512MiB, 2GiB.
type byteSize uint64

var _ pflag.Value = (*byteSize)(nil)

// units are the units of a size, largest first.
var units = []struct {
	name  string
	bytes uint64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func (b *byteSize) Set(text string) error {
	number, unit := text, uint64(1)
	for _, u := range units {
		if before, found := strings.CutSuffix(text, u.name); found {
			number, unit = before, u.bytes
		}
	}
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is not a size: give a whole number of bytes, or one with KiB, MiB or GiB", text)
	}
	*b = byteSize(n * unit)
	return nil
}

func (b *byteSize) String() string {
	for _, u := range units {
		if n := uint64(*b); n > 0 && n%u.bytes == 0 {
			return strconv.FormatUint(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatUint(uint64(*b), 10)
}

func (b *byteSize) Type() string { return "size" }
