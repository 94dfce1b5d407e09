package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
)

// group is what several replicas of a test know of each other.
type group struct {
	mu     sync.Mutex
	holder string // URL of the one on duty
	cut    bool   // from the database
	asked  int
	onAsk  func()        // called with each question
	age    time.Duration // of the state
	stale  time.Duration // that reads may be
}

// asking is the log of a replica, which asks the group; member is its duty.
type (
	asking struct{ *group }
	member struct {
		*group
		own func() string // its URL
	}
)

func (a asking) CatchUp(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	if a.onAsk != nil {
		a.onAsk()
	}
	if a.cut {
		return errors.New("no route to the database")
	}
	return nil
}

func (a asking) Confirmed() time.Time { return time.Now().Add(-a.age) }
func (a asking) Err() error           { return nil }

func (m member) OnDuty() bool {
	holder, _ := m.Holder(context.Background())
	return holder == m.own()
}

func (m member) Enter(ctx context.Context) (under context.Context, leave func(), err error) {
	if !m.OnDuty() {
		return nil, nil, errors.New("another is")
	}
	return ctx, func() {}, nil
}

func (m member) Holder(context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.holder, nil
}

func (g *group) set(f func(*group)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g)
}

// join makes a harness a member of the group.
func (g *group) join(t *testing.T, choose ...func(*options)) *harness {
	t.Helper()
	var h *harness
	m := member{g, func() string { return h.Server.URL }}
	h = newHarness(t, append(choose, func(o *options) {
		o.Replica = &httpapi.Replica{Name: "one", Log: asking{g}, Duty: m, StaleReads: g.stale}
	})...)
	return h
}

// refusing is a store that refuses updates.
type refusing struct {
	store.Store
	with error // nil takes them
}

func (f *refusing) Update(ctx context.Context, fn func(store.Tx) error) error {
	if f.with != nil {
		return f.with
	}
	return f.Store.Update(ctx, fn)
}

// olderThanItsLog returns what a ledger says of an update where a newer program has written.
func olderThanItsLog(t *testing.T) error {
	t.Helper()
	hub := storetest.NewHub()
	open := func(rules int) *ledger.Ledger {
		l, err := ledger.Open(t.Context(), hub.Open(), time.Now)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, l.Close()) })
		l.Understand(rules, []string{"test.done"})
		return l
	}
	write := func(tx *ledger.Tx) error { return tx.Append(ledger.Event{Kind: "test.done", Actor: ledger.System()}) }
	old := open(1)
	require.NoError(t, open(2).Update(t.Context(), write))
	return old.Update(t.Context(), write)
}

// provokeReplicas sends to a replica what it cannot answer by itself.
func provokeReplicas(t *testing.T, all *seen) {
	g := &group{}
	f := &refusing{Store: store.NewMemory()}
	h := g.join(t, into(all), func(o *options) { o.Store = f })
	h.expect(503, "log_not_reached", "viewer", "GET", one, "", "If-Log-At-Least", "999")
	h.expect(503, "duty_vacant", "pm", "POST", "/project/import", "")
	g.set(func(g *group) { g.holder = "http://127.0.0.1:1" })
	time.Sleep(200 * time.Millisecond) // longer than it is remembered who is on duty
	h.expect(503, "duty_unreachable", "pm", "POST", "/project/import", "")
	h.expect(200, "", "", "GET", "/readyz?verbose", "")
	h.expect(200, "", "", "GET", "/version", "")
	g.set(func(g *group) { g.holder = h.Server.URL })
	f.with = store.ErrFenced
	h.write(sample + "\n## REQ-004: More\n\nMore.\n")
	h.expect(503, "duty_lost", "pm", "POST", "/project/import", "")
	f.with = fault.New(fault.Unavailable, "store_statement", "db.example.org: a statement was refused")
	h.expect(503, "store_unreachable", "pm", "PATCH", one, `{"pm_notes":[{"text":"x"}]}`)
	f.with = fault.New(fault.InsufficientStorage, "store_full", "db.example.org: the disk is full")
	h.expect(507, "disk_full", "pm", "PATCH", one, `{"pm_notes":[{"text":"x"}]}`)
	f.with = nil
	h.expect(200, "", "pm", "POST", "/project/import", "")

	f.with = olderThanItsLog(t)
	h.expect(503, "replica_older", "pm", "PATCH", one, `{"pm_notes":[{"text":"x"}]}`)
	h.expect(200, "", "pm", "GET", one, "")
	f.with = nil

	g.set(func(g *group) { g.cut = true })
	for _, op := range operations() {
		method, pattern, _ := strings.Cut(op, " ")
		responses := theContract().under("paths", pattern, strings.ToLower(method), "responses")
		if responses.node["401"] == nil || pattern == "/metrics" {
			continue
		}
		h.expect(503, "store_unreachable", "pm", method, inPath.Replace(pattern), "")
		h.expect(503, "store_unreachable", "", method, inPath.Replace(pattern), "")
	}
	h.expect(503, "", "", "GET", "/readyz?verbose", "")
	for _, path := range []string{"/healthz", "/livez", "/version", "/metrics", "/"} {
		h.expect(200, "", "", "GET", path, "")
	}
}

