package linear

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
)

func openAt(t *testing.T, url string) store.Shared {
	t.Helper()
	s, err := pgstore.Open(t.Context(), url, pgstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Verifies: ORC-386
func TestAStoreOnPostgreSQLIsLinearizable(t *testing.T) {
	at := pgtest.URL(t)
	handles := []store.Shared{openAt(t, at), openAt(t, at), openAt(t, at)}
	verdict, why := Check(Store, history(t, handles, 6, 100), time.Minute)
	require.Equal(t, Linearizable, verdict, why)
}

// Verifies: ORC-386
func TestReplicasOnPostgreSQLAreLinearizable(t *testing.T) {
	at := pgtest.URL(t)
	replicas := []*replica{join(t, openAt(t, at), true), join(t, openAt(t, at), true), join(t, openAt(t, at), true)}
	verdict, why := Check(Store, historyOf(t, replicas, 6, 100), time.Minute)
	require.Equal(t, Linearizable, verdict, why)
}

// The control on PostgreSQL: between a commit of one replica and its ring at another, one that does not ask is behind.
//
// Verifies: ORC-386
func TestAReplicaOnPostgreSQLThatDoesNotAskIsFound(t *testing.T) {
	at := pgtest.URL(t)
	proxy := pgtest.Proxy(t, pgtest.Shared(t))
	proxy.Delay(5 * time.Millisecond)
	late := pgtest.With(t, proxy.URL(""), "search_path", schemaOf(t, at))
	replicas := []*replica{join(t, openAt(t, at), true), join(t, openAt(t, late), false)}
	verdict, why := Check(Store, historyOf(t, replicas, 6, 100), time.Minute)
	require.Equal(t, Impossible, verdict)
	require.NotEmpty(t, why)
}

func schemaOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u.Query().Get("search_path")
}
