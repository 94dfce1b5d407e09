package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/operator/offline"
	"orchestrator/internal/requirements/drift"
)

func TestReportForPeople(t *testing.T) {
	t.Parallel()
	place := func(path string, line int) drift.Place {
		return drift.Place{Path: path, Line: line}
	}
	r := drift.Report{
		Documents: []drift.Document{
			{Path: "a.md", Family: "gsd", Mark: "a heading, as on line 3", Found: 3, Families: map[string]int{"gsd": 2, "markdown": 1}, Others: map[string]int{"story": 2, "goal": 1}},
			{Path: "b\x1b.md", Delta: true},
		},
		Changed: []drift.Changed{{ID: "A-1", Place: place("a.md", 3), Suspect: true, Stale: []string{"design_spec", "test"}, Diff: []drift.Edit{
			{Op: "equal", Text: "Log in"}, {Op: "delete", Text: "at\nonce"}, {Op: "insert", Text: "\x1b[31m"}, {Op: "equal", Text: "\nwith a key"},
		}}},
		Renamed:  []drift.Renamed{{From: "A-2", To: "A-3"}, {From: "A-4", To: "A-5", Declared: true}},
		Restored: []string{"A-6"},
		Retired:  []drift.Retired{{ID: "A-7", Title: "Pay", Status: "implemented", Strands: []string{"implementation"}, PMMust: "defer it"}},
		Warnings: []drift.Remark{{Place: place("a.md", 9), Message: "twice", Fix: "remove one"}},
		Errors:   []drift.Remark{{Message: "no place"}, {Place: place("a.md", 0), Message: "no line"}},
	}
	for n := range 8 {
		r.Moved = append(r.Moved, drift.Moved{ID: fmt.Sprint("M-", n), Place: place("a.md", n+20), From: place("a.md", n+10)})
	}
	r.Moved = append(r.Moved, drift.Moved{ID: "N-1", Place: place("a.md", 40), From: place("b.md", 1)})
	var out, notes bytes.Buffer
	require.NoError(t, importOptions{}.write(&out, &notes,
		offline.Outcome{Report: r, DryRun: true, Against: "project_status.json"}))
	require.Empty(t, notes.String())
	require.Equal(t, `a.md: gsd (a heading, as on line 3): 3 requirements (2 gsd, 1 markdown); beside them 1 goal, 2 story
b\x1b.md: no family, a delta: 0 requirements
a.md:3: changed A-1, which is suspect now: PM must accept it; made for another text: design_spec, test
    Log in [-at
    once-]{+\x1b[31m+}
    with a key
a.md:20: moved M-0 from a.md:10
a.md:21: moved M-1 from a.md:11
a.md:22: moved M-2 from a.md:12
a.md:23: moved M-3 from a.md:13
a.md:24: moved M-4 from a.md:14
a.md:40: moved N-1 from b.md:1
moved within their documents: 3 more; --json lists them
perhaps renamed A-2 to A-3, which has the same text
    its history goes along with orchestrator rename A-2 A-3 --reason '<why>'
renamed A-4 to A-5, as the document says
    its history goes along with orchestrator rename A-4 A-5 --reason '<why>'
restored A-6
retired A-7 (implemented): Pay
    work that is left: implementation
    PM must: defer it
a.md:9: warning: twice
    fix: remove one
error: no place
a.md: error: no line
`, out.String())
}

func TestColoursOfAWordDiff(t *testing.T) {
	t.Parallel()
	p := importReport{output.NewPrinter(true)}
	got := p.wordDiff([]drift.Edit{{Op: "equal", Text: "a"}, {Op: "delete", Text: "b"}, {Op: "insert", Text: "c\nd"}})
	require.Equal(t, "a \x1b[31m[-b-]\x1b[0m\x1b[32m{+c\x1b[0m\n    \x1b[32md+}\x1b[0m", got)
}
