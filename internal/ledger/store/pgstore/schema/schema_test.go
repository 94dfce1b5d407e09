package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-347
func TestWhichVersionsAreRefused(t *testing.T) {
	for _, c := range []struct {
		at, needed int
		may        Permission
		want       fault.Code
	}{
		{0, 2, Look, CodeMissing}, {0, 2, Create, ""}, {0, 2, Migrate, ""},
		{1, 2, Look, CodeOlder}, {1, 2, Create, CodeOlder}, {1, 2, Migrate, ""},
		{2, 2, Look, ""}, {2, 2, Create, ""}, {2, 2, Migrate, ""},
		{3, 2, Look, CodeNewer}, {3, 2, Create, CodeNewer}, {3, 2, Migrate, CodeNewer},
	} {
		err := judge("orders", c.at, c.needed, c.may)
		if c.want == "" {
			require.NoError(t, err, "%+v", c)
			continue
		}
		require.True(t, fault.Is(err, c.want), "%+v: %v", c, err)
		require.NotEmpty(t, fault.As(err).Fix)
	}
}

func TestMigrationsAreWhole(t *testing.T) {
	require.NotEmpty(t, SQL(0))
	require.Empty(t, SQL(Version))
}
