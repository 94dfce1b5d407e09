// Package chart draws lines over logarithmic axes as SVG 1.1, one panel for each unit. It uses no script and no font of
// its own, and its colours follow the reader's light or dark theme.
package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Chart is a row of panels with a common X axis.
type Chart struct {
	Title, X string
	Panels   []Panel
}

// Panel has an axis of its own, in one unit.
type Panel struct {
	Title, Unit string
	Series      []Series
}

// Series is one line.
type Series struct {
	Name   string
	Points []Point
}

// Point is shown with its label beside it. Neither value may be 0 or less: there is no place for it on a logarithmic
// axis.
type Point struct {
	X, Y  float64
	Label string
}

// The measures of the drawing in pixels.
const (
	panelWidth = 330
	plotLeft   = 52
	plotWidth  = 262
	plotTop    = 64
	plotHeight = 236
	inside     = 24 // between the edge of the plot and the first and last tick
	rowHeight  = 18
	markSize   = 3.5
	labelAbove = -9
	labelBelow = 18
	axisSpace  = 48 // below the plot: the ticks and what they count
)

// style has the colours of the first three series, and those of a dark theme.
const style = `
text{font:12px system-ui,-apple-system,"Segoe UI","Liberation Sans",Arial,sans-serif;fill:#24292f}
.title{font-size:15px;font-weight:600}.panel{font-weight:600}.tick,.axis{fill:#57606a;font-size:11px}
.value{font-size:10px;stroke:#ffffff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.ground{fill:#ffffff}.grid{stroke:#d8dee4;stroke-width:1}.frame{fill:none;stroke:#8c959f;stroke-width:1}
.line{fill:none;stroke-width:2;stroke-linejoin:round}
.s0{stroke:#0062a8}.m0{fill:#0062a8}.s1{stroke:#c04a00;stroke-dasharray:6 3}.m1{fill:#c04a00}
.s2{stroke:#00785a;stroke-dasharray:2 3}.m2{fill:#00785a}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.tick,.axis{fill:#9da7b3}.value{stroke:#0d1117}
.ground{fill:#0d1117}.grid{stroke:#30363d}
.frame{stroke:#6e7681}.s0{stroke:#58a6ff}.m0{fill:#58a6ff}.s1{stroke:#f0883e}.m1{fill:#f0883e}
.s2{stroke:#3fb950}.m2{fill:#3fb950}}
`

// maxSeries is how many lines of one panel can be told apart.
const maxSeries = 3

