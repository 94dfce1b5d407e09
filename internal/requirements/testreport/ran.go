package testreport

import (
	"fmt"
	"iter"
	"strings"
	"time"
)

// Ran is when something ended, by its report's own word: not before Earliest, and not after Latest. The two differ
// where the report gives a local time without its zone, or when it began and how long it took. Both are whole seconds
// in UTC, as many tools write no fractions. The zero Ran means that the report says nothing.
type Ran struct{ Earliest, Latest time.Time }

// IsZero reports whether nothing is known.
func (r Ran) IsZero() bool { return r.Latest.IsZero() }

// Before reports whether it surely ended before t. Within the second of t it did not surely.
func (r Ran) Before(t time.Time) bool {
	return !r.IsZero() && r.Latest.Before(t.Truncate(time.Second))
}

// After reports whether it surely ended after t.
func (r Ran) After(t time.Time) bool { return !r.IsZero() && r.Earliest.After(t) }

// MarshalText writes one time, or two with a slash between them, as ISO 8601 writes an interval.
func (r Ran) MarshalText() ([]byte, error) {
	switch {
	case r.IsZero():
		return nil, nil
	case r.Earliest.Equal(r.Latest):
		return r.Latest.AppendFormat(nil, time.RFC3339), nil
	}
	return r.Latest.AppendFormat(append(r.Earliest.AppendFormat(nil, time.RFC3339), '/'), time.RFC3339), nil
}

// UnmarshalText reads what MarshalText wrote.
func (r *Ran) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*r = Ran{}
		return nil
	}
	earliest, latest, both := strings.Cut(string(text), "/")
	if !both {
		latest = earliest
	}
	var read Ran
	var err error
	if read.Earliest, err = time.ParseInLocation(time.RFC3339, earliest, time.UTC); err == nil {
		read.Latest, err = time.ParseInLocation(time.RFC3339, latest, time.UTC)
	}
	if err != nil || read.Latest.Before(read.Earliest) {
		return fmt.Errorf("%q is neither a time nor an interval", clip(string(text)))
	}
	*r = Ran{read.Earliest.UTC(), read.Latest.UTC()}
	return nil
}

// later returns when the last of two ended; one that says nothing does not count.
func (r Ran) later(other Ran) Ran {
	switch {
	case r.IsZero():
		return other
	case other.IsZero():
		return r
	}
	if other.Earliest.After(r.Earliest) {
		r.Earliest = other.Earliest
	}
	if other.Latest.After(r.Latest) {
		r.Latest = other.Latest
	}
	return r
}

// sooner returns when the first of two ended; one that says nothing does not count.
func (r Ran) sooner(other Ran) Ran {
	switch {
	case r.IsZero():
		return other
	case other.IsZero():
		return r
	}
	if other.Earliest.Before(r.Earliest) {
		r.Earliest = other.Earliest
	}
	if other.Latest.Before(r.Latest) {
		r.Latest = other.Latest
	}
	return r
}

// Span is when some successive cases of a report ran. Most reports have far fewer spans than cases: one a suite in
// JUnit, and at most one a second in go where tests run one by one.
type Span struct {
	Cases int `json:"cases"`
	Ran   Ran `json:"ran,omitzero"`
}

// All returns the cases and when each ran.
func (r Report) All() iter.Seq2[Case, Ran] {
	return func(yield func(Case, Ran) bool) {
		now, rest := Span{Cases: len(r.Cases), Ran: r.Ran}, r.Spans
		if len(rest) > 0 {
			now.Cases = 0
		}
		for _, c := range r.Cases {
			for now.Cases == 0 && len(rest) > 0 {
				now, rest = rest[0], rest[1:]
			}
			if now.Cases == 0 {
				now.Ran = Ran{}
			}
			if !yield(c, now.Ran) {
				return
			}
			now.Cases = max(0, now.Cases-1)
		}
	}
}

// RanOf returns when the test ran that Find finds. Of several it is the oldest that has a time, so that no young test
// speaks for an old one. It is zero when the report does not say, or when Find has an error.
func (r Report) RanOf(name string) Ran {
	_, ran, _ := r.find(name)
	return ran
}
