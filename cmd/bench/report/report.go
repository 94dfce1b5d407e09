package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Skipped is the reason why a section, or a part of one, cannot be measured on this machine. It is no failure.
type Skipped string

func (s Skipped) Error() string { return string(s) }

// Report is what a run found.
type Report struct {
	Date       string            `json:"date"`
	Go         string            `json:"go"`
	CPUs       int               `json:"cpus"`
	FileSystem string            `json:"file_system"`
	Rounds     int               `json:"rounds"`
	Rows       []Row             `json:"rows"`
	Skipped    map[string]string `json:"skipped,omitempty"` // sections that lack something here, and what
	Failed     map[string]string `json:"failed,omitempty"`  // sections without a result, and why
}

// New returns the report of a run that begins now, without a row.
func New(now time.Time, fsType string, rounds int) Report {
	return Report{now.Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), fsType, rounds, []Row{},
		map[string]string{}, map[string]string{}}
}

// Add takes the rows of a section. Those of one that failed are dropped: a figure beside a failure would be
// taken for a good one. Those that a section has beside what it skipped are kept.
func (r *Report) Add(section string, rows []Row, err error) {
	var skipped Skipped
	switch {
	case errors.As(err, &skipped):
		r.Skipped[section] = string(skipped)
	case err != nil:
		r.Failed[section] = err.Error()
		return
	}
	for _, row := range rows {
		row.Section = section
		r.Rows = append(r.Rows, row)
	}
}

// ExitCode returns 1 when a section failed, 2 when a goal is missed and the run is strict, or 0.
func (r *Report) ExitCode(strict bool) int {
	switch {
	case len(r.Failed) > 0:
		return 1
	case strict && slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Verdict == misses }):
		return 2
	}
	return 0
}

// WriteJSON writes the report for a machine to read.
func (r *Report) WriteJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteTable writes the report for a terminal.
func (r *Report) WriteTable(out io.Writer) error {
	fmt.Fprintf(out, "%s\n\n", r.conditions())
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tFLOOR\tPRODUCT\tRATIO\tSPREAD\tGOAL\t")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%s\t%s\n", row.label(), strings.Join(row.cells(), "\t"), row.Verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	r.writeRest(out)
	return nil
}

// conditions says under what the figures were taken.
func (r *Report) conditions() string {
	return fmt.Sprintf("%s, %s, %d CPUs, %s; medians of %d rounds, in brackets the lowest and the highest", r.Date,
		r.Go, r.CPUs, r.FileSystem, r.Rounds)
}

// writeRest writes what is not in the table.
func (r *Report) writeRest(out io.Writer) {
	for _, section := range slices.Sorted(maps.Keys(r.Skipped)) {
		fmt.Fprintf(out, "%s: skipped: %s\n", section, r.Skipped[section])
	}
	for _, section := range slices.Sorted(maps.Keys(r.Failed)) {
		fmt.Fprintf(out, "%s: no result, because a request or a server failed: %s\n", section, r.Failed[section])
	}
}
