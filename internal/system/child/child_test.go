package child

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mode tells the test binary, started by a test, what kind of child to be.
const mode = "CHILD_MODE"

func TestMain(m *testing.M) {
	switch os.Getenv(mode) {
	case "serve", "lie":
		serve(os.Getenv(mode) == "lie")
	case "fail":
		_, _ = os.Stderr.WriteString("the disk is gone\n")
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// serve answers until it is ended; a lie is an address where another listens.
func serve(lie bool) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	addr := s.Listener.Addr().String()
	if lie {
		addr = os.Getenv("CHILD_ADDR")
	}
	if err := os.WriteFile(filepath.Join(".orchestrator", "addr"), []byte(addr+"\n"), 0o600); err != nil {
		panic(err)
	}
	select {}
}

func command(t *testing.T, kind string) Command {
	t.Helper()
	t.Setenv(mode, kind)
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	return Command{Dir: dir, Log: filepath.Join(dir, "log"), Program: self, Answers: func(p *Process) error {
		answer, err := http.Get("http://" + p.Addr)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			err = errors.Join(err, answer.Body.Close())
		}
		return err
	}}
}

func TestAChildThatServes(t *testing.T) {
	p, err := Start(t.Context(), command(t, "serve"))
	require.NoError(t, err)
	defer p.Kill()
	require.Positive(t, p.Ready)
	require.Equal(t, -1, p.ExitCode(), "it runs")
	require.Error(t, p.Stop(), "nothing in it handles SIGTERM")
	require.NoError(t, p.Stop(), "it has ended")
	p.Kill()
	select {
	case <-p.Ended():
	default:
		t.Fatal("it has not ended")
	}
}

func TestAChildThatEndsEarly(t *testing.T) {
	_, err := Start(t.Context(), command(t, "fail"))
	require.ErrorIs(t, err, ErrEnded)
	require.ErrorContains(t, err, "the disk is gone")
}

func TestAChildThatDoesNotComeUp(t *testing.T) {
	c := command(t, "serve")
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := Start(ctx, c)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestAnotherAnswersInItsPlace(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer other.Close()
	c := command(t, "lie")
	t.Setenv("CHILD_ADDR", other.Listener.Addr().String())
	_, err := Start(t.Context(), c)
	require.ErrorContains(t, err, "is not the child's")
}

func TestSecret(t *testing.T) {
	dir := t.TempDir()
	_, err := Secret(dir, "pm")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".orchestrator", "tokens"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".orchestrator", "tokens", "pm.token"), []byte("orc_pm_x\n"), 0o600))
	secret, err := Secret(dir, "pm")
	require.NoError(t, err)
	require.Equal(t, "orc_pm_x", secret)
}

func TestListener(t *testing.T) {
	table := "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
		"   0: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0\n" +
		"   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0 100 0 0 10 0\n"
	require.Equal(t, "socket:[12]", listener(table, 8080))
	require.Equal(t, "nobody", listener(table, 8081))
}
