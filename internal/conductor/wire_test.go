package conductor

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/outside"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// promising is an outside tool that has to answer with a value, "right", and has input n.
func promising(i planning.Implementation, change ...func(*fake)) fake {
	f := outsideTool("t.a", i)
	withInput("n")(&f)
	f.contract.Produces = map[string]any{"type": "object", "required": []any{"value"}, "properties": map[string]any{"value": map[string]any{"type": "string"}}}
	f.contract.Postconditions = []string{`result.value == "right"`}
	for _, c := range change {
		c(&f)
	}
	return f
}

func within(ms int) func(*fake) { return func(f *fake) { f.contract.TimeoutMS = ms } }

// another is the tool that comes next, where the first does not do.
func another() fake {
	return named("t.b", "REPORT(k.x)", func(f *fake) { f.contract.Reliability = planning.Low })
}

// escalated conducts with a tool that does not do: its run says why, and the next tool answers.
func escalated(t *testing.T, first fake, status, code, says string) {
	t.Helper()
	began := time.Now()
	trace := conductorOf(t, store.NewMemory(), first, another()).conduct(ob(planning.Report, "k.x", "n", 7))
	require.Less(t, time.Since(began), time.Minute, "nobody waits for what outside tools may take")
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	require.Equal(t, "t.b", trace.Answers[0].Result["value"], "the next answers")
	of := trace.Obligations[0]
	require.Len(t, of.Runs, 2)
	require.Equal(t, []string{"t.a", status}, []string{of.Runs[0].Tool, of.Runs[0].Status})
	require.Contains(t, of.Candidates[0].Reason, says)
	if code != "" {
		require.Equal(t, code, string(of.Runs[0].Error.Code), of.Runs[0].Error.Detail)
		require.NotEmpty(t, of.Runs[0].Error.Fix)
		require.Nil(t, of.Runs[0].Result)
	}
	alone := conductorOf(t, store.NewMemory(), first).conduct(ob(planning.Report, "k.x", "n", 7))
	require.Equal(t, planning.OutFailed, alone.Status)
	require.Empty(t, alone.Answers)
	require.Equal(t, planning.Justify, alone.Obligations[0].Emitted[0].Obligation.Type)
}

// serving is a server of this test, and the means to call it.
func serving(t *testing.T, handler http.HandlerFunc) planning.Implementation {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return planning.Implementation{Means: planning.HTTP, URL: server.URL + "/tool"}
}

func answering(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// never answers; the body is read, since a server does not see otherwise that its caller has gone.
func never(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestAToolOverHTTP(t *testing.T) {
	var got struct {
		Run        string              `json:"run"`
		Obligation planning.Obligation `json:"obligation"`
		Inputs     map[string]any      `json:"inputs"`
		Caller     Caller              `json:"caller"`
	}
	i := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut || json.NewDecoder(r.Body).Decode(&got) != nil {
			w.WriteHeader(http.StatusTeapot)
		}
		answering(200, `{"value":"right","digits":12345678901234567890}`)(w, r)
	})
	i.Method = http.MethodPut
	trace := conductorOf(t, store.NewMemory(), promising(i), another()).conduct(ob(planning.Report, "k.x", "n", 7))
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	require.Equal(t, "k.x: digits 12345678901234567890; value right (not verified)", trace.Answers[0].Text)
	of := trace.Obligations[0]
	require.Len(t, of.Runs, 1)
	require.Equal(t, state.RunDone, of.Runs[0].Status)
	require.True(t, of.Runs[0].Postconditions[0].Holds)
	require.Equal(t, byNothing, of.Verified.By)
	require.Equal(t, trace.ID+"/o1/1", got.Run)
	require.Equal(t, "REPORT(k.x)", got.Obligation.String())
	require.Equal(t, map[string]any{"n": 7.0}, got.Inputs)
	require.Equal(t, ada, got.Caller)
}

