package auditor

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	requirements "orchestrator/internal/requirements/replay"
)

// tampered returns the records of a log, some of them others than they were.
func tampered(rt *rapid.T, records []audit.Record) []audit.Record {
	records = slices.Clone(records)
	for range rapid.IntRange(0, 3).Draw(rt, "times") {
		i := rapid.IntRange(1, len(records)-1).Draw(rt, "record")
		j := rapid.IntRange(1, len(records)-1).Draw(rt, "other")
		switch rapid.SampledFrom([]string{"drop", "swap", "data", "kind", "role", "byte", "byte"}).Draw(rt, "how") {
		case "drop":
			records = slices.Delete(records, i, i+1)
		case "swap":
			records[i], records[j] = records[j], records[i]
		case "data":
			records[i].Data = records[j].Data
		case "kind":
			records[i].Kind = rapid.SampledFrom([]string{records[j].Kind, "unheard.of"}).Draw(rt, "kind")
		case "role":
			records[i].Actor = records[j].Actor
		case "byte":
			data := bytes.Clone(records[i].Data)
			at := rapid.IntRange(0, len(data)-1).Draw(rt, "at")
			data[at] = rapid.SampledFrom([]byte(`x7"}`)).Draw(rt, "byte")
			records[i].Data = data
		}
	}
	return records
}

// headAfter is the log after a record, as far as a replay looks at it.
func headAfter(record audit.Record) audit.Head { return audit.Head{Size: record.Seq + 1} }

// oneByOne replays records of requirements alone, each read when it is its turn. It returns how many were good, and
// what is wrong with the next.
func oneByOne(t require.TestingT, blobs store.Getter, records []audit.Record) (good int, wrong error) {
	r, err := requirements.New(nil)
	require.NoError(t, err)
	for i, record := range records {
		var err error
		switch {
		case record.Kind == ledger.KindCreated:
		case slices.Contains(r.Kinds(), record.Kind):
			var data any
			if data, err = r.Read(blobs, record); err == nil {
				err = r.Apply(record, data)
			}
		default:
			err = errors.New("no such kind of record is known")
		}
		if err != nil {
			return i, fmt.Errorf("record %d, %s: %w", record.Seq, record.Kind, err)
		}
		r.Reached(headAfter(record))
	}
	return len(records), nil
}

// readBefore replays records that are read up to so many before they are applied.
func readBefore(t require.TestingT, blobs store.Getter, records []audit.Record, ahead int) (good int, wrong error) {
	r, err := replay.New(nil)
	require.NoError(t, err)
	var read []*replay.Record
	for i, record := range records {
		for len(read) < min(len(records), i+1+ahead) {
			read = append(read, r.Read(blobs, records[len(read)]))
		}
		if err := r.Apply(read[i], headAfter(record)); err != nil {
			return i, err
		}
	}
	return len(records), nil
}

// TestReadingAheadChangesNoVerdict: whatever is wrong with a log, the first that is found of it does not depend on how
// far ahead its records are read, nor by whom.
func TestReadingAheadChangesNoVerdict(t *testing.T) {
	w := wholeWorld(t)
	var all []audit.Record
	for _, raw := range w.log.records {
		record, err := audit.Decode(raw)
		require.NoError(t, err)
		all = append(all, record)
	}
	blobs := ledger.Blobs(func(digest string) ([]byte, error) { return w.log.blobs[digest], nil })
	rapid.Check(t, func(rt *rapid.T) {
		records := tampered(rt, all)
		good, wrong := oneByOne(rt, blobs, records)
		ahead := rapid.SampledFrom([]int{0, 1, 64, 1000}).Draw(rt, "ahead")
		goodAhead, wrongAhead := readBefore(rt, blobs, records, ahead)
		require.Equal(rt, good, goodAhead)
		require.Equal(rt, fmt.Sprint(wrong), fmt.Sprint(wrongAhead))
	})
}

// TestPiecesComeInTheirOrder: every record comes once, in the order of the log. What is wrong with a tile comes after
// all before it, and before all behind it.
func TestPiecesComeInTheirOrder(t *testing.T) {
	w := wholeWorld(t)
	whole := w.log.lay(t)
	lacking := maps.Clone(whole)
	delete(lacking, tilePrefix+audit.Tile{Number: 1, Width: audit.TileWidth}.Path())
	for _, c := range []struct {
		name string
		from files
		size uint64 // of what comes
	}{{"whole", whole, w.log.size}, {"without the leaves of the second tile", lacking, audit.TileWidth}} {
		var raw []string
		var failed error
		for p := range readAhead(t.Context(), c.from, w.log.size, nil) {
			require.NoError(t, failed, "%s: nothing comes after an error", c.name)
			failed = p.err
			for _, e := range p.entries {
				require.NoError(t, e.err, c.name)
				require.Equal(t, uint64(len(raw)), e.record.Seq, c.name)
				raw = append(raw, string(e.raw))
			}
		}
		require.Equal(t, c.size == w.log.size, failed == nil, c.name)
		require.Len(t, raw, int(c.size), c.name)
		for i, r := range raw {
			require.Equal(t, string(w.log.records[i]), r, c.name)
		}
	}
}
