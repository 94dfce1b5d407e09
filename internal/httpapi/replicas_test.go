package httpapi_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/rules/lifecycle"
)

// pair starts two replicas of one store, of which the first is on duty.
func pair(t *testing.T, choose ...func(*options)) (duty, other *harness, g *group) {
	t.Helper()
	hub := storetest.NewHub()
	g = &group{}
	start := func(name string, more ...func(*options)) (h *harness) {
		m := member{g, func() string { return h.Server.URL }}
		h = newHarness(t, append(append([]func(*options){func(o *options) {
			o.Store, o.Replica = hub.Open(), &httpapi.Replica{Name: name, Duty: m, StaleReads: g.stale}
		}}, choose...), more...)...)
		return h
	}
	duty = start("duty")
	g.set(func(g *group) { g.holder = duty.Server.URL })
	other = start("other", func(o *options) { o.TokensOf = duty })
	return duty, other, g
}

// What one replica has acknowledged, the other answers with, whichever was asked.
//
// Verifies: ORC-354
func TestEachReplicaAnswersWithWhatTheOtherHasAcknowledged(t *testing.T) {
	duty, other, _ := pair(t)
	for i, on := range []*harness{duty, other, duty, other, other, duty} {
		changed := on.patch("pm", `{"pm_notes":[{"text":"one more"}]}`)
		for _, h := range []*harness{duty, other} {
			got := h.expect(200, "", "viewer", "GET", one, "")
			require.Equal(t, changed.Header.Get("ETag"), got.Header.Get("ETag"))
			require.Len(t, got.json(t)["pm_notes"], i+1)
		}
	}
	key := []string{"Idempotency-Key", "k"}
	first := duty.patch("pm", `{"pm_notes":[{"text":"once"}]}`, key...)
	again := other.patch("pm", `{"pm_notes":[{"text":"once"}]}`, key...)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replay"))
	require.Equal(t, first.Body, again.Body)
}

// What only the replica on duty does is asked of the other, by a program, an agent and a person; the other shows what
// came of it at once.
//
// Verifies: ORC-357, ORC-358
func TestWhatOneReplicaDoesIsAskedOfTheOther(t *testing.T) {
	duty, other, g := pair(t)
	duty.write(sample + "\n## REQ-004: More\n\nMore.\n")
	report := other.expect(200, "", "pm", "POST", "/project/import", "")
	require.Contains(t, string(report.Body), `"id":"REQ-004"`, "the documents are those of the replica on duty")
	require.Len(t, other.expect(200, "", "pm", "GET", "/requirements", "").json(t)["requirements"], 4)

	run := other.expect(200, "", "pm", "POST", "/obligations", obligation("query.math", `"expr":"2+3"`)).json(t)["id"].(string)
	trace := other.expect(200, "", "pm", "GET", "/traces/"+run, "")
	require.Equal(t, duty.do("pm", "GET", "/traces/"+run, "").Body, trace.Body)
	other.expect(200, "", "viewer", "POST", "/requests", `{"utterance":"what is 2+2"}`)
	other.expect(200, "", "pm", "POST", "/obligations?plan=true", obligation("query.math", `"expr":"2+3"`))
	other.expect(400, "invalid_query", "pm", "POST", "/project/import?%zz", "")
	other.expect(403, "role_forbidden", "coder", "POST", "/project/import", "")
	other.expect(413, "body_too_large", "pm", "POST", "/obligations", strings.Repeat(" ", 2<<20))
	other.expect(200, "", "pm", "GET", "/boundary/report", "")
	other.expect(200, "", "pm", "HEAD", "/boundary/report", "")
	same := other.expect(200, "", "pm", "GET", "/project/import", "").Header.Get("ETag")
	other.expect(304, "", "pm", "GET", "/project/import", "", "If-None-Match", same)

	_, text := other.speak("pm", "", nil).use("ask", some{"utterance": "what is 2+2"})
	require.Contains(t, text, "4")
	b := other.browse().signIn("pm")
	require.Equal(t, 200, b.visit("/ui/boundary/report", nil).status, b.page)
	require.Contains(t, b.page, "validate")

	g.set(func(g *group) { g.holder = "" })
	time.Sleep(200 * time.Millisecond)
	refused := other.expect(503, "duty_vacant", "pm", "POST", "/project/import", "")
	require.Equal(t, "1", refused.Header.Get("Retry-After"))
	require.Equal(t, 503, b.visit("/ui/boundary/report", nil).status)
	require.Equal(t, 200, b.visit("/ui/", nil).status, "pages of what each replica has are there")
}

// A request that is passed on counts against the limit of the replica that was asked, whose figures its client sees.
func TestARequestThatIsPassedOnCountsWhereItWasAsked(t *testing.T) {
	duty, other, _ := pair(t)
	got := other.expect(200, "", "pm", "GET", "/boundary/report", "")
	require.Len(t, got.Header["Ratelimit"], 1)
	require.Len(t, got.Header["X-Request-Id"], 1)
	require.NotEmpty(t, duty.do("pm", "GET", "/boundary/report", "").Header["Ratelimit"])
}

// Reads that may be stale see what their client names.
//
// Verifies: ORC-355
func TestAStaleReadSeesWhatItNames(t *testing.T) {
	duty, other, _ := pair(t, func(o *options) { o.Replica.StaleReads = time.Hour })
	var late atomic.Int64
	for i := range 20 {
		receipt := duty.patch("pm", `{"pm_notes":[{"text":"n"}]}`).Header.Get("Audit-Receipt")
		size, _, _ := strings.Cut(strings.TrimPrefix(receipt, "size="), ",")
		if len(other.do("pm", "GET", one, "").json(t)["pm_notes"].([]any)) <= i {
			late.Add(1)
		}
		got := other.expect(200, "", "pm", "GET", one, "", "If-Log-At-Least", size)
		require.Len(t, got.json(t)["pm_notes"], i+1)
	}
	t.Logf("%d of 20 reads that named nothing did not have the change yet", late.Load())
}

// An expired or foreign token is refused where it is shown, and nothing is passed on for it.
func TestNothingIsPassedOnForAStranger(t *testing.T) {
	duty, other, _ := pair(t)
	before := duty.Ledger.Head().Size
	other.expect(401, "token_unknown", "", "POST", "/project/import", "", "Authorization", "Bearer orc_pm_guess")
	other.expect(401, "token_missing", "", http.MethodPost, "/drive", "{}")
	other.addTokenUntil("late", lifecycle.PM, time.Now().Add(-time.Hour), time.Now().Add(-2*time.Hour))
	other.expect(401, "token_expired", "late", "POST", "/project/import", "")
	require.Equal(t, before, duty.Ledger.Head().Size)
	require.Contains(t, string(other.do("", "GET", "/metrics", "").Body), `orchestrator_replica_passed_requests{replica="other"} 0`)
}
