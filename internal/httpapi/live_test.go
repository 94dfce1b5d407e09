package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/token"
)

const aNote = `{"pm_notes":[{"text":"a note"}]}`

// Verifies: ORC-301
func TestEventsAreTheRecordsOfTheLog(t *testing.T) {
	h := newHarness(t)
	fromHere := h.follow("viewer", "/events")
	fromTheStart := h.follow("viewer", "/events?since=0")
	for range 3 {
		h.patch("pm", `{"pm_notes":[{"text":"two\nlines\r\nand three:\u2028data: x"}]}`)
	}
	h.expect(403, "field_forbidden", "viewer", "PATCH", one, aNote)
	size := h.Ledger.Head().Size
	require.Equal(t, strconv.Itoa(int(size)-4), func() string { m := fromHere.next(); requireRecord(t, h, m); return m.ID }())
	for n := range size {
		m := fromTheStart.next()
		require.Equal(t, strconv.FormatUint(n, 10), m.ID)
		requireRecord(t, h, m)
	}
	require.Equal(t, "2000", fromTheStart.source.retry)
	require.Contains(t, string(h.do("", "GET", "/metrics", "").Body), "orchestrator_streams_open 2")
}

// requireRecord requires that an event is the record that its id names.
func requireRecord(t *testing.T, h *harness, m message) {
	t.Helper()
	stored := h.do("viewer", "GET", "/audit/records/"+m.ID, "")
	require.Equal(t, string(stored.Body), m.Data)
	require.Equal(t, stored.json(t)["kind"], m.Type)
}

// A client that loses its connection misses nothing, and is told nothing twice, while others write.
//
// Verifies: ORC-301
func TestAStreamIsResumedWithTheLastID(t *testing.T) {
	h := newHarness(t)
	var writers sync.WaitGroup
	const writes = 60
	first := h.Ledger.Head().Size
	for range 3 {
		writers.Go(func() {
			for range writes / 3 {
				h.patch("pm", aNote)
			}
		})
	}
	last := first - 1
	for last+1 < first+writes {
		f := h.follow("viewer", fmt.Sprintf("/events?since=%d", first), "Last-Event-ID", strconv.FormatUint(last, 10))
		for range 7 {
			if last+1 == first+writes {
				break
			}
			m := f.next()
			require.Equal(t, strconv.FormatUint(last+1, 10), m.ID)
			last++
		}
		f.close()
	}
	writers.Wait()
	require.Equal(t, h.Ledger.Head().Size, last+1)
}

func TestEventsAreFiltered(t *testing.T) {
	h := newHarness(t)
	since := fmt.Sprintf("since=%d", h.Ledger.Head().Size)
	h.patch("pm", aNote)
	h.expect(200, "", "pm", "PATCH", "/requirements/REQ-002", aNote)
	h.expect(403, "field_forbidden", "coder", "PATCH", "/requirements/REQ-002", aNote)
	h.expect(200, "", "coder", "PATCH", "/requirements/REQ-003", `{"implementation":{"summary":"s","files":[{"path":"a.go"}]}}`)
	h.expect(200, "", "architect", "PATCH", "/requirements/REQ-002", `{"design_spec":{"summary":"the last one"}}`)
	for query, want := range map[string][]string{
		"requirement=REQ-002":                           {"requirement.changed pm", "requirement.refused coder", "requirement.changed architect"},
		"requirement=REQ-001&requirement=REQ-003":       {"requirement.changed pm", "requirement.changed coder"},
		"role=coder":                                    {"requirement.refused coder", "requirement.changed coder"},
		"role=coder,architect&kind=requirement.changed": {"requirement.changed coder", "requirement.changed architect"},
		"kind=requirement.refused&kind=request.refused": {"requirement.refused coder"},
	} {
		f := h.follow("viewer", "/events?"+since+"&"+query)
		for _, one := range want {
			m := f.next()
			var record struct{ Actor struct{ Role string } }
			require.NoError(t, json.Unmarshal([]byte(m.Data), &record))
			require.Equal(t, one, m.Type+" "+record.Actor.Role, query)
		}
		require.Empty(t, f.messages, query)
		f.close()
	}
}

// A requirement is followed under the ids that it had before.
func TestARenamedRequirementIsFollowed(t *testing.T) {
	h := newHarness(t)
	h.patch("pm", aNote)
	h.write("# Sample\n\n## REQ-009: Log in with a password\n\nA user logs in with name and password.\n")
	h.expect(200, "", "pm", "POST", "/project/import", "")
	h.expect(200, "", "pm", "POST", pathOfRenames, pairOf("REQ-001", "REQ-009"))
	h.expect(200, "", "pm", "PATCH", "/requirements/REQ-009", aNote)
	f := h.follow("viewer", "/events?since=0&kind=requirement.changed&requirement=REQ-009")
	require.Contains(t, f.next().Data, `"subject":"REQ-001"`)
	require.Contains(t, f.next().Data, `"subject":"REQ-009"`)
}

