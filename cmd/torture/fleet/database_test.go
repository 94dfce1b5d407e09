package fleet

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// newDatabase starts a database, where there is PostgreSQL.
func newDatabase(t *testing.T, o StandbyOptions) *Database {
	t.Helper()
	d, err := NewDatabase(t.Context(), os.TempDir(), o, "fsync=off")
	if errors.Is(err, postgres.ErrMissing) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// A synchronous standby has every commit, and so has the one that takes its place; one that is behind has not.
func TestTheDatabaseFailsOver(t *testing.T) {
	for name, c := range map[string]struct {
		standby StandbyOptions
		want    string
	}{
		"synchronous":       {StandbyOptions{Synchronous: true}, "3"},
		"late asynchronous": {StandbyOptions{Behind: 3 * time.Second}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDatabase(t, c.standby)
			network, err := d.Network()
			require.NoError(t, err)
			ask := func(statements ...string) (string, error) {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				return d.Primary.SQLAt(ctx, network.URL(""), statements...)
			}
			_, err = ask("CREATE TABLE t AS SELECT generate_series(1, 3) AS n")
			require.NoError(t, err)
			for range 2 {
				old := d.Primary
				promoted, err := d.FailOver(t.Context())
				require.NoError(t, err)
				require.WithinDuration(t, time.Now(), promoted, time.Minute)
				require.NotSame(t, old, d.Primary)
				got, err := ask("SELECT count(*) FROM t")
				require.Equal(t, c.want, got)
				require.Equal(t, c.want == "", err != nil, err)
				if c.want == "" {
					return
				}
				require.NoError(t, d.Renew(t.Context()))
			}
		})
	}
}
