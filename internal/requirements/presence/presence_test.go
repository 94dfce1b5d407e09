package presence

import (
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/renaming"
)

var start = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func day(n int) time.Time { return start.AddDate(0, 0, n) }

// given reads records as they are written.
func (p *Presence) given(t *testing.T, at time.Time, data string) {
	t.Helper()
	var i imported
	require.NoError(t, jsonv2.Unmarshal([]byte(data), &i))
	p.imported(at, i)
}

// Verifies: ORC-327
func TestWhatIsRetiredIsAbsentUntilItIsBack(t *testing.T) {
	var p Presence
	p.given(t, day(0), `{"name":"Demo","defined":[{"id":"A","title":"a"},{"id":"B"}],"retired":[],"ids":["A","B"]}`)
	p.given(t, day(1), `{"defined":[],"retired":["A"]}`)
	p.given(t, day(2), `{"defined":[{"id":"B","title":"other"}],"retired":[]}`)
	p.given(t, day(3), `{"defined":[{"id":"A"},{"id":"C"}],"retired":["B"]}`)
	require.Equal(t, []Total{{day(0), 2}, {day(1), 1}, {day(2), 1}, {day(3), 2}}, p.Totals())
	require.Equal(t, Life{day(0), []Gap{{day(1), day(3)}}}, p.Of("A"))
	require.Equal(t, Life{day(0), []Gap{{From: day(3)}}}, p.Of("B"))
	require.Equal(t, Life{Added: day(3)}, p.Of("C"))
	require.Zero(t, p.Of("none"))
}

// Verifies: ORC-327
func TestALifeGoesOnUnderAnotherID(t *testing.T) {
	var p Presence
	p.given(t, day(0), `{"defined":[{"id":"A"}]}`)
	p.given(t, day(1), `{"defined":[{"id":"N"}],"retired":["A"]}`)
	p.renamed(day(2), renamed{Renames: []renaming.Pair{{From: "A", To: "N"}}})
	require.Equal(t, []Total{{day(0), 1}, {day(1), 1}, {day(2), 1}}, p.Totals())
	require.Equal(t, Life{day(0), []Gap{{day(1), day(2)}}}, p.Of("N"))
	require.Zero(t, p.Of("A"))
	p.given(t, day(3), `{"defined":[{"id":"A"}]}`)
	require.Equal(t, Life{Added: day(3)}, p.Of("A"), "the old id is free")
}

// A form of the ids brings nothing back, and gives an id that another one had.
func TestAllIDsAtOnce(t *testing.T) {
	var p Presence
	p.given(t, day(0), `{"defined":[{"id":"A"}]}`)
	p.given(t, day(1), `{"defined":[{"id":"B"}],"retired":["A"]}`)
	p.renamed(day(2), renamed{Renames: []renaming.Pair{{From: "A", To: "B"}, {From: "B", To: "C"}}, Qualify: "folder"})
	require.Equal(t, Life{day(0), []Gap{{From: day(1)}}}, p.Of("B"))
	require.Equal(t, Life{Added: day(1)}, p.Of("C"))
	require.Equal(t, 1, p.Totals()[2].Count)
}

func TestTimeDoesNotGoBack(t *testing.T) {
	var p Presence
	p.given(t, day(5), `{"defined":[{"id":"A"}]}`)
	p.given(t, day(1), `{"defined":[{"id":"B"}],"retired":["A"]}`)
	require.Equal(t, []Total{{day(5), 1}, {day(5), 1}}, p.Totals())
	require.Equal(t, Life{day(5), []Gap{{From: day(5)}}}, p.Of("A"))
}
