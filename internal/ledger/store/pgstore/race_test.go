package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// behind returns the URL of the same schema behind a network, and the network.
func behind(t *testing.T, url string) (string, *postgres.Proxy) {
	t.Helper()
	way := pgtest.Proxy(t, pgtest.Shared(t))
	return pgtest.With(t, way.URL(""), "search_path", schemaOf(url)), way
}

// A change that has lost a race, and is refused when it runs again, leaves nothing of what it wrote: neither what it
// put nor what it deleted, nor the first pieces of what is too much for one statement.
//
// Verifies: ORC-341, ORC-342
func TestTrapLostRaceLeavesNothing(t *testing.T) {
	large := bytes.Repeat([]byte("x"), pgstore.MaxPiece/2+1)
	for name, values := range map[string][][]byte{"at once": {[]byte("x")}, "in pieces": {large, large}} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.URL(t)
			through, way := behind(t, url)
			s, other := open(t, through, pgstore.Options{}), open(t, url, pgstore.Options{})
			errClosed := errors.New("the gate is closed")
			passes := func(tx store.Tx) error {
				gate, err := tx.Get("t", "gate")
				if err == nil && gate != nil {
					err = errClosed
				}
				return err
			}
			require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
				return errors.Join(passes(tx), tx.Put("t", "kept", []byte("1")))
			}))
			var race sync.Once
			err := s.Update(t.Context(), func(tx store.Tx) error {
				if err := passes(tx); err != nil {
					return err
				}
				for i, value := range values {
					if err := tx.Put("pieces", fmt.Sprint(i), value); err != nil {
						return err
					}
				}
				err := tx.Delete("t", "kept")
				race.Do(func() { err = errors.Join(err, put(other, "gate", "closed")) })
				return err
			})
			require.ErrorIs(t, err, errClosed)
			require.Equal(t, "1", get(t, other, "kept"))
			require.NoError(t, other.View(t.Context(), func(r store.Reader) error {
				return r.Scan("pieces", "", "", func(key string, _ []byte) error { return errors.New(key) })
			}))
			way.Reset()
			require.NoError(t, put(s, "kept", "2"), "it still finds its own last commit")
		})
	}
}

// A change that reads one value after another sees them as they are at one commit, however many there are.
//
// Verifies: ORC-341
func TestTrapCommitBetweenReads(t *testing.T) {
	const keys = 8
	for _, between := range []int{1, 6} { // while what is missing is collected, and after that
		url := pgtest.URL(t)
		s, other := open(t, url, pgstore.Options{}), open(t, url, pgstore.Options{})
		set := func(value string) error {
			return other.Update(context.Background(), func(tx store.Tx) (err error) {
				for i := range keys {
					err = errors.Join(err, tx.Put("t", fmt.Sprint(i), []byte(value)))
				}
				return err
			})
		}
		require.NoError(t, set("old"))
		came := false
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
			var seen []string
			for i := range keys {
				if i == between && !came {
					came = true
					if err := set("new"); err != nil {
						return err
					}
				}
				value, err := tx.Get("t", fmt.Sprint(i))
				if err != nil {
					return err
				}
				if value == nil {
					return errors.New("it is not known yet")
				}
				seen = append(seen, string(value))
			}
			return tx.Put("t", "seen", []byte(strings.Join(slices.Compact(seen), ", then ")))
		}))
		require.Equal(t, "new", get(t, other, "seen"))
	}
}

// What was known before a connection broke is not what is there now.
//
// Verifies: ORC-341, ORC-342
func TestTrapCommitWhileDisconnected(t *testing.T) {
	url := pgtest.URL(t)
	through, way := behind(t, url)
	s, other := open(t, through, pgstore.Options{}), open(t, url, pgstore.Options{})
	for n := 1; n < 10; n += 2 {
		got, err := add(s, "n")
		require.NoError(t, err)
		require.Equal(t, n, got)
		got, err = add(other, "n")
		require.NoError(t, err)
		require.Equal(t, n+1, got)
		way.Reset()
	}
}

// untilSomebodyWaits keeps a transaction open until another waits for it, though not for ever.
const untilSomebodyWaits = `DO $$ BEGIN
FOR i IN 1..500 LOOP
    PERFORM pg_sleep(0.02), pg_stat_clear_snapshot();
    EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock');
END LOOP;
END $$`

// A commit of another that is under way while a process joins the writers, comes before or after that.
//
// Verifies: ORC-341, ORC-342
func TestTrapCommitWhileJoining(t *testing.T) {
	url := pgtest.URL(t)
	through, way := behind(t, url)
	s := open(t, through, pgstore.Options{})
	n, err := add(s, "n")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	schema := schemaOf(url)
	other := make(chan string, 1)
	go func() {
		out, err := pgtest.Shared(t).SQL(context.Background(), "", "SET search_path = "+schema, "BEGIN",
			"UPDATE head SET rev = rev + 1, nonce = 'other'", "UPDATE entries SET value = '10' WHERE key = 'n'",
			untilSomebodyWaits, "COMMIT")
		other <- fmt.Sprint(out, err)
	}()
	awaitQuery(t, pgtest.Shared(t), "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", "t")
	way.Reset()
	n, err = add(s, "n")
	require.NoError(t, err)
	require.Equal(t, 11, n)
	require.Equal(t, "<nil>", <-other)
}

// A lease that no standby is known to have is not given: a standby that is promoted would give it to another.
//
// Verifies: ORC-342, ORC-344
func TestTrapCancelledLease(t *testing.T) {
	primary := pgtest.Start(t)
	link := pgtest.Proxy(t, primary)
	pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true, Via: link})
	s := open(t, primary.URL(""), pgstore.Options{Patience: time.Minute, Doubt: 2 * time.Minute})
	link.Hold()
	done := make(chan error, 1)
	go func() {
		_, err := s.Acquire(t.Context(), "duty", "me", time.Hour)
		done <- err
	}()
	awaitQuery(t, primary, "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "t")
	pgtest.Exec(t, primary, "", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	require.ErrorIs(t, <-done, store.ErrHeld, "it may be there, and nobody knows of it")
	link.Heal()
}

// Patience ends the wait of a change that has not been run. One that runs is answered with its outcome alone.
//
// Verifies: ORC-342, ORC-345
func TestPatienceEndsNothingThatRuns(t *testing.T) {
	s := open(t, pgtest.URL(t), pgstore.Options{Patience: time.Second})
	require.NoError(t, put(s, "a", "1"))
	runs, let := make(chan struct{}), make(chan struct{})
	var once sync.Once
	done := make(chan error, 1)
	go func() {
		done <- s.Update(context.Background(), func(tx store.Tx) error {
			once.Do(func() { close(runs) })
			<-let
			return tx.Put("t", "a", []byte("2"))
		})
	}()
	<-runs
	waited := put(s, "b", "1")
	require.True(t, fault.Is(waited, "store_unreachable"), "%v", waited)
	require.Empty(t, done, "it may take place")
	close(let)
	require.NoError(t, <-done)
	require.NoError(t, put(s, "c", "1")) // what waited before has been taken from the queue
	require.Equal(t, "2", get(t, s, "a"))
	require.Empty(t, get(t, s, "b"), "it was refused")
}
