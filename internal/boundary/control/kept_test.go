package control_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"
)

// guarded is a project with a boundary beside a service, and a clock that a test moves.
type guarded struct {
	t      *testing.T
	dir    folder.Dir
	ledger *ledger.Ledger
	now    time.Time
	ids    int
}

func guard(t *testing.T, s store.Store) *guarded {
	t.Helper()
	return &guarded{t: t, dir: boundarytest.Project(t), ledger: boundarytest.OpenLedger(t, s), now: boundarytest.Day0}
}

func (g *guarded) id() string { g.ids++; return boundarytest.ID(1_000_000 + g.ids) }

// fresh returns the boundary as a service has it that has just started.
func (g *guarded) fresh() *control.Boundary {
	return control.New(g.dir, g.ledger, func() time.Time { return g.now }, g.id)
}

func (g *guarded) call(session, file string, actor boundary.ActorKind) folder.Line {
	return boundarytest.Judged(g.t, g.dir, boundarytest.Call{ID: g.id(), Session: session, Tool: "Edit", File: file, Actor: actor, At: g.now})
}

// answers are all that a boundary can be asked.
func answers(t *testing.T, b *control.Boundary, since time.Time) []any {
	t.Helper()
	whole, err := b.Report(t.Context(), time.Time{})
	require.NoError(t, err)
	part, err := b.Report(t.Context(), since)
	require.NoError(t, err)
	ready, err := b.Readiness(t.Context())
	require.NoError(t, err)
	page, total, err := b.Decisions(t.Context(), 1, 7, true)
	require.NoError(t, err)
	return []any{whole, part, ready, page, total, b.ReviewsDue()}
}

// A boundary that was asked before answers what one answers that reads the log for the first time, whatever happened in
// between.
// Verifies: ORC-300
func TestWhatIsKeptIsWhatIsReadAnew(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := guard(t, store.NewMemory())
		b := g.fresh()
		b.KeepAtMost(rapid.SampledFrom([]int{0, 3000, 1 << 20, 1 << 20}).Draw(rt, "most"))
		var judged []folder.Line
		one := func(of ...string) string { return rapid.SampledFrom(of).Draw(rt, "one") }
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0, 1, 2:
				l := g.call(one("s1", "s2", "s3"), one("a.go", "b.go"), boundary.ActorKind(one("main", "agent")))
				judged = append(judged, l)
				boundarytest.Add(t, g.dir, l)
				if one("once", "twice") == "twice" {
					l.ID = g.id()
					boundarytest.Add(t, g.dir, l)
				}
			case 3:
				if len(judged) > 0 {
					of := rapid.SampledFrom(judged).Draw(rt, "of")
					boundarytest.Add(t, g.dir, folder.Line{ID: g.id(), At: g.now, Kind: folder.KindOutcome, Client: of.Client, Session: of.Session,
						ToolUseID: of.ToolUseID + one("", "x"), What: one(folder.OutcomeDone, folder.OutcomeFailed)})
				}
			case 4:
				if len(judged) > 0 {
					of := rapid.SampledFrom(judged).Draw(rt, "of")
					_, _ = control.Label(g.dir, of.ID, one(report.KnownLabels()...), boundarytest.By("r", g.now)) // it may be cut
				}
			case 5:
				_, err := b.SetMode(t.Context(), "paula", control.ModeChange{Mode: boundary.Mode(one("validate", "confirm", "enforce", "off")), Reason: "r", Override: "o"})
				require.NoError(t, err)
			case 6:
				_, err := control.Bypass(g.dir, time.Hour, one("", "s1"), boundarytest.By("r", g.now))
				require.NoError(t, err)
			case 7:
				g.now = g.now.Add(time.Duration(rapid.IntRange(1, 200).Draw(rt, "hours")) * time.Hour)
			case 8:
				p, err := g.dir.Policy()
				require.NoError(t, err)
				p.Thresholds.RateDays, p.ExemptPaths = rapid.IntRange(0, 9).Draw(rt, "days"), []string{one("a.go", "c.go")}
				require.NoError(t, g.dir.WritePolicy(p))
			case 9:
				names, err := g.dir.Files()
				require.NoError(t, err)
				file := filepath.Join(g.dir.Path(), "journal", names[len(names)-1])
				if one("cut", "torn") == "cut" {
					require.NoError(t, os.Truncate(file, 0))
				} else {
					boundarytest.AppendRaw(t, g.dir, filepath.Base(file), "{\n")
				}
			}
			if rapid.Bool().Draw(rt, "ask") {
				since := boundarytest.Day0.Add(time.Duration(rapid.IntRange(0, 400).Draw(rt, "since")) * time.Hour)
				have := answers(t, b, since)
				require.Equal(t, answers(t, g.fresh(), since), have)
			}
		}
	})
}

