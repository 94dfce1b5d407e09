package testreport

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// reading is what a reader makes of a report: its cases, when they ran, and all that tells its run from others.
type reading struct {
	cases []Case
	spans []Span
	facts []fact
	text  []byte // of the last fact; kept to save allocations
}

// fact is the digest of one thing that a report says happened.
type fact [sha256.Size]byte

// timing is what a report says of the time of a case, or of what is around cases.
type timing struct {
	at        moment
	inherited bool // at is that of what is around it
	took      time.Duration
	ran       Ran // when it ended
}

// within returns t, with the time of what is around it if it has none of its own.
func (t timing) within(around timing) timing {
	if t.at == (moment{}) {
		t.at, t.ran, t.inherited = around.at, around.ran, true
	}
	return t
}

// add takes a case.
func (r *reading) add(c Case, t timing) {
	r.put(c, t.ran)
	r.note("case", c.Suite, c.Name, c.Result, t)
}

// addDefect takes a case that stands for what is wrong with a suite. Its name may depend on how the report is laid out,
// and so makes no other run.
func (r *reading) addDefect(c Case, t timing) {
	r.put(c, t.ran)
	r.note("defect", c.Suite, "", c.Result, t)
}

func (r *reading) put(c Case, ran Ran) {
	r.cases = append(r.cases, c)
	if last := len(r.spans) - 1; last >= 0 && r.spans[last].Ran == ran {
		r.spans[last].Cases++
	} else {
		r.spans = append(r.spans, Span{1, ran})
	}
}

// addAround takes what is around cases: a suite, a package, the whole. Without a time of its own it says nothing that
// its cases do not say. A suite without cases must not be given: that it is there changes nothing that happened.
func (r *reading) addAround(name string, t timing) {
	if t.at != (moment{}) && !t.inherited || t.took != 0 {
		r.note("around", name, "", "", t)
	}
}

// note adds a fact. What it writes is kept in logs, by its digest, and so is never written otherwise.
func (r *reading) note(kind, suite, name, result string, t timing) {
	text := r.text[:0]
	for _, part := range []string{kind, suite, name, result} {
		text = append(strconv.AppendInt(text, int64(len(part)), 10), ':')
		text = append(text, part...)
	}
	text = append(t.at.append(text), ' ')
	text = strconv.AppendInt(text, int64(t.took), 10)
	r.facts, r.text = append(r.facts, sha256.Sum256(text)), text
}

// report returns the report. Its run is the digest of all facts, in whatever order the report has them.
func (r *reading) report(format string) Report {
	slices.SortFunc(r.facts, func(a, b fact) int { return bytes.Compare(a[:], b[:]) })
	all := sha256.New()
	fmt.Fprintf(all, "%s %d\n", format, len(r.facts))
	for _, f := range r.facts {
		all.Write(f[:])
	}
	report := Report{Format: format, Run: hex.EncodeToString(all.Sum(nil)), Cases: r.cases}
	for _, s := range r.spans {
		report.Ran = report.Ran.later(s.Ran)
	}
	if len(r.spans) > 1 || len(r.spans) == 1 && r.spans[0].Ran != report.Ran {
		report.Spans = r.spans
	}
	return report
}

// RunOn returns the identity of the run on a commit that was named, or on none. A report that does not say when its
// tests ran reads the same whenever the same tests give the same results: then it has a run for each commit that is
// named.
func (r Report) RunOn(commit string) string {
	if commit == "" || !r.Ran.IsZero() {
		return r.Run
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s on %s", r.Run, commit))
	return hex.EncodeToString(sum[:])
}
