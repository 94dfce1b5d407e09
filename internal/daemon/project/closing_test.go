package project

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// What was opened last may rest on all that was opened before.
func TestEverythingIsClosedInReverse(t *testing.T) {
	var opened closing
	var closed []string
	failed := errors.New("the repository does not close")
	for _, name := range []string{"database", "files", "repository"} {
		opened.add(func() error {
			closed = append(closed, name)
			if name == "repository" {
				return failed
			}
			return nil
		})
	}
	require.ErrorIs(t, opened.close(), failed)
	require.Equal(t, []string{"repository", "files", "database"}, closed)
}
