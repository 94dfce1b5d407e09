package witness

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger/audit"
)

func keptOf(s audit.Signer, h *history) Log {
	return Log{Origin: s.Origin(), Key: s.Key, Checkpoint: string(h.checkpoint(s)), Size: h.size(), Root: h.root(h.size())}
}

func reasonOf(t require.TestingT, err error) string {
	var r *Refusal
	require.ErrorAs(t, err, &r)
	require.NotEmpty(t, r.Error())
	return r.Reason
}

func TestUpdate(t *testing.T) {
	s := signer(t, "example.org/shop", "a")
	h := (&history{}).grow("shop", 20)
	kept := keptOf(s, h.fork(10))
	elsewhere, stranger := signer(t, "example.org/other", "a"), signer(t, "example.org/shop", "b")
	for _, c := range []struct {
		name   string
		kept   Log
		note   []byte
		proof  *audit.Consistency
		reason string // empty: accepted
	}{
		{"the first one", Log{Key: s.Key}, h.checkpoint(s), nil, ""},
		{"the same", kept, h.fork(10).checkpoint(s), nil, ""},
		{"grown", kept, h.checkpoint(s), h.proof(10, 20), ""},
		{"grown from nothing", keptOf(s, &history{}), h.checkpoint(s), nil, ""},
		{"smaller", kept, h.fork(9).checkpoint(s), nil, Rollback},
		{"smaller, with a proof the other way", kept, h.fork(9).checkpoint(s), h.proof(9, 10), Rollback},
		{"empty again", kept, (&history{}).checkpoint(s), nil, Rollback},
		{"as large, another root", kept, h.fork(9).grow("other", 1).checkpoint(s), nil, Fork},
		{"as large, another root, with the proof of the size", kept, h.fork(9).grow("other", 1).checkpoint(s), h.proof(10, 10), Fork},
		{"grown, no proof", kept, h.checkpoint(s), nil, Inconsistent},
		{"grown, proof of a smaller one", kept, h.checkpoint(s), h.proof(9, 20), Inconsistent},
		{"grown, proof to a smaller one", kept, h.checkpoint(s), h.proof(10, 19), Inconsistent},
		{"grown, proof of nothing", kept, h.checkpoint(s), &audit.Consistency{}, Inconsistent},
		{"grown, proof of itself", kept, h.checkpoint(s), h.proof(20, 20), Inconsistent},
		{"grown on a fork", kept, h.fork(9).grow("other", 11).checkpoint(s), h.fork(9).grow("other", 11).proof(10, 20), Inconsistent},
		{"grown on a fork, proof of the log", kept, h.fork(9).grow("other", 11).checkpoint(s), h.proof(10, 20), Inconsistent},
		{"of another key", kept, h.checkpoint(stranger), h.proof(10, 20), WrongKey},
		{"of another key, the same size", kept, h.fork(10).checkpoint(stranger), nil, WrongKey},
		{"of another log", kept, h.checkpoint(elsewhere), h.proof(10, 20), WrongOrigin},
		{"the first one, of another key", Log{Key: s.Key}, h.checkpoint(stranger), nil, WrongKey},
		{"the first one, of another log", Log{Key: s.Key}, h.checkpoint(elsewhere), nil, WrongOrigin},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Update(c.kept, c.note, c.proof)
			if c.reason != "" {
				require.Equal(t, c.reason, reasonOf(t, err))
				require.Zero(t, got)
				return
			}
			require.NoError(t, err)
			require.Contains(t, string(c.note), got.Text())
		})
	}
}

func TestWhatIsNoCheckpoint(t *testing.T) {
	s := signer(t, "example.org/shop", "a")
	h := (&history{}).grow("shop", 3)
	for _, bad := range []string{"", "<p>welcome", "a\n1\nroot\n\n— a AAAA\n", strings.Replace(string(h.checkpoint(s)), "\n3\n", "\n4611686018427387905\n", 1), "a\xff" + string(h.checkpoint(s))} {
		_, err := Update(keptOf(s, h), []byte(bad), nil)
		require.ErrorIs(t, err, errNoCheckpoint)
	}
}

// An extension line that the log signed does not make another log of it.
func TestExtensionLines(t *testing.T) {
	private, err := audit.GenerateKey(strings.NewReader(strings.Repeat("a", 64)), "example.org/shop")
	require.NoError(t, err)
	raw, err := note.NewSigner(private)
	require.NoError(t, err)
	s := signer(t, "example.org/shop", "a")
	h := (&history{}).grow("shop", 3)
	text, _, _ := strings.Cut(string(h.checkpoint(s)), "\n\n")
	extended, err := note.Sign(&note.Note{Text: text + "\nan extension\n"}, raw)
	require.NoError(t, err)
	_, err = Update(keptOf(s, h), extended, nil)
	require.NoError(t, err)
}

