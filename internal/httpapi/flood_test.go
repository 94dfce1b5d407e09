package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/lifecycle"
)

const (
	floodClients = 8
	floodMinutes = 3   // that the flood takes by the clock of the service
	meanwhile    = 100 // changes that are accepted, before the flood and during it
	recordedEach = 20  // equal refusals of one actor in a minute that have records of their own
)

// floodOf returns how many requests of a flood are refused.
func floodOf() int64 {
	if testing.Short() {
		return 9_000
	}
	return 100_000
}

// flooding are requests that are refused, each kind for its own reason. A body may differ each time.
var flooding = []struct {
	who, method, path, body string
	status                  int
}{
	{"coder", "PATCH", one, move(lifecycle.Planned), 403},
	{"coder", "PATCH", "/requirements/REQ-002", move(lifecycle.Planned), 403},
	{"coder", "PATCH", "/requirements/MADE-UP-%d", `{"implementation":null}`, 404},
	{"coder", "PATCH", one, `{"implementation":%d`, 400},
	{"coder", "POST", "/project/import", "", 403},
	{"noisy", "PATCH", "/requirements/REQ-003", move(lifecycle.Done), 409},
	{"noisy", "PATCH", "/requirements/REQ-003", `{"pm_notes":[{"text":"%d","more":1}]}`, 422},
	{"noisy", "PATCH", "/requirements/REQ-003?surprise=%d", `{}`, 400},
	{"tester", "POST", one + "/test-report", "no report %d", 422},
	{"viewer", "PATCH", one, `{"pm_notes":[{"text":"%d"}]}`, 403},
}

// TestAFloodOfRefusalsHidesNothing: 100,000 refusals, 9,000 with -short, stand beside changes that are accepted. Each change is answered, durable
// and on record in its order; the flood leaves a few records, which count every single refusal, and costs as few commits.
//
// Verifies: ORC-107
func TestAFloodOfRefusalsHidesNothing(t *testing.T) {
	file, err := boltstore.Open(filepath.Join(t.TempDir(), "state.db"), boltstore.Options{})
	require.NoError(t, err)
	h := newHarness(t, func(o *options) { o.Store, o.ExportPath = file, "" })
	h.addToken("noisy", lifecycle.PM)
	calm := h.changes(t, "calm", closed())
	before, commits := h.Service.State().LogSize, file.Stats().Batches

	flood := floodOf()
	var sent atomic.Int64
	var clients sync.WaitGroup
	turn := make(chan struct{}, meanwhile)
	for range floodClients {
		clients.Go(func() {
			for n := sent.Add(1); n <= flood; n = sent.Add(1) {
				h.refuse(t, int(n))
				if n%(flood/meanwhile) == 0 {
					turn <- struct{}{}
				}
				if n%(flood/floodMinutes) == 0 {
					h.Clock.Advance(time.Minute)
				}
			}
		})
	}
	under := h.changes(t, "flood", turn)
	clients.Wait()
	h.stop()
	t.Logf("a change took %v, and %v beside the flood (medians of %d)", calm, under, meanwhile)

	wrote := h.Service.State().LogSize - before - meanwhile
	require.LessOrEqual(t, wrote, uint64(len(flooding)*(floodMinutes+1)*(recordedEach+1)))
	require.LessOrEqual(t, file.Stats().Batches-commits, wrote+meanwhile, "what is only counted costs no commit")
	h.requireEveryRefusal(t, before)
	l, err := ledger.OpenReadOnly(t.Context(), file)
	require.NoError(t, err)
	_, err = replay.Verify(t.Context(), l, nil, nil)
	require.NoError(t, err)
}

// TestAFoldedRefusalSaysSo: its receipt names no record, since there is none.
func TestAFoldedRefusalSaysSo(t *testing.T) {
	h := newHarness(t)
	receipt := func(method, path, body string) string {
		return h.do("viewer", method, path, body).Header.Get("Audit-Receipt")
	}
	for range recordedEach {
		require.Regexp(t, `^size=\d+, index=\d+, root=`, receipt("PATCH", one, `{"pm_notes":[]}`))
		require.Regexp(t, `^size=\d+, index=\d+, root=`, receipt("POST", "/project/import", ""))
	}
	size := h.Service.State().LogSize
	require.Regexp(t, fmt.Sprintf(`^size=%d, folded, root=`, size), receipt("PATCH", one, `{"pm_notes":[]}`))
	require.Regexp(t, fmt.Sprintf(`^size=%d, folded, root=`, size), receipt("POST", "/project/import", ""))
	require.Contains(t, string(h.do("", "GET", "/metrics", "").Body), "orchestrator_refusals_folded_total 2")
	require.Equal(t, size, h.Service.State().LogSize)
}

// serve answers a request without a network between.
func (h *harness) serve(who, method, path, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Host = "127.0.0.1"
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+h.secrets[who])
	w := httptest.NewRecorder()
	h.routes.ServeHTTP(w, req)
	return w
}

// refuse sends the n-th request of the flood.
func (h *harness) refuse(t *testing.T, n int) {
	r := flooding[n%len(flooding)]
	fill := strings.NewReplacer("%d", fmt.Sprint(n))
	if w := h.serve(r.who, r.method, fill.Replace(r.path), fill.Replace(r.body)); w.Code != r.status {
		t.Errorf("%s %s of %s: %d, %s", r.method, r.path, r.who, w.Code, w.Body)
	}
}

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// changes makes one change after the other, each when it is its turn, and returns the median of the times they took.
func (h *harness) changes(t *testing.T, what string, turn <-chan struct{}) time.Duration {
	var took []time.Duration
	for n := range meanwhile {
		<-turn
		begun := time.Now()
		w := h.serve("pm", "PATCH", one, fmt.Sprintf(`{"pm_notes":[{"text":"%s %d"}]}`, what, n))
		took = append(took, time.Since(begun))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// requireEveryRefusal counts the records of the flood: the changes in their order, and each refusal once, alone or in a sum.
func (h *harness) requireEveryRefusal(t *testing.T, from uint64) {
	changes, single, folded := 0, map[audit.Actor]int{}, map[audit.Actor]int{}
	require.NoError(t, h.Ledger.View(t.Context(), func(r store.Reader) error {
		for seq := from; seq < h.Ledger.Head().Size; seq++ {
			_, record, err := ledger.RecordAt(r, seq)
			require.NoError(t, err)
			switch record.Kind {
			case "requirement.changed":
				require.Contains(t, string(record.Data), fmt.Sprintf(`"flood %d"`, changes))
				changes++
			case "requirement.refused", "request.refused":
				single[record.Actor]++
			case "refusals.folded":
				var data struct {
					Actor audit.Actor `json:"actor"`
					Count int         `json:"count"`
				}
				require.NoError(t, json.Unmarshal(record.Data, &data))
				folded[data.Actor] += data.Count
			default:
				t.Errorf("record %d is %s", seq, record.Kind)
			}
		}
		return nil
	}))
	require.Equal(t, meanwhile, changes)
	want := map[audit.Actor]int{}
	for n := range int(floodOf()) {
		who := flooding[(n+1)%len(flooding)].who
		role := who
		if who == "noisy" {
			role = "pm"
		}
		want[audit.Actor{Name: who, Role: role}]++
	}
	for who, n := range want {
		require.Equal(t, n, single[who]+folded[who], who)
		require.Positive(t, folded[who])
	}
	require.Len(t, single, len(want))
}
