package changing

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/shape"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/rules/lifecycle"
)

const stored = `{"id":"REQ-1","status":"planned","revision":2,"history":[{"revision":2}]}`

func written(t *testing.T, o shape.Wanted, answer requirements.Answer) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	require.NoError(t, Write(w, o, answer))
	require.Equal(t, http.StatusOK, w.Code)
	return w
}

// What was answered before answers said what comes next is given again byte by byte, whatever is wanted now.
func TestAnOldAnswerKeepsItsForm(t *testing.T) {
	old := requirements.Answer{Requirement: []byte(stored), Replayed: true}
	for _, o := range []shape.Wanted{{}, {Prefer: shape.Minimal}, {Fields: []string{"id"}}} {
		w := written(t, o, old)
		require.Equal(t, stored, w.Body.String())
		require.Empty(t, w.Header().Get("Preference-Applied"))
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil)
	require.NoError(t, WriteAttached(w, r, requirements.Attachment{Answer: old, Report: "sha256:ab", Format: "tap"}))
	require.Equal(t, `{"requirement":`+stored+`,"report":"sha256:ab","format":"tap","counts":{"passed":0,"failed":0,"skipped":0},"covers":false,"cited":0,"named":[]}`+"\n", w.Body.String())
}

func TestAnAnswerHasWhatIsWanted(t *testing.T) {
	answer := requirements.Answer{Requirement: []byte(stored), Unchanged: true,
		Outcome: &guidance.Outcome{WaitingFor: []lifecycle.Party{"pm"}, Next: []guidance.Lead{}}}
	for want, o := range map[string]shape.Wanted{
		`{"id":"REQ-1","status":"planned","revision":2,"waiting_for":["pm"],"next":[],"unchanged":true}`:                            {},
		`{"id":"REQ-1","status":"planned","revision":2,"history":[{"revision":2}],"waiting_for":["pm"],"next":[],"unchanged":true}`: {Prefer: shape.Whole},
		`{"id":"REQ-1","history":[{"revision":2}],"unchanged":true}`:                                                                {Fields: []string{"unchanged", "history", "id"}},
	} {
		require.Equal(t, want+"\n", written(t, o, answer).Body.String())
	}
	require.Equal(t, shape.Minimal, written(t, shape.Wanted{Prefer: shape.Minimal}, answer).Header().Get("Preference-Applied"))
}