// Verifies: ORC-281
func TestToolsOverHTTPThatDoNotDo(t *testing.T) {
	var reached atomic.Int64
	other := serving(t, func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		answering(200, `{"value":"right"}`)(w, r)
	})
	const closed = "http://127.0.0.1:1" // no server of a test gets this port, as it may that of one that was closed
	for name, c := range map[string]struct {
		i                  planning.Implementation
		status, code, says string
	}{
		"another answer":       {serving(t, answering(200, `{"value":"wrong"}`)), state.RunRefused, "", `result.value == "right" does not hold`},
		"not what it promises": {serving(t, answering(200, `{"value":7}`)), state.RunRefused, "", "result does not match the contract's schema"},
		"no object":            {serving(t, answering(200, `["right"]`)), state.RunFailed, "tool_answer", "one JSON object"},
		"a name twice":         {serving(t, answering(200, `{"value":"wrong","value":"right"}`)), state.RunFailed, "tool_answer", "one JSON object"},
		"nothing":              {serving(t, answering(204, "")), state.RunFailed, "tool_answer", "one JSON object"},
		"too much":             {serving(t, answering(200, `{"value":"right"}`+strings.Repeat(" ", 1<<20))), state.RunFailed, "tool_output_too_large", "1048576"},
		"500":                  {serving(t, answering(500, `{"value":"right"}`)), state.RunFailed, "tool_status", "500 Internal Server Error"},
		"another host": {serving(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}), state.RunFailed, "redirect_refused", "which is not declared"},
		"metadata": {planning.Implementation{Means: planning.HTTP, URL: "http://169.254.169.254/latest"}, state.RunFailed, "host_refused", "169.254.169.254"},
		"nobody":   {planning.Implementation{Means: planning.HTTP, URL: closed}, state.RunFailed, "tool_unreachable", "did not answer"},
	} {
		t.Run(name, func(t *testing.T) { escalated(t, promising(c.i), c.status, c.code, c.says) })
	}
	require.Zero(t, reached.Load())
	slow := serving(t, never)
	escalated(t, promising(slow, within(150)), state.RunFailed, "tool_timeout", "it failed")
}

// The time of a request bounds a tool that would take longer.
func TestATimeBudgetEndsACall(t *testing.T) {
	slow := serving(t, never)
	var trace Trace
	began := func() bool { return len(trace.Obligations) > 0 && len(trace.Obligations[0].Runs) > 0 }
	for ms := 250; ms < 60_000 && !began(); ms *= 2 { // a slow machine needs longer to begin the call
		b := conductorOf(t, store.NewMemory(), promising(slow), another())
		b.Clock = time.Now
		var err error
		trace, err = b.Conduct(t.Context(), ada, planning.Request{
			Obligations: []planning.Obligation{ob(planning.Report, "k.x", "n", 7)}, Budgets: planning.Budgets{TimeMS: ms},
		})
		require.NoError(t, err)
	}
	require.True(t, began(), "within the minute that the tool alone may take")
	require.Equal(t, planning.OutTruncated, trace.Status)
	require.Equal(t, "tool_timeout", string(trace.Obligations[0].Runs[0].Error.Code))
	require.Len(t, trace.Obligations[0].Runs, 1, "for the next there is no time left")
}

// A call that was under way when the service ended is made again only where the contract says that it may be.
func TestACallThatWasCutOff(t *testing.T) {
	for idempotent, want := range map[bool]planning.Outcome{true: planning.OutResolved, false: planning.OutFailed} {
		var calls atomic.Int64
		var b bench
		var runs []string
		i := serving(t, func(w http.ResponseWriter, r *http.Request) {
			var got outside.Call
			_ = json.NewDecoder(r.Body).Decode(&got)
			runs = append(runs, got.Run)
			if calls.Add(1) == 1 {
				b.stop()
				never(w, r)
				return
			}
			answering(200, `{"value":"right"}`)(w, r)
		})
		s := store.NewMemory()
		tool := promising(i, func(f *fake) { f.contract.Idempotent = idempotent })
		b = conductorOf(t, s, tool)
		_, err := b.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{ob(planning.Report, "k.x", "n", 7)}})
		require.Error(t, err)
		b = conductorOf(t, s, tool)
		left, err := b.Unfinished(t.Context())
		require.NoError(t, err)
		trace, err := b.Resume(t.Context(), left[0])
		require.NoError(t, err)
		require.Equal(t, want, trace.Status)
		if !idempotent {
			require.Equal(t, "outcome_unknown", string(trace.Obligations[0].Runs[0].Error.Code))
			require.EqualValues(t, 1, calls.Load())
			continue
		}
		require.Len(t, runs, 2)
		require.Equal(t, runs[0], runs[1], "by which the server knows that it is the same")
	}
}
