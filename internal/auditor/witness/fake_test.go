package witness

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/tlog"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
)

const address = "http://shop.example.org"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// history is a log with its records and nodes.
type history struct {
	records []string
	nodes   []tlog.Hash
}

func (h *history) ReadHashes(indexes []int64) (found []tlog.Hash, err error) {
	for _, i := range indexes {
		found = append(found, h.nodes[i])
	}
	return found, nil
}

// grow appends n records; the same name gives the same records.
func (h *history) grow(name string, n int) *history {
	for range n {
		i := len(h.records)
		record := fmt.Sprintf("%s %d", name, i)
		nodes, err := tlog.StoredHashes(int64(i), []byte(record), h)
		if err != nil {
			panic(err)
		}
		h.records, h.nodes = append(h.records, record), append(h.nodes, nodes...)
	}
	return h
}

// fork is another history with the first n records of this one.
func (h *history) fork(n int) *history {
	f := &history{}
	for i, record := range h.records[:n] {
		nodes, err := tlog.StoredHashes(int64(i), []byte(record), f)
		if err != nil {
			panic(err)
		}
		f.records, f.nodes = append(f.records, record), append(f.nodes, nodes...)
	}
	return f
}

func (h *history) size() uint64 { return uint64(len(h.records)) }

func (h *history) root(size uint64) tlog.Hash {
	root, err := tlog.TreeHash(int64(size), h)
	if err != nil {
		panic(err)
	}
	return root
}

func (h *history) proof(old, size uint64) *audit.Consistency {
	p, err := audit.ProveConsistency(old, size, h)
	if err != nil {
		panic(err)
	}
	return &p
}

func (h *history) checkpoint(s audit.Signer) []byte {
	note, err := s.Sign(audit.Head{Size: h.size(), Root: h.root(h.size())})
	if err != nil {
		panic(err)
	}
	return note
}

func signer(t testing.TB, origin, seed string) audit.Signer {
	t.Helper()
	private, err := audit.GenerateKey(strings.NewReader(strings.Repeat(seed, 64)), origin)
	require.NoError(t, err)
	s, err := audit.ParseSigner(private)
	require.NoError(t, err)
	return s
}

// fake is a server that can lie.
type fake struct {
	signer  audit.Signer
	history *history
	note    []byte                   // instead of the checkpoint
	tamper  func(*audit.Consistency) // with the proof
	refusal error                    // instead of the proof
	down    error
	asked   []string
}

func newFake(t testing.TB, n int) *fake {
	t.Helper()
	return &fake{signer: signer(t, "example.org/shop", "a"), history: (&history{}).grow("shop", n)}
}

func (f *fake) Get(_ context.Context, path, media string) ([]byte, error) {
	f.asked = append(f.asked, path)
	switch {
	case f.down != nil:
		return nil, f.down
	case path == "/audit/key" && media == "text/plain":
		return []byte(f.signer.Key + "\n"), nil
	case path == "/audit/checkpoint" && media == "text/plain" && f.note != nil:
		return f.note, nil
	case path == "/audit/checkpoint" && media == "text/plain":
		return f.history.checkpoint(f.signer), nil
	}
	return nil, fault.New(fault.NotFound, "unknown_path", "%s", path)
}

func (f *fake) GetJSON(_ context.Context, path string, v any) ([]byte, error) {
	f.asked = append(f.asked, path)
	var old, size uint64
	if _, err := fmt.Sscanf(path, "/audit/proof/consistency?old=%d&new=%d", &old, &size); err != nil {
		return nil, err
	}
	if f.refusal != nil {
		return nil, f.refusal
	}
	p := f.history.proof(old, size)
	if f.tamper != nil {
		f.tamper(p)
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return b, json.Unmarshal(b, v)
}

// flipped is a proof with one bit of one hash changed.
func flipped(p *audit.Consistency, i int) *audit.Consistency {
	changed := &audit.Consistency{Old: p.Old, New: p.New, Hashes: slices.Clone(p.Hashes)}
	changed.Hashes[i][i%32] ^= 1
	return changed
}
