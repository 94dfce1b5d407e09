package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDecades(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{[]float64{100, 1_000, 100_000}, 100, 100_000}, // powers of ten stand at the ends
		{[]float64{0.046, 9.3}, 0.01, 10},
		{[]float64{1_000}, 1_000, 10_000},
		{[]float64{0.001, 0.001}, 0.001, 0.01},
		{[]float64{250, 260}, 100, 1_000},
		{[]float64{0.1 + 0.2, 3}, 0.1, 10},
	} {
		s := decades(c.values, 300, 100)
		require.InEpsilon(t, c.low, s.low, 1e-12, c.values)
		require.InEpsilon(t, c.high, s.high, 1e-12, c.values)
		require.InDelta(t, 300, s.place(s.low), 1e-6)
		require.InDelta(t, 100, s.place(s.high), 1e-6)
		ticks := s.ticks()
		require.InEpsilon(t, s.low, ticks[0], 1e-12)
		require.InEpsilon(t, s.high, ticks[len(ticks)-1], 1e-12)
	}
}

// Equal ratios are equal distances.
func TestPlaceIsLogarithmic(t *testing.T) {
	s := decades([]float64{1, 10_000}, 0, 400)
	for exponent, want := range []float64{0, 100, 200, 300, 400} {
		require.InDelta(t, want, s.place(math.Pow(10, float64(exponent))), 1e-9)
	}
	require.InDelta(t, 50, s.place(math.Sqrt(10)), 1e-9)
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0.001: "0.001", 0.1: "0.1", 1: "1", 10: "10", 1_000: "1,000", 1_000_000: "1,000,000"} {
		require.Equal(t, want, number(v))
	}
}

func example() Chart {
	return Chart{Title: `Growth <of> "R&D"`, X: "requirements", Panels: []Panel{
		{Title: "Latency", Unit: "ms", Series: []Series{
			{"a & b", []Point{{100, 3, "3.000"}, {1_000, 5, "5.000"}}},
			{"second", []Point{{100, 2, "2.000"}, {1_000, 0.5, "0.500"}}},
		}},
		{Title: "Memory", Unit: "MB", Series: []Series{{"only", []Point{{100, 80, "80.0"}, {1_000, 90, "90.0"}}}}},
	}}
}

// The drawing is well-formed, everything stands within it, and each point has its label.
func TestSVG(t *testing.T) {
	drawing, err := example().SVG()
	require.NoError(t, err)
	var texts []string
	var width, height float64
	decoder := xml.NewDecoder(bytes.NewReader(drawing))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			require.Equal(t, "http://www.w3.org/2000/svg", token.Name.Space)
			at := attributes(t, token)
			if token.Name.Local == "svg" {
				width, height = at["width"], at["height"]
			}
			require.LessOrEqual(t, at["x"], width)
			require.LessOrEqual(t, at["y"], height, "%v", token)
			require.GreaterOrEqual(t, min(at["x"], at["y"], at["cx"], at["cy"]), 0.0)
		case xml.CharData:
			texts = append(texts, strings.TrimSpace(string(token)))
		}
	}
	for _, want := range []string{`Growth <of> "R&D"`, "a & b", "second", "Latency (ms)", "Memory (MB)", "requirements", "3.000",
		"0.500", "80.0", "1,000", "0.1"} {
		require.Contains(t, texts, want)
	}
	require.NotContains(t, texts, "only", "one line needs no legend")
	require.NotContains(t, string(drawing), "%!", "each value has its place in the format")
	require.NotContains(t, string(drawing), "NaN")
}

// attributes returns those that are numbers.
func attributes(t *testing.T, e xml.StartElement) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	for _, a := range e.Attr {
		if a.Name.Local == "version" {
			require.Equal(t, "1.1", a.Value)
		} else if v, err := strconv.ParseFloat(a.Value, 64); err == nil {
			found[a.Name.Local] = v
		}
	}
	return found
}

// Larger values stand higher.
func TestMarksStandWhereTheValuesAre(t *testing.T) {
	drawing, err := example().SVG()
	require.NoError(t, err)
	heights := map[string]float64{}
	for _, line := range strings.Split(string(drawing), "\n") {
		var e struct {
			Y     float64 `xml:"y,attr"`
			Class string  `xml:"class,attr"`
			Text  string  `xml:",chardata"`
		}
		if strings.HasPrefix(line, "<text") {
			require.NoError(t, xml.Unmarshal([]byte(line), &e))
			if name := e.Class + " " + e.Text; heights[name] == 0 { // the first panel comes first
				heights[name] = e.Y
			}
		}
	}
	require.Less(t, heights["value 5.000"], heights["value 3.000"])
	require.Less(t, heights["value 2.000"], heights["value 0.500"])
	require.InDelta(t, heights["tick 1"]-heights["tick 10"], heights["tick 0.1"]-heights["tick 1"], 0.11)
}

func TestWhatCannotBeDrawn(t *testing.T) {
	_, err := Chart{}.SVG()
	require.ErrorContains(t, err, "no point")
	for _, y := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		c := example()
		c.Panels[1].Series[0].Points[0].Y = y
		_, err := c.SVG()
		require.ErrorContains(t, err, "logarithmic", "%v", y)
	}
	c := example()
	c.Panels[0].Series = append(c.Panels[0].Series, c.Panels[0].Series...)
	_, err = c.SVG()
	require.ErrorContains(t, err, "4 lines")
}
