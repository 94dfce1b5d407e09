package ledger

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

var errProduce, errConsume = errors.New("produce"), errors.New("consume")

// runAhead yields 0 to n-1, fails then, and consumes up to bad. It returns what was consumed and how many were yielded.
func runAhead(ahead, n, bad int, last error) (seen []int, yielded int, err error) {
	err = inTwoSteps(ahead, func(yield func(int) bool) error {
		for i := range n {
			if !yield(i) {
				return nil
			}
			yielded++
		}
		return last
	}, func(i int) error {
		if i == bad {
			return errConsume
		}
		seen = append(seen, i)
		return nil
	})
	return seen, yielded, err
}

func TestTwoStepsKeepOrder(t *testing.T) {
	for _, ahead := range []int{0, 1, 7, 1000} {
		seen, _, err := runAhead(ahead, 500, -1, nil)
		require.NoError(t, err)
		require.Len(t, seen, 500)
		require.IsIncreasing(t, seen)
	}
}

func TestTwoStepsReturnTheFirstErrorInOrder(t *testing.T) {
	seen, _, err := runAhead(1000, 500, -1, errProduce)
	require.ErrorIs(t, err, errProduce)
	require.Len(t, seen, 500, "all that came before the error was looked at")

	seen, yielded, err := runAhead(10, 500, 100, errProduce)
	require.ErrorIs(t, err, errConsume, "it came before")
	require.Len(t, seen, 100)
	require.LessOrEqual(t, yielded, 112, "and nobody goes on for nothing")

	_, _, err = runAhead(0, 0, -1, errProduce)
	require.ErrorIs(t, err, errProduce)
}
