package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// A store that nobody writes to finds out, too, that commits were lost: who only reads would wait for ever for a server
// that has them.
//
// Verifies: ORC-343
func TestAReaderFindsOutThatCommitsWereLost(t *testing.T) {
	primary := pgtest.Start(t)
	link, network := pgtest.Proxy(t, primary), pgtest.Proxy(t, primary)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "late", Via: link})
	s, err := pgstore.Open(t.Context(), network.URL(""), pgstore.Options{Patience: 2 * time.Second})
	require.NoError(t, err)
	defer func() { _ = s.Close() }() // it has failed
	put := func(value string) {
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("t", "k", []byte(value)) }))
	}
	newest := func() (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		raw, err := s.Newest(ctx, "t", "k")
		return string(raw), err
	}
	put("kept")
	rev := func(of *postgres.Server) string {
		at, _ := of.SQL(t.Context(), "", "SELECT rev FROM orchestrator.head") // at first the standby has no such table
		return at
	}
	require.Eventually(t, func() bool { return rev(standby) != "" && rev(standby) == rev(primary) }, time.Minute,
		10*time.Millisecond)
	link.Hold()
	put("lost")
	got, err := newest()
	require.NoError(t, err)
	require.Equal(t, "lost", got)

	require.NoError(t, primary.Kill())
	require.NoError(t, standby.Promote(t.Context()))
	network.Aim(standby)
	network.Reset()
	require.Eventually(t, func() bool {
		_, err := newest()
		return fault.Is(err, pgstore.CodeRolledBack)
	}, time.Minute, time.Millisecond)
	<-s.Failed()
}

// A commit of which nobody says for long whether it took place ends the store: who goes on would answer by a guess.
//
// Verifies: ORC-342
func TestADoubtThatLastsEndsTheStore(t *testing.T) {
	primary := pgtest.Start(t)
	link := pgtest.Proxy(t, primary)
	pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true, Via: link})
	s, err := pgstore.Open(t.Context(), primary.URL(""), pgstore.Options{Doubt: 4 * time.Second})
	require.NoError(t, err)
	require.NoError(t, put(s, "a", "1"))
	link.Hold()
	require.ErrorIs(t, put(s, "a", "2"), store.ErrCommit)
	require.ErrorIs(t, s.Err(), store.ErrCommit)
	<-s.Failed()
	link.Heal()
	require.ErrorIs(t, put(s, "b", "1"), store.ErrCommit, "it may be there or not")
	_, err = s.Newest(t.Context(), "t", "a")
	require.ErrorIs(t, err, store.ErrCommit)
	require.NoError(t, s.Close())
	require.Empty(t, get(t, open(t, primary.URL(""), pgstore.Options{}), "b"))
}

// An older copy may come into the schema of a server that stays, such as from a dump: no connection breaks then.
//
// Verifies: ORC-343
func TestAnOlderCopyInTheSchemaIsFound(t *testing.T) {
	server := pgtest.Start(t)
	for schema, find := range map[string]func(*pgstore.Store) error{
		"writing": func(s *pgstore.Store) error { return put(s, "b", "1") },
		"looking": func(s *pgstore.Store) error {
			return s.Update(t.Context(), func(tx store.Tx) error { _, err := tx.Get("t", "c"); return err })
		},
		"reading": func(s *pgstore.Store) error { _, err := s.Newest(t.Context(), "t", "a"); return err },
	} {
		t.Run(schema, func(t *testing.T) {
			s := openHasty(t, server.URL("")+"&search_path="+schema)
			require.NoError(t, put(s, "a", "1"))
			require.NoError(t, put(s, "a", "2"))
			_, err := server.SQL(t.Context(), "", "UPDATE "+schema+".head SET rev = rev - 1, nonce = 'older'")
			require.NoError(t, err)
			require.Eventually(t, func() bool { return fault.Is(find(s), pgstore.CodeRolledBack) }, 20*time.Second,
				time.Millisecond)
			<-s.Failed()
		})
	}
}
