package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// goal is a limit of a ratio, or where there is none of the value.
type goal struct {
	AtLeast float64 `json:"at_least,omitzero"`
	AtMost  float64 `json:"at_most,omitzero"`
}

func atLeast(x float64) *goal { return &goal{AtLeast: x} }
func atMost(x float64) *goal  { return &goal{AtMost: x} }

func (g *goal) String() string {
	switch {
	case g == nil:
		return ""
	case g.AtLeast > 0:
		return fmt.Sprintf(">= %.2f", g.AtLeast)
	}
	return fmt.Sprintf("<= %.2f", g.AtMost)
}

func (g *goal) verdict(x float64) string {
	switch {
	case g == nil:
		return ""
	case x >= g.AtLeast && (g.AtMost == 0 || x <= g.AtMost):
		return "meets"
	}
	return misses
}

const misses = "misses"

// row is one line of the report: medians over the rounds.
type row struct {
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	Base    float64   `json:"base,omitzero"` // of the floor, or of the smaller sibling
	Value   float64   `json:"value"`         // of the product
	Ratio   float64   `json:"ratio,omitzero"`
	Rounds  []float64 `json:"rounds"` // ratios, or where there are none values
	Goal    *goal     `json:"goal,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
}

func newRow(name, unit string, base, value, ratios []float64, g *goal) row {
	r := row{Name: name, Unit: unit, Value: median(value), Rounds: value, Goal: g}
	judged := r.Value
	if ratios != nil {
		r.Base, r.Ratio, r.Rounds = median(base), median(ratios), ratios
		judged = r.Ratio
	}
	r.Verdict = g.verdict(judged)
	return r
}

func rateRow(name string, floor, product []result, g *goal) row {
	base, value := figures(floor, result.rate), figures(product, result.rate)
	return newRow(name, "/s", base, value, pairwise(value, base), g)
}

// report is what is printed.
type report struct {
	Go         string            `json:"go"`
	CPUs       int               `json:"cpus"`
	FileSystem string            `json:"file_system"`
	Rounds     int               `json:"rounds"`
	Rows       []row             `json:"rows"`
	Failed     map[string]string `json:"failed,omitempty"` // sections without a result, and why
}

func newReport(fsType string, o options) report {
	return report{runtime.Version(), runtime.NumCPU(), fsType, o.rounds, []row{}, map[string]string{}}
}

// add takes the rows of a section. Those of one that failed are dropped: a figure beside a failure would be
// taken for a good one.
func (r *report) add(section string, rows []row, err error) {
	if err != nil {
		r.Failed[section] = err.Error()
		return
	}
	r.Rows = append(r.Rows, rows...)
}

func (r *report) exitCode(strict bool) int {
	switch {
	case len(r.Failed) > 0:
		return 1
	case strict && slices.ContainsFunc(r.Rows, func(row row) bool { return row.Verdict == misses }):
		return 2
	}
	return 0
}

func (r *report) write(out io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(out, "%s, %d CPUs, %s; medians of %d rounds, in brackets the lowest and the highest\n\n", r.Go,
		r.CPUs, r.FileSystem, r.Rounds)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tFLOOR\tPRODUCT\tRATIO\tSPREAD\tGOAL\t")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t[%s, %s]\t%s\t%s\n", row.Name, number(row.Base, row.Unit),
			number(row.Value, row.Unit), number(row.Ratio, "x"),
			number(slices.Min(row.Rounds), ""), number(slices.Max(row.Rounds), ""), row.Goal, row.Verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, section := range slices.Sorted(maps.Keys(r.Failed)) {
		fmt.Fprintf(out, "%s: no result, because a request or a server failed: %s\n", section, r.Failed[section])
	}
	return nil
}

// number shows about three digits; nothing for what there is not.
func number(x float64, unit string) string {
	switch {
	case x == 0:
		return ""
	case x >= 100:
		return strings.TrimSpace(fmt.Sprintf("%.0f %s", x, unit))
	case x >= 10:
		return strings.TrimSpace(fmt.Sprintf("%.1f %s", x, unit))
	}
	return strings.TrimSpace(fmt.Sprintf("%.3f %s", x, unit))
}
