package pgstore_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
	"orchestrator/internal/ledger/store/pgstore/pgtest"
)

// refused opens a store that must be refused with a code and a fix.
func refused(t *testing.T, address string, o pgstore.Options, code fault.Code) *fault.Error {
	t.Helper()
	s, err := pgstore.Open(t.Context(), address, o)
	if err == nil {
		require.NoError(t, s.Close())
	}
	require.True(t, fault.Is(err, code), "%v", err)
	require.NotEmpty(t, fault.As(err).Fix)
	return fault.As(err)
}

// Verifies: ORC-340
func TestConnectionStringsThatCannotBeUsed(t *testing.T) {
	for _, address := range []string{
		"postgres://u:secret@h:port/d", "postgres://u:secret@h/d?search_path=a,b",
		"postgres://u:secret@h/d?search_path=",
		"postgres://u:secret@h/d?search_path=Orders", "postgres://u:secret@h/d?sslmode=perhaps", "host",
		"postgres://u:first@secret@h:port/d", "host=h password = secret port=x", // the driver repeats these
	} {
		err := refused(t, address, pgstore.Options{}, "store_url")
		require.NotContains(t, err.Error(), "secret")
	}
}

// Verifies: ORC-347
func TestDatabaseOfAnotherProduct(t *testing.T) {
	address := pgtest.URL(t)
	schema := schemaOf(address)
	pgtest.Exec(t, pgtest.Shared(t), "", "CREATE SCHEMA "+schema, "CREATE TABLE "+schema+".orders (n int)")
	err := refused(t, address, pgstore.Options{}, "store_foreign")
	require.Contains(t, err.Detail, schema)
	require.Equal(t, []string{"orders"}, pgtest.Query(t, pgtest.Shared(t), "",
		"SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = '"+schema+"'"))
}

// Verifies: ORC-347
func TestSchemaOfAnotherVersion(t *testing.T) {
	address := pgtest.URL(t)
	refused(t, address, pgstore.Options{ReadOnly: true}, "store_missing")
	require.NoError(t, put(open(t, address, pgstore.Options{}), "a", "1"))
	version := func(v string) {
		pgtest.Exec(t, pgtest.Shared(t), "", "UPDATE "+schemaOf(address)+".orchestrator_schema SET version = "+v)
	}
	version("99")
	err := refused(t, address, pgstore.Options{}, "store_schema_newer")
	require.Contains(t, err.Detail, "99")
	version("1")
	require.Equal(t, "1", get(t, open(t, address, pgstore.Options{ReadOnly: true}), "a"))
	pgtest.Exec(t, pgtest.Shared(t), "", "DELETE FROM "+schemaOf(address)+".orchestrator_schema")
	for _, o := range []pgstore.Options{{}, {ReadOnly: true}, {Migrate: true}} {
		err := refused(t, address, o, "store_foreign")
		require.Contains(t, err.Detail, schemaOf(address), "it does not say its version")
	}
}

// An owner applies the schema by psql, and gives a role of little privilege what it needs.
//
// Verifies: ORC-347
func TestRoleOfLittlePrivilege(t *testing.T) {
	server := pgtest.Start(t)
	database := pgtest.Database(t, server)
	as := func(user string) string { return pgtest.With(t, server.URL(database), "user", user) }
	pgtest.Exec(t, server, database, "CREATE ROLE app LOGIN", "CREATE ROLE reader LOGIN",
		"CREATE SCHEMA orchestrator", "SET search_path = orchestrator", pgstore.Schema())
	refused(t, as("app"), pgstore.Options{}, "store_rights")
	pgtest.Exec(t, server, database, grants(t)...)
	s := open(t, as("app"), pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("t", "b") }))
	lease, err := s.Acquire(t.Context(), "duty", "me", time.Minute)
	require.NoError(t, err)
	require.NoError(t, s.Renew(t.Context(), lease, time.Minute))

	pgtest.Exec(t, server, database, "GRANT USAGE ON SCHEMA orchestrator TO reader",
		"GRANT SELECT ON ALL TABLES IN SCHEMA orchestrator TO reader")
	failure := refused(t, as("reader"), pgstore.Options{}, "store_rights")
	require.Contains(t, failure.Detail, "INSERT on entries")
	require.Equal(t, "1", get(t, open(t, as("reader"), pgstore.Options{ReadOnly: true}), "a"))

	pgtest.Exec(t, server, database, "REVOKE INSERT ON orchestrator.entries FROM app")
	err = put(s, "a", "2")
	require.True(t, fault.Is(err, "store_rights"), "%v", err)
	require.Equal(t, "1", get(t, s, "a"))
}

// grants returns the statements of docs/postgres.md that give a role its rights.
func grants(t *testing.T) (statements []string) {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/postgres.md")
	require.NoError(t, err)
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "GRANT ") {
			statements = append(statements, strings.TrimSuffix(strings.TrimSpace(line), ";"))
		}
	}
	require.NotEmpty(t, statements)
	return statements
}

