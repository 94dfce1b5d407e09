package readahead

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/rows"
	"orchestrator/internal/ledger/store"
)

// log is a log in memory that counts round trips and the rows that they read.
type log struct {
	rows        map[string][]byte
	trips, read int
}

func (l *log) Get(table, key string) ([]byte, error) {
	found, err := l.GetMany(store.Places(table, key))
	return found[0], err
}

func (l *log) GetMany(places []store.Place) ([][]byte, error) {
	l.trips++
	found := make([][]byte, len(places))
	for i, at := range places {
		l.read++
		found[i] = l.rows[at.Table+at.Key]
	}
	return found, nil
}

func (l *log) Scan(table, from, to string, visit func(key string, value []byte) error) error {
	for seq := rows.SeqOf(from); seq < rows.SeqOf(to); seq++ {
		if err := visit(rows.Key(seq), l.rows[table+rows.Key(seq)]); err != nil {
			return err
		}
	}
	return nil
}

// every is how far apart the records about the subject of a log are.
const every = 7

// newLog returns a log whose every seventh record is about one subject, up to the last one.
func newLog(last uint64) *log {
	l := &log{rows: map[string][]byte{}}
	for seq := uint64(1); seq <= last; seq++ {
		prev := ""
		if seq%every == 0 && seq > every {
			prev = fmt.Sprintf(`"prev":%d,`, seq-every)
		}
		record := fmt.Appendf(nil, `{"seq":%d,"subject":"a \"b\",","kind":"k",%s"request_id":"r","data":{"seq":%d,"prev":3,"more":1}}`, seq, prev, seq)
		l.rows[rows.Table+rows.Key(seq)] = rows.Of(record, nil)
	}
	return l
}

// walk reads the records about the subject from the last one on, and returns how many round trips that took.
func (l *log) walk(t *testing.T, links *Links, last uint64) int {
	t.Helper()
	before, r := l.trips, links.Reader(l)
	for seq := last; seq > 0; seq -= every {
		row, err := r.Get(rows.Table, rows.Key(seq))
		require.NoError(t, err)
		require.Equal(t, l.rows[rows.Table+rows.Key(seq)], row)
	}
	return l.trips - before
}

// Verifies: ORC-389
func TestRecordsOfASubjectAreReadTogether(t *testing.T) {
	const records = 120
	const last = records * every
	l, links := newLog(last), &Links{}
	require.Equal(t, records, l.walk(t, links, last), "nothing is known yet")
	require.Equal(t, 5, l.walk(t, links, last), "1, 4, 16, 64, and the rest")

	l.read = 0
	r := links.Reader(l)
	for seq := uint64(last); seq > last-10*every; seq -= every {
		_, err := r.Get(rows.Table, rows.Key(seq))
		require.NoError(t, err)
	}
	require.Equal(t, 1+4+16, l.read, "who reads ten records reads few more")

	scanned := &Links{}
	require.NoError(t, scanned.Reader(l).Scan(rows.Table, rows.Key(1), rows.Key(last+1), func(string, []byte) error { return nil }))
	require.Equal(t, 5, l.walk(t, scanned, last), "what was scanned is known")
	told := &Links{}
	for seq := uint64(last); seq > 0; seq -= every {
		told.Told([]audit.Record{{Seq: seq, Prev: seq - every}})
	}
	require.Equal(t, 5, l.walk(t, told, last))
}

// Who reads the log record by record, in either direction, reads more of it in each round trip.
//
// Verifies: ORC-389
func TestALogIsReadInPieces(t *testing.T) {
	const last = 2000
	for name, at := range map[string]func(n uint64) uint64{
		"up": func(n uint64) uint64 { return 1 + n }, "down": func(n uint64) uint64 { return last - n },
	} {
		l := newLog(last)
		r := (&Links{}).Reader(l)
		for n := range uint64(last) {
			row, err := r.Get(rows.Table, rows.Key(at(n)))
			require.NoError(t, err)
			require.Equal(t, l.rows[rows.Table+rows.Key(at(n))], row)
		}
		require.LessOrEqual(t, l.trips, 15, name)
		require.Less(t, l.read, last+2*most, name)
	}
	l := newLog(3)
	r := (&Links{}).Reader(l)
	for seq := range uint64(4) {
		_, err := r.Get(rows.Table, rows.Key(3-seq))
		require.NoError(t, err)
	}
	require.Equal(t, 4, l.read, "down to the first, and no further")
}

