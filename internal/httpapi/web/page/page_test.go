package page

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysOfForms(t *testing.T) {
	require.Regexp(t, "^[a-z2-7]{26}$", NewKey(), "no key looks like that of a cloud")
	require.NotEqual(t, NewKey(), NewKey())
}
