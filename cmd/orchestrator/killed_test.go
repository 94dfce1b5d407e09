package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
)

// killedRequest has all that a run can stop at: o1 asks; o2 takes the answer; a liar answers o3, which takes what o2
// found; o4 is a plan whose steps take it as well; o5 does not wait for anything.
const killedRequest = `{"idempotency_key":"once","obligations":[
{"type":"CLARIFY","name":"asked","payload":{"slot":"sum","question":"Which sum?","schema":{"type":"string"}}},
{"type":"REPORT","name":"sum","payload":{"kind":"query.math","expr":{"from":"asked.value"}}},
{"type":"REPORT","payload":{"kind":"query.count_letters","text":"r{{sum.value}}r","letter":"r"}},
{"type":"ACHIEVE","payload":{"kind":"plan","steps":[{"type":"ACHIEVE","payload":{"kind":"shop.noted","what":"first"}},
{"type":"ACHIEVE","payload":{"kind":"shop.noted","what":"second-{{sum.value}}"}}]}},
{"type":"ACHIEVE","payload":{"kind":"shop.noted","what":"before"}}]}`

const killedAnswer = `{"obligation":"o1","value":"2+2"}`

// killedTools append what they do to the file ran; a run may be repeated if idempotent says so.
func killedTools(idempotent string) string {
	tool := func(name, satisfies, consumes string) string {
		return "name: " + name + "\nversion: \"1\"\ndescription: Notes that it ran.\nsatisfies: [" + satisfies + "]\nconsumes: " + consumes +
			"\nproduces: {type: object}\nreliability: high\ncost: tiny\nlatency_ms: 0\ntimeout_ms: 60000\nverify: \"off\"\nidempotent: " + idempotent +
			"\nroles: [coder]\nimplementation: {means: exec, argv: [./noted, " + name + "]}\n"
	}
	return tool("shop.note", "ACHIEVE(shop.noted)", "{what: {schema: {type: string}}}") + "---\n" +
		tool("shop.liar", "REPORT(query.count_letters)", "{text: {schema: {type: string}}}")
}

// killedTool notes what it was given. A service that dies before it has sent the inputs gives it nothing, and nothing is
// done then.
const killedTool = `#!/bin/sh
what=$(sed 's/.*"inputs":{"[a-z]*":"\([^"]*\)".*/\1/')
[ -n "$what" ] || exit 1
echo "$1 $what" >> ran
printf '{"value":9}'
`

func killedProject(t *testing.T, idempotent string) string {
	dir := newProject(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".orchestrator/tools"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".orchestrator/tools/note.yaml"), []byte(killedTools(idempotent)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "noted"), []byte(killedTool), 0o700))
	return dir
}

// killedState is what is compared of a run.
type killedState struct {
	ID          string            `json:"id"`
	Status      string            `json:"status"`
	Obligations []json.RawMessage `json:"obligations"`
	Answers     []json.RawMessage `json:"answers"`
}

// acknowledged is what a client was told with 2xx before the service died.
type acknowledged struct{ asked, answered bool }

// sendAll sends the request, and answers what it asks; it ends when the service does.
func sendAll(p *process, told *acknowledged, done chan<- struct{}) {
	defer close(done)
	asked, err := p.call(request{role: "coder", method: "POST", path: "/obligations", body: killedRequest})
	if err != nil || asked.status != http.StatusOK {
		return
	}
	told.asked = true
	var run killedState
	if json.Unmarshal([]byte(asked.body), &run) != nil {
		return
	}
	answered, err := p.call(request{role: "coder", method: "POST", path: "/obligations/" + run.ID + "/answers", body: killedAnswer})
	told.answered = err == nil && answered.status == http.StatusOK
}

// commits returns how many transactions the database has, by its two meta pages. A torn page is looked at again.
func commits(path string) (most uint64) {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	var number [8]byte
	for _, page := range []int64{0, int64(os.Getpagesize())} {
		if _, err := f.ReadAt(number[:], page+64); err == nil {
			most = max(most, binary.NativeEndian.Uint64(number[:]))
		}
	}
	return most
}

