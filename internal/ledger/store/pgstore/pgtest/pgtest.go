// Package pgtest gives PostgreSQL to tests. Where there is none, a test that asks for it is skipped, and says why.
//
//   - URL gives a schema of its own on a server that all tests of the binary share; Database a database of its own.
//   - Shared gives that server itself, Start one that is the test's alone, to be killed, halted, resumed, promoted and
//     given standbys.
//   - Proxy puts a network between a server and its clients, which may be slow, hold everything back, or break.
//   - Exec and Query run SQL as the superuser.
//
// Nothing is left of a server after its binary has ended, however that ends. The servers do not wait for the disk
// (fsync=off): nobody cuts the power here, and a kill loses nothing. Pass "fsync=on" to Start to measure.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// connections is how many connections a server takes.
const connections = 200

// patience is how long starting a server, or one statement, may take.
const patience = 2 * time.Minute

var (
	shared = sync.OnceValues(func() (*postgres.Server, error) {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return postgres.Start(ctx, os.TempDir(), connections, "fsync=off")
	})
	names atomic.Int64
)

// Shared returns the server that all tests of the binary share.
//
// Implements: ORC-348
func Shared(t testing.TB) *postgres.Server {
	t.Helper()
	s, err := shared()
	return orSkip(t, s, err)
}

// orSkip skips a test that needs PostgreSQL where there is none.
func orSkip(t testing.TB, s *postgres.Server, err error) *postgres.Server {
	t.Helper()
	if errors.Is(err, postgres.ErrMissing) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return s
}

// URL returns the URL of a new, empty schema of the shared server. The schema itself does not exist yet; it is dropped
// when the test has ended.
func URL(t testing.TB) string {
	t.Helper()
	s := Shared(t)
	schema := fmt.Sprintf("test_%d", names.Add(1))
	t.Cleanup(func() { Exec(t, s, "", "DROP SCHEMA IF EXISTS "+schema+" CASCADE") })
	return With(t, s.URL(""), "search_path", schema)
}

// Database returns the name of a new database of a server. It is dropped when the test has ended.
func Database(t testing.TB, s *postgres.Server) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", names.Add(1))
	Exec(t, s, "", "CREATE DATABASE "+name)
	t.Cleanup(func() { Exec(t, s, "", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return name
}

// With returns a URL with a parameter set.
func With(t testing.TB, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	return u.String()
}

// Start starts a server for one test, and stops it when the test has ended. Settings are lines such as "fsync=on".
func Start(t testing.TB, settings ...string) *postgres.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := postgres.Start(ctx, os.TempDir(), connections, append([]string{"fsync=off"}, settings...)...)
	orSkip(t, s, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return s
}

// Standby starts a server that follows another, and stops it when the test has ended.
func Standby(t testing.TB, primary *postgres.Server, o postgres.StandbyOptions) *postgres.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := primary.Standby(ctx, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	return s
}

// Proxy puts a network between a server and its clients, until the test has ended.
func Proxy(t testing.TB, s *postgres.Server) *postgres.Proxy {
	t.Helper()
	p, err := s.NewProxy()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// Exec runs statements as the superuser.
func Exec(t testing.TB, s *postgres.Server, database string, statements ...string) {
	t.Helper()
	Query(t, s, database, statements...)
}

// Query runs statements as the superuser and returns what they return: rows, each its columns separated by "|".
func Query(t testing.TB, s *postgres.Server, database string, statements ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience) // after the test its context has ended
	defer cancel()
	out, err := s.SQL(ctx, database, statements...)
	require.NoError(t, err)
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}
