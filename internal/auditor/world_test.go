package auditor

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// world is one life, with what is needed to begin it again at some step.
type world struct {
	signer  audit.Signer
	log     copied
	steps   []step
	sizes   []uint64                             // of the log, after so many steps
	dumps   map[int]map[string]map[string]string // of the store, after so many steps
	roots   []audit.Hash                         // at every size
	changes []int                                // the steps that made a change with a remark in it
}

var (
	oneWorld sync.Once
	theWorld *world
)

// wholeWorld is the log that the tests tamper with; it is made once, and only read.
func wholeWorld(t *testing.T) *world {
	t.Helper()
	oneWorld.Do(func() {
		w := &world{steps: life(), dumps: map[int]map[string]map[string]string{}}
		w.signer = signerOf(t, "example.org/shop", "a")
		l := born(t, store.NewMemory(), w.signer, 0)
		for i, s := range w.steps {
			if i%25 == 0 {
				w.dumps[i] = l.store.Dump()
			}
			w.sizes = append(w.sizes, l.size())
			if strings.Contains(s.body, remark) {
				w.changes = append(w.changes, i)
			}
			l.live(s)
		}
		w.sizes = append(w.sizes, l.size())
		w.log = l.copy()
		var head audit.Head
		for _, raw := range w.log.records {
			w.roots = append(w.roots, head.Root)
			head, _, _ = head.Seal(raw, dawn)
		}
		w.roots = append(w.roots, head.Root)
		theWorld = w
	})
	require.NotNil(t, theWorld, "the world could not be made")
	return theWorld
}

// again begins the life anew after the first steps, on a store and with a key of its own.
func (w *world) again(t *testing.T, after int, signer audit.Signer) *living {
	t.Helper()
	from := after - after%25
	s := store.NewMemory()
	refill(t, s, w.dumps[from])
	l := &living{t: t, store: s, signer: signer, taken: from}
	for _, past := range w.steps[:from] {
		l.see(past)
	}
	l.tick()
	l.open()
	l.live(w.steps[from:after]...)
	return l
}

func refill(t *testing.T, s *store.Memory, dump map[string]map[string]string) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		for table, entries := range dump {
			for key, value := range entries {
				if err := tx.Put(table, key, []byte(value)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// kept is the checkpoint that somebody kept when the log had this size.
func (w *world) kept(t *testing.T, size uint64) []Kept {
	t.Helper()
	note, err := w.signer.Sign(audit.Head{Size: size, Root: w.roots[size]})
	require.NoError(t, err)
	return []Kept{{fmt.Sprintf("kept at %d", size), note}}
}

func TestALogInOrder(t *testing.T) {
	w := wholeWorld(t)
	require.Greater(t, len(w.log.records), 600)
	require.NotZero(t, len(w.log.records)%audit.TileWidth, "the last tile is partial")
	require.Len(t, w.log.blobs, 1)
	require.NotEmpty(t, w.changes)
	f := w.log.lay(t)
	require.Contains(t, f, "tile/1/000.p/2")
	for form, check := range forms {
		for _, o := range []Options{{}, {Key: w.signer.Key, Against: append(w.kept(t, 1), w.kept(t, w.log.size)...)}} {
			r, err := check(t, w.log.clone(), o)
			require.NoError(t, err, form)
			require.Equal(t, "matches", r.State)
			require.Equal(t, w.log.size, r.Records)
			require.Equal(t, documented+2, r.Requirements)
			require.Equal(t, o.Key != "", r.Trusted)
			require.Len(t, r.Against, len(o.Against))
			require.Equal(t, w.signer.Key, r.Key)
		}
	}
	// A life that is begun again in the middle comes to the same.
	again := w.again(t, 333, w.signer)
	again.live(w.steps[333:]...)
	require.Equal(t, w.roots[w.log.size], again.ledger.Head().Root)
}
