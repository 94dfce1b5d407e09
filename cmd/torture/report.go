package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// mostFindings is how many findings of a row are shown; they are all counted.
const mostFindings = 20

// fewFindings are enough of a control, which is full of them.
const fewFindings = 3

// tally is what a row came to.
type tally struct {
	Name    string `json:"name"`
	What    string `json:"what"`
	Control bool   `json:"control,omitempty"` // it must lose
	Asked   int    `json:"asked"`             // runs
	Runs    int    `json:"runs"`
	counts
	StartsRefused int            `json:"starts_refused"`
	VerifyFailed  int            `json:"verify_failed"`
	Misbehaved    int            `json:"misbehaved"` // an export ahead of the log, another exit code than 1, a service that goes on or does not
	Seconds       float64        `json:"seconds"`
	Skipped       string         `json:"skipped,omitempty"`
	Failed        string         `json:"failed,omitempty"` // why the row ended before its end
	Notes         map[string]int `json:"notes,omitempty"`
	Findings      []string       `json:"findings,omitempty"`
}

func (t *tally) note(what string) {
	if t.Notes == nil {
		t.Notes = map[string]int{}
	}
	t.Notes[what]++
}

func (t *tally) find(format string, args ...any) {
	most := mostFindings
	if t.Control {
		most = fewFindings
	}
	if len(t.Findings) < most {
		t.Findings = append(t.Findings, fmt.Sprintf(format, args...))
	}
}

// verdict judges a row. The control must lose: a harness that finds nothing where everything is lost shows nothing.
func (t *tally) verdict() string {
	switch {
	case t.Skipped != "":
		return "skipped: " + t.Skipped
	case t.Failed != "" || t.Runs < t.Asked:
		return "FAILS: not finished"
	case t.Acknowledged == 0:
		return "FAILS: nothing was acknowledged"
	case t.Control && t.Lost == 0:
		return "FAILS: the control lost nothing"
	case t.Control:
		return "loses, as it must"
	case t.Lost+t.Wrong+t.StartsRefused+t.VerifyFailed+t.Misbehaved > 0:
		return "FAILS"
	}
	return "holds"
}

// report is what is printed.
type report struct {
	Seed       uint64   `json:"seed"`
	FileSystem string   `json:"file_system"`
	Rows       []*tally `json:"rows"`
}

func (r *report) exitCode() int {
	for _, t := range r.Rows {
		if strings.HasPrefix(t.verdict(), "FAILS") {
			return 1
		}
	}
	return 0
}

func (r *report) write(out io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(out, "seed %d, on %s\n\n", r.Seed, r.FileSystem)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ROW\tRUNS\tSENT\tACKNOWLEDGED\tLOST\tUNACKNOWLEDGED\tWRONG\tSTARTS\tVERIFY\tMIS-\tTIME\t")
	fmt.Fprintln(w, "\t\t\t\t\tPRESENT\t\tREFUSED\tFAILED\tBEHAVED\t\t")
	for _, t := range r.Rows {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f s\t  %s\n", t.Name, t.Runs, t.Changes,
			t.Acknowledged, t.Lost, t.Unacknowledged, t.Wrong,
			t.StartsRefused, t.VerifyFailed, t.Misbehaved, t.Seconds, t.verdict())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, t := range r.Rows {
		t.explain(out)
	}
	return nil
}

// explain prints what the row is, what was seen in it, and what was wrong.
func (t *tally) explain(out io.Writer) {
	fmt.Fprintf(out, "\n%s: %s\n", t.Name, t.What)
	for _, note := range slices.Sorted(maps.Keys(t.Notes)) {
		fmt.Fprintf(out, "  %s: %d\n", note, t.Notes[note])
	}
	if t.Failed != "" {
		fmt.Fprintf(out, "  not finished: %s\n", t.Failed)
	}
	for _, finding := range t.Findings {
		fmt.Fprintf(out, "  %s\n", finding)
	}
}

func seconds(since time.Time) float64 { return time.Since(since).Seconds() }
