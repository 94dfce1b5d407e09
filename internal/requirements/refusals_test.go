package requirements

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/folding"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// records are those of a kind, from number from on.
func (r *rig) records(from uint64, kind string) (found []audit.Record) {
	r.t.Helper()
	for {
		page, err := r.Audit(context.Background(), from, 1000)
		require.NoError(r.t, err)
		for _, raw := range page.Records {
			record, err := audit.Decode(raw)
			require.NoError(r.t, err)
			if record.Kind == kind {
				found = append(found, record)
			}
		}
		if from = page.Next; from == 0 {
			return found
		}
	}
}

// summaries are what accounts for folded refusals.
func (r *rig) summaries() (found []record.RefusalsFolded) {
	r.t.Helper()
	for _, rec := range r.records(0, record.KindFolded) {
		require.Equal(r.t, ledger.System(), rec.Actor)
		data, err := ledger.DataOf[record.RefusalsFolded](nil, rec)
		require.NoError(r.t, err)
		found = append(found, data)
	}
	return found
}

// minuteOver lets the windows end that are open.
func (r *rig) minuteOver() {
	r.t.Helper()
	require.NoError(r.t, r.refusals.Account(r.t.Context(), r.ledger, r.shared.clock())) // looks at them
	r.clock.wind(record.FoldWindow)
	require.NoError(r.t, r.refusals.Account(r.t.Context(), r.ledger, r.shared.clock()))
}

func withoutExport(o *Options) { o.ExportPath = "" }

// Verifies: ORC-107
func TestEqualRefusalsAreFolded(t *testing.T) {
	var told []Folding
	r := start(t, store.NewMemory(), func(o *Options) { o.OnFolding = func(f Folding) { told = append(told, f) } })
	r.mustImport(twoRequirements)
	size := r.State().LogSize
	for n := range 50 {
		r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
		require.Equal(t, size+min(uint64(n)+1, record.RecordedEach), r.State().LogSize)
	}
	require.Equal(t, []Folding{{Actor: record.Actor(cody), RefusalKind: record.RefusalKind{Subject: "REQ-001", Code: "field_forbidden"}}}, told, "once")
	require.EqualValues(t, 30, r.State().Folded)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	require.Empty(t, r.summaries())

	r.minuteOver()
	first, last := r.records(size, record.KindRefused)[0], r.records(0, record.KindFolded)[0]
	require.Equal(t, "REQ-001", last.Subject)
	require.Len(t, r.summaries(), 1)
	got := r.summaries()[0]
	require.Equal(t, record.Actor(cody), got.Actor)
	require.Equal(t, fault.Code("field_forbidden"), got.Code)
	require.EqualValues(t, 30, got.Count)
	require.Equal(t, first.At, got.From)
	require.True(t, got.To.After(got.From) && got.To.Before(got.From.Add(record.FoldWindow)))
	require.Len(t, got.Recorded, record.RecordedEach)
	require.Equal(t, first.Seq, got.Recorded[0])
	page, err := r.History(t.Context(), "REQ-001", 0, 1)
	require.NoError(t, err)
	require.Contains(t, string(page.Records[0]), record.KindFolded, "the history of the requirement has it")

	r.minuteOver()
	require.Len(t, r.summaries(), 1, "what is accounted for is not accounted for again")
	size = r.State().LogSize
	r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	require.Equal(t, size+1, r.State().LogSize, "a new minute begins with records")
	r.verified()
	refused := r.review().Findings.Refused
	require.Len(t, refused, 1)
	require.Equal(t, 51, refused[0].Refused)
	require.Equal(t, 51, refused[0].Codes[0].Count)
	dossier, err := r.Dossier(t.Context(), "REQ-001", false)
	require.NoError(t, err)
	require.Equal(t, 51, dossier.Refused.Count)
	require.Equal(t, fault.Code("field_forbidden"), dossier.Refused.Newest[0].Code)
}

// TestAWindowEndsWithItsMinute: by the clock of the log, even when nobody looks at it.
func TestAWindowEndsWithItsMinute(t *testing.T) {
	r := start(t, store.NewMemory(), withoutExport)
	r.mustImport(twoRequirements)
	refuse := func(n int) {
		for range n {
			r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
		}
	}
	refuse(25)
	r.clock.wind(record.FoldWindow - time.Second)
	refuse(1)
	r.clock.wind(time.Second)
	refuse(22)
	require.Len(t, r.records(0, record.KindRefused), 2*record.RecordedEach)
	require.NoError(t, r.refusals.Account(t.Context(), r.ledger, r.shared.clock()))
	require.Len(t, r.summaries(), 1, "the second minute is not over")
	require.EqualValues(t, 6, r.summaries()[0].Count)
	r.minuteOver()
	require.Len(t, r.summaries(), 2)
	require.EqualValues(t, 2, r.summaries()[1].Count)
	r.verified()
}

