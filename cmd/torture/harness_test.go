package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// flaw tells the test binary, started as the product, what to do wrong.
const flaw = "TORTURE_FLAW"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "verify") {
		os.Exit(product(os.Args[1], os.Getenv(flaw)))
	}
	os.Exit(m.Run())
}

// stored is a note as the product of the tests keeps it, a line each in the file notes.
type stored struct{ ID, Mark, Key string }

// product stands in for the product: it keeps notes, and has one flaw.
func product(what, flaw string) int {
	const notes = "notes"
	_, err := os.Stat(notes)
	again := err == nil
	switch {
	case what == "verify" && flaw == "fails verification":
		fmt.Fprintln(os.Stderr, "record 3 is not what it was")
		return 1
	case what == "verify":
		fmt.Println(`{"records":3}`)
		return 0
	case again && flaw == "does not start again", again && flaw == "starts only with leave" && !slices.Contains(os.Args, "--accept-rollback"):
		fmt.Fprintln(os.Stderr, "the database is damaged")
		return 1
	}
	f, err := os.OpenFile(notes, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	s := &keeper{flaw: flaw, file: f}
	for d := json.NewDecoder(f); d.More(); {
		var n stored
		if err := d.Decode(&n); err != nil {
			panic(err)
		}
		s.notes = append(s.notes, n)
	}
	if flaw == "shows more than it has" {
		write("project_status.json", `{"log":{"size":4}}`)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	write(".orchestrator/tokens/pm.token", "orc_pm_x")
	write(".orchestrator/addr", listener.Addr().String()+"\n")
	panic(http.Serve(listener, s))
}

func write(path, content string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		panic(err)
	}
}

type keeper struct {
	mu     sync.Mutex
	flaw   string
	file   *os.File
	notes  []stored
	served int
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/project":
		k.project(w)
	case r.Method == http.MethodPatch:
		k.patch(w, r)
	default:
		_, _ = w.Write([]byte("{}"))
	}
}

func (k *keeper) project(w http.ResponseWriter) {
	k.mu.Lock()
	defer k.mu.Unlock()
	type note struct {
		Revision int    `json:"revision"`
		Text     string `json:"text"`
	}
	type requirement struct {
		ID    string `json:"id"`
		Notes []note `json:"pm_notes"`
	}
	all := make([]requirement, requirements)
	for i := range all {
		all[i].ID = requirementID(i)
		for at, n := range k.notes {
			if n.ID == all[i].ID {
				all[i].Notes = append(all[i].Notes, note{at + 1, n.Mark + " xxx"})
			}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"requirements": all})
}

func (k *keeper) patch(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var body struct {
		Notes  []struct{ Text string } `json:"pm_notes"`
		Status string
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		panic(err)
	}
	mark, _, _ := strings.Cut(body.Notes[0].Text, " ")
	n := stored{filepath.Base(r.URL.Path), mark, r.Header.Get("Idempotency-Key")}
	if body.Status != "" {
		if k.flaw == "applies what it refuses" {
			k.keep(n)
		}
		w.WriteHeader(http.StatusConflict)
		return
	}
	k.served++
	at := slices.IndexFunc(k.notes, func(had stored) bool { return had.Key == n.Key })
	switch {
	case at >= 0 && k.flaw != "forgets keys":
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, at+1))
		return
	case k.flaw == "loses changes" && k.served%10 == 0:
		k.notes = append(k.notes, n) // not written
	default:
		k.keep(n)
	}
	if k.served%15 == 0 && at < 0 { // the answer never comes
		k.mu.Unlock()
		<-r.Context().Done()
		k.mu.Lock()
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, len(k.notes)))
}

func (k *keeper) keep(n stored) {
	k.notes = append(k.notes, n)
	line, err := json.Marshal(n)
	if err == nil {
		_, err = k.file.Write(append(line, '\n'))
	}
	if err != nil {
		panic(err)
	}
}

// enough is how many changes a run of the tests has: some of each kind.
const enough = 80

