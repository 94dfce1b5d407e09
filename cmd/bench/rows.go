package main

import "orchestrator/cmd/bench/report"

// row is one line of the report.
type row = report.Row

// goal is the limit of a row.
type goal = report.Goal

func atLeast(x float64) *goal { return &goal{AtLeast: x} }
func atMost(x float64) *goal  { return &goal{AtMost: x} }

var newRow = report.NewRow

func rateRow(name string, floor, product []result, g *goal) row {
	base, value := figures(floor, result.rate), figures(product, result.rate)
	return newRow(name, "/s", base, value, pairwise(value, base), g)
}

func median(values []float64) float64 { return report.Median(values) }
