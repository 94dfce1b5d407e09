package tokens

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func TestRevoke(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	made := map[string]string{} // ids by role
	for _, role := range []string{"coder", "tester", "pm"} {
		_, one, err := Add(t.Context(), File(data), Order{Role: role, Name: "ada"}, time.Now())
		require.NoError(t, err)
		made[role] = one.ID
	}
	for _, given := range [][2]string{{"", ""}, {made["pm"], "ada"}} {
		_, err := Revoke(t.Context(), File(data), given[0], given[1])
		require.True(t, fault.Is(err, fault.CodeUsage), "%v", given)
	}
	revoked, err := Revoke(t.Context(), File(data), made["pm"], "")
	require.NoError(t, err)
	require.Len(t, revoked, 1)
	require.Equal(t, "pm", revoked[0].Role)
	_, err = Revoke(t.Context(), File(data), made["pm"], "")
	require.ErrorIs(t, err, fault.NotFound)

	revoked, err = Revoke(t.Context(), File(data), "", "ada")
	require.NoError(t, err)
	require.Len(t, revoked, 2)
	left, err := Open(data).List()
	require.NoError(t, err)
	require.Empty(t, left)
}
