package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const shop = `# Shop

- **REQ-001**: A customer can log in.
- **REQ-002**: A customer can log out.
`

// newProject is a folder with a requirements document.
func newProject(t testing.TB) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "REQUIREMENTS.md"), []byte(shop), 0o600))
	return dir
}

// orchestrate runs another command of the program in dir.
func orchestrate(t testing.TB, dir string, args ...string) (out string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program(), args...)
	cmd.Dir = dir
	all, _ := cmd.CombinedOutput()
	require.NoError(t, noTrace(string(all)))
	return string(all), cmd.ProcessState.ExitCode()
}

func requireInOrder(t testing.TB, dir string) string {
	t.Helper()
	out, code := orchestrate(t, dir, "verify")
	require.Zero(t, code, out)
	require.Contains(t, out, "in order: ")
	return out
}

func note(text string) string { return fmt.Sprintf(`{"pm_notes":[{"text":%q}]}`, text) }

// notes are the texts of a requirement's notes.
func notes(t testing.TB, p *process, id string) map[string]bool {
	t.Helper()
	got, err := p.call(request{role: "pm", method: "GET", path: "/requirements/" + id})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.status, got.body)
	var req struct {
		Notes []struct {
			Text string `json:"text"`
		} `json:"pm_notes"`
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &req))
	texts := map[string]bool{}
	for _, n := range req.Notes {
		require.False(t, texts[n.Text], "the note stands there once")
		texts[n.Text] = true
	}
	return texts
}

// halfPatch sends a change up to its body, and returns when a handler waits for the body: it has asked for it.
func halfPatch(t testing.TB, p *process, length int) (net.Conn, *bufio.Reader) {
	t.Helper()
	secret, err := p.token("pm")
	require.NoError(t, err)
	conn, err := net.Dial("tcp", p.addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "PATCH /requirements/REQ-001 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", p.addr, secret, length)
	require.NoError(t, err)
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
	_, err = r.ReadString('\n')
	require.NoError(t, err)
	return conn, r
}

// SIGTERM: the request under way is answered, nothing new is taken, the last export is written, exit code 0.
//
// Verifies: ORC-052
func TestStoppingFinishesRequestsUnderWay(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir, "--export-wait", "0")
	body := note("sent while stopping")
	conn, r := halfPatch(t, p, len(body))

	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, poll(func() error {
		c, err := net.Dial("tcp", p.addr)
		if err == nil {
			_ = c.Close()
			return fmt.Errorf("new connections are still taken")
		}
		return nil
	}))
	require.NoError(t, poll(func() error {
		if !strings.Contains(p.log.String(), "stopping: requests under way may finish") {
			return fmt.Errorf("it does not say that it stops")
		}
		return nil
	}))
	require.False(t, p.ended())

	_, err := conn.Write([]byte(body))
	require.NoError(t, err)
	res, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.NoError(t, p.awaitExit(0))

	export, err := os.ReadFile(filepath.Join(dir, "project_status.json"))
	require.NoError(t, err)
	require.Contains(t, string(export), "sent while stopping")
	require.Contains(t, requireInOrder(t, dir), "export matches")
}

// A request that does not end holds the end up for --drain, no longer.
func TestStoppingDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir, "--drain", "100ms")
	halfPatch(t, p, 10)
	require.NoError(t, p.stop(0))
	require.Contains(t, p.log.String(), "some requests did not finish in time")
	requireInOrder(t, dir)
}

// SIGKILL in the middle of many changes: every change that was answered with 2xx is there afterwards, the log is
// in order, and the export is whole and not ahead of it.
//
// Verifies: ORC-022
func TestKilledUnderLoadLosesNothingAnswered(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	answered := map[string]map[string]bool{"REQ-001": {}, "REQ-002": {}}
	for round := range 3 {
		p := startServer(t, dir, "--rate-limit", "0", "--export-wait", "1ms")
		loadUntilKilled(t, p, round, answered)
		requireInOrder(t, dir)
	}
	p := startServer(t, dir)
	for id, texts := range answered {
		require.Greater(t, len(texts), 30)
		there := notes(t, p, id)
		for text := range texts {
			require.True(t, there[text], "%s was answered with 200", text)
		}
	}
	require.NoError(t, p.stop(0))
	require.Contains(t, requireInOrder(t, dir), "export matches")
}