// Verifies: ORC-302
func TestAStreamEndsWithItsToken(t *testing.T) {
	h := newHarness(t)
	h.addToken("ann", lifecycle.Viewer)
	h.addTokenUntil("brief", lifecycle.Viewer, time.Now().Add(2*time.Second), time.Now())
	revoked, expiring := h.follow("ann", "/events"), h.follow("brief", "/events")
	next := float64(h.Ledger.Head().Size)
	_, err := h.files.RevokeName("ann")
	require.NoError(t, err)
	require.NoError(t, h.auth.Reload())
	requireEnd(t, revoked, "token_unknown", next)
	requireEnd(t, expiring, "token_expired", next)
	h.patch("pm", aNote)
}

func requireEnd(t *testing.T, f *subscriber, code string, next float64) {
	t.Helper()
	m := f.next()
	require.Equal(t, "end", m.Type)
	var said map[string]any
	require.NoError(t, json.Unmarshal([]byte(m.Data), &said))
	require.NotEmpty(t, said["detail"])
	require.NotEmpty(t, said["fix"])
	delete(said, "detail")
	delete(said, "fix")
	require.Equal(t, map[string]any{"code": code, "next": next, "retryable": !strings.HasPrefix(code, "token_")}, said)
	f.ended()
}

// Verifies: ORC-302
func TestStreamsEndWithTheService(t *testing.T) {
	h := newHarness(t)
	h.patch("pm", aNote)
	f := h.follow("viewer", "/events")
	close(h.Stopping)
	requireEnd(t, f, "service_stopping", float64(h.Ledger.Head().Size))
	h.expect(503, "service_stopping", "viewer", "GET", "/events", "")

	b := &broken{Store: store.NewMemory()}
	h = newHarness(t, func(o *options) { o.Store = b })
	f, next := h.follow("viewer", "/events"), float64(h.Ledger.Head().Size)
	b.now = true
	h.expect(503, "ledger_failed", "pm", "PATCH", one, aNote)
	requireEnd(t, f, "ledger_failed", next)
}

// unsynced is a store that has committed, and has not said so yet.
type unsynced struct {
	store.Store
	on              atomic.Bool
	within, confirm chan struct{}
}

func (u *unsynced) Update(ctx context.Context, fn func(store.Tx) error) error {
	err := u.Store.Update(ctx, fn)
	if u.on.Load() {
		u.within <- struct{}{}
		<-u.confirm
	}
	return err
}

// No event is of a change that is not durable: a commit that the disk has not confirmed is not told.
//
// Verifies: ORC-301
func TestNoEventComesBeforeItsChangeIsDurable(t *testing.T) {
	slow := &unsynced{Store: store.NewMemory(), within: make(chan struct{}), confirm: make(chan struct{})}
	h := newHarness(t, func(o *options) { o.Store = slow })
	f := h.follow("viewer", "/events")
	slow.on.Store(true)
	done := make(chan response)
	go func() { done <- h.do("pm", "PATCH", one, aNote) }()
	<-slow.within // the change is in the store, and not confirmed
	select {
	case m := <-f.messages:
		require.Fail(t, "an event came before its commit", "%v", m)
	case <-time.After(100 * time.Millisecond):
	}
	slow.on.Store(false)
	close(slow.confirm)
	require.Equal(t, http.StatusOK, (<-done).Status)
	require.Equal(t, "requirement.changed", f.next().Type)
}

// Verifies: ORC-303
func TestStreamsOfATokenAreLimited(t *testing.T) {
	h := newHarness(t)
	var open []*subscriber
	for range 128 {
		open = append(open, h.follow("viewer", "/events"))
	}
	full := h.expect(429, "too_many_streams", "viewer", "GET", "/events", "")
	require.Equal(t, "5", full.Header.Get("Retry-After"))
	etag := h.do("viewer", "GET", one, "").Header.Get("ETag")
	h.expect(429, "too_many_streams", "viewer", "GET", one+"?wait=1s", "", "If-None-Match", etag)
	h.follow("pm", "/events")
	open[0].close()
	require.Eventually(t, func() bool { return h.do("viewer", "HEAD", "/events", "").Status == 200 }, time.Minute, 10*time.Millisecond)
}

func TestAStreamIsOneRequest(t *testing.T) {
	h := newHarness(t, func(o *options) { o.Limit = token.Limit{PerSecond: 0.001, Burst: 2} })
	f := h.follow("viewer", "/events?since=0")
	for range h.Ledger.Head().Size {
		f.next()
	}
	etag := h.expect(200, "", "pm", "GET", one, "").Header.Get("ETag")
	h.expect(304, "", "pm", "GET", one+"?wait=300ms", "", "If-None-Match", etag)
	h.expect(429, "rate_limited", "pm", "GET", one, "")
}

