package report

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

// longJournal calls visit with the lines of a journal of so many decisions, most of them with an outcome.
func longJournal(calls int, visit func(folder.Line)) {
	p := boundary.DefaultPolicy()
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for n := range calls {
		at = at.Add(26 * time.Second)
		l := folder.Line{
			ID: fmt.Sprintf("%016x", 2*n), At: at, Kind: folder.KindDecision, Client: "claude", Mode: boundary.Validate,
			Session: fmt.Sprintf("5f0c2c51-7d0e-4a44-9d3e-%012x", n/60), ToolUseID: fmt.Sprintf("toolu_01%022x", n),
			Actor: &boundary.Actor{Kind: boundary.Main}, Micros: int64(900 + n%700),
		}
		if n%4 != 0 {
			l.Actor = &boundary.Actor{Kind: boundary.Agent, ID: fmt.Sprintf("a%06x", n/12), Type: "general-purpose"}
		}
		switch n % 5 {
		case 0, 1:
			l.Tool, l.Named = "Edit", []boundary.Target{{Path: fmt.Sprintf("internal/part%d/file%d.go", n%17, n*7919%2000)}}
		case 2:
			l.Tool = "Read"
		default:
			l.Tool, l.Shell = "Bash", true
			l.Parts = []boundary.Part{{Words: []string{"go", "test", fmt.Sprintf("./internal/part%d", n%17)}, Class: boundary.Produces},
				{Words: []string{"grep", "-rn", fmt.Sprintf("name%d", n%300)}, Class: boundary.Reads}}
		}
		v := boundary.Judge(&p, l.Call())
		v.Steps, v.Targets, v.Fix = nil, nil, ""
		l.Verdict = &v
		visit(l)
		visit(folder.Line{ID: fmt.Sprintf("%016x", 2*n+1), At: at, Kind: folder.KindOutcome, Client: l.Client,
			Session: l.Session, ToolUseID: l.ToolUseID, What: folder.OutcomeDone})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// readLong reads lines as the log gives them back: each has its own texts.
func readLong(tb testing.TB, calls int) *Reading {
	r := NewReading("")
	longJournal(calls, func(l folder.Line) {
		raw, err := jsonv2.Marshal(l)
		require.NoError(tb, err)
		r.Add(folder.ParseLine(raw))
	})
	return r
}

// A decision of a long journal takes few bytes, its outcome and all that finds it again included.
func TestAReadingIsCompact(t *testing.T) {
	const calls, most = 20_000, 600
	before := heap()
	r := readLong(t, calls)
	size := heap() - before
	require.Equal(t, calls, len(r.History().Decisions))
	require.Less(t, size/calls, uint64(most), "bytes for a decision")
	runtime.KeepAlive(r)
}

// A reading takes at most twice as much memory as its lines have bytes, even where no call is like another.
func TestAReadingIsBoundedByItsLines(t *testing.T) {
	for _, only := range []string{"", folder.KindDecision, folder.KindOutcome} {
		t.Run("only "+only, func(t *testing.T) {
			bytes, before := 0, heap()
			r, n := NewReading(""), 0
			longJournal(20_000, func(l folder.Line) {
				n++
				if only != "" && l.Kind != only {
					return
				}
				if l.Kind == folder.KindDecision {
					l.Named = append(l.Named, boundary.Target{Path: fmt.Sprintf("internal/part/file%d.go", n)})
				}
				raw, err := jsonv2.Marshal(l)
				require.NoError(t, err)
				bytes += len(raw)
				r.Add(folder.ParseLine(raw))
			})
			size := heap() - before
			require.Less(t, size, 2*uint64(bytes))
			runtime.KeepAlive(r)
		})
	}
}

func BenchmarkReports(b *testing.B) {
	const calls = 100_000
	r, p := readLong(b, calls), boundary.DefaultPolicy()
	now := r.History().Decisions[calls-1].At
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			r.History().ReportUnder(&p, time.Time{}, now)
		}
	})
	b.Run("readiness", func(b *testing.B) {
		for b.Loop() {
			r.History().Readiness(&p, now)
		}
	})
}
