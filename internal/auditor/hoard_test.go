package auditor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/ledger/audit"
)

// hoarder counts the bytes of data beside the log that it was made to give out.
type hoarder struct {
	files
	given atomic.Int64
}

func (h *hoarder) Read(ctx context.Context, path string) ([]byte, error) {
	content, err := h.files.Read(ctx, path)
	if strings.HasPrefix(path, blobPrefix) {
		h.given.Add(int64(len(content)))
	}
	return content, err
}

// hoard is a signed log whose records, after the first, name data beside it, each other data; none of them is in order.
func hoard(t *testing.T, size int) *hoarder {
	t.Helper()
	l := short(t)
	log := l.copy()
	like := log.records[7]
	log.records = log.records[:1]
	for n := range uint64(size) {
		data := []byte(fmt.Sprintf("%01024d", n))
		sum := sha256.Sum256(data)
		digest := hex.EncodeToString(sum[:])
		log.blobs[digest] = data
		log.records = append(log.records, edited(t, like, func(r *audit.Record) {
			r.Seq, r.Prev, r.Subject, r.Data = n+1, 0, "", []byte(`{"blob":"`+digest+`","size":1024}`)
		}))
	}
	log.tree, log.size = log.records, uint64(len(log.records))
	log.resign(t, l.signer)
	return &hoarder{files: log.lay(t)}
}

// What is read before it is needed is records, which are small, and never the data that they name.
func TestDataBesideTheLogIsNotHoarded(t *testing.T) {
	h := hoard(t, 3*audit.TileWidth)
	records := 0
	again, err := replay.New(nil)
	require.NoError(t, err)
	for p := range readAhead(t.Context(), h, 1+3*audit.TileWidth, again) {
		require.NoError(t, p.err)
		for _, e := range p.entries {
			require.NoError(t, e.err)
			require.Nil(t, e.data)
			records++
		}
	}
	require.Equal(t, 1+3*audit.TileWidth, records)
	require.Zero(t, h.given.Load())

	_, err = Verify(t.Context(), h, Options{})
	require.EqualValues(t, 1, *requireBad(t, err, "log_replay").Record)
	require.EqualValues(t, 1024, h.given.Load(), "the data of the one record that was looked at")
}

func TestDataBesideTheLogIsBounded(t *testing.T) {
	require.EqualValues(t, 64<<20, mostOf(blobPrefix+strings.Repeat("ab", 32)))
	good := short(t).copy().lay(t)
	var given atomic.Int64
	src := serving(t, func(path string, w http.ResponseWriter) []byte {
		for strings.HasPrefix(path, blobPrefix) {
			n, err := w.Write(make([]byte, 1<<20))
			if given.Add(int64(n)); err != nil {
				return nil
			}
		}
		return good[path]
	})
	_, err := Verify(t.Context(), src, Options{})
	requireBad(t, err, "log_too_large")
	require.Less(t, given.Load(), int64(128<<20))
}
