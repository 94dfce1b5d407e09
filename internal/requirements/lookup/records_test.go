package lookup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/record"
)

var (
	cody  = audit.Actor{Name: "cody", Role: "coder"}
	quote = audit.Actor{Name: `q"<é`, Role: "coder"}
	noon  = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
)

// logOf makes a log of events, one a minute from noon on. Record 0 is the ledger's own.
func logOf(t testing.TB, events ...ledger.Event) *ledger.Ledger {
	t.Helper()
	now := noon
	l, err := ledger.Open(t.Context(), store.NewMemory(), func() time.Time { return now })
	require.NoError(t, err)
	for _, e := range events {
		now = now.Add(time.Minute)
		require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error { return tx.Append(e) }))
	}
	return l
}

func changed(who audit.Actor, id string) ledger.Event {
	return ledger.Event{Kind: record.KindChanged, Actor: who, Subject: id, Data: record.Proposed{Change: []byte(`{"code":"gate_unmet"}`)}}
}

func refused(who audit.Actor, id string, code fault.Code) ledger.Event {
	return ledger.Event{Kind: record.KindRefused, Actor: who, Subject: id,
		Data: record.Proposed{Refusal: fault.New(fault.Conflict, code, "no %s", code)}}
}

// large is refused with more to say than a record holds.
func large(who audit.Actor, code fault.Code) ledger.Event {
	return ledger.Event{Kind: record.KindRequestRefused, Actor: who,
		Data: record.RequestRefused{Refusal: fault.New(fault.Invalid, code, "%s", strings.Repeat("x", 60_000))}}
}

func folded(who audit.Actor, id string, code fault.Code) ledger.Event {
	return ledger.Event{Kind: record.KindFolded, Actor: ledger.System(), Subject: id,
		Data: record.RefusalsFolded{Actor: who, Code: code, Count: 7, From: noon, To: noon.Add(time.Second)}}
}

// every reads all pages, and returns the numbers of the records.
func every(t testing.TB, l *ledger.Ledger, q Records) (all []uint64) {
	t.Helper()
	for range 1000 {
		page, err := q.Find(t.Context(), l)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Records), q.Limit)
		for _, raw := range page.Records {
			r, err := audit.Decode(raw)
			require.NoError(t, err)
			all = append(all, r.Seq)
		}
		if q.At = page.Next; q.At == 0 {
			return all
		}
	}
	require.Fail(t, "the pages never end")
	return nil
}

// Verifies: ORC-140
func TestRecordsAreFoundByWhatTheyAre(t *testing.T) {
	l := logOf(t,
		changed(cody, "A"),                   // 1
		refused(cody, "A", "gate_unmet"),     // 2
		refused(quote, "B", "gate_unmet"),    // 3
		large(cody, "schema_violation"),      // 4
		folded(cody, "A", "gate_unmet"),      // 5
		folded(quote, "", ""),                // 6
		refused(cody, "B", "role_forbidden"), // 7
	)
	for name, c := range map[string]struct {
		q    Records
		want []uint64
	}{
		"all":              {Records{}, []uint64{0, 1, 2, 3, 4, 5, 6, 7}},
		"a kind":           {Records{Kinds: []string{record.KindChanged}}, []uint64{1}},
		"kinds":            {Records{Kinds: []string{record.KindChanged, record.KindFolded}}, []uint64{1, 5, 6}},
		"an actor":         {Records{Actor: "cody"}, []uint64{1, 2, 4, 5, 7}},
		"a quoted actor":   {Records{Actor: quote.Name}, []uint64{3, 6}},
		"part of a name":   {Records{Actor: "cod"}, nil},
		"the service":      {Records{Actor: ledger.System().Name}, []uint64{0, 5, 6}},
		"a code":           {Records{Code: "gate_unmet"}, []uint64{2, 3, 5}},
		"a code in a blob": {Records{Code: "schema_violation"}, []uint64{4}},
		"a requirement":    {Records{Requirement: "A"}, []uint64{1, 2, 5}},
		"one without any":  {Records{Requirement: "Z"}, nil},
		"no UTF-8":         {Records{Actor: "\xff"}, nil},
		"all of them":      {Records{Requirement: "A", Actor: "cody", Code: "gate_unmet", Kinds: []string{record.KindRefused}}, []uint64{2}},
		"since a record":   {Records{Code: "gate_unmet", Since: 3}, []uint64{3, 5}},
		"since a time":     {Records{SinceTime: noon.Add(5 * time.Minute)}, []uint64{5, 6, 7}},
		"since the future": {Records{SinceTime: noon.Add(time.Hour)}, nil},
	} {
		for limit := range 4 {
			c.q.Limit = limit + 1
			c.q.Newest = false
			require.Equal(t, c.want, every(t, l, c.q), "%s, %d a page", name, c.q.Limit)
			c.q.Newest = true
			back := slices.Clone(c.want)
			slices.Reverse(back)
			require.Equal(t, back, every(t, l, c.q), "%s, %d a page, newest first", name, c.q.Limit)
		}
	}
}

