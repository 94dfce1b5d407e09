package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/requirements"
	"orchestrator/internal/rules/lifecycle"
)

// stranger reads a log over HTTP, and knows of it only what C2SP says. Nothing below is checked with code of ours.
type stranger struct {
	*harness
	changed string // the path of a tile that arrives with a flipped bit
}

// body is what the service answers to a reader.
func (s stranger) body(path string) []byte {
	s.t.Helper()
	r := s.do("viewer", http.MethodGet, path, "")
	require.Equal(s.t, http.StatusOK, r.Status, "%s: %s", path, r.Body)
	return r.Body
}

// Height, ReadTiles and SaveTiles make stranger the tlog.TileReader of a Go checksum database client.
func (s stranger) Height() int { return 8 }

func (s stranger) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, t := range tiles {
		path := "/audit/" + strings.Replace(t.Path(), "tile/8/", "tile/", 1)
		data := s.body(path)
		if path == s.changed {
			data = bytes.Clone(data)
			data[len(data)-1] ^= 1
		}
		all = append(all, data)
	}
	return all, nil
}

func (s stranger) SaveTiles([]tlog.Tile, [][]byte) {}

// checkpoint is the signed head, as two libraries of others open it.
func (s stranger) checkpoint() tlog.Tree {
	s.t.Helper()
	verifier, err := note.NewVerifier(strings.TrimSuffix(string(s.body("/audit/key")), "\n"))
	require.NoError(s.t, err)
	signed := s.body("/audit/checkpoint")
	opened, err := note.Open(signed, note.VerifierList(verifier))
	require.NoError(s.t, err)
	require.Len(s.t, opened.Sigs, 1)
	c, rest, _, err := log.ParseCheckpoint(signed, verifier.Name(), verifier)
	require.NoError(s.t, err)
	require.Empty(s.t, rest)
	return tlog.Tree{N: int64(c.Size), Hash: tlog.Hash(c.Hash)}
}

func startStranger(t *testing.T, records uint64) stranger {
	t.Helper()
	h := newHarness(t, func(o *options) { o.ExportPath = "" }) // a change need not wait for it
	for i := 0; h.Ledger.Head().Size < records; i++ {
		_, err := h.Service.Patch(t.Context(), lifecycle.Actor{Name: "pm", Role: lifecycle.PM},
			requirements.Proposal{ID: fmt.Sprintf("REQ-%03d", 1+i%3), Body: fmt.Appendf(nil, `{"pm_notes":[{"text":"note %d"}]}`, i)})
		require.NoError(t, err)
	}
	return stranger{harness: h}
}

// TestAStrangerReadsTheTiles follows the log as a client of Go's checksum database does: TileHashReader checks every
// tile against the signed root before it gives out a hash of it.
//
// Verifies: ORC-101
func TestAStrangerReadsTheTiles(t *testing.T) {
	s := startStranger(t, 600)
	tree := s.checkpoint()
	require.EqualValues(t, 600, tree.N)
	hashes := tlog.TileHashReader(tree, s)
	records := s.records(tree.N)
	var indexes []int64
	for n := range records {
		indexes = append(indexes, tlog.StoredHashIndex(0, int64(n)))
	}
	leaves, err := hashes.ReadHashes(indexes) // each tile is asked for once
	require.NoError(t, err)
	for n, raw := range records {
		require.Equal(t, tlog.RecordHash(raw), leaves[n], "record %d", n)
	}
	for _, path := range []string{"/audit/tile/0/000", "/audit/tile/0/002.p/88", "/audit/tile/1/000.p/2"} {
		s.changed = path
		_, err := tlog.TileHashReader(tree, s).ReadHashes([]int64{tlog.StoredHashIndex(0, 5), tlog.StoredHashIndex(0, 599)})
		require.Error(t, err, path)
	}
}

// records reads the entry bundles of C2SP tlog-tiles.
func (s stranger) records(size int64) (all [][]byte) {
	s.t.Helper()
	for n := int64(0); n*256 < size; n++ {
		path := fmt.Sprintf("/audit/tile/entries/%03d", n)
		if width := size - n*256; width < 256 {
			path += fmt.Sprintf(".p/%d", width)
		}
		for rest := s.body(path); len(rest) > 0; {
			end := 2 + int(rest[0])<<8 + int(rest[1])
			all, rest = append(all, rest[2:end]), rest[end:]
		}
	}
	require.Len(s.t, all, int(size))
	return all
}

// TestAStrangerChecksTheProofs verifies inclusion and consistency at random places with transparency-dev/merkle.
//
// Verifies: ORC-101
func TestAStrangerChecksTheProofs(t *testing.T) {
	s := startStranger(t, 300)
	last := s.checkpoint()
	rnd := rand.New(rand.NewPCG(1, 2))
	hasher := rfc6962.DefaultHasher
	rootAt := func(size uint64) []byte { // from the tiles alone
		root, err := tlog.TreeHash(int64(size), tlog.TileHashReader(last, s))
		require.NoError(t, err)
		return root[:]
	}
	for range 60 {
		size := 1 + rnd.Uint64N(uint64(last.N))
		index, old := rnd.Uint64N(size), 1+rnd.Uint64N(size)
		root := rootAt(size)
		leaf := hasher.HashLeaf(s.body(fmt.Sprintf("/audit/records/%d", index)))

		path := s.hashes(fmt.Sprintf("/audit/proof/inclusion?index=%d&size=%d", index, size))
		require.NoError(t, proof.VerifyInclusion(hasher, index, size, leaf, path, root), "record %d of %d", index, size)
		require.Error(t, proof.VerifyInclusion(hasher, index, size, hasher.HashLeaf([]byte("another")), path, root))
		path = s.hashes(fmt.Sprintf("/audit/proof/consistency?old=%d&new=%d", old, size))
		require.NoError(t, proof.VerifyConsistency(hasher, old, size, path, rootAt(old), root), "%d to %d", old, size)
		require.Error(t, proof.VerifyConsistency(hasher, old, size, path, hasher.HashLeaf([]byte("another")), root))
	}
}

// hashes are those of a proof.
func (s stranger) hashes(path string) (all [][]byte) {
	s.t.Helper()
	var answer struct {
		Hashes [][]byte `json:"hashes"`
	}
	require.NoError(s.t, json.Unmarshal(s.body(path), &answer))
	return answer.Hashes
}