// Many ask while the journal grows. What each is told is whole, and nobody is told less than before.
func TestManyAskWhileTheJournalGrows(t *testing.T) {
	const calls = 60
	g := guard(t, store.NewMemory())
	b := g.fresh()
	lines := make([]folder.Line, calls)
	for i := range lines {
		lines[i] = g.call(fmt.Sprint("s", i%3), "a.go", boundary.Main)
	}
	var all sync.WaitGroup
	var grown atomic.Bool
	for range 4 {
		all.Go(func() {
			for before, last := 0, false; !last; {
				last = grown.Load()
				r, err := b.Report(t.Context(), time.Time{})
				if err != nil || r.Decisions < before || r.Violations != r.Decisions || r.Errors.Of != r.Decisions {
					t.Errorf("%d decisions after %d, %d violations, %d runs: %v", r.Decisions, before, r.Violations, r.Errors.Of, err)
					return
				}
				if _, err := b.Readiness(t.Context()); err != nil {
					t.Error(err)
				}
				if _, _, err := b.Decisions(t.Context(), 0, 10, false); err != nil {
					t.Error(err)
				}
				before = r.Decisions
			}
		})
	}
	all.Go(func() {
		for last := false; !last; {
			last = grown.Load()
			_, err := b.SetMode(t.Context(), "paula", control.ModeChange{Mode: boundary.Enforce, Reason: "r"})
			if !fault.Is(err, "boundary_not_ready") {
				t.Error(err)
				return
			}
		}
	})
	for i, l := range lines {
		boundarytest.Add(t, g.dir, l, folder.Line{ID: fmt.Sprintf("%016x", i), At: g.now, Kind: folder.KindOutcome, Client: l.Client, Session: l.Session,
			ToolUseID: l.ToolUseID, What: folder.OutcomeDone})
	}
	grown.Store(true)
	all.Wait()
	require.Equal(t, answers(t, g.fresh(), g.now), answers(t, b, g.now))
}

// counted counts what is read of a store.
type counted struct {
	store.Store
	gets *atomic.Int64
}

func (c counted) View(ctx context.Context, fn func(store.Reader) error) error {
	return c.Store.View(ctx, func(r store.Reader) error { return fn(countedReader{r, c.gets}) })
}

type countedReader struct {
	store.Reader
	gets *atomic.Int64
}

func (c countedReader) Get(table, key string) ([]byte, error) {
	c.gets.Add(1)
	return c.Reader.Get(table, key)
}