// everywhere are the routes that every replica serves, and from what.
var everywhere = map[string][]string{
	"the log and its state, which each replica follows": {
		"GET /project", "GET /project/progress", "GET /project/renames", "GET /requirements", "GET /requirements/{id}",
		"GET /requirements/{id}/history", "GET /requirements/{id}/next", "GET /next", "GET /workflow", "GET /events",
		"GET /audit", "GET /audit/blobs/{sha256}", "GET /audit/checkpoint", "GET /audit/key",
		"GET /audit/records/{index}", "GET /audit/proof/inclusion", "GET /audit/proof/consistency", "GET /audit/tile/{tile}",
	},
	"the state, and the clone of the repository that each replica has": {"GET /requirements/{id}/review"},
	"tables of the store": {
		"GET /obligations", "GET /obligations/{run}", "GET /traces/{run}", "GET /schedules", "GET /schedules/{schedule}",
		"GET /usage",
	},
	"files that are the same beside each replica": {"GET /tools", "GET /forms"},
	"a transaction, which any replica commits": {
		"PATCH /requirements/{id}", "POST /requirements/{id}/test-report", "POST /requirements/{id}/claim",
		"DELETE /requirements/{id}/claim", "PUT /workflow",
	},
	"requests of its own, each of which is passed on or not": {"POST /mcp"},
}

// TestEveryRouteSaysWhereItIsServed: a new route is either in the table of the replica on duty, or here.
//
// Verifies: ORC-357
func TestEveryRouteSaysWhereItIsServed(t *testing.T) {
	h := (&group{}).join(t)
	var routed, decided []string
	for _, op := range operations() {
		method, pattern, _ := strings.Cut(op, " ")
		if theContract().under("paths", pattern, strings.ToLower(method), "responses").node["401"] == nil || pattern == "/metrics" {
			continue
		}
		routed = append(routed, op)
		if method == http.MethodGet {
			method = http.MethodHead // a stream would not end
		}
		r := h.do("pm", method, inPath.Replace(pattern), "")
		if r.Status == http.StatusServiceUnavailable {
			require.Equal(t, "1", r.Header.Get("Retry-After"), op)
			decided = append(decided, op)
		}
	}
	require.Len(t, decided, 14, "those of the replica on duty, where there is none: %v", decided)
	for _, routes := range everywhere {
		decided = append(decided, routes...)
	}
	require.ElementsMatch(t, routed, decided)
}

// asks returns how many questions an act asked.
func (g *group) asks(act func()) int {
	var before, after int
	g.set(func(g *group) { before = g.asked })
	act()
	g.set(func(g *group) { after = g.asked })
	return after - before
}

// A token that was revoked at another replica is known to be when the log has been asked for what is newest, which comes
// before the token is looked at: for the API, for pages, and for whoever shows one at the way in.
//
// Verifies: ORC-354
func TestATokenThatWasRevokedElsewhereIsRefused(t *testing.T) {
	g := &group{}
	h := g.join(t)
	b := h.browse().signIn("coder")
	listed, err := h.files.List()
	require.NoError(t, err)
	for _, one := range listed {
		if one.Name == "coder" {
			_, err := h.files.Revoke(one.ID)
			require.NoError(t, err)
		}
	}
	seen := false
	g.set(func(g *group) { g.onAsk = func() { seen = h.auth.Reload() == nil } })
	require.False(t, seen)
	h.expect(401, "token_unknown", "coder", "POST", one+"/claim", `{}`)
	require.True(t, seen)
	require.Equal(t, http.StatusUnauthorized, b.visit("/ui/requirements/REQ-001", nil).status)
	front := h.do("coder", "GET", "/", "", "Accept", "application/json").json(t)
	require.Contains(t, front["token"], "unknown")
}

