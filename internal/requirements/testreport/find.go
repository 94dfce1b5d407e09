package testreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// separators stand between suite and name where a test is named in full.
var separators = map[string]string{JUnit: ".", Go: ".", TAP: " > ", CTRF: " > "}

// FullName names a case so that it can be told from others of its name: "class.name" in JUnit,
// "path/of/package.TestName" in go, "outer > inner > name" in TAP, and "suite > name" in CTRF. Without a suite it is
// the name.
func (r Report) FullName(c Case) string {
	if c.Suite == "" {
		return c.Name
	}
	return c.Suite + separators[r.Format] + c.Name
}

// Find returns the result of the test of this name, given alone or in full; both are compared byte by byte. Its error
// is a *fault.Error of kind Invalid: code test_missing, which names up to three tests that may be meant, or
// test_ambiguous, when tests of this name differ in their results and no single one has it as its full name.
func (r Report) Find(name string) (result string, err error) {
	result, _, err = r.find(name)
	return result, err
}

// find returns what Find returns, and when the test ran: the first of the cases that the name stands for.
func (r Report) find(name string) (result string, ran Ran, err error) {
	var alone, full results
	for c, ran := range r.All() {
		if r.isFull(c, name) {
			full.add(c, ran)
		} else if c.Name == name {
			alone.add(c, ran)
		}
	}
	switch both := append(alone.cases, full.cases...); {
	case len(both) == 0:
		return "", Ran{}, r.missing(name)
	case full.one():
		return full.cases[0].Result, full.ran, nil
	case len(full.cases) == 0 && alone.one():
		return alone.cases[0].Result, alone.ran, nil
	default:
		return "", Ran{}, r.ambiguous(name, alone.more+full.more+len(both), both)
	}
}

// results collects the cases of one name: the first few, and whether all of them end alike.
type results struct {
	cases  []Case
	more   int // cases that are not kept
	differ bool
	ran    Ran // when the first of them ended
}

const maxListed = 10

func (s *results) add(c Case, ran Ran) {
	s.ran = s.ran.sooner(ran)
	s.differ = s.differ || len(s.cases) > 0 && s.cases[0].Result != c.Result
	if len(s.cases) < maxListed {
		s.cases = append(s.cases, c)
	} else {
		s.more++
	}
}

func (s *results) one() bool { return len(s.cases) > 0 && !s.differ }

func (r Report) isFull(c Case, name string) bool {
	if c.Suite == "" {
		return c.Name == name
	}
	separator := separators[r.Format]
	return len(name) == len(c.Suite)+len(separator)+len(c.Name) && strings.HasPrefix(name, c.Suite) &&
		strings.HasSuffix(name, c.Name) && name[len(c.Suite):len(c.Suite)+len(separator)] == separator
}

func (r Report) ambiguous(name string, all int, some []Case) *fault.Error {
	var list []string
	for _, c := range some[:min(len(some), maxListed)] {
		list = append(list, fmt.Sprintf("%q: %s", clip(r.FullName(c)), c.Result))
	}
	if more := all - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return fault.New(fault.Invalid, "test_ambiguous", "%d tests of the report are called %q, and they differ: %s",
		all, clip(name), strings.Join(list, ", ")).
		WithFix("name the test in full; where that is the same too, report a run in which each test runs once")
}

func (r Report) missing(name string) *fault.Error {
	e := fault.New(fault.Invalid, "test_missing", "the report has no test %q among its %d", clip(name), len(r.Cases)).
		WithFix("give the name of a test that is in the report")
	near, _ := r.nearest(name)
	if len(near) == 0 {
		return e
	}
	return e.WithFix("did you mean %s?", strings.Join(near, ", or "))
}

// The bounds of looking for near names: names longer than this are not looked at, and at most this many cells of the
// tables of distances are computed.
const (
	maxNear  = 200
	maxCells = 40_000_000
)

// nearest returns up to three names that differ from name by few characters, the closest first, each in quotes, and how
// many cells it computed for that.
func (r Report) nearest(name string) (list []string, cells int) {
	if len(name) > maxNear {
		return nil, 0
	}
	type candidate struct {
		name string
		far  int
	}
	most := max(1, len(name)/3)
	d := distances{most: most, to: name}
	var best []candidate
	for _, c := range r.Cases {
		full := r.FullName(c)
		near := candidate{full, most + 1}
		for _, written := range []string{c.Name, full} {
			if len(written) <= maxNear && cells < maxCells {
				far, used := d.from(written)
				cells += used
				near.far = min(near.far, far)
			}
		}
		if near.far > most || slices.Contains(best, near) {
			continue
		}
		best = append(best, near)
		slices.SortStableFunc(best, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
		best = best[:min(len(best), 3)]
	}
	for _, b := range best {
		list = append(list, fmt.Sprintf("%q", clip(b.name)))
	}
	return list, cells
}

// distances computes how many bytes must be added, dropped or replaced to make one name of another, in up to most
// steps. A capital and its small letter are the same.
type distances struct {
	most     int
	to       string
	row, old [maxNear + 1]int
}

// from returns the distance, or more than most, and how many cells it took.
func (d *distances) from(s string) (far, cells int) {
	if abs(len(s)-len(d.to)) > d.most {
		return d.most + 1, 0
	}
	for j := range len(d.to) + 1 {
		d.row[j] = j
	}
	for i := range len(s) {
		d.old, d.row[0] = d.row, i+1
		least := d.row[0]
		for j := range len(d.to) {
			change := d.old[j]
			if small(s[i]) != small(d.to[j]) {
				change++
			}
			d.row[j+1] = min(change, d.old[j+1]+1, d.row[j]+1)
			least = min(least, d.row[j+1])
		}
		cells += len(d.to)
		if least > d.most {
			return d.most + 1, cells
		}
	}
	return d.row[len(d.to)], cells
}

func abs(n int) int { return max(n, -n) }

func small(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// clip keeps an answer short whatever a report holds.
func clip(s string) string { return fault.Clip(s, 200) }

// Named returns the cases that a name stands for, and in a report of go test their subtests, in the order of the
// report and by their full names; none where Find finds no result.
func (r Report) Named(name string) (all []Case) {
	if _, err := r.Find(name); err != nil {
		return nil
	}
	full := slices.ContainsFunc(r.Cases, func(c Case) bool { return r.isFull(c, name) })
	for _, c := range r.Cases {
		if is := r.isFull(c, name) || !full && c.Name == name; is || r.isSubtest(c, name, full) {
			all = append(all, Case{Name: r.FullName(c), Result: c.Result})
		}
	}
	return all
}

// isSubtest reports whether a case is a subtest of the test of a name, which is a full one or stands for any suite.
func (r Report) isSubtest(c Case, name string, full bool) bool {
	called := c.Name
	if full {
		called = r.FullName(c)
	}
	return r.Format == Go && strings.HasPrefix(called, name+"/")
}
