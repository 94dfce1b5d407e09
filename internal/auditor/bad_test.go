package auditor

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdictOf(t *testing.T) {
	odd := errors.New("the disk is gone")
	for want, errs := range map[Verdict][]error{
		InOrder:    {nil},
		Wrong:      {bad("x", "x"), Finding{odd}, fmt.Errorf("verify: %w", badRecord(7, "x", "x")), errors.Join(Finding{odd}, odd)},
		NotChecked: {odd, errors.Join(odd, odd)},
	} {
		for _, err := range errs {
			require.Equal(t, want, VerdictOf(err), "%v", err)
		}
	}
	require.ErrorIs(t, Finding{odd}, odd)
	require.EqualError(t, Finding{odd}, odd.Error())
}

func TestWhatWasFoundOrGivenUp(t *testing.T) {
	require.True(t, Wrong.Found())
	require.False(t, InOrder.Found() || NotChecked.Found())
	require.True(t, Held{Result: RolledBack}.GivenUp())
	require.False(t, Held{Result: Consistent}.GivenUp())
}