// What is read of the log for another report is what came since, however long the log is; the first reading takes as
// many looks as there are records.
func TestAnotherReportReadsWhatIsNew(t *testing.T) {
	var gets atomic.Int64
	g := guard(t, counted{store.NewMemory(), &gets})
	b := g.fresh()
	asked := func(of *control.Boundary) int64 {
		before := gets.Load()
		_, err := of.Report(t.Context(), time.Time{})
		require.NoError(t, err)
		return gets.Load() - before
	}
	grow := func(records int) {
		for range records {
			boundarytest.Add(t, g.dir, g.call("s", "a.go", boundary.Main))
			_, err := b.Record(t.Context())
			require.NoError(t, err)
		}
	}
	require.Positive(t, asked(b))
	grow(200)
	asked(b)
	none := asked(b)
	grow(1)
	one := asked(b)
	first := asked(g.fresh())
	require.LessOrEqual(t, none, int64(4), "nothing is new")
	require.LessOrEqual(t, one, int64(12), "one record is new")
	require.Greater(t, first, int64(200))
	grow(200)
	require.LessOrEqual(t, float64(asked(g.fresh())), 2.5*float64(first))
}

// A reading that is broken off goes on where it was, and counts nothing twice.
func TestAReadingThatIsBrokenOffGoesOn(t *testing.T) {
	var gets atomic.Int64
	g := guard(t, counted{store.NewMemory(), &gets})
	b := g.fresh()
	for range 100 {
		boundarytest.Add(t, g.dir, g.call("s", "a.go", boundary.Main))
		_, err := b.Record(t.Context())
		require.NoError(t, err)
	}
	broken := 0
	for patience := 0; ; patience += 40 {
		ctx, stop := context.WithCancel(t.Context())
		from := gets.Load()
		watch := breaking{ctx, func() bool { return gets.Load()-from > int64(patience) }, stop}
		_, err := b.Report(watch, time.Time{})
		stop()
		if err == nil {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		broken++
	}
	require.Greater(t, broken, 3)
	long := g.fresh()
	long.KeepAtMost(100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	from := gets.Load()
	_, err := long.Report(breaking{ctx, func() bool { return gets.Load()-from > 150 }, stop}, time.Time{})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, long.Keeps(), "it was too much already")
	require.Equal(t, answers(t, g.fresh(), g.now), answers(t, b, g.now))
}

// breaking is a context that ends when it is asked after a time.
type breaking struct {
	context.Context
	over func() bool
	stop func()
}

func (b breaking) Err() error {
	if b.over() {
		b.stop()
	}
	return b.Context.Err()
}

// A journal that is longer than what may be kept is not.
func TestALongJournalIsNotKept(t *testing.T) {
	const most = 2500
	g := guard(t, store.NewMemory())
	b := g.fresh()
	b.KeepAtMost(most)
	kept := 0
	for n := range 8 {
		boundarytest.Add(t, g.dir, g.call("s", "a.go", boundary.Main))
		require.Equal(t, answers(t, g.fresh(), g.now), answers(t, b, g.now))
		bytes := 0
		names, err := g.dir.Files()
		require.NoError(t, err)
		for _, name := range names {
			info, err := os.Stat(filepath.Join(g.dir.Path(), "journal", name))
			require.NoError(t, err)
			bytes += int(info.Size())
		}
		bytes -= n + 2 // the ends of lines, with the line of the mode
		require.Equal(t, map[bool]int{true: n + 2, false: 0}[bytes <= most], b.Keeps(), bytes)
		kept = max(kept, b.Keeps())
	}
	require.Positive(t, kept)
	require.Zero(t, b.Keeps())
}

// What nobody asks for is not kept for ever, and is read anew then.
func TestWhatNobodyAsksForIsNotKept(t *testing.T) {
	g := guard(t, store.NewMemory())
	boundarytest.Add(t, g.dir, g.call("s", "a.go", boundary.Main))
	synctest.Test(t, func(t *testing.T) {
		b := g.fresh()
		want := answers(t, b, g.now)
		for range 3 {
			time.Sleep(control.KeepFor - time.Second)
			require.Equal(t, 2, b.Keeps())
			require.Equal(t, want, answers(t, b, g.now))
		}
		time.Sleep(control.KeepFor + time.Second)
		synctest.Wait()
		require.Zero(t, b.Keeps())
		require.Equal(t, want, answers(t, b, g.now))
	})
}
