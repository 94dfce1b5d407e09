package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// hasty is a store that gives up early.
var hasty = pgstore.Options{Patience: 500 * time.Millisecond, Doubt: 30 * time.Second}

// A plan that was made while a table was empty stays until it is analysed: it must not be a scan of all.
//
// Verifies: ORC-341
func TestTrapPlanOfAnEmptyTable(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url, pgstore.Options{})
	pgtest.Exec(t, pgtest.Shared(t), "", "VACUUM ANALYZE "+schemaOf(url)+".entries") // known to be empty
	for range 8 {                                                                    // the plan is settled
		_, err := add(s, "n")
		require.NoError(t, err)
		require.Empty(t, get(t, s, "absent"))
	}
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		for i := range 5000 {
			if err := tx.Put("audit", fmt.Sprintf("%06d", i), []byte("x")); err != nil {
				return err
			}
		}
		return nil
	}))
	scanned := func() (rows, lookups string) {
		got := pgtest.Query(t, pgtest.Shared(t), "", "SELECT coalesce(sum(seq_tup_read), 0), "+
			"coalesce(sum(idx_scan), 0) FROM pg_stat_all_tables WHERE schemaname = '"+schemaOf(url)+"' AND relname LIKE 'entries%'")
		rows, lookups, _ = strings.Cut(got[0], "|")
		return rows, lookups
	}
	read := func(i int) {
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			_, err := store.GetMany(r, store.Places("audit", fmt.Sprintf("%06d", i), "absent"))
			return err
		}))
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
			value, err := tx.Get("audit", fmt.Sprintf("%06d", i))
			return errors.Join(err, tx.Put("audit", fmt.Sprintf("%06d", i), append(value, 'y')))
		}))
	}
	report := func() { // a session reports what it did once a second
		time.Sleep(1100 * time.Millisecond)
		read(0)
	}
	report()
	before, used := scanned()
	for i := range 50 {
		read(i)
	}
	report()
	after, now := scanned()
	require.NotEqual(t, used, now, "nothing was counted")
	require.Equal(t, before, after, "rows were read in scans of whole tables")
}

func schemaOf(url string) string {
	_, schema, _ := strings.Cut(url, "search_path=")
	schema, _, _ = strings.Cut(schema, "&")
	return schema
}

