// Package report holds the figures of a run of the benchmark, and prints them as a table, as Markdown or as JSON.
package report

import (
	"fmt"
	"slices"
	"strings"
)

// Goal is a limit of a ratio, or where there is none of the value.
type Goal struct {
	AtLeast float64 `json:"at_least,omitzero"`
	AtMost  float64 `json:"at_most,omitzero"`
}

func (g *Goal) String() string {
	switch {
	case g == nil:
		return ""
	case g.AtLeast > 0:
		return fmt.Sprintf(">= %.2f", g.AtLeast)
	}
	return fmt.Sprintf("<= %.2f", g.AtMost)
}

func (g *Goal) verdict(x float64) string {
	switch {
	case g == nil:
		return ""
	case x >= g.AtLeast && (g.AtMost == 0 || x <= g.AtMost):
		return "meets"
	}
	return misses
}

const misses = "misses"

// Row is one line of the report: medians over the rounds.
type Row struct {
	Section string    `json:"section"` // what --only calls it
	Name    string    `json:"name"`
	Unit    string    `json:"unit"`
	Base    float64   `json:"base,omitzero"` // of the floor, or of the smaller sibling
	Value   float64   `json:"value"`         // of the product
	Ratio   float64   `json:"ratio,omitzero"`
	Rounds  []float64 `json:"rounds"` // ratios, or where there are none values
	Goal    *Goal     `json:"goal,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
	At      int       `json:"at,omitzero"` // requirements; 0 unless the row is one point of a curve
}

// NewRow returns the medians of what was measured round by round, and their verdict. Without ratios there is no base.
func NewRow(name, unit string, base, value, ratios []float64, g *Goal) Row {
	r := Row{Name: name, Unit: unit, Value: Median(value), Rounds: value, Goal: g}
	judged := r.Value
	if ratios != nil {
		r.Base, r.Ratio, r.Rounds = Median(base), Median(ratios), ratios
		judged = r.Ratio
	}
	r.Verdict = g.verdict(judged)
	return r
}

// label returns the name of the row, and of a point of a curve also its place.
func (r Row) label() string {
	if r.At == 0 {
		return r.Name
	}
	return fmt.Sprintf("%s, %d requirements", r.Name, r.At)
}

// cells returns what a table shows of the row after its name: floor, product, ratio, spread and goal.
func (r Row) cells() []string {
	return []string{Number(r.Base, r.Unit), Number(r.Value, r.Unit), Number(r.Ratio, "x"), r.spread(), r.Goal.String()}
}

func (r Row) spread() string {
	return fmt.Sprintf("[%s, %s]", Number(slices.Min(r.Rounds), ""), Number(slices.Max(r.Rounds), ""))
}

// Median returns the median of at least one value.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Number formats a figure with about three digits; nothing for what there is not.
func Number(x float64, unit string) string {
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