// The password has expired, or is wrong: a new store is refused at once, and one that is open waits for a while.
//
// Verifies: ORC-340, ORC-345
func TestPasswordThatExpired(t *testing.T) {
	server := pgtest.Start(t, "password_encryption=scram-sha-256")
	pgtest.Exec(t, server, "", "CREATE ROLE app LOGIN PASSWORD 'hunter22'", "GRANT CREATE ON DATABASE postgres TO app")
	require.NoError(t, server.Require("app", "scram-sha-256"))
	proxy := pgtest.Proxy(t, server)
	as := func(password string) string {
		return fmt.Sprintf("postgres://app:%s@%s/postgres", url.QueryEscape(password), proxy.Addr())
	}
	s := openHasty(t, as("hunter22"))
	require.NoError(t, put(s, "a", "1"))
	pgtest.Exec(t, server, "", "ALTER ROLE app VALID UNTIL '2001-01-01'")
	require.NoError(t, put(s, "a", "2"), "a session that is there goes on")
	for _, password := range []string{"hunter22", "hunter23"} {
		err := refused(t, as(password), hasty, "store_refused")
		require.Contains(t, err.Fix, "expired")
		require.NotContains(t, fmt.Sprintf("%v %+v", err, err), password)
	}
	time.Sleep(pgstore.Unused)
	proxy.Reset()
	err := put(s, "a", "3")
	require.Error(t, err)
	require.NoError(t, s.Err(), "it may pass")
	require.NotContains(t, err.Error(), "hunter22")
	pgtest.Exec(t, server, "", "ALTER ROLE app VALID UNTIL 'infinity'")
	require.Eventually(t, func() bool { return put(s, "a", "4") == nil }, time.Minute, 10*time.Millisecond)
	require.Equal(t, "4", get(t, s, "a"))
}

// A server that restarts again and again: calls wait, and nothing is lost.
//
// Verifies: ORC-345
func TestServerThatRestarts(t *testing.T) {
	server := pgtest.Start(t)
	s := open(t, server.URL(""), pgstore.Options{Patience: time.Minute})
	ends := make(chan struct{})
	var wg sync.WaitGroup
	counts := make([]int, 4)
	for i := range counts {
		wg.Go(func() {
			for {
				select {
				case <-ends:
					return
				default:
				}
				if _, err := add(s, "n"); err != nil {
					t.Error(err)
					return
				}
				counts[i]++
				if err := s.View(t.Context(), func(store.Reader) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 4 {
		time.Sleep(100 * time.Millisecond)
		if i%2 == 0 {
			require.NoError(t, server.Halt())
		} else {
			require.NoError(t, server.Kill())
		}
		require.NoError(t, server.Resume(t.Context()))
	}
	close(ends)
	wg.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	require.Positive(t, total)
	require.Equal(t, fmt.Sprint(total), get(t, s, "n"))
}

// A server that is gone: calls end after a while with the cause, and when to try again.
//
// Verifies: ORC-345
func TestServerThatIsGone(t *testing.T) {
	server := pgtest.Start(t)
	s := openHasty(t, server.URL(""))
	require.NoError(t, put(s, "a", "1"))
	time.Sleep(pgstore.Unused)
	require.NoError(t, server.Halt())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, putUnder(ctx, s, "a", "2"), context.Canceled)
	for _, err := range []error{
		put(s, "a", "2"), put(s, "a", "2"), s.View(t.Context(), func(store.Reader) error { return nil }),
		func() error { _, err := s.Newest(t.Context(), "t", "a"); return err }(),
		func() error { _, err := s.Acquire(t.Context(), "duty", "me", time.Second); return err }(),
	} {
		require.True(t, fault.Is(err, "store_unreachable"), "%v", err)
		require.NotErrorIs(t, err, store.ErrCommit)
		require.Positive(t, fault.As(err).RetryAfter)
		require.NotEmpty(t, fault.As(err).Fix)
	}
	refused(t, server.URL(""), hasty, "store_unreachable")
	require.NoError(t, server.Resume(t.Context()))
	require.Eventually(t, func() bool { return put(s, "a", "3") == nil }, time.Minute, 10*time.Millisecond)
	require.Equal(t, "3", get(t, s, "a"))
}

func TestTLS(t *testing.T) {
	server := pgtest.Start(t)
	address, err := server.ListenTLS(t.Context())
	require.NoError(t, err)
	s := open(t, "postgres://postgres@"+address+"/postgres?sslmode=require", pgstore.Options{})
	require.NoError(t, put(s, "a", "1"))
	require.Equal(t, []string{"t"}, pgtest.Query(t, server, "", "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN "+
		"pg_stat_activity USING (pid) WHERE application_name = 'orchestrator'"))
	refused(t, "postgres://postgres@"+address+"/postgres?sslmode=verify-full", hasty, "store_unreachable")
}
