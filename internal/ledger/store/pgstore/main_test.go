package pgstore_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/pgstore"
)

// children are what a process does that a test starts, by name.
var children = map[string]func(*pgstore.Store) error{}

// childVariable names what the child does, and the database.
const childVariable = "PGSTORE_TEST_CHILD"

func TestMain(m *testing.M) {
	name, url, is := strings.Cut(os.Getenv(childVariable), " ")
	if !is {
		os.Exit(m.Run())
	}
	if err := runChild(name, url); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func runChild(name, url string) error {
	s, err := pgstore.Open(context.Background(), url, pgstore.Options{Patience: time.Minute})
	if err != nil {
		return err
	}
	return children[name](s)
}

// child starts a process that does what has a name.
func child(t *testing.T, name, url string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childVariable+"="+name+" "+url)
	cmd.Stderr = os.Stderr
	return cmd
}

// open opens a store, and closes it when the test has ended.
func open(t testing.TB, url string, o pgstore.Options) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), url, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// openHasty opens a store that gives up early, however busy the machine is.
func openHasty(t testing.TB, url string) *pgstore.Store {
	t.Helper()
	require.NoError(t, open(t, url, pgstore.Options{}).Close()) // it made the schema
	var s *pgstore.Store
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var err error
		s, err = pgstore.Open(t.Context(), url, hasty)
		require.NoError(c, err)
	}, time.Minute, time.Millisecond)
	t.Cleanup(func() { _ = s.Close() }) // it may have failed
	return s
}

func put(s store.Store, key, value string) error {
	return putUnder(context.Background(), s, key, value)
}

func putUnder(ctx context.Context, s store.Store, key, value string) error {
	return s.Update(ctx, func(tx store.Tx) error { return tx.Put("t", key, []byte(value)) })
}

// get returns what a View shows; "" if there is nothing.
func get(t testing.TB, s store.Store, key string) string {
	t.Helper()
	var value string
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		b, err := r.Get("t", key)
		value = string(b)
		return err
	}))
	return value
}

// add adds one to a number, and returns it.
func add(s store.Store, key string) (n int, err error) {
	err = s.Update(context.Background(), func(tx store.Tx) error {
		b, err := tx.Get("t", key)
		if err != nil {
			return err
		}
		n = 0
		if b != nil {
			if _, err := fmt.Sscan(string(b), &n); err != nil {
				return err
			}
		}
		n++
		return tx.Put("t", key, fmt.Append(nil, n))
	})
	return n, err
}