// Verifies: ORC-354
func TestAPageAndAMessageAskOnce(t *testing.T) {
	g := &group{}
	h := g.join(t)
	b := h.browse().signIn("pm")
	require.Equal(t, 1, g.asks(func() { require.Equal(t, 200, b.visit("/ui/requirements/REQ-001", nil).status) }))
	require.Equal(t, 1, g.asks(func() {
		h.expect(200, "", "pm", "POST", "/mcp", rpc("tools/call", `{"name":"next","arguments":{}}`))
	}))
	require.Equal(t, 1, g.asks(func() { h.expect(200, "", "pm", "GET", one, "") }))
	require.Zero(t, g.asks(func() { h.patch("pm", `{"pm_notes":[{"text":"n"}]}`) }), "its transaction sees the newest state")
	require.Equal(t, 1, g.asks(func() { h.expect(200, "", "pm", "GET", "/", "") }))
	for _, path := range []string{"/healthz", "/livez", "/version", "/metrics", "/openapi.yaml", "/problems"} {
		require.Zero(t, g.asks(func() { h.expect(200, "", "", "GET", path, "") }), path)
	}
}

// Verifies: ORC-354, ORC-356
func TestStaleReadsAskOnlyWhenTheyAreTooOld(t *testing.T) {
	g := &group{stale: time.Minute}
	h := g.join(t)
	b := h.browse().signIn("pm")
	read := func() {
		h.expect(200, "", "pm", "GET", one, "")
		h.expect(200, "", "pm", "HEAD", "/project", "")
		h.expect(200, "", "pm", "POST", "/mcp", rpc("tools/call", `{"name":"next","arguments":{}}`))
		require.Equal(t, 200, b.visit("/ui/requirements/REQ-001", nil).status)
	}
	require.Zero(t, g.asks(read))
	require.Zero(t, g.asks(func() { h.patch("pm", `{"pm_notes":[{"text":"n"}]}`) }))
	require.Equal(t, 1, g.asks(func() { h.expect(422, "invalid_claim", "pm", "POST", one+"/claim", "{}") }))
	require.Equal(t, 1, g.asks(func() {
		h.expect(200, "", "pm", "POST", "/mcp", rpc("tools/call",
			`{"name":"change","arguments":{"id":"REQ-001","change":{"pm_notes":[{"text":"n"}]}}}`))
	}), "what a message changes asks all the same")
	g.set(func(g *group) { g.cut = true })
	read()
	h.expect(200, "", "", "GET", "/readyz", "")
	h.expect(503, "store_unreachable", "pm", "POST", one+"/claim", `{}`)
	g.set(func(g *group) { g.cut, g.age = false, time.Hour })
	require.Equal(t, 4, g.asks(read))
	g.set(func(g *group) { g.cut = true })
	h.expect(503, "store_unreachable", "pm", "GET", one, "")
	h.expect(503, "", "", "GET", "/readyz", "")
	require.Equal(t, 503, b.visit("/ui/requirements/REQ-001", nil).status)
	require.Contains(t, b.page, "database")
}

// Verifies: ORC-360
func TestAReplicaSaysWhichOneItIs(t *testing.T) {
	g := &group{holder: "http://elsewhere:1", age: 20 * time.Second, stale: time.Minute}
	h := g.join(t)
	ready := h.expect(200, "", "", "GET", "/readyz?verbose", "").json(t)
	said := ready["replica"].(map[string]any)
	require.InDelta(t, 20_000, said["confirmed_ms_ago"], 5_000)
	delete(said, "confirmed_ms_ago")
	require.Equal(t, map[string]any{"name": "one", "on_duty": false, "holder": "http://elsewhere:1",
		"log_size": float64(h.Ledger.Head().Size), "stale_reads": "1m0s"}, said)
	require.NotContains(t, h.do("", "GET", "/readyz", "").json(t), "replica")
	require.Equal(t, false, h.do("", "GET", "/version", "").json(t)["on_duty"])
	metrics := string(h.do("", "GET", "/metrics", "").Body)
	require.Contains(t, metrics, `orchestrator_replica_on_duty{replica="one"} 0`)
	require.Regexp(t, `orchestrator_replica_confirmed_seconds\{replica="one"\} 2[0-9]`, metrics)
	g.set(func(g *group) { g.holder = h.Server.URL })
	require.Equal(t, true, h.do("", "GET", "/version", "").json(t)["on_duty"])
	require.Contains(t, string(h.do("", "GET", "/metrics", "").Body), `orchestrator_replica_on_duty{replica="one"} 1`)
	alone := newHarness(t).expect(200, "", "", "GET", "/readyz?verbose", "")
	require.NotContains(t, string(alone.Body), "database")
	require.NotContains(t, alone.json(t), "replica")
}
