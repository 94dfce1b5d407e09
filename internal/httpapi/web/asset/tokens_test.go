package asset

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// The floors of the page. Tritanopia is rare, and has one of its own.
const (
	leastContrast   = 4.5
	leastMark       = 3.0 // of what is no text: WCAG 2, 1.4.11
	leastDifference = 12.0
	leastTritanopia = 11.0
)

var grounds = []string{"paper", "sunk"}

// bar is the order of the statuses in the status bar.
var bar = []string{
	"done", "tested_pass", "test_in_progress", "tested_fail", "implemented", "implementation_in_progress",
	"design_ready", "design_in_progress", "planned", "not_started", "needs_changes", "blocked", "deferred",
}

// together are the statuses that are seen side by side: those of one column of the board, and those that must never be
// taken for one another.
var together = [][]string{
	{"not_started", "planned"},
	{"design_in_progress", "design_ready"},
	{"implementation_in_progress", "implemented"},
	{"test_in_progress", "tested_fail", "tested_pass"},
	{"blocked", "deferred", "needs_changes"},
	{"done", "tested_pass"}, {"done", "tested_fail"},
	{"tested_fail", "blocked"}, {"tested_fail", "needs_changes"},
}

// token is a colour of the sheet: as it is, and as OKLCH behind it for people.
type token struct{ hex, oklch string }

var (
	schemeBlock = regexp.MustCompile(`(?s):root[^\s{]* \{\s*color-scheme: (light|dark);(.*?)\n *\}`)
	colourLine  = regexp.MustCompile(`--([a-z0-9_-]+): (#[0-9a-f]{6});(?: /\* oklch\(([^)]+)\) \*/)?`)
)

// schemesOf reads the colours of the blocks of tokens.css: light, dark as the system has it, dark by the person's wish.
func schemesOf(t *testing.T) []map[string]token {
	t.Helper()
	var schemes []map[string]token
	for _, block := range schemeBlock.FindAllStringSubmatch(string(content(embedded, "css/tokens.css")), -1) {
		scheme := map[string]token{}
		for _, line := range colourLine.FindAllStringSubmatch(block[2], -1) {
			scheme[line[1]] = token{line[2], line[3]}
		}
		schemes = append(schemes, scheme)
	}
	require.Len(t, schemes, 3)
	return schemes
}

// colours runs a test on each scheme, with its colours by name.
func colours(t *testing.T, check func(t *testing.T, of func(name string) rgb)) {
	t.Helper()
	for i, name := range []string{"light", "dark", "dark by wish"} {
		t.Run(name, func(t *testing.T) {
			scheme := schemesOf(t)[i]
			check(t, func(name string) rgb {
				require.Contains(t, scheme, name)
				return colourOf(t, scheme[name].hex)
			})
		})
	}
}

func TestBothWaysToDarkAreTheSame(t *testing.T) {
	schemes := schemesOf(t)
	require.Len(t, schemes[1], len(schemes[0]), "light and dark name the same colours")
	require.Len(t, schemes[2], len(schemes[0]))
	for name := range schemes[0] {
		require.NotEmpty(t, schemes[1][name].hex, name)
		require.Equal(t, schemes[1][name].hex, schemes[2][name].hex, name)
	}
}

func TestEveryStatusHasAColourAndAMark(t *testing.T) {
	sheet, marks := sheetOf(embedded), string(content(embedded, "marks.svg"))
	require.Len(t, bar, len(lifecycle.Statuses()))
	for _, status := range lifecycle.Statuses() {
		require.Contains(t, bar, string(status))
		require.Contains(t, sheet, ".s-"+string(status)+" { color: var(--"+string(status)+"); }")
		require.Contains(t, marks, `id="s-`+string(status)+`"`)
	}
	for _, name := range strings.Fields("holds moved stale dirty missing unverified unmet refused ahead") {
		require.Regexp(t, `\.m-`+name+`\b`, sheet)
		require.Contains(t, marks, `id="m-`+name+`"`)
	}
}

// Verifies: ORC-335
func TestTextAndMarksStandOutFromTheirGround(t *testing.T) {
	colours(t, func(t *testing.T, of func(string) rgb) {
		for _, ground := range grounds {
			for _, name := range append([]string{"ink", "ink-2", "act"}, bar...) {
				require.GreaterOrEqual(t, contrast(of(name), of(ground)), leastContrast, "%s on %s", name, ground)
			}
		}
		for text, ground := range map[string]string{"on-act": "act", "ink": "ins", "ink-2": "del"} {
			require.GreaterOrEqual(t, contrast(of(text), of(ground)), leastContrast, "%s on %s", text, ground)
		}
		require.GreaterOrEqual(t, contrast(of("on-act"), of("act-2")), leastContrast, "a button under the pointer")
		for _, name := range []string{"ink", "ink-2", "tested_fail"} {
			require.GreaterOrEqual(t, contrast(of(name), of("field")), leastContrast, "%s in a field", name)
		}
		for _, name := range []string{"ink-3", "line-3"} {
			require.GreaterOrEqual(t, contrast(of(name), of("paper")), leastMark, name)
		}
	})
}

// Verifies: ORC-335
func TestStatusesSideBySideCanBeToldApart(t *testing.T) {
	pairs := together
	for i := range bar[1:] {
		pairs = append(pairs, bar[i:i+2])
	}
	colours(t, func(t *testing.T, of func(string) rgb) {
		for kind, matrix := range asSeen {
			floor := leastDifference
			if kind == "tritanopia" {
				floor = leastTritanopia
			}
			least := math.Inf(1)
			for _, group := range pairs {
				for i, one := range group {
					for _, other := range group[i+1:] {
						d := difference(matrix.times(of(one)).lab(), matrix.times(of(other)).lab())
						require.GreaterOrEqual(t, d, floor, "%s beside %s, %s", one, other, kind)
						least = min(least, d)
					}
				}
			}
			t.Logf("%s: at least %.1f", kind, least)
		}
	})
}

// TestOKLCHIsThatOfTheColour: whoever tunes a colour by its lightness, chroma and hue starts from the right ones.
func TestOKLCHIsThatOfTheColour(t *testing.T) {
	for _, scheme := range schemesOf(t)[:2] {
		for name, colour := range scheme {
			var l, c, h float64
			_, err := fmt.Sscan(colour.oklch, &l, &c, &h)
			require.NoError(t, err, "%s has no OKLCH behind it", name)
			lightness, chroma, hue := colourOf(t, colour.hex).oklch()
			require.InDelta(t, lightness, l, 0.002, name)
			require.InDelta(t, chroma, c, 0.002, name)
			if chroma > 0.002 { // a grey has any hue
				off := math.Abs(math.Remainder(hue-h, 360)) * math.Pi / 180
				require.InDelta(t, 0, off*chroma, 0.002, "the hue of %s is %.0f", name, hue)
			}
		}
	}
}