// Verifies: ORC-304
func TestAWaitEndsWithAnotherVersion(t *testing.T) {
	h := newHarness(t)
	for path, to := range map[string]lifecycle.Status{one: lifecycle.Blocked, "/next": lifecycle.Deferred, one + "/next": lifecycle.NeedsChanges} {
		etag := h.expect(200, "", "pm", "GET", path, "").Header.Get("ETag")
		answered := make(chan response, 1)
		go func() { answered <- h.do("pm", "GET", path+"?wait=60s", "", "If-None-Match", etag) }()
		require.Eventually(t, func() bool { return h.waiting() == 1 }, time.Minute, time.Millisecond)
		require.Empty(t, answered)
		h.patch("pm", move(to))
		r := <-answered
		require.Equal(t, http.StatusOK, r.Status, path)
		require.NotEqual(t, etag, r.Header.Get("ETag"))
		require.Equal(t, r.Body, h.do("pm", "GET", path, "").Body)
		h.expect(200, "", "pm", "GET", path+"?wait=60s", "", "If-None-Match", etag) // at once
	}
}

// waiting returns how many streams and waits are open.
func (h *harness) waiting() (n int) {
	h.t.Helper()
	for _, line := range strings.Split(string(h.do("", "GET", "/metrics", "").Body), "\n") {
		if _, err := fmt.Sscanf(line, "orchestrator_streams_open %d", &n); err == nil {
			return n
		}
	}
	require.FailNow(h.t, "the gauge is missing")
	return 0
}

// Verifies: ORC-304
func TestAWaitEndsInTime(t *testing.T) {
	h := newHarness(t, func(o *options) { o.ReadTimeout, o.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond })
	etag := h.expect(200, "", "pm", "GET", one, "").Header.Get("ETag")
	begun := time.Now()
	h.expect(200, "", "pm", "PATCH", "/requirements/REQ-002", aNote)
	h.expect(304, "", "pm", "GET", one+"?wait=700ms", "", "If-None-Match", etag) // longer than the server's own limits
	require.GreaterOrEqual(t, time.Since(begun), 700*time.Millisecond)
	stopped := make(chan response, 1)
	go func() { stopped <- h.do("pm", "GET", one+"?wait=60s", "", "If-None-Match", etag) }()
	require.Eventually(t, func() bool { return h.waiting() == 1 }, time.Minute, time.Millisecond)
	close(h.Stopping)
	require.Equal(t, http.StatusNotModified, (<-stopped).Status)
}

// A token that is revoked while it waits is told nothing.
func TestAWaitEndsWithItsToken(t *testing.T) {
	h := newHarness(t)
	h.addToken("ann", lifecycle.Viewer)
	etag := h.do("ann", "GET", one, "").Header.Get("ETag")
	answered := make(chan response, 1)
	go func() { answered <- h.do("ann", "GET", one+"?wait=60s", "", "If-None-Match", etag) }()
	require.Eventually(t, func() bool { return h.waiting() == 1 }, time.Minute, time.Millisecond)
	_, err := h.files.RevokeName("ann")
	require.NoError(t, err)
	require.NoError(t, h.auth.Reload())
	h.patch("pm", aNote)
	require.Equal(t, http.StatusUnauthorized, (<-answered).Status)
}

func provokeLive(h *harness) {
	h.follow("viewer", "/events").close()
	h.expect(200, "", "viewer", "HEAD", "/events", "")
	for _, query := range []string{"since=x", "since=-1", "role=boss", "kind=none", "requirement=", "requirement=REQ-010", "since=1&since=2"} {
		h.expect(400, "invalid_parameter", "viewer", "GET", "/events?"+query, "")
	}
	h.expect(400, "invalid_parameter", "viewer", "GET", "/events", "", "Last-Event-ID", "x")
	h.expect(404, "beyond_log", "viewer", "GET", "/events?since=99", "")
	h.expect(404, "beyond_log", "viewer", "GET", "/events", "", "Last-Event-ID", "99")
	h.expect(406, "not_acceptable", "viewer", "GET", "/events", "", "Accept", "application/json")
	etag := h.do("viewer", "GET", one, "").Header.Get("ETag")
	for _, wait := range []string{"", "30", "-1s", "61s", "1h", "soon", "1s&wait=2s"} {
		h.expect(400, "invalid_parameter", "viewer", "GET", one+"?wait="+wait, "", "If-None-Match", etag)
	}
	for _, path := range []string{one, "/next", one + "/next"} {
		h.expect(400, "invalid_parameter", "viewer", "GET", path+"?wait=30s", "")
	}
	for range 128 {
		h.follow("coder", "/events")
	}
	h.expect(429, "too_many_streams", "coder", "GET", "/events", "")
	close(h.Stopping)
	h.expect(503, "service_stopping", "viewer", "GET", "/events", "")
}