func TestWhatIsNotEqualIsNotFolded(t *testing.T) {
	r := start(t, store.NewMemory(), withoutExport)
	r.mustImport(twoRequirements)
	codyToo := lifecycle.Actor{Name: "cody", Role: lifecycle.Architect}
	refuse := map[string]func() error{
		"another actor":       func() error { _, err := r.patch(archy, "REQ-001", move(lifecycle.Planned)); return err },
		"another role":        func() error { _, err := r.patch(codyToo, "REQ-001", move(lifecycle.Planned)); return err },
		"another requirement": func() error { _, err := r.patch(cody, "REQ-002", move(lifecycle.Planned)); return err },
		"another code":        func() error { _, err := r.patch(paula, "REQ-001", move(lifecycle.Done)); return err },
		"a request that is none": func() error {
			return r.Refuse(t.Context(), cody, Refused{Request: "A"}, fault.New(fault.Malformed, "json_syntax", "x").WithFix("y"))
		},
		"another route": func() error {
			return r.Refuse(t.Context(), cody, Refused{Request: "B"}, fault.New(fault.Malformed, "json_syntax", "x").WithFix("y"))
		},
	}
	for range record.RecordedEach + 2 {
		for _, one := range refuse {
			require.Error(t, one())
		}
	}
	require.EqualValues(t, 2*len(refuse), r.State().Folded)
	before := r.State().LogSize
	for n := range 30 {
		r.refused(cody, fmt.Sprintf("REQ-9%d", n), move(lifecycle.Planned), "unknown_requirement")
	}
	require.Equal(t, before+record.RecordedEach, r.State().LogSize, "made-up ids are all the same")
	r.minuteOver()
	require.Len(t, r.summaries(), len(refuse)+1)
	for _, s := range r.summaries() {
		require.Contains(t, []uint64{2, 10}, s.Count)
	}
	r.verified()
}

// TestManyKindsShareAWindow: an actor that finds ever new kinds does not fill the memory, nor the log.
func TestManyKindsShareAWindow(t *testing.T) {
	r := start(t, store.NewMemory(), withoutExport)
	var document strings.Builder
	for n := range folding.MaxWindows {
		fmt.Fprintf(&document, "- **REQ-%04d**: text\n", n)
	}
	r.mustImport(document.String())
	size := r.State().LogSize
	for n := range folding.MaxWindows {
		r.refused(cody, fmt.Sprintf("REQ-%04d", n), move(lifecycle.Planned), "field_forbidden")
	}
	for n := range 15 {
		r.refused(cody, fmt.Sprintf("REQ-%04d", n), `{`, "json_syntax")
		r.refused(cody, fmt.Sprintf("REQ-%04d", n), `{"x":1}`, "schema_violation")
	}
	require.Equal(t, folding.MaxWindows+1, r.refusals.Open()[record.Actor(cody)])
	require.Equal(t, size+folding.MaxWindows+record.RecordedEach, r.State().LogSize)
	r.refused(archy, "REQ-0001", move(lifecycle.Planned), "field_forbidden")
	require.Len(t, r.refusals.Open(), 2, "another actor has windows of its own")
	r.minuteOver()
	require.Empty(t, r.refusals.Open())
	require.Len(t, r.summaries(), 1)
	require.Empty(t, r.summaries()[0].Code)
	require.EqualValues(t, 10, r.summaries()[0].Count)
	r.verified()
}

func TestAFoldedRefusalIsNotRememberedByItsKey(t *testing.T) {
	r := start(t, store.NewMemory(), withoutExport)
	r.mustImport(twoRequirements)
	p := Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.DesignInProgress)), IdempotencyKey: "k"}
	for range record.RecordedEach {
		r.refused(paula, "REQ-001", move(lifecycle.DesignInProgress), "illegal_transition")
	}
	_, err := r.Patch(t.Context(), paula, p)
	require.NotContains(t, requireCode(t, err, "illegal_transition").Fix, "Idempotency-Key")
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	answer, err := r.Patch(t.Context(), paula, p)
	require.NoError(t, err, "it is decided anew")
	require.False(t, answer.Replayed)
	answer, err = r.Patch(t.Context(), paula, p)
	require.NoError(t, err)
	require.True(t, answer.Replayed)
	r.minuteOver()
	r.verified()
}