// An open snapshot keeps every old version of the head: a View ends in bounded time.
//
// Verifies: ORC-346
func TestTrapOldSnapshot(t *testing.T) {
	s := open(t, pgtest.URL(t), pgstore.Options{MaxView: 300 * time.Millisecond})
	require.NoError(t, put(s, "a", "1"))
	err := s.View(t.Context(), func(r store.Reader) error {
		for {
			if _, err := r.Get("t", "a"); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	require.True(t, fault.Is(err, "store_view"), "%v", err)
	require.Equal(t, "1", get(t, s, "a"))

	for _, reads := range []bool{true, false} {
		stalled := s.View(t.Context(), func(r store.Reader) (err error) {
			if reads {
				_, err = r.Get("t", "a")
			}
			time.Sleep(600 * time.Millisecond) // the server ends it meanwhile
			return err
		})
		require.NoError(t, stalled, "it has read nothing after its time")
	}
	require.Eventually(t, func() bool {
		return pgtest.Query(t, pgtest.Shared(t), "", "SELECT count(*) FROM pg_stat_activity "+
			"WHERE state = 'idle in transaction' AND application_name = 'orchestrator'")[0] == "0"
	}, 10*time.Second, 20*time.Millisecond)
}

// A commit that waits for the standby and is cancelled gives a warning and no error. It is not a success: the store
// moves the head on, which waits for the standby too. It takes place once, however often that is cancelled.
//
// Verifies: ORC-342
func TestTrapCancelledCommit(t *testing.T) {
	primary := pgtest.Start(t)
	link := pgtest.Proxy(t, primary)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true, Via: link})
	s := open(t, primary.URL(""), pgstore.Options{Patience: time.Minute, Doubt: 2 * time.Minute})
	n, err := add(s, "a")
	require.NoError(t, err)
	require.Equal(t, 1, n)

	link.Hold()
	done := make(chan error, 1)
	go func() {
		_, err := add(s, "a")
		done <- err
	}()
	for range 3 {
		awaitQuery(t, primary, "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "t")
		pgtest.Exec(t, primary, "", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	}
	select {
	case err := <-done:
		t.Fatalf("a commit that no standby has was answered with %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	link.Heal()
	require.NoError(t, <-done)
	require.Equal(t, []string{"\\x32"}, pgtest.Query(t, standby, "",
		"SELECT value FROM orchestrator.entries WHERE tbl = 't' AND key = 'a'"), "the standby has it, once")
}

func awaitQuery(t *testing.T, s *postgres.Server, query, want string) {
	t.Helper()
	require.Eventually(t, func() bool { return pgtest.Query(t, s, "", query)[0] == want }, time.Minute,
		5*time.Millisecond, query)
}

// The end of a context does not cancel a commit: that would show a row that the standby lacks.
//
// Verifies: ORC-342
func TestTrapContextEndsInCommit(t *testing.T) {
	primary := pgtest.Start(t)
	link := pgtest.Proxy(t, primary)
	pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true, Via: link})
	s := open(t, primary.URL(""), pgstore.Options{Patience: time.Minute, Doubt: 2 * time.Minute})
	other := open(t, primary.URL(""), pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))

	link.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- putUnder(ctx, s, "a", "2") }()
	awaitQuery(t, primary, "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "t")
	cancel()
	time.Sleep(200 * time.Millisecond)
	require.Equal(t, "1", get(t, other, "a"), "nobody sees what may be lost")
	require.Empty(t, done)
	link.Heal()
	require.NoError(t, <-done, "once run, the outcome is the real one")
	require.Equal(t, "2", get(t, other, "a"))
}

// The driver would cancel what runs on a connection that breaks: that would end the wait for the standby.
//
// Verifies: ORC-342
func TestTrapBrokenConnectionCancelsNothing(t *testing.T) {
	primary := pgtest.Start(t)
	link, way := pgtest.Proxy(t, primary), pgtest.Proxy(t, primary)
	pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true, Via: link})
	s := open(t, way.URL(""), pgstore.Options{Patience: time.Minute, Doubt: 2 * time.Minute})
	other := open(t, primary.URL(""), pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))

	link.Hold()
	done := make(chan error, 1)
	go func() { done <- put(s, "a", "2") }()
	awaitQuery(t, primary, "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "t")
	way.Reset()
	time.Sleep(500 * time.Millisecond)
	require.Equal(t, "1", get(t, other, "a"), "nobody sees what may be lost")
	require.Empty(t, done)
	link.Heal()
	require.NoError(t, <-done)
	require.Equal(t, "2", get(t, other, "a"))
}

// What a lost connection still holds arrives when the store has long gone on, and does nothing.
//
// Verifies: ORC-342
func TestTrapLateStatement(t *testing.T) {
	for name, locked := range map[string]int{"compare and set": 0, "lock": 100} {
		t.Run(name, func(t *testing.T) {
			server := pgtest.Start(t)
			lost, way := pgtest.Proxy(t, server), pgtest.Proxy(t, server)
			url := fmt.Sprintf("postgres://postgres@%s,%s/postgres?connect_timeout=1", lost.Addr(), way.Addr())
			s := open(t, url, pgstore.Options{Patience: time.Minute, Doubt: 3 * time.Second})
			s.LockNext(locked)
			n, err := add(s, "n")
			require.NoError(t, err)
			require.Equal(t, 1, n)

			lost.Hold()
			n, err = add(s, "n")
			require.NoError(t, err)
			require.Equal(t, 2, n)
			other := open(t, server.URL(""), pgstore.Options{})
			_, err = add(other, "n")
			require.NoError(t, err)
			lost.Heal()
			awaitQuery(t, server, "SELECT count(*) = 0 FROM pg_stat_activity WHERE state = 'idle in transaction'", "t")
			time.Sleep(300 * time.Millisecond)
			require.Equal(t, "3", get(t, other, "n"))
			n, err = add(s, "n")
			require.NoError(t, err)
			require.Equal(t, 4, n)
		})
	}
}

