package problem

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestEveryKindHasAStatus(t *testing.T) {
	for _, kind := range fault.Kinds() {
		require.Contains(t, statusOf, kind)
		require.GreaterOrEqual(t, statusOf[kind], 400)
	}
	require.Len(t, statusOf, len(fault.Kinds()))
}

func TestWhatAProblemSaysOfAFailure(t *testing.T) {
	lost := fault.New(fault.Unavailable, "store_lost", "/srv/data/state.db is gone").WithFix("look at /srv")
	hidden := Of(lost, "r-1")
	require.Equal(t, http.StatusServiceUnavailable, hidden.Status)
	require.Equal(t, fault.Code("store_lost"), hidden.Code)
	require.Equal(t, "urn:request:r-1", hidden.Instance)
	require.NotContains(t, hidden.Detail+hidden.Fix, "/srv")

	require.Contains(t, Of(lost.ForClients(), "r-1").Detail, "/srv")

	full := Of(fault.New(fault.InsufficientStorage, "disk_full", "the disk is full"), "r-2")
	require.Equal(t, "the disk is full", full.Detail)
	require.Equal(t, retryWhenFull, full.RetryAfter)

	defect := Of(errors.New("index out of range"), "r-3")
	require.Equal(t, fault.Code("internal"), defect.Code)
	require.NotContains(t, defect.Detail, "index")
}

func TestAProblemOfARequestSaysAllButSecrets(t *testing.T) {
	p := Of(fault.New(fault.Conflict, "transition_illegal", "password=hunter2hunter2hunter2").After(time.Second), "r")
	require.Equal(t, http.StatusConflict, p.Status)
	require.NotContains(t, p.Detail, "hunter2")
	require.Equal(t, time.Second, p.RetryAfter)
}

// TestRefusalsInATraceAreProblems: those of obligations alone, whatever the payloads hold.
func TestRefusalsInATraceAreProblems(t *testing.T) {
	plain := `{"id":"r1","obligations":[{"id":"o1","obligation":{"payload":{"refusal":{"kind":"mine"},"n":12345678901234567890}}}],"refusal":{"a":1}}`
	told, err := Told(jsontext.Value(plain))
	require.NoError(t, err)
	require.Equal(t, plain, string(told))

	refused := fault.New(fault.Conflict, "gate_unmet", "it lacks something").WithFields(fault.Field{Pointer: "/status", Example: `{"n":1}`})
	trace := map[string]any{"obligations": []map[string]any{{"why": "refusal"}, {"refusal": refused.ToKeep()}}}
	const problem = `{"type":"/problems/gate_unmet","title":"Conflict","status":409,"detail":"it lacks something","code":"gate_unmet",` +
		`"retryable":false,"errors":[{"pointer":"/status","detail":""%s}]}`
	for example, live := range map[string][]*fault.Error{"": nil, `,"example":{"n":1}`: {refused.ToKeep()}} {
		told, err = Told(trace, live...)
		require.NoError(t, err)
		require.JSONEq(t, `{"obligations":[{"why":"refusal"},{"refusal":`+fmt.Sprintf(problem, example)+`}]}`, string(told))
	}
	_, err = Told(jsontext.Value(`{"obligations":[{"refusal":{"kind":7}}]}`))
	require.Error(t, err)
	_, err = Told(make(chan int))
	require.Error(t, err)
}