// loadUntilKilled sends changes from several clients and kills the server under them.
func loadUntilKilled(t *testing.T, p *process, round int, answered map[string]map[string]bool) {
	var mu sync.Mutex
	var clients sync.WaitGroup
	count, enough := 0, make(chan struct{})
	for client := range 6 {
		id := []string{"REQ-001", "REQ-002"}[client%2]
		clients.Go(func() {
			for n := 0; ; n++ {
				text := fmt.Sprintf("round %d, client %d, note %d", round, client, n)
				got, err := p.call(request{role: "pm", method: "PATCH", path: "/requirements/" + id, body: note(text)})
				if err != nil {
					return // killed
				}
				mu.Lock()
				if got.status == http.StatusOK {
					answered[id][text] = true
				}
				if count++; count == 60 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	select {
	case <-enough:
	case <-time.After(patience):
		t.Error("the clients were not answered")
	}
	p.kill()
	clients.Wait()
	require.NoError(t, noTrace(p.log.String()))
}

// A file that may not grow, as under a quota, makes no commit fail: what finds no room is refused with 507 and begins
// nothing, reads go on, and without the limit changes are taken again.
func TestAFileThatMayNotGrow(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	limited, err := exec.LookPath("limited")
	require.NoError(t, err)
	p, err := start(dir, os.Environ(), []string{limited, "20000000", program()}, "--rate-limit", "0")
	require.NoError(t, err)
	t.Cleanup(p.kill)

	sent := fill(t, p)
	got, err := p.call(request{role: "viewer", method: "GET", path: "/requirements/REQ-001"})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.status)
	// Within a second the service may find room for smaller changes: then it is filled again.
	const warning = `{"name":"room","status":"warning"`
	for range 100 {
		got, err = p.call(request{method: "GET", path: "/readyz?verbose"})
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.status)
		if strings.Contains(got.body, warning) {
			break
		}
		sent += fill(t, p)
	}
	require.Contains(t, got.body, warning)
	require.NoError(t, p.stop(0))

	require.EqualValues(t, 1+sent, revisionAfterRestart(t, dir))
	require.Contains(t, requireInOrder(t, dir), "export matches")
}

// fill sends large changes until one finds no room, and returns how many were confirmed.
func fill(t testing.TB, p *process) (sent int) {
	for change := 0; change < 400; change++ {
		var texts []string
		for n := range 40 {
			texts = append(texts, fmt.Sprintf(`"%d.%d %s"`, change, n, strings.Repeat("x", 19000)))
		}
		got, err := p.call(request{role: "architect", method: "PATCH", path: "/requirements/REQ-001",
			body: `{"design_spec":{"summary":"s","decisions":[` + strings.Join(texts, ",") + `]}}`})
		require.NoError(t, err)
		if got.status != http.StatusOK {
			require.Equal(t, http.StatusInsufficientStorage, got.status, got.body)
			require.Contains(t, got.body, `"code":"disk_full"`)
			require.Equal(t, "10", got.header.Get("Retry-After"))
			return sent
		}
		sent++
	}
	t.Fatal("the database never reached its limit")
	return 0
}

// A second server on the same database gives up and names the lock: if it waited for the first, patience would end it.
//
// Verifies: ORC-042
func TestSecondServerGivesUpSoon(t *testing.T) {
	dir := newProject(t)
	startServer(t, dir)
	out, code := orchestrate(t, dir, "serve", "--addr", "127.0.0.1:0")
	require.Equal(t, 1, code)
	require.Contains(t, out, " has the database .orchestrator/state.db open\n")
	require.Contains(t, out, "  fix: use that one; to start another, stop it first")
}