// Connections break under load, again and again: what was acknowledged is there once, what was refused is not.
//
// Verifies: ORC-342
func TestTrapUnknownOutcome(t *testing.T) {
	server := pgtest.Start(t)
	proxy := pgtest.Proxy(t, server)
	ends := make(chan struct{})
	var wg sync.WaitGroup
	stores := []*pgstore.Store{
		open(t, proxy.URL(""), pgstore.Options{Patience: time.Minute}),
		open(t, proxy.URL(""), pgstore.Options{Patience: time.Minute}),
	}
	counts := make([]int, 8)
	for i := range counts {
		wg.Go(func() {
			for {
				select {
				case <-ends:
					return
				default:
				}
				if _, err := add(stores[i%2], "n"); err != nil {
					t.Error(err)
					return
				}
				counts[i]++
			}
		})
	}
	for i := range 30 {
		time.Sleep(time.Duration(i%7) * 7 * time.Millisecond)
		proxy.Reset()
	}
	close(ends)
	wg.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	require.Positive(t, total)
	require.Equal(t, fmt.Sprint(total), get(t, stores[0], "n"))
}

// A server that lacks commits which the store has seen is not written: the store ends.
//
// Verifies: ORC-343
func TestTrapRevisionBelowTheHighestSeen(t *testing.T) {
	primary := pgtest.Start(t)
	link := pgtest.Proxy(t, primary)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Via: link})
	way := pgtest.Proxy(t, primary)
	s := open(t, way.URL(""), pgstore.Options{Patience: 20 * time.Second})
	require.NoError(t, put(s, "a", "1"))
	awaitQuery(t, primary, "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()", "1")
	link.Hold()
	require.NoError(t, put(s, "a", "2"), "it is acknowledged, and lost")
	require.NoError(t, primary.Kill())
	require.NoError(t, standby.Promote(t.Context()))
	way.Aim(standby)

	err := put(s, "b", "1")
	require.True(t, fault.Is(err, pgstore.CodeRolledBack), "%v", err)
	require.Error(t, s.Err())
	require.NotEmpty(t, fault.As(err).Fix)
	<-s.Failed()
	require.True(t, fault.Is(s.View(t.Context(), func(store.Reader) error { return nil }), pgstore.CodeRolledBack))
	require.Empty(t, get(t, open(t, way.URL(""), pgstore.Options{}), "b"), "nothing was written")
}

// The same number of commits, but others: another replica has gone on after the loss.
//
// Verifies: ORC-343
func TestTrapRevisionThatOthersHaveReached(t *testing.T) {
	primary := pgtest.Start(t)
	link := pgtest.Proxy(t, primary)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Via: link})
	way := pgtest.Proxy(t, primary)
	s := open(t, way.URL(""), pgstore.Options{Patience: 20 * time.Second})
	require.NoError(t, put(s, "a", "1"))
	awaitQuery(t, primary, "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()", "1")
	link.Hold()
	require.NoError(t, put(s, "a", "2"), "it is acknowledged, and lost")
	require.NoError(t, primary.Kill())
	require.NoError(t, standby.Promote(t.Context()))
	other := open(t, standby.URL(""), pgstore.Options{})
	for i := range 10 {
		require.NoError(t, put(other, "b", fmt.Sprint(i)))
	}
	way.Aim(standby)
	require.True(t, fault.Is(put(s, "a", "3"), pgstore.CodeRolledBack))
	require.Equal(t, "1", get(t, other, "a"))
}

// What was lost need not have been written by this process: it has seen it.
//
// Verifies: ORC-343
func TestTrapRevisionThatWasSeen(t *testing.T) {
	primary := pgtest.Start(t)
	link := pgtest.Proxy(t, primary)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Via: link})
	way := pgtest.Proxy(t, primary)
	s := openHasty(t, way.URL(""))
	other := open(t, primary.URL(""), pgstore.Options{})
	require.NoError(t, put(other, "a", "1"))
	awaitQuery(t, primary, "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()", "1")
	link.Hold()
	require.NoError(t, put(other, "a", "2"), "it is acknowledged, and lost")
	require.Equal(t, "2", get(t, s, "a"))
	require.NoError(t, primary.Kill())
	require.NoError(t, standby.Promote(t.Context()))
	way.Aim(standby)

	var read error
	err := s.View(t.Context(), func(r store.Reader) error {
		_, read = r.Get("t", "a")
		return nil
	})
	require.Error(t, read, "an older state is not shown")
	require.True(t, fault.Is(err, "store_unreachable", pgstore.CodeRolledBack), "%v", err)
	err = s.View(t.Context(), func(store.Reader) error { return nil })
	require.True(t, fault.Is(err, "store_unreachable", pgstore.CodeRolledBack), "%v", err)
	_, err = s.Newest(t.Context(), "t", "a")
	require.True(t, fault.Is(err, "store_unreachable", pgstore.CodeRolledBack), "%v", err)
	require.True(t, fault.Is(put(s, "b", "1"), pgstore.CodeRolledBack))
}

