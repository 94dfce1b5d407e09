package requirements

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/keptreview"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// ending is a context that is called off when it has been asked a number of times.
type ending struct {
	context.Context

	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestAttemptsAreCountedOnce(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	want := []review.ActorCount{{Name: cody.Name, Role: cody.Role, Refused: 1}, {Name: paula.Name, Role: paula.Role, Accepted: 1}}
	calledOff := 0
	for asked := range 20 {
		if _, err := r.log.Verify(&ending{t.Context(), asked}, r.ledger); err != nil {
			require.ErrorIs(t, err, context.Canceled)
			calledOff++
		}
		log, err := r.log.Verify(t.Context(), r.ledger)
		require.NoError(t, err)
		require.Len(t, log.Imports, 1)
		actors := log.Actors
		for i := range actors {
			actors[i].Codes = nil
		}
		require.Equal(t, want, actors, "a review that was called off, or one more, counts nothing twice")
		if asked < 10 {
			r.log = keptreview.NewLog()
		}
	}
	require.NotZero(t, calledOff)
}

func TestADefectIsNotShown(t *testing.T) {
	require.Nil(t, review.ProblemOf(nil))
	for _, defect := range []error{errors.New("secret"), fault.New(fault.Internal, "oops", "secret")} {
		problem := review.ProblemOf(defect)
		require.Equal(t, fault.Code("internal"), problem.Code)
		require.NotContains(t, problem.Detail+problem.Fix, "secret")
	}
	require.Equal(t, "why", review.ProblemOf(fault.New(fault.Invalid, "code", "why")).Detail)
}

func TestARefusedReportIsNotKept(t *testing.T) {
	small := record.Proposed{Change: []byte("{}"), Looked: &lifecycle.Looked{}, Report: &record.Report{}}.Shortened()
	require.Nil(t, small.Report)
	require.NotNil(t, small.Looked, "without it the refusal could not be decided again")
	large := record.Proposed{Change: []byte(strings.Repeat(" ", record.SmallChange+1)), Looked: &lifecycle.Looked{}}.Shortened()
	require.Nil(t, large.Change)
	require.Nil(t, large.Looked)
	require.Equal(t, record.SmallChange+1, large.Omitted.Bytes)
}
