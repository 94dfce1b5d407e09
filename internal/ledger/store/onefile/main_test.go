package onefile_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/onefile"
)

const childEnv = "ONEFILE_TEST_CHILD"

// children are what the test binary does when it is started again as another process, on the file in its
// first argument.
var children = map[string]func(path string) error{
	"hold":    holdLock,
	"compact": compactAndDie,
}

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childEnv)]; child != nil {
		if err := child(os.Args[1]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// child is the command that runs one of the children, behind another command if one is given.
func child(t *testing.T, name, path string, behind ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	args := append(behind, self, path)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), childEnv+"="+name)
	return cmd
}

// start starts a child and returns it with the lines that it prints.
func start(t *testing.T, name, path string) (*exec.Cmd, *bufio.Scanner) {
	cmd := child(t, name, path)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

func newPath(t *testing.T) string { return filepath.Join(t.TempDir(), "state.db") }

func open(t *testing.T, path string) *onefile.Store {
	t.Helper()
	s, err := onefile.Open(path, onefile.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func put(s store.Store, key, value string) error {
	return s.Update(context.Background(), func(tx store.Tx) error { return tx.Put("t", key, []byte(value)) })
}

func get(s store.Store, key string) (value string, err error) {
	err = s.View(context.Background(), func(r store.Reader) error {
		b, err := r.Get("t", key)
		value = string(b)
		return err
	})
	return value, err
}

func has(t *testing.T, s store.Store, key string) bool {
	t.Helper()
	var found bool
	require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
		value, err := r.Get("t", key)
		found = value != nil
		return err
	}))
	return found
}
