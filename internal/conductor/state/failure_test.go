package state

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestAFailureHasTheRefusalOfAChange(t *testing.T) {
	refusal := fault.New(fault.Conflict, "gate_unmet", "it lacks something").WithFix("supply it").
		WithFields(fault.Field{Pointer: "/status", Code: "approval", Detail: "there is none", Example: `{}`})
	refusal.Current = &fault.Current{Status: "tested_pass", Revision: 7}
	failure := FailureOf(fmt.Errorf("so: %w", RefusedChange(refusal)))
	require.Equal(t, "it lacks something (/status there is none)", failure.Detail)
	require.Equal(t, refusal.Detail, failure.Refusal.Detail)
	require.Equal(t, refusal.Current, failure.Refusal.Current)
	require.Empty(t, failure.Refusal.Fields[0].Example, "it is for an answer alone")
	require.NotEmpty(t, refusal.Fields[0].Example, "what was given is as it was")

	alone, separate := failure.Separate()
	require.Same(t, failure.Refusal, separate)
	require.Equal(t, &Failure{Code: "gate_unmet", Detail: failure.Detail, Fix: "supply it"}, alone)
	again, none := alone.Separate()
	require.Same(t, alone, again)
	require.Nil(t, none)
}

func TestAFailureOfTheServiceRefusesNoChange(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Unavailable, fault.Internal, fault.InsufficientStorage, fault.RateLimited} {
		require.Nil(t, FailureOf(RefusedChange(fault.New(kind, "code", "detail"))).Refusal, kind)
	}
	require.Equal(t, fault.Code("tool_failed"), FailureOf(RefusedChange(errors.New("broken"))).Code)
	require.Equal(t, fault.Code("tool_timeout"), FailureOf(context.DeadlineExceeded).Code)
	require.Nil(t, FailureOf(WithFields(fault.New(fault.Conflict, "no_evidence", "there is none"))).Refusal)
}
