package main

import (
	"context"
	"os"
	"slices"

	"orchestrator/cmd/bench/chart"
	"orchestrator/cmd/bench/report"
)

// curveSizes are the numbers of requirements at which the curve has points.
var curveSizes = []int{100, 1_000, 10_000, 100_000}

// curveLine is one figure over the number of requirements.
type curveLine struct {
	panel, name, unit string
	of                func(*sizedFigures) []float64
}

var curveLines = []curveLine{
	{"Latency, median", "lone PATCH p50, default", "ms", func(f *sizedFigures) []float64 { return f.lone }},
	{"Latency, median", "lone PATCH p50, export-wait 0", "ms", func(f *sizedFigures) []float64 { return f.loneNow }},
	{"Latency, median", "GET /requirements/{id} p50", "ms", func(f *sizedFigures) []float64 { return f.get }},
	{"Start to first 200", "start to first 200", "s", func(f *sizedFigures) []float64 { return f.ready }},
	{"Resident memory", "resident memory", "MB", func(f *sizedFigures) []float64 { return f.resident }},
}

// curve shows what grows with the number of requirements, in rows and, if a file is named, in a drawing of the same
// figures.
func (b sizes) curve(ctx context.Context) (rows []row, err error) {
	at := map[int]*sizedFigures{}
	for _, n := range curveSizes {
		if at[n], err = b.at(ctx, n); err != nil {
			return nil, err
		}
	}
	drawn := chart.Chart{Title: "What grows with the number of requirements", X: "requirements"}
	for _, line := range curveLines {
		series := chart.Series{Name: line.name}
		for _, n := range curveSizes {
			r := newRow(line.name, line.unit, nil, line.of(at[n]), nil, nil)
			r.At = n
			rows = append(rows, r)
			point := chart.Point{X: float64(n), Y: r.Value, Label: report.Number(r.Value, "")}
			series.Points = append(series.Points, point)
		}
		i := slices.IndexFunc(drawn.Panels, func(p chart.Panel) bool { return p.Title == line.panel })
		if i < 0 {
			i = len(drawn.Panels)
			drawn.Panels = append(drawn.Panels, chart.Panel{Title: line.panel, Unit: line.unit})
		}
		drawn.Panels[i].Series = append(drawn.Panels[i].Series, series)
	}
	if b.options.curve == "" {
		return rows, nil
	}
	drawing, err := drawn.SVG()
	if err != nil {
		return nil, err
	}
	say("the curve is drawn in %s", b.options.curve)
	return rows, os.WriteFile(b.options.curve, drawing, 0o644)
}