// A client of another log once recomputed the ends of a proof and not its middle. Here every hash counts: for each pair
// of sizes, each hash of the proof is changed, dropped, doubled, and a hash is put in at each place.
//
// Verifies: ORC-105
func TestEveryHashOfAProofCounts(t *testing.T) {
	s := signer(t, "example.org/shop", "a")
	h := (&history{}).grow("shop", 40)
	refused := 0
	for size := 2; size <= 28; size++ {
		now := h.fork(size).checkpoint(s)
		for old := 1; old < size; old++ {
			kept, proof := keptOf(s, h.fork(old)), h.proof(uint64(old), uint64(size))
			_, err := Update(kept, now, proof)
			require.NoError(t, err)
			with := func(hashes []audit.Hash) {
				_, err := Update(kept, now, &audit.Consistency{Old: proof.Old, New: proof.New, Hashes: hashes})
				require.Equal(t, Inconsistent, reasonOf(t, err), "%d to %d", old, size)
				refused++
			}
			for i := range proof.Hashes {
				with(flipped(proof, i).Hashes)
				with(slices.Delete(slices.Clone(proof.Hashes), i, i+1))
				with(slices.Insert(slices.Clone(proof.Hashes), i, proof.Hashes[i]))
				with(slices.Insert(slices.Clone(proof.Hashes), i, audit.Hash{}))
			}
			with(append(slices.Clone(proof.Hashes), audit.Hash{}))
			with(nil)
		}
	}
	t.Log("proofs refused:", refused)
}

// A proof holds for the sizes that were asked for, also where other sizes would lead to the same hashes.
func TestProofsOfOtherSizes(t *testing.T) {
	s := signer(t, "example.org/shop", "a")
	h := (&history{}).grow("shop", 12)
	alike := 0
	for size := 2; size <= 9; size++ {
		for old := 1; old < size; old++ {
			kept, now, proof := keptOf(s, h.fork(old)), h.fork(size), h.proof(uint64(old), uint64(size))
			signed := now.checkpoint(s)
			for n := range uint64(11 * 11) {
				other := audit.Consistency{Old: n / 11, New: n % 11, Hashes: proof.Hashes}
				if other.Old == proof.Old && other.New == proof.New {
					continue
				}
				if other.Check(kept.Root, now.root(uint64(size))) == nil {
					alike++
				}
				_, err := Update(kept, signed, &other)
				require.Equal(t, Inconsistent, reasonOf(t, err), "%d to %d as %d to %d", old, size, other.Old, other.New)
			}
		}
	}
	require.Positive(t, alike)
}

// Whatever a server with the right key shows, of whatever history, with whatever proof: what is accepted is always one log
// that only grows.
func TestAcceptedCheckpointsAreConsistent(t *testing.T) {
	s := signer(t, "example.org/shop", "a")
	rounds, accepted, refused := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		branches := []*history{(&history{}).grow("root", rapid.IntRange(0, 9).Draw(rt, "begin"))}
		kept, seen := Log{Key: s.Key}, []string(nil)
		for i := range rapid.IntRange(10, 40).Draw(rt, "rounds") {
			rounds++
			b := rapid.SampledFrom(branches).Draw(rt, "branch")
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				b = b.fork(rapid.IntRange(0, len(b.records)).Draw(rt, "at"))
				branches = append(branches, b)
			case 1, 2:
				b.grow(rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "name"), rapid.IntRange(1, 5).Draw(rt, "by"))
			}
			var proof *audit.Consistency
			if other := rapid.SampledFrom(append(slices.Clone(branches), b, b)).Draw(rt, "proof of"); kept.Size > 0 && other.size() >= kept.Size {
				proof = other.proof(kept.Size, other.size())
				proof.New = b.size()
				if n := len(proof.Hashes); n > 0 && rapid.IntRange(0, 3).Draw(rt, "honest") == 0 {
					proof = flipped(proof, rapid.IntRange(0, n-1).Draw(rt, "hash"))
				}
			}
			c, err := Update(kept, b.checkpoint(s), proof)
			if err != nil {
				reasonOf(rt, err)
				refused++
				continue
			}
			accepted++
			if len(seen) > len(b.records) || !slices.Equal(seen, b.records[:len(seen)]) {
				rt.Fatalf("round %d: accepted %v after %v", i, b.records, seen)
			}
			seen = slices.Clone(b.records)
			kept = keptOf(s, b)
			require.Equal(rt, kept.Size, c.Size)
		}
	})
	require.Positive(t, rounds)
	require.Greater(t, accepted, rounds/10)
	require.Greater(t, refused, rounds/10)
	t.Logf("rounds: %d, accepted %d, refused %d", rounds, accepted, refused)
}