// The bell rings for the commits of others, and not for those of its own process.
//
// Verifies: ORC-340
func TestBellRingsForOthers(t *testing.T) {
	url := pgtest.URL(t)
	one, other := open(t, url, pgstore.Options{}), open(t, url, pgstore.Options{})
	<-one.Bell() // each begins to listen with a ring
	<-other.Bell()
	for rung := false; !rung; { // one looks from time to time whether others listen
		require.NoError(t, put(one, "a", "1"))
		select {
		case <-other.Bell():
			rung = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	require.Empty(t, one.Bell())
	for range 20 {
		began := time.Now()
		require.NoError(t, put(one, "a", "2"))
		<-other.Bell()
		if time.Since(began) > 10*time.Second {
			t.Fatal("the bell rings late")
		}
	}
	require.Empty(t, one.Bell())
}

// Of several hosts the one that takes writes is found, whatever the order.
//
// Verifies: ORC-345
func TestTrapStandbyComesFirst(t *testing.T) {
	primary := pgtest.Start(t)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true})
	one, two := pgtest.Proxy(t, standby), pgtest.Proxy(t, primary)
	s := open(t, fmt.Sprintf("postgres://postgres@%s,%s/postgres", one.Addr(), two.Addr()), pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))
	require.NoError(t, primary.Kill())
	require.NoError(t, standby.Promote(t.Context()))
	require.NoError(t, put(s, "a", "2"))
	require.Equal(t, "2", get(t, s, "a"))
}

// An old primary that is alive takes no commit, because its standby has gone: the other host is tried.
//
// Verifies: ORC-345
func TestTrapOldPrimaryIsAlive(t *testing.T) {
	primary := pgtest.Start(t)
	standby := pgtest.Standby(t, primary, postgres.StandbyOptions{Name: "second", Synchronous: true})
	one, two := pgtest.Proxy(t, primary), pgtest.Proxy(t, standby)
	s := open(t, fmt.Sprintf("postgres://postgres@%s,%s/postgres", one.Addr(), two.Addr()),
		pgstore.Options{Patience: time.Minute, Doubt: 6 * time.Second})
	require.NoError(t, put(s, "a", "1"))
	require.NoError(t, standby.Promote(t.Context()))
	require.NoError(t, put(s, "a", "2"))
	require.Equal(t, []string{"\\x32"}, pgtest.Query(t, standby, "",
		"SELECT value FROM orchestrator.entries WHERE tbl = 't' AND key = 'a'"))
}

// Two processes in turns: each sees what the other wrote, and a lost race costs three round trips at most.
//
// Verifies: ORC-341
func TestTrapForeignCommit(t *testing.T) {
	url := pgtest.URL(t)
	one, other := open(t, url, pgstore.Options{}), open(t, url, pgstore.Options{})
	for range 3 {
		_, err := add(one, "n")
		require.NoError(t, err)
		_, err = add(other, "n")
		require.NoError(t, err)
	}
	before := one.Stats()
	for range 50 {
		_, err := add(one, "n")
		require.NoError(t, err)
		_, err = add(other, "n")
		require.NoError(t, err)
	}
	now := one.Stats()
	require.LessOrEqual(t, now.Trips-before.Trips, 3*(now.Batches-before.Batches))
	require.Equal(t, "106", get(t, one, "n"))

	before = one.Stats()
	for range 50 {
		_, err := add(one, "n")
		require.NoError(t, err)
	}
	now = one.Stats()
	require.LessOrEqual(t, 10*(now.Trips-before.Trips), 11*(now.Batches-before.Batches)+100, "alone, one each")
}