// endedRuns returns the runs of tools that are on record as ended, by id, from a copy of the database.
func endedRuns(t *testing.T, dir string) map[string]bool {
	raw, err := os.ReadFile(filepath.Join(dir, ".orchestrator/state.db"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	db, err := boltstore.Open(file, boltstore.Options{})
	require.NoError(t, err)
	ended := map[string]bool{}
	require.NoError(t, db.View(context.Background(), func(r store.Reader) error {
		return r.Scan("ir", "", "", func(key string, value []byte) error {
			var run struct {
				ID     string         `json:"id"`
				Tool   string         `json:"tool"`
				Status string         `json:"status"`
				Inputs map[string]any `json:"inputs"`
			}
			if !strings.Contains(key, "/toolrun/") {
				return nil
			}
			require.NoError(t, json.Unmarshal(value, &run), key)
			if run.Status != "started" && strings.HasPrefix(run.Tool, "shop.") {
				what, text := run.Inputs["what"], run.Inputs["text"]
				ended[fmt.Sprint(run.Tool, " ", cmp.Or(what, text))] = true
			}
			return nil
		})
	}))
	require.NoError(t, db.Close())
	return ended
}

func ranLines(t *testing.T, dir string) map[string]int {
	raw, err := os.ReadFile(filepath.Join(dir, "ran"))
	if err != nil {
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	lines := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		lines[strings.TrimSpace(line)]++
	}
	return lines
}

// completed sends what was not acknowledged again, until the run has ended, and returns it.
func completed(t *testing.T, p *process, told acknowledged) (run killedState) {
	t.Helper()
	require.NoError(t, poll(func() error {
		got, err := p.call(request{role: "coder", method: "POST", path: "/obligations", body: killedRequest})
		if err != nil || got.status != http.StatusOK {
			return errKilled(got, err)
		}
		return json.Unmarshal([]byte(got.body), &run)
	}))
	if told.answered {
		require.NotEqual(t, "clarify", run.Status, "the answer was acknowledged, and is lost")
	}
	if run.Status != "clarify" {
		return run
	}
	require.NoError(t, poll(func() error { // it may have been answered, and be under way
		got, err := p.call(request{role: "coder", method: "POST", path: "/obligations/" + run.ID + "/answers", body: killedAnswer})
		if err != nil || got.status != http.StatusOK {
			return errKilled(got, err)
		}
		return json.Unmarshal([]byte(got.body), &run)
	}))
	return run
}

// errKilled is why a call has to be repeated: only what is under way, or has not been answered, may be.
func errKilled(got answer, err error) error {
	switch {
	case err != nil:
		return err
	case got.status == http.StatusConflict && strings.Contains(got.body, `"run_under_way"`):
		return errors.New(got.body)
	}
	return fatal{errors.New(got.body)}
}

// At every durable write of a run that asks, is answered, hands values on, has a plan and a liar, the service is killed.
// When it is back the run comes to the same end: nothing that is on record runs again, and nothing acknowledged is lost.
//
// Verifies: ORC-245, ORC-247, ORC-282
func TestKilledAtEveryWriteOfARun(t *testing.T) {
	for name, idempotent := range map[string]string{"tools that may run twice": "true", "tools that may not": "false"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := killedProject(t, idempotent)
			p := startServer(t, dir, "--deterministic")
			var told acknowledged
			done := make(chan struct{})
			before := commits(filepath.Join(dir, ".orchestrator/state.db"))
			sendAll(p, &told, done)
			require.Equal(t, acknowledged{true, true}, told)
			want := completed(t, p, told)
			writes := commits(filepath.Join(dir, ".orchestrator/state.db")) - before
			require.GreaterOrEqual(t, writes, uint64(10), "each tool has begun and ended, the run ended twice, and was answered")
			require.NoError(t, p.stop(0))
			require.Equal(t, map[string]int{"shop.note before": 1, "shop.liar r4r": 1, "shop.note first": 1, "shop.note second-4": 1}, ranLines(t, dir))
			require.Len(t, endedRuns(t, dir), 4, "each is found on record")
			require.Contains(t, string(want.Answers[1]), "shop.liar says that value is 9, and text.count_letters finds 2", "the liar is caught")
			require.Equal(t, "failed", want.Status, "since an answer was withheld")

			for point := uint64(1); point <= writes; point++ {
				killedAt(t, point, idempotent, want)
			}
		})
	}
}

func killedAt(t *testing.T, point uint64, idempotent string, want killedState) {
	dir := killedProject(t, idempotent)
	p := startServer(t, dir, "--deterministic")
	database := filepath.Join(dir, ".orchestrator/state.db")
	before := commits(database)
	var told acknowledged
	done := make(chan struct{})
	go sendAll(p, &told, done)
	for end := time.Now().Add(patience); commits(database) < before+point && time.Now().Before(end); {
		select {
		case <-done:
			end = time.Time{}
		default:
		}
	}
	p.kill()
	<-done
	ended, ran := endedRuns(t, dir), ranLines(t, dir)
	p = startServer(t, dir, "--deterministic")
	got := completed(t, p, told)
	require.NoError(t, p.stop(0))
	requireInOrder(t, dir)
	twice := 0
	for line, times := range ranLines(t, dir) {
		if ended[line] {
			require.Equal(t, ran[line], times, "after %d writes: %s is on record, and ran again", point, line)
		}
		twice += times - 1
	}
	require.LessOrEqual(t, twice, 1, "after %d writes: only what was cut off runs again", point)
	if idempotent == "true" {
		require.Equal(t, want, got, "after %d writes", point)
		return
	}
	require.Zero(t, twice, "after %d writes: what may not run twice does not", point)
	require.Len(t, got.Obligations, len(want.Obligations))
}