func TestManyAtOnceAreCountedExactly(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 50 {
				_, _ = r.Patch(context.Background(), cody, Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned))})
				_ = r.Refuse(context.Background(), cody, Refused{Request: "A"}, fault.New(fault.Malformed, "json_syntax", "x"))
			}
		})
	}
	clients.Wait()
	r.minuteOver()
	require.Len(t, r.records(0, record.KindRefused), record.RecordedEach)
	require.Len(t, r.records(0, record.KindRequestRefused), record.RecordedEach)
	require.Len(t, r.summaries(), 2)
	for _, s := range r.summaries() {
		require.EqualValues(t, 400-record.RecordedEach, s.Count)
	}
	r.verified()
}

// TestTheEndAccountsForOpenWindows: nothing that was counted is lost when the service stops in order, and the export is
// that of the whole log.
func TestTheEndAccountsForOpenWindows(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	for range 25 {
		r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	}
	r.stop()
	require.EqualValues(t, 5, r.summaries()[0].Count)
	require.Equal(t, r.State().LogSize, r.State().Export.Size)
	size := r.State().LogSize
	for range record.RecordedEach + 5 {
		r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	}
	require.Equal(t, size+record.RecordedEach+5, r.State().LogSize, "who is still heard afterwards is recorded: nobody would account for a count")
	r.verified()
}

// TestTheEndWaitsForDecisions: a refusal that is decided when the service stops is counted too.
func TestTheEndWaitsForDecisions(t *testing.T) {
	held := &holding{Store: store.NewMemory()}
	r := start(t, held, withoutExport)
	r.mustImport(twoRequirements)
	for range record.RecordedEach {
		r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	}
	answered, hold := held.refused(r)
	stopped := make(chan struct{})
	go func() { r.stop(); close(stopped) }()
	select {
	case <-stopped:
		t.Fatal("it stopped over a decision that nobody has accounted for")
	case <-time.After(20 * time.Millisecond):
	}
	close(hold)
	requireCode(t, <-answered, "field_forbidden")
	<-stopped
	require.EqualValues(t, 1, r.summaries()[0].Count)
}

// TestASumWaitsForDecisions: a minute that is over is accounted for once, when all of it is decided.
func TestASumWaitsForDecisions(t *testing.T) {
	held := &holding{Store: store.NewMemory()}
	r := start(t, held, withoutExport)
	r.mustImport(twoRequirements)
	for range record.RecordedEach + 1 {
		r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	}
	answered, hold := held.refused(r)
	r.minuteOver()
	require.Empty(t, r.summaries())
	close(hold)
	requireCode(t, <-answered, "field_forbidden")
	require.NoError(t, r.refusals.Account(t.Context(), r.ledger, r.shared.clock()))
	require.Len(t, r.summaries(), 1)
	require.EqualValues(t, 2, r.summaries()[0].Count)
	r.verified()
}

// TestAnswersMayOvertakeEachOther: the last that was counted is the last that was decided.
func TestAnswersMayOvertakeEachOther(t *testing.T) {
	r := start(t, store.NewMemory(), withoutExport)
	r.mustImport(twoRequirements)
	for range record.RecordedEach {
		r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	}
	var first, second folding.Ticket
	var decided []time.Time
	for _, place := range []*folding.Ticket{&first, &second} {
		require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error {
			folded, err := r.refusals.Fold(tx, place, record.RefusalKind{Code: "field_forbidden"}, ledger.Event{Actor: record.Actor(cody), Subject: "REQ-001"})
			require.True(t, folded)
			decided = append(decided, tx.At())
			return err
		}))
	}
	r.refusals.Settle(&second, nil)
	r.refusals.Settle(&first, nil)
	r.minuteOver()
	require.True(t, decided[1].After(decided[0]))
	require.Equal(t, decided[1], r.summaries()[0].To)
	r.verified()
}

// refused sends what is refused, and returns when that is decided; it is answered when hold is closed.
func (h *holding) refused(r *rig) (answered chan error, hold chan struct{}) {
	answered, hold = make(chan error), make(chan struct{})
	h.hold, h.held = hold, make(chan struct{})
	go func() {
		_, err := r.Patch(context.Background(), cody, Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned))})
		answered <- err
	}()
	<-h.held
	return answered, hold
}

// holding is a store whose next update is decided, and not answered until it is told to.
type holding struct {
	store.Store
	hold, held chan struct{}
}

