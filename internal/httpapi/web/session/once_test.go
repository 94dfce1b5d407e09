package session_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/session"
)

// Verifies: ORC-332
func TestAFormIsCarriedOutOnce(t *testing.T) {
	var s session.Session
	var times atomic.Int64
	act := func() (any, error) { return fmt.Sprint("outcome ", times.Add(1)), nil }
	var clicks sync.WaitGroup
	for range 8 {
		clicks.Go(func() {
			outcome, err := s.Once("k", act)
			require.NoError(t, err)
			require.Equal(t, "outcome 1", outcome)
		})
	}
	clicks.Wait()
	for i := range 2 {
		outcome, err := s.Once("", act)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint("outcome ", i+2), outcome, "a form without a key is carried out each time")
	}
}

func TestARefusedFormMayBeSentAgain(t *testing.T) {
	var s session.Session
	refused := errors.New("refused")
	_, err := s.Once("k", func() (any, error) { return nil, refused })
	require.ErrorIs(t, err, refused)
	outcome, err := s.Once("k", func() (any, error) { return nil, nil })
	require.NoError(t, err)
	require.Nil(t, outcome, "a trial is remembered no more than a refusal")
	outcome, err = s.Once("k", func() (any, error) { return "done", nil })
	require.NoError(t, err)
	require.Equal(t, "done", outcome)
	for i := range 100 {
		_, err := s.Once(fmt.Sprint(i), func() (any, error) { return "other", nil })
		require.NoError(t, err)
	}
	outcome, err = s.Once("k", func() (any, error) { return "again", nil })
	require.NoError(t, err)
	require.Equal(t, "again", outcome, "64 forms are remembered")
}
