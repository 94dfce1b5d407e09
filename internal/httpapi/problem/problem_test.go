package problem

import (
	"errors"
	"net/http"
	"testing"
	"time"

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
