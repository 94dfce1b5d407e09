package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// A URL of the shared server reaches no other test.
func TestURL(t *testing.T) {
	one, other := pgtest.URL(t), pgtest.URL(t)
	require.NotEqual(t, one, other)
	s := pgtest.Shared(t)
	name := pgtest.Database(t, s)
	require.Equal(t, []string{name + "|1"}, pgtest.Query(t, s, name, "SELECT current_database(), 1"))
}

// Verifies: ORC-348
func TestStandbyIsPromoted(t *testing.T) {
	primary := pgtest.Start(t)
	pgtest.Exec(t, primary, "", "CREATE TABLE t (n int)")
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true})
	pgtest.Exec(t, primary, "", "INSERT INTO t VALUES (1)")
	require.NoError(t, primary.Kill())
	require.NoError(t, standby.Promote(t.Context()))
	pgtest.Exec(t, standby, "", "INSERT INTO t VALUES (2)")
	require.Equal(t, []string{"1", "2"}, pgtest.Query(t, standby, "", "SELECT n FROM t ORDER BY n"))
}

func TestKilledServerResumes(t *testing.T) {
	s := pgtest.Start(t)
	pgtest.Exec(t, s, "", "CREATE TABLE t (n int)", "INSERT INTO t VALUES (1)")
	require.NoError(t, s.Kill())
	_, err := s.SQL(t.Context(), "", "SELECT 1")
	require.Error(t, err)
	require.NoError(t, s.Resume(t.Context()))
	require.Equal(t, []string{"1"}, pgtest.Query(t, s, "", "SELECT n FROM t"))
	require.NoError(t, s.Halt())
	require.NoError(t, s.Halt(), "it does not run")
	require.NoError(t, s.Resume(t.Context()))
}

// A standby that the network cut off knows nothing of what came after.
func TestProxyHoldsAndHeals(t *testing.T) {
	primary := pgtest.Start(t)
	proxy := pgtest.Proxy(t, primary)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Via: proxy})
	proxy.Hold()
	pgtest.Exec(t, primary, "", "CREATE TABLE t (n int)")
	require.Equal(t, []string{"f"}, pgtest.Query(t, standby, "", "SELECT to_regclass('t') IS NOT NULL"))
	proxy.Heal()
	require.Eventually(t, func() bool {
		return pgtest.Query(t, standby, "", "SELECT to_regclass('t') IS NOT NULL")[0] == "t"
	}, time.Minute, 10*time.Millisecond)
}

func TestProxyIsSlowAndBreaks(t *testing.T) {
	s := pgtest.Start(t)
	proxy := pgtest.Proxy(t, s)
	ask := func(limit time.Duration) (time.Duration, error) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		began := time.Now()
		_, err := s.SQLAt(ctx, proxy.URL(""), "SELECT 1")
		return time.Since(began), err
	}
	_, err := ask(time.Minute)
	require.NoError(t, err)
	proxy.Delay(50 * time.Millisecond)
	took, err := ask(time.Minute)
	require.NoError(t, err)
	require.Greater(t, took, 200*time.Millisecond, "to connect and to ask are two round trips at least")
	proxy.Delay(0)
	proxy.Hold()
	_, err = ask(300 * time.Millisecond)
	require.Error(t, err)
	proxy.Heal()
	_, err = ask(time.Minute)
	require.NoError(t, err)
	proxy.Cut()
	_, err = ask(time.Minute)
	require.Error(t, err)
	proxy.Heal()
	_, err = ask(time.Minute)
	require.NoError(t, err)
}