// What is passed over without being decoded would not have matched.
func TestNoRecordIsPassedOver(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	who := func() audit.Actor { return audit.Actor{Name: pick("cody", "ada", quote.Name), Role: "coder"} }
	var events []ledger.Event
	for range 200 {
		id, code := pick("A", "B", "kind", `"A"`), fault.Code(pick("gate_unmet", "sealed"))
		events = append(events, []ledger.Event{changed(who(), id), refused(who(), id, code), folded(who(), id, code)}[rnd.IntN(3)])
	}
	l := logOf(t, events...)
	page, err := l.Records(t.Context(), 0, 1000)
	require.NoError(t, err)
	for range 300 {
		q := Records{Actor: pick("", "cody", "ada", quote.Name), Requirement: pick("", "A", "B", `"A"`), Code: fault.Code(pick("", "sealed", "gate_unmet")),
			Since: rnd.Uint64N(100), Limit: 1 + rnd.IntN(50)}
		if kind := pick("", record.KindChanged, record.KindRefused, record.KindFolded); kind != "" {
			q.Kinds = []string{kind}
		}
		var want []uint64
		for _, raw := range page.Records {
			r, err := audit.Decode(raw)
			require.NoError(t, err)
			is, err := q.matches(nil, r)
			require.NoError(t, err)
			if is && r.Seq >= q.Since {
				want = append(want, r.Seq)
			}
		}
		require.Equal(t, want, every(t, l, q), fmt.Sprintf("%+v", q))
		q.Newest = true
		slices.Reverse(want)
		require.Equal(t, want, every(t, l, q), fmt.Sprintf("%+v", q))
	}
}

// A page ends when enough was looked through, and the next one goes on there.
//
// Verifies: ORC-140
func TestOneCallLooksThroughSoMuch(t *testing.T) {
	l := logOf(t)
	const more = 5
	require.NoError(t, l.Update(t.Context(), func(tx *ledger.Tx) error {
		for range mostLooked + more - 1 { // and the first of the log
			if err := tx.Append(ledger.Event{Kind: "thing.seen", Actor: cody, Data: 1}); err != nil {
				return err
			}
		}
		return nil
	}))
	for at, newest := range map[uint64]bool{mostLooked: false, more: true} {
		q := Records{Actor: "nobody", Limit: 1, Newest: newest}
		page, err := q.Find(t.Context(), l)
		require.NoError(t, err)
		require.Empty(t, page.Records)
		require.Equal(t, at, page.Next)
		q.At = page.Next
		page, err = q.Find(t.Context(), l)
		require.NoError(t, err)
		require.Zero(t, page.Next)
	}
}

// Newest first, the records about a requirement are followed from one to the one before, whatever lies between.
func TestTheRecordsOfARequirementAreFollowed(t *testing.T) {
	events := []ledger.Event{changed(cody, "A")}
	for range 2 * 100 {
		events = append(events, changed(cody, "B"))
	}
	l := logOf(t, append(events, changed(cody, "A"))...)
	require.NoError(t, l.View(t.Context(), func(r store.Reader) error {
		s := search{Records: Records{Requirement: "A", Newest: true, Limit: 9, At: 202 + 1}, from: r, page: ledger.Page{Head: l.Head()}}
		s.needles = s.Records.needles()
		require.NoError(t, s.run())
		require.Len(t, s.page.Records, 2)
		require.Equal(t, 2, s.looked)
		return nil
	}))
}

func BenchmarkASearchForWhatIsNotThere(b *testing.B) {
	var events []ledger.Event
	for range mostLooked {
		events = append(events, refused(cody, "A", "sealed"))
	}
	l := logOf(b, events...)
	for b.Loop() {
		_, err := Records{Code: "gate_unmet", Limit: 100}.Find(b.Context(), l)
		require.NoError(b, err)
	}
}