func (h *holding) Update(ctx context.Context, fn func(store.Tx) error) error {
	err := h.Store.Update(ctx, fn)
	if hold := h.hold; hold != nil {
		h.hold = nil
		close(h.held)
		<-hold
	}
	return err
}

// failing is a store in which single updates fail, and nothing of them happens.
type failing struct {
	store.Store
	fails bool
}

func (f *failing) Update(ctx context.Context, fn func(store.Tx) error) error {
	return f.Store.Update(ctx, func(tx store.Tx) error {
		if err := fn(tx); err != nil || !f.fails {
			return err
		}
		return errors.New("no room")
	})
}

// TestWhatWasNotAnsweredIsNotCounted: only what is known to be refused takes a place.
func TestWhatWasNotAnsweredIsNotCounted(t *testing.T) {
	f := &failing{Store: store.NewMemory()}
	r := start(t, f, withoutExport)
	r.mustImport(twoRequirements)
	for _, fails := range []bool{true, false} {
		f.fails = fails
		for range record.RecordedEach + 3 {
			_, err := r.patch(cody, "REQ-001", move(lifecycle.Planned))
			require.Equal(t, !fails, decision.Refusal(err) != nil)
		}
	}
	require.Len(t, r.records(0, record.KindRefused), record.RecordedEach)
	f.fails = true
	_, err := r.patch(cody, "REQ-001", move(lifecycle.Planned))
	require.Nil(t, decision.Refusal(err))
	require.NoError(t, r.refusals.Account(t.Context(), r.ledger, r.shared.clock()))
	r.clock.wind(record.FoldWindow)
	require.Error(t, r.refusals.Account(t.Context(), r.ledger, r.shared.clock()))
	f.fails = false
	require.NoError(t, r.refusals.Account(t.Context(), r.ledger, r.shared.clock()), "it is tried again")
	require.Len(t, r.summaries(), 1)
	require.EqualValues(t, 3, r.summaries()[0].Count)
	require.Zero(t, r.refusals.Underway())
	r.verified()
}

// fickle is a store that may run a transaction a first time in which it sees nothing.
type fickle struct{ store.Store }

func (f fickle) Update(ctx context.Context, fn func(store.Tx) error) error {
	return f.Store.Update(ctx, func(tx store.Tx) error {
		_ = f.Store.View(ctx, func(store.Reader) error { return nil })
		_ = fn(blind{tx})
		return fn(tx)
	})
}

type blind struct{ store.Tx }

func (b blind) Get(table, key string) ([]byte, error) {
	if table == "requirements" {
		return nil, nil
	}
	return b.Tx.Get(table, key)
}
func (blind) Put(string, string, []byte) error { return nil }

// TestOnlyTheLastRunCounts: a change that is accepted after a run in which it was refused takes no place.
func TestOnlyTheLastRunCounts(t *testing.T) {
	s := store.NewMemory()
	start(t, s, withoutExport).mustImport(twoRequirements)
	r := start(t, fickle{s}, withoutExport)
	for n := range 2 * record.RecordedEach {
		r.must(paula, "REQ-001", fmt.Sprintf(`{"pm_notes":[{"text":"%d"}]}`, n))
	}
	require.Zero(t, r.refusals.Underway())
	for range record.RecordedEach {
		r.refused(paula, "REQ-404", move(lifecycle.Planned), "unknown_requirement")
	}
	require.Len(t, r.records(0, record.KindRefused), record.RecordedEach)
}

// TestAClockThatIsSetBack ends the window: no sum is of two minutes that the clock said twice.
func TestAClockThatIsSetBack(t *testing.T) {
	r := start(t, store.NewMemory(), withoutExport)
	r.mustImport(twoRequirements)
	refuse := func(n int) {
		for range n {
			r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
		}
	}
	refuse(22)
	r.clock.wind(10 * time.Second)
	refuse(2)
	r.clock.wind(-time.Hour)
	refuse(2)
	r.minuteOver()
	refuse(22)
	r.minuteOver()
	require.Len(t, r.summaries(), 2)
	require.EqualValues(t, 4, r.summaries()[0].Count)
	require.EqualValues(t, 2, r.summaries()[1].Count)
	require.Len(t, r.records(0, record.KindRefused), 2*record.RecordedEach+2)
	r.verified()
}