// killAfterEnough is a strike that does not depend on how fast the machine is.
func killAfterEnough(r *run, ctx context.Context) error {
	before := r.account.tally().Changes
	r.begin()
	for r.account.tally().Changes < before+enough {
		if err := pause(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	r.service.Kill()
	return nil
}

// What the harness makes of a product that is sound, and of one with each flaw.
func TestTheHarnessFindsFlaws(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, c := range []struct {
		flaw    string
		control bool
		finds   func(*tally) int
		verdict string
	}{
		{"", false, func(t *tally) int { return t.Unacknowledged }, "holds"},
		{"", true, func(t *tally) int { return t.Acknowledged }, "FAILS: the control lost nothing"},
		{"loses changes", false, func(t *tally) int { return t.Lost }, "FAILS"},
		{"loses changes", true, func(t *tally) int { return t.Lost }, "loses, as it must"},
		{"applies what it refuses", false, func(t *tally) int { return t.Wrong }, "FAILS"},
		{"forgets keys", false, func(t *tally) int { return t.Wrong }, "FAILS"},
		{"fails verification", false, func(t *tally) int { return t.VerifyFailed }, "FAILS"},
		{"shows more than it has", false, func(t *tally) int { return t.Misbehaved }, "FAILS"},
		{"starts only with leave", false, func(t *tally) int { return t.StartsRefused }, "FAILS"},
		{"does not start again", false, func(t *tally) int { return t.Lost }, "FAILS: not finished"},
	} {
		t.Run(fmt.Sprintf("%s, control=%t", c.flaw, c.control), func(t *testing.T) {
			t.Setenv(flaw, c.flaw)
			h := &harness{options: options{seed: 1}, dir: t.TempDir(), binary: self}
			runs := 2
			if c.flaw == "forgets keys" {
				runs = 1 // found at once, not by the next run
			}
			got := h.row(t.Context(), row{name: "test", runs: runs, fresh: 2, control: c.control, strike: killAfterEnough})
			require.Empty(t, got.Failed)
			require.Equal(t, c.verdict, got.verdict(), "%+v", got)
			require.Positive(t, c.finds(got), "%+v", got)
			if c.verdict == "holds" {
				require.Equal(t, counts{got.Changes, got.Acknowledged, 0, got.Unacknowledged, 0}, got.counts)
				require.Empty(t, got.Findings)
			}
			left, err := os.ReadDir(h.dir)
			require.NoError(t, err)
			for _, entry := range left {
				require.False(t, entry.IsDir(), "a project is left: %s", entry.Name())
			}
		})
	}
}

func TestARowThatCannotGoOn(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	h := &harness{options: options{seed: 1}, dir: t.TempDir(), binary: self}
	got := h.row(ctx, row{name: "test", runs: 2, fresh: 2, strike: func(r *run, ctx context.Context) error {
		r.begin()
		stop() // as Ctrl-C does
		return pause(ctx, time.Hour)
	}})
	require.Contains(t, got.Failed, "context canceled")
	require.Equal(t, "FAILS: not finished", got.verdict())
}

// What a client makes of each answer.
func TestProposals(t *testing.T) {
	for _, c := range []struct {
		answer  http.HandlerFunc
		outcome outcome
		status  int
		wrong   string
	}{
		{func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("ETag", `"7"`) }, accepted, 200, ""},
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(409) }, refused, 409, ""},
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, unknown, 503, ""},
		{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(507) }, unknown, 507, ""},
		{func(http.ResponseWriter, *http.Request) {}, unknown, 0, "no revision"},
		{func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, unknown, 0, "EOF"},
	} {
		web := httptest.NewServer(c.answer)
		by, a := newClient(web.Listener.Addr().String(), "t"), &account{}
		change := &change{mark: "m", key: "k", requirement: "REQ-001", body: "{}"}
		a.enter(change)
		status, err := by.propose(a, change)
		web.Close()
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, c.status, status)
		require.Equal(t, c.outcome, change.outcome, "status %d", status)
		if c.outcome == accepted {
			require.EqualValues(t, 7, change.revision)
		}
	}
}