// Who reads a record here and there reads nothing else.
func TestRecordsInNoOrderAreReadAlone(t *testing.T) {
	const last = 100 * every
	l, links := newLog(last), &Links{}
	l.walk(t, links, last)
	l.trips, l.read = 0, 0
	r := links.Reader(l)
	for n := range uint64(50) {
		_, err := r.Get(rows.Table, rows.Key(1+(n*37)%last))
		require.NoError(t, err)
	}
	require.Equal(t, 50, l.read)
}

// Of large records few are read together.
func TestLargeRecordsAreReadInSmallPieces(t *testing.T) {
	l := newLog(200)
	for key, row := range l.rows {
		l.rows[key] = append(make([]byte, large/4), row...)
	}
	r := (&Links{}).Reader(l).(*reader)
	for seq := uint64(200); seq > 0; seq-- {
		_, err := r.Get(rows.Table, rows.Key(seq))
		require.NoError(t, err)
		require.LessOrEqual(t, len(r.ahead), 2*more)
	}
}

// A link that is wrong makes no answer wrong.
func TestLinksAreHints(t *testing.T) {
	const last = 50 * every
	l := newLog(last)
	for _, prev := range []uint64{1, last - 1, last, last + 1, 1 << 60} {
		links := &Links{}
		links.add(last, prev)
		l.walk(t, links, last)
	}
	missing, err := (&Links{}).Reader(l).Get(rows.Table, rows.Key(last+1))
	require.NoError(t, err)
	require.Nil(t, missing)
}

// What the data of a record says is no link.
func TestDataIsNoLink(t *testing.T) {
	l, links := newLog(2*every), &Links{}
	r := links.Reader(l)
	for seq := uint64(1); seq <= 2*every; seq++ {
		_, err := r.Get(rows.Table, rows.Key(seq))
		require.NoError(t, err)
	}
	require.Equal(t, map[uint64]uint64{2 * every: every}, links.young)
}

// What is not a record is read by itself.
func TestOtherTablesAreReadAsTheyAre(t *testing.T) {
	l := &log{rows: map[string][]byte{"t" + rows.Key(1): []byte("v"), rows.Table + "odd": []byte("w")}}
	r := (&Links{}).Reader(l)
	for range 2 {
		got, err := r.Get("t", rows.Key(1))
		require.NoError(t, err)
		require.Equal(t, []byte("v"), got)
		got, err = r.Get(rows.Table, "odd")
		require.NoError(t, err)
		require.Equal(t, []byte("w"), got)
	}
	require.Equal(t, 4, l.trips)
	found, err := store.GetMany(r, store.Places("t", rows.Key(1), rows.Key(2)))
	require.NoError(t, err)
	require.Equal(t, [][]byte{[]byte("v"), nil}, found)
	require.Equal(t, 5, l.trips)
}

func TestLinksAreBounded(t *testing.T) {
	links := &Links{}
	for seq := uint64(2); seq < 5*maxLinks; seq++ {
		links.add(seq, seq-1)
	}
	require.LessOrEqual(t, len(links.young), maxLinks)
	require.LessOrEqual(t, len(links.old), maxLinks)
	require.Len(t, links.from(5*maxLinks-1, most), most)
	require.Len(t, links.from(4*maxLinks-1, most), most, "the older half")
	require.Len(t, links.from(maxLinks, most), 1, "what was not used for long is forgotten")
	links.add(9, 0)
	require.Len(t, links.from(9, most), 1)
}

// A store in the process is read as it is.
func TestNothingIsReadAheadWhereACallIsNoRoundTrip(t *testing.T) {
	require.NoError(t, store.NewMemory().View(t.Context(), func(r store.Reader) error {
		if _, many := r.(store.ManyGetter); many {
			t.Fatal("the control: it reads one by one")
		}
		require.Equal(t, r, (&Links{}).Reader(r))
		require.Equal(t, r, Groups(r, runs, "run/"))
		return nil
	}))
}