// TestTheMinuteEndsByItself needs nobody to ask, and no second request.
func TestTheMinuteEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.NewMemory()
		l, err := ledger.Open(t.Context(), s, time.Now)
		require.NoError(t, err)
		service, err := Open(t.Context(), l, time.Now, Options{})
		require.NoError(t, err)
		r := &rig{Service: service, t: t, store: s}
		_, err = r.Import(t.Context(), paula, reading(reqdoc.File{Path: "R.md", Content: []byte(twoRequirements)}), ImportOptions{})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.Run(ctx) }()
		for range 25 {
			r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
		}
		time.Sleep(record.FoldWindow - time.Second)
		require.Empty(t, r.summaries())
		time.Sleep(3 * time.Second)
		require.Len(t, r.summaries(), 1)
		require.EqualValues(t, 5, r.summaries()[0].Count)
		stop()
		require.NoError(t, <-done)
		require.Len(t, r.summaries(), 1)
	})
}

// TestVerifyFindsMadeUpSummaries writes summaries for which there is no ground.
func TestVerifyFindsMadeUpSummaries(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(d *record.RefusalsFolded, e *ledger.Event)
		want  string
	}{
		"of an agent":         {func(_ *record.RefusalsFolded, e *ledger.Event) { e.Actor = record.Actor(cody) }, "by itself"},
		"of nothing":          {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Count = 0 }, "counts no refusal"},
		"of too few records":  {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Recorded = d.Recorded[1:] }, "does not name 20 records"},
		"of one record twice": {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Recorded[1] = d.Recorded[0] }, "does not name 20 records"},
		"out of order": {func(d *record.RefusalsFolded, _ *ledger.Event) {
			d.Recorded[0], d.Recorded[1] = d.Recorded[1], d.Recorded[0]
		}, "in their order"},
		"of a later record":     {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Recorded[19] = 999 }, "is no refusal"},
		"of a change":           {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Recorded[19] = 24 }, "is no refusal"},
		"of another code":       {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Code = "sealed" }, "of another kind"},
		"of a request":          {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Recorded[19] = 25 }, "of another kind"},
		"of another actor":      {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Actor.Role = "pm" }, "of another kind"},
		"of all of another":     {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Actor, d.Code = record.Actor(archy), "" }, "of another kind"},
		"about another":         {func(_ *record.RefusalsFolded, e *ledger.Event) { e.Subject = "REQ-002" }, "of another kind"},
		"about none":            {func(_ *record.RefusalsFolded, e *ledger.Event) { e.Subject = "" }, "of another kind"},
		"from earlier on":       {func(d *record.RefusalsFolded, _ *ledger.Event) { d.From = d.From.Add(-time.Millisecond) }, "is not of the minute"},
		"from later on":         {func(d *record.RefusalsFolded, _ *ledger.Event) { d.From = d.From.Add(time.Millisecond) }, "is not of the minute"},
		"of more than a minute": {func(d *record.RefusalsFolded, _ *ledger.Event) { d.To = d.From.Add(record.FoldWindow) }, "not those of one minute"},
		"of the minute after":   {func(d *record.RefusalsFolded, _ *ledger.Event) { d.Recorded[19] = 26 }, "is not of the minute"},
		"that ends before":      {func(d *record.RefusalsFolded, _ *ledger.Event) { d.To = d.From.Add(-1) }, "not those of one minute"},
		"again":                 {func(d *record.RefusalsFolded, _ *ledger.Event) {}, "accounted for already"},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s, withoutExport)
			r.mustImport(twoRequirements)
			for range record.RecordedEach {
				r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
			}
			r.must(paula, "REQ-001", move(lifecycle.Planned))
			_ = r.Refuse(t.Context(), cody, Refused{Request: "A"}, fault.New(fault.Malformed, "field_forbidden", "x"))
			records := r.records(0, record.KindRefused)
			data := record.RefusalsFolded{Actor: record.Actor(cody), Code: "field_forbidden", Count: 1, From: records[0].At, To: records[19].At}
			for _, record := range records {
				data.Recorded = append(data.Recorded, record.Seq)
			}
			require.Equal(t, uint64(24), r.records(0, record.KindChanged)[0].Seq)
			e := ledger.Event{Kind: record.KindFolded, Actor: ledger.System(), Subject: "REQ-001", Data: data}
			appended := func() {
				require.NoError(t, r.ledger.Update(t.Context(), func(tx *ledger.Tx) error { return tx.Append(e) }))
			}
			if name == "of more than a minute" || name == "of the minute after" {
				r.clock.wind(record.FoldWindow)
				r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
			}
			if name == "again" {
				appended()
				r.verified()
			}
			c.spoil(&data, &e)
			e.Data = data
			appended()
			require.ErrorContains(t, verify(t, s, []byte(`{"log":{"size":1}}`)), c.want)
		})
	}
}
