package requirements

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/auditor/replay"
	boundary "orchestrator/internal/boundary/record"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
)

// journalled records a part of the boundary's journal as the service does it, with the position that it gives.
func journalled(t require.TestingT, l *ledger.Ledger, data boundary.Recorded) {
	if data.Lines == nil {
		data.Lines = []jsontext.Value{}
	}
	require.NoError(t, l.Update(context.Background(), func(tx *ledger.Tx) error {
		if _, err := boundary.Table.Put(tx, data.File, boundary.Position{Read: data.To}); err != nil {
			return err
		}
		return tx.Append(ledger.Event{Kind: boundary.KindRecorded, Actor: ledger.System(), Subject: boundary.Subject, Data: data})
	}))
}

// randomJournal goes on with one of two files, or finds it cut.
func randomJournal(rt *rapid.T, l *ledger.Ledger, read map[string]int64) {
	file := rapid.SampledFrom([]string{"2026-01-01.jsonl", "2026-01-02.jsonl"}).Draw(rt, "file")
	data := boundary.Recorded{File: file, From: read[file]}
	if read[file] > 0 && rapid.IntRange(0, 4).Draw(rt, "cut") == 0 {
		data.Cut = true
	} else {
		data.To = read[file] + int64(rapid.IntRange(1, 1000).Draw(rt, "bytes"))
		data.Lines = []jsontext.Value{jsontext.Value(`{"id":"x"}`)}
	}
	read[file] = data.To
	journalled(rt, l, data)
}

func TestVerifyFollowsTheBoundarysJournal(t *testing.T) {
	const file = "2026-01-01.jsonl"
	good := []boundary.Recorded{
		{File: file, To: 100}, {File: "2026-01-02.jsonl", To: 7}, {File: file, From: 100, To: 150, Malformed: 1}, {File: file, From: 150, Cut: true}, {File: file, To: 20},
	}
	for name, c := range map[string]struct {
		further []boundary.Recorded
		spoil   func(store.Tx) error
		want    string
	}{
		"as it was":                   {},
		"it goes on":                  {further: []boundary.Recorded{{File: file, From: 20, To: 21}}},
		"a record twice":              {further: []boundary.Recorded{{File: file, To: 20}}, want: "which was read up to 20"},
		"a gap":                       {further: []boundary.Recorded{{File: file, From: 21, To: 30}}, want: "which was read up to 20"},
		"backwards":                   {further: []boundary.Recorded{{File: file, From: 20, To: 19}}, want: "has nothing of"},
		"nothing":                     {further: []boundary.Recorded{{File: file, From: 20, To: 20}}, want: "has nothing of"},
		"a cut that leaves something": {further: []boundary.Recorded{{File: file, From: 20, To: 5, Cut: true}}, want: "was cut, and has lines"},
		"gone and moved":              {further: []boundary.Recorded{{File: file, From: 20, To: 25, Gone: true}}, want: "is gone"},
		"gone twice":                  {further: []boundary.Recorded{{File: file, From: 20, To: 20, Gone: true}, {File: file, From: 20, To: 20, Gone: true}}, want: "is gone"},
		"a cut with lines":            {further: []boundary.Recorded{{File: file, From: 20, Cut: true, Lines: []jsontext.Value{jsontext.Value(`{}`)}}}, want: "was cut, and has lines"},
		"a position moved back": {spoil: func(tx store.Tx) error { return tx.Put("boundary", file, []byte(`{"read":0}`)) },
			want: `table boundary, "2026-01-01.jsonl" is not what the log amounts to`},
		"a position lost":  {spoil: func(tx store.Tx) error { return tx.Delete("boundary", file) }, want: `table boundary lacks "2026-01-01.jsonl"`},
		"a position added": {spoil: func(tx store.Tx) error { return tx.Put("boundary", "x.jsonl", []byte(`{"read":1}`)) }, want: `table boundary has "x.jsonl"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := store.NewMemory()
			r := start(t, s)
			r.mustImport(twoRequirements)
			for _, data := range append(good[:len(good):len(good)], c.further...) {
				journalled(t, r.ledger, data)
			}
			if c.spoil != nil {
				require.NoError(t, s.Update(t.Context(), c.spoil))
			}
			l, err := ledger.OpenReadOnly(t.Context(), s)
			require.NoError(t, err)
			_, err = replay.Verify(t.Context(), l, nil, nil)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}
