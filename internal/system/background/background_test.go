package background

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain lets copies of this test be programs in the background, which hold the lock that the variable names.
func TestMain(m *testing.M) {
	path := os.Getenv("HOLD")
	if path == "" {
		os.Exit(m.Run())
	}
	if err := Hold(path); err != nil {
		println("refused")
		os.Exit(1)
	}
	println("holding")
	time.Sleep(time.Minute)
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func anyone(int) error { return nil }

func TestAProgramIsFoundAndEndedByItsLock(t *testing.T) {
	dir := t.TempDir()
	lock, log := filepath.Join(dir, "lock"), filepath.Join(dir, "log")
	id, err := Holder(lock)
	require.NoError(t, err)
	require.Zero(t, id, "there is no file")
	id, err = End(t.Context(), lock, anyone)
	require.NoError(t, err)
	require.Zero(t, id, "there is nothing to end")
	require.NoFileExists(t, lock)

	t.Setenv("HOLD", lock)
	p, err := Start(os.Args[0], nil, log, os.Environ())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(content(t, log), "holding") }, 20*time.Second, lookAgain)
	id, err = Holder(lock)
	require.NoError(t, err)
	require.Equal(t, p.ID, id)

	second, err := Start(os.Args[0], nil, log, os.Environ())
	require.NoError(t, err)
	<-second.Ended()
	require.Contains(t, content(t, log), "refused", "one at a time")

	over, cancel := context.WithCancel(t.Context())
	cancel()
	id, err = End(t.Context(), lock, anyone)
	require.NoError(t, err)
	require.Equal(t, p.ID, id)
	<-p.Ended()
	id, err = End(over, lock, anyone)
	require.NoError(t, err)
	require.Zero(t, id, "a lock that nobody holds names no process")
	require.True(t, p.Stop(time.Second), "it has ended")
}

func TestALogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	defer file.Close()
	log := NewLog(file, path, 10)
	for _, line := range []string{"first\n", "two\n", "third\n", "4\n"} {
		_, err := log.Write([]byte(line))
		require.NoError(t, err)
	}
	require.Equal(t, "third\n4\n", content(t, path))
	require.Equal(t, "first\ntwo\n", content(t, path+Older))
	_, err = log.Write([]byte("a line longer than all\n"))
	require.NoError(t, err)
	require.Equal(t, "third\n4\n", content(t, path+Older))
}