// Updates that come while another process holds the head are of the batch that waits for it.
//
// Verifies: ORC-341
func TestUpdatesJoinABatchThatWaits(t *testing.T) {
	server := pgtest.Start(t)
	one, other := open(t, server.URL(""), pgstore.Options{}), open(t, server.URL(""), pgstore.Options{})
	for _, s := range []store.Store{one, other, one} { // the last one loses a race
		_, err := add(s, "n")
		require.NoError(t, err)
	}
	holder, err := pgx.Connect(t.Context(), server.URL(""))
	require.NoError(t, err)
	defer holder.Close(t.Context())
	_, err = holder.Exec(t.Context(), "BEGIN; SELECT FROM orchestrator.head FOR UPDATE")
	require.NoError(t, err)
	before := one.Stats()
	var adding sync.WaitGroup
	start := func(key string) {
		adding.Go(func() {
			if _, err := add(one, key); err != nil {
				t.Error(err)
			}
		})
	}
	start("n")
	require.Eventually(t, func() bool {
		return pgtest.Query(t, server, "", "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")[0] == "1"
	}, time.Minute, time.Millisecond)
	for i := range 5 {
		start([]string{"n", "m"}[i%2]) // of what is known, and of what is not
	}
	require.Eventually(t, func() bool { return one.Queued() == 5 }, time.Minute, time.Millisecond)
	_, err = holder.Exec(t.Context(), "COMMIT")
	require.NoError(t, err)
	adding.Wait()
	now := one.Stats()
	require.EqualValues(t, 1, now.Batches-before.Batches)
	require.EqualValues(t, 6, now.Updates-before.Updates)
	require.LessOrEqual(t, now.Trips-before.Trips, uint64(3+1), "one may check the connection before")
	require.Equal(t, []string{"7", "2"}, []string{get(t, other, "n"), get(t, other, "m")})
}

// A value of the greatest size, several in one change, and a table of large ones.
//
// Verifies: ORC-340
func TestLargeValues(t *testing.T) {
	s := open(t, pgtest.URL(t), pgstore.Options{})
	large := bytes.Repeat([]byte("orchestrator"), store.MaxValueSize/12+1)[:store.MaxValueSize]
	require.NoError(t, put(s, "one", string(large)))
	require.Equal(t, string(large), get(t, s, "one"))
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		for i := range 5 {
			if err := tx.Put("pieces", fmt.Sprint(i), large[:pgstore.MaxPiece/2+i]); err != nil {
				return err
			}
		}
		return tx.Delete("t", "one")
	}))
	require.Empty(t, get(t, s, "one"))
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		i := 0
		return r.Scan("pieces", "", "", func(key string, value []byte) error {
			if key != fmt.Sprint(i) || len(value) != pgstore.MaxPiece/2+i {
				return fmt.Errorf("%s has %d bytes", key, len(value))
			}
			i++
			return nil
		})
	}))
	err := s.Update(t.Context(), func(tx store.Tx) error {
		for i := range 5 {
			if err := tx.Put("t", fmt.Sprint(i), large); err != nil {
				return err
			}
		}
		return nil
	})
	require.ErrorIs(t, err, fault.TooLarge)
}

// A process that has run for a year, while others came and went, finds its own last commit.
//
// Verifies: ORC-343
func TestAnOldWriterIsNotForgotten(t *testing.T) {
	server := pgtest.Start(t)
	way := pgtest.Proxy(t, server)
	s := open(t, way.URL(""), pgstore.Options{})
	pgtest.Exec(t, server, "", "UPDATE orchestrator.writers SET since = now() - interval '2 years'")
	require.NoError(t, put(s, "a", "1"))
	pgtest.Exec(t, server, "", "INSERT INTO orchestrator.writers VALUES ('ended', '', now() - interval '2 years')")
	open(t, server.URL(""), pgstore.Options{})
	require.Equal(t, []string{"2"}, pgtest.Query(t, server, "", "SELECT count(*) FROM orchestrator.writers"))
	way.Reset()
	require.NoError(t, put(s, "a", "2"))
	require.NoError(t, s.Err())
}
