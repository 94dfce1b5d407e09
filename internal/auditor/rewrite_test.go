package auditor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

// rowsOfRewriting are changes that make sense: another text, another decision, another history.
func rowsOfRewriting() []row {
	found, after := [columns]int{all, all, all}, [columns]int{none, none, all}
	return []row{
		{"another text, hashes recomputed", outside, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			return rewritten(t, rnd, w, `"requirement.changed"`, otherText)
		}, found, true},
		{"another text, all signed anew", everywhere, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			log := rewritten(t, rnd, w, remark, otherText)
			log.resign(t, w.signer)
			return log
		}, found, true},
		{"another request id, hashes and state computed anew", outside, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			log := otherRequest(t, rnd, w)
			log.checkpoint = w.log.checkpoint
			return log
		}, found, false},
		{"another request id, all signed anew", everywhere, otherRequest, after, false},
		{"a refusal made an acceptance, all signed anew", everywhere, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			log := rewritten(t, rnd, w, `"requirement.refused"`, accepted)
			log.resign(t, w.signer)
			return log
		}, found, true},
		{"an acceptance made a refusal, all signed anew", everywhere, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			log := rewritten(t, rnd, w, `"requirement.changed"`, refused)
			log.resign(t, w.signer)
			return log
		}, found, true},
		{"another text, run again and signed by the key", everywhere, livedAgain, after, false},
		{"fork: another continuation, signed by the key", everywhere, forked, after, false},
		{"cut the tail", outside, func(_ *testing.T, rnd *rand.Rand, w *world) copied {
			log, n := w.log.clone(), w.place(rnd)
			log.records, log.tree, log.first, log.from = log.records[:n], log.tree[:n], n, uint64(n)
			return log
		}, found, true},
		{"cut the tail, signed by the key", everywhere, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			return cutAt(t, w, 10+rnd.IntN(len(w.steps)-20))
		}, after, false},
		{"an old copy put back", everywhere, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			return cutAt(t, w, 25*(1+rnd.IntN(len(w.steps)/25-1)))
		}, after, false},
		{"another key's signature", outside, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			log := w.log.clone()
			log.resign(t, signerOf(t, w.signer.Origin(), string(rune('b'+rnd.IntN(20)))))
			log.first = -1
			return log
		}, found, false},
		{"swap the key: the whole log run again under another", everywhere, func(t *testing.T, rnd *rand.Rand, w *world) copied {
			t.Helper()
			l := born(t, store.NewMemory(), signerOf(t, w.signer.Origin(), string(rune('b'+rnd.IntN(20)))), 0)
			l.live(w.steps[:10+rnd.IntN(50)]...)
			log := l.copy()
			log.rebuilt, log.first = true, -1
			return log
		}, [columns]int{none, all, all}, false},
	}
}

// otherRequest changes what nothing else in the log speaks of.
func otherRequest(t *testing.T, rnd *rand.Rand, w *world) copied {
	t.Helper()
	log, n := w.log.clone(), w.place(rnd)
	log.records[n] = edited(t, log.records[n], func(r *audit.Record) { r.RequestID += "0" })
	log.tree, log.first, log.from = log.records, -1, uint64(n)
	log.resign(t, w.signer)
	return log
}

// rewritten edits one of the records that have a text in them.
func rewritten(t *testing.T, rnd *rand.Rand, w *world, text string, edit func(*audit.Record, map[string]json.RawMessage)) copied {
	t.Helper()
	log := w.log.clone()
	var with []int
	for n, raw := range log.records {
		if bytes.Contains(raw, []byte(text)) {
			with = append(with, n)
		}
	}
	require.NotEmpty(t, with, text)
	n := with[rnd.IntN(len(with))]
	log.records[n] = edited(t, log.records[n], func(r *audit.Record) {
		data := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(r.Data, &data))
		edit(r, data)
		var err error
		r.Data, err = ledger.Encode(data)
		require.NoError(t, err)
	})
	log.tree, log.first, log.from = log.records, n, uint64(n)
	return log
}

func otherText(_ *audit.Record, data map[string]json.RawMessage) {
	for _, word := range []string{"agreed", "because", "a form", "done", "TestLogin", "required"} {
		if changed := bytes.Replace(data["change"], []byte(word), []byte("never "+word), 1); !bytes.Equal(changed, data["change"]) {
			data["change"] = changed
			return
		}
	}
	data["change"] = bytes.Replace(data["change"], []byte(":"), []byte(": "), 1)
}

func accepted(r *audit.Record, data map[string]json.RawMessage) {
	r.Kind = "requirement.changed"
	delete(data, "refusal")
	data["revision"], data["sha256"] = []byte("4"), []byte(`"`+strings.Repeat("0", 64)+`"`)
}

func refused(r *audit.Record, data map[string]json.RawMessage) {
	r.Kind = "requirement.refused"
	delete(data, "revision")
	delete(data, "sha256")
	data["refusal"] = []byte(`{"kind":"forbidden","code":"field_forbidden","detail":"no","fix":"none"}`)
}

// livedAgain is the log as the service would have written it, had one text been another: the work of somebody who
// holds the key and has the whole program.
func livedAgain(t *testing.T, rnd *rand.Rand, w *world) copied {
	t.Helper()
	at := w.changes[rnd.IntN(len(w.changes))]
	l := w.again(t, at, w.signer)
	changed := w.steps[at]
	changed.body = strings.Replace(changed.body, remark, fmt.Sprintf("as nobody agreed %d", rnd.IntN(1000)), 1)
	l.live(changed)
	l.live(w.steps[at+1:]...)
	log := l.copy()
	require.Len(t, log.records, len(w.log.records))
	log.rebuilt, log.first, log.from = true, -1, w.sizes[at]
	return log
}

func forked(t *testing.T, rnd *rand.Rand, w *world) copied {
	t.Helper()
	at := 10 + rnd.IntN(len(w.steps)-20)
	l := w.again(t, at, w.signer)
	for range 1 + rnd.IntN(30) {
		l.live(step{who: paula, id: fmt.Sprintf("REQ-%03d", 1+rnd.IntN(documented)), body: `{"pm_notes":[{"text":"another history"}]}`})
	}
	log := l.copy()
	log.rebuilt, log.first, log.from = true, -1, w.sizes[at]
	return log
}

func cutAt(t *testing.T, w *world, at int) copied {
	t.Helper()
	log := w.again(t, at, w.signer).copy()
	log.rebuilt, log.first, log.from = true, -1, w.sizes[at]
	return log
}
