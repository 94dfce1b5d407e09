package logcmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/auditor/witness"
	"orchestrator/internal/ledger/audit"
)

// logServer shows checkpoints of a log that nobody has.
type logServer struct {
	signer audit.Signer
	head   atomic.Pointer[audit.Head]
	asked  atomic.Int32
	answer func(http.ResponseWriter, *http.Request) // instead
	*httptest.Server
}

func newLogServer(t *testing.T, origin string) *logServer {
	t.Helper()
	private, err := audit.GenerateKey(strings.NewReader(strings.Repeat("a", 64)), origin)
	require.NoError(t, err)
	signer, err := audit.ParseSigner(private)
	require.NoError(t, err)
	s := &logServer{signer: signer}
	s.head.Store(&audit.Head{Size: 3, Root: audit.Hash{3}})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if s.answer != nil {
			s.answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/audit/key" {
			_, _ = w.Write([]byte(s.signer.Key))
			return
		}
		note, _ := s.signer.Sign(*s.head.Load())
		_, _ = w.Write(note)
	}))
	t.Cleanup(s.Close)
	return s
}

// runWitness runs the command with a state in dir, and returns what it wrote and its exit code.
func runWitness(ctx context.Context, t *testing.T, dir string, args ...string) (out, notes string, code int) {
	t.Helper()
	var stdout bytes.Buffer
	notes, code = runWitnessTo(ctx, t, dir, &stdout, args...)
	return stdout.String(), notes, code
}

// runWitnessTo runs the command with another standard output.
func runWitnessTo(ctx context.Context, t *testing.T, dir string, out io.Writer, args ...string) (notes string, code int) {
	t.Helper()
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("orc_viewer_x"), 0o600))
	cmd := auditWitness()
	var stderr bytes.Buffer
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(out)
	cmd.SetErr(&stderr)
	cmd.SetArgs(append([]string{"--state", filepath.Join(dir, "witness.json"), "--token-file", token}, args...))
	err := cmd.ExecuteContext(ctx)
	if exit := (cli.ExitError{}); errors.As(err, &exit) {
		code = exit.Code
	} else {
		require.NoError(t, err)
	}
	return stderr.String(), code
}

// Nothing that a server answers holds a round up for long, or fills the memory, or leads it elsewhere.
func TestServersThatHoldAWitnessUp(t *testing.T) {
	good, elsewhere := newLogServer(t, "example.org/good"), newLogServer(t, "example.org/elsewhere")
	release := make(chan struct{})
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"redirects": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusFound)
		}, "is no orchestrator of this version: 302 Found"},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for part := make([]byte, 1<<20); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, "more than 64 KiB"},
		"silent": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-release:
			}
		}, "did not answer"},
		"trickling": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x"))
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}, "did not answer"},
		"asked too often": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := newLogServer(t, "example.org/bad")
			bad.answer = c.answer
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var dir, out, notes string
			for timeout := time.Second; !strings.Contains(out, good.URL); timeout *= 2 { // the good one may need longer
				var code int
				dir = t.TempDir()
				out, notes, code = runWitness(ctx, t, dir, "--once", "--timeout", timeout.String(), bad.URL, good.URL)
				require.NoError(t, ctx.Err(), "it ends by itself")
				require.Equal(t, 3, code)
			}
			require.Contains(t, notes, bad.URL+": ")
			require.Contains(t, notes, c.says)
			require.Contains(t, out, good.URL+" example.org/good: size 3, seen for the first time", "the others are watched")
			kept, err := witness.Read(filepath.Join(dir, "witness.json"))
			require.NoError(t, err)
			require.Len(t, kept.Logs, 1)
			require.Empty(t, kept.Alarms)
		})
	}
	close(release)
	require.Zero(t, elsewhere.asked.Load())
}

// An alarm of one log keeps nobody from watching the others; it is repeated in every round, and ends the command with 1.
func TestWatchingGoesOnAfterAnAlarm(t *testing.T) {
	t.Parallel()
	forked, good, down := newLogServer(t, "example.org/forked"), newLogServer(t, "example.org/good"), newLogServer(t, "example.org/down")
	down.Close()
	dir := t.TempDir()
	_, _, code := runWitness(t.Context(), t, dir, "--once", forked.URL, good.URL)
	require.Zero(t, code)
	forked.head.Store(&audit.Head{Size: 3, Root: audit.Hash{4}})
	before := good.asked.Load()
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for good.asked.Load() < before+5 && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		stop()
	}()
	out, notes, code := runWitness(ctx, t, dir, "--every", "1s", forked.URL, down.URL, good.URL)
	require.Equal(t, 1, code)
	rounds := strings.Count(out, "example.org/good: size 3, not grown, cosigned")
	require.GreaterOrEqual(t, rounds, 4)
	require.GreaterOrEqual(t, strings.Count(notes, "ALARM fork: "+forked.URL), rounds)
	require.Equal(t, 1, strings.Count(notes, "the checkpoint presented"), "its text once")
	require.Equal(t, 1, strings.Count(notes, "no service answers at "+down.URL+"\n"))
	require.Equal(t, 1, strings.Count(notes, "(2 times in a row)"))
	require.Zero(t, strings.Count(notes, "(3 times in a row)"), "ever less often")
	kept, err := witness.Read(filepath.Join(dir, "witness.json"))
	require.NoError(t, err)
	require.Len(t, kept.Alarms, 1)
}

func TestWatchingEndsWithoutAnAlarm(t *testing.T) {
	good := newLogServer(t, "example.org/good")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &firstWrite{then: stop}
	_, code := runWitnessTo(ctx, t, t.TempDir(), out, good.URL)
	require.Zero(t, code)
	require.Contains(t, out.String(), "seen for the first time")
}

// firstWrite keeps what is written to it, and calls a function after the first of it.
type firstWrite struct {
	bytes.Buffer
	then func()
}

func (w *firstWrite) Write(p []byte) (int, error) {
	defer w.then()
	return w.Buffer.Write(p)
}