// SVG draws the chart.
func (c Chart) SVG() ([]byte, error) {
	x, err := c.common()
	if err != nil {
		return nil, err
	}
	legend := 0
	for _, p := range c.Panels {
		if len(p.Series) > 1 {
			legend = max(legend, len(p.Series))
		}
	}
	width, height := panelWidth*len(c.Panels), plotTop+plotHeight+axisSpace+rowHeight*legend+8
	var b bytes.Buffer
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>%[3]s</title>
<style type="text/css">%[4]s</style>
<rect class="ground" width="%[1]d" height="%[2]d"/>
`, width, height, escape(c.Title), style)
	text(&b, "title", "start", 14, 24, c.Title)
	for i, p := range c.Panels {
		fmt.Fprintf(&b, "<g transform=\"translate(%d,0)\">\n", i*panelWidth)
		p.draw(&b, x, c.X)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes(), nil
}

// common checks the chart and returns its X axis.
func (c Chart) common() (scale, error) {
	var xs []float64
	for _, p := range c.Panels {
		if len(p.Series) > maxSeries {
			return scale{}, fmt.Errorf("%q has %d lines, at most %d can be told apart", p.Title, len(p.Series),
				maxSeries)
		}
		for _, s := range p.Series {
			for _, at := range s.Points {
				if !(at.X > 0 && at.Y > 0) || math.IsInf(at.X+at.Y, 0) {
					return scale{}, fmt.Errorf("%q has a point that no logarithmic axis has: %v", s.Name, at)
				}
				xs = append(xs, at.X)
			}
		}
	}
	if len(xs) == 0 {
		return scale{}, errors.New("there is no point to draw")
	}
	return decades(xs, plotLeft+inside, plotLeft+plotWidth-inside), nil
}

// draw draws a panel at the origin.
func (p Panel) draw(b *bytes.Buffer, x scale, xName string) {
	var ys []float64
	for _, s := range p.Series {
		for _, at := range s.Points {
			ys = append(ys, at.Y)
		}
	}
	y := decades(ys, plotTop+plotHeight-inside, plotTop+inside)
	text(b, "panel", "start", plotLeft, plotTop-12, fmt.Sprintf("%s (%s)", p.Title, p.Unit))
	for _, tick := range y.ticks() {
		at := y.place(tick)
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", plotLeft, at, plotLeft+plotWidth)
		text(b, "tick", "end", plotLeft-7, at+4, number(tick))
	}
	for _, tick := range x.ticks() {
		at := x.place(tick)
		fmt.Fprintf(b, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", at, plotTop, plotTop+plotHeight)
		text(b, "tick", "middle", at, plotTop+plotHeight+18, number(tick))
	}
	fmt.Fprintf(b, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", plotLeft, plotTop,
		plotWidth, plotHeight)
	text(b, "axis", "middle", plotLeft+plotWidth/2, plotTop+plotHeight+36, xName)
	for i, s := range p.Series {
		s.draw(b, i, x, y)
		if len(p.Series) == 1 {
			break // the title says what it is
		}
		row := float64(plotTop + plotHeight + axisSpace + rowHeight*i + 8)
		fmt.Fprintf(b, "<path class=\"line s%d\" d=\"M%d %.1fh28\"/>\n", i, plotLeft, row)
		mark(b, i, plotLeft+14, row)
		text(b, "legend", "start", plotLeft+36, row+4, s.Name)
	}
	for i, s := range p.Series {
		s.label(b, i, x, y)
	}
}

// draw draws a line with its points.
func (s Series) draw(b *bytes.Buffer, i int, x, y scale) {
	var path strings.Builder
	command := "M"
	for _, at := range s.Points {
		fmt.Fprintf(&path, "%s%.1f %.1f", command, x.place(at.X), y.place(at.Y))
		command = "L"
	}
	fmt.Fprintf(b, "<path class=\"line s%d\" d=\"%s\"/>\n", i, path.String())
	for _, at := range s.Points {
		mark(b, i, x.place(at.X), y.place(at.Y))
	}
}

// label writes the labels of the points, above the first line of a panel and below the others. They have a halo, since
// lines cross them.
func (s Series) label(b *bytes.Buffer, i int, x, y scale) {
	beside := float64(labelAbove)
	if i > 0 {
		beside = labelBelow
	}
	for _, at := range s.Points {
		text(b, "value", "middle", x.place(at.X), y.place(at.Y)+beside, at.Label)
	}
}

// mark draws a point: each line has a shape of its own, for whom colours do not tell them apart.
func mark(b *bytes.Buffer, series int, x, y float64) {
	switch series {
	case 0:
		fmt.Fprintf(b, "<circle class=\"m0\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", x, y, markSize)
	case 1:
		const side = 2 * markSize
		fmt.Fprintf(b, "<rect class=\"m1\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", x-markSize,
			y-markSize, side, side)
	default:
		const r = 1.4 * markSize
		fmt.Fprintf(b, "<path class=\"m%d\" d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"/>\n", series, x, y-r, r, r,
			-r, r, -r, -r)
	}
}

func text(b *bytes.Buffer, class, anchor string, x, y float64, content string) {
	fmt.Fprintf(b, "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", class, anchor, x, y,
		escape(content))
}

func escape(content string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(content)) // a buffer takes everything
	return b.String()
}
