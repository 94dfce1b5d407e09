package review_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/review/reviewtest"
	"orchestrator/internal/rules/lifecycle"
)

func TestTheStepsLeadToDone(t *testing.T) {
	steps := len(reviewtest.Steps)
	require.Equal(t, lifecycle.Done, reviewtest.Brought(t, reviewtest.Defined(1), steps).Status)
}
