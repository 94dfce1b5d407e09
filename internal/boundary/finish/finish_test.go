package finish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/rules/boundary"
)

func open() []boundary.Lack {
	return []boundary.Lack{{Requirement: "REQ-001", Status: "planned", Do: []string{"supply design_spec"}}}
}

// stop is what Claude Code sends when a session ends its turn.
func stop(session string) string {
	return fmt.Sprintf(`{"session_id":%q,"hook_event_name":"Stop","stop_hook_active":false}`, session)
}

// done is what it sends when a task is done.
func done(subject string) string {
	return fmt.Sprintf(`{"session_id":"s1","hook_event_name":"TaskCompleted","task_subject":%q}`, subject)
}

// input is a call in a project with a boundary in some mode, of a session that has a token.
func input(t *testing.T, mode boundary.Mode) Input {
	t.Helper()
	dir := folder.In(t.TempDir())
	p := boundary.DefaultPolicy()
	p.Mode = mode
	_, err := dir.Make(p)
	require.NoError(t, err)
	return Input{Client: "claude", Root: dir.Root, Within: time.Minute, Patience: time.Minute,
		Getenv: func(name string) string { return map[string]string{TokenVariable: "a.token"}[name] },
		Lacking: func(_ context.Context, root string) ([]boundary.Lack, error) {
			require.Equal(t, dir.Root, root)
			return open(), nil
		}}
}

func (in Input) call(stdin string) agentclient.Answer {
	in.Stdin = strings.NewReader(stdin)
	return Run(context.Background(), in)
}

func held(a agentclient.Answer) bool { return len(a.Stdout)+len(a.Stderr) > 0 }

// TestASessionIsToldOnce what its claims lack, for each requirement, whichever of the client's events comes first.
// Verifies: ORC-224
func TestASessionIsToldOnce(t *testing.T) {
	for _, mode := range []boundary.Mode{boundary.Validate, boundary.Enforce} {
		in := input(t, mode)
		first := in.call(stop("s1"))
		require.Zero(t, first.Exit)
		require.Contains(t, string(first.Stdout), `{"decision":"block","reason":"ORCHESTRATOR: not done yet.`)
		require.Contains(t, string(first.Stdout), "- REQ-001 (planned): supply design_spec")
		require.Equal(t, agentclient.Answer{}, in.call(stop("s1")))
		require.Equal(t, agentclient.Answer{}, in.call(done("design REQ-001")))
		require.True(t, held(in.call(stop("s2"))), "another session")
		in.Lacking = func(context.Context, string) ([]boundary.Lack, error) {
			return append([]boundary.Lack{{Requirement: "REQ-002", Status: "planned"}}, open()...), nil
		}
		second := in.call(stop("s1"))
		require.Contains(t, string(second.Stdout), "REQ-002")
		require.NotContains(t, string(second.Stdout), "REQ-001")
	}
}

func TestOneOfManyIsTold(t *testing.T) {
	in := input(t, boundary.Validate)
	var told atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if held(in.call(stop("s1"))) {
				told.Add(1)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1, told.Load())
}

// A reminder that comes too late to be told is told the next time.
// Verifies: ORC-224
func TestWhatWasNotToldIsNotNoted(t *testing.T) {
	in := input(t, boundary.Validate)
	answered, asked := make(chan struct{}), make(chan struct{})
	late := in
	late.Within = time.Millisecond
	late.Lacking = func(context.Context, string) ([]boundary.Lack, error) {
		defer close(asked)
		<-answered
		return open(), nil
	}
	require.False(t, held(late.call(stop("s1"))))
	close(answered)
	<-asked
	time.Sleep(50 * time.Millisecond) // for a note that must not be made
	require.True(t, held(in.call(stop("s1"))))
}

// A task that is done is held up for the requirement that it names, and for no other.
// Verifies: ORC-224
func TestATaskNamesItsRequirement(t *testing.T) {
	in := input(t, boundary.Validate)
	for _, other := range []string{"read the code", "REQ-0010", "REQ-001-2", "MY-REQ-001", "req-001", ""} {
		require.Equal(t, agentclient.Answer{}, in.call(done(other)), other)
	}
	a := in.call(done("Design REQ-001."))
	require.Equal(t, 2, a.Exit)
	require.Contains(t, string(a.Stderr), "- REQ-001 (planned)")
	for text, want := range map[string]bool{"REQ-0010, REQ-001": true, "(REQ-001)": true, "REQ-001: design": true,
		"REQ-001-": true, "xREQ-001": false, "REQ-001.2": false, "éREQ-001": false} {
		require.Equal(t, want, names(text, "REQ-001"), text)
	}
	require.False(t, names("anything", ""))
}

// TestNothingIsSaid where there is nothing to say, or nobody who could.
// Verifies: ORC-224
func TestNothingIsSaid(t *testing.T) {
	fail := func(context.Context, string) ([]boundary.Lack, error) { return open(), errors.New("nobody answers") }
	for name, change := range map[string]func(in *Input) string{
		"a hook held it up": func(*Input) string { return strings.Replace(stop("s1"), "false", "true", 1) },
		"no session":        func(*Input) string { return stop("") },
		"no call":           func(*Input) string { return "nonsense" },
		"another event":     func(*Input) string { return `{"session_id":"s1","hook_event_name":"SessionEnd"}` },
		"no token": func(in *Input) string {
			in.Getenv = func(string) string { return "" }
			return stop("s1")
		},
		"no boundary":       func(in *Input) string { in.Root = os.TempDir(); return stop("s1") },
		"no such client":    func(in *Input) string { in.Client = "nobody"; return stop("s1") },
		"an error":          func(in *Input) string { in.Lacking = fail; return stop("s1") },
		"nothing lacks":     func(in *Input) string { in.Lacking = nothing; return stop("s1") },
		"a panic":           func(in *Input) string { in.Lacking = nil; return stop("s1") },
		"it cannot be told": func(in *Input) string { return blockNotes(t, in.Root) },
	} {
		in := input(t, boundary.Enforce)
		call := change(&in)
		require.Equal(t, agentclient.Answer{}, in.call(call), name)
	}
	require.Equal(t, agentclient.Answer{}, input(t, boundary.Off).call(stop("s1")), "off")
}

func nothing(context.Context, string) ([]boundary.Lack, error) { return nil, nil }

// blockNotes puts a file into the place of the notes.
func blockNotes(t *testing.T, root string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(folder.In(root).Path(), "journal", "told"), nil, 0o600))
	return stop("s1")
}

// TestNobodyWaitsLong for a service or a client that does not answer.
// Verifies: ORC-224
func TestNobodyWaitsLong(t *testing.T) {
	in := input(t, boundary.Validate)
	in.Patience = time.Millisecond
	in.Lacking = func(ctx context.Context, _ string) ([]boundary.Lack, error) {
		<-ctx.Done()
		return open(), nil // too late
	}
	require.Equal(t, agentclient.Answer{}, in.call(stop("s1")))
	in.Lacking = func(context.Context, string) ([]boundary.Lack, error) { select {} }
	in.Within = time.Millisecond
	require.Equal(t, agentclient.Answer{}, in.call(stop("s1")))
	r, w := io.Pipe()
	defer w.Close()
	in.Stdin, in.Client = r, "cursor"
	require.JSONEq(t, "{}", string(Run(t.Context(), in).Stdout), "it wants JSON from every hook")
}

// The project is that of the client's environment, of the call, or of the process.
func TestTheProjectIsFound(t *testing.T) {
	in := input(t, boundary.Validate)
	root := in.Root
	in.Root = ""
	below := filepath.Join(root, "below")
	require.NoError(t, os.Mkdir(below, 0o700))
	require.Equal(t, agentclient.Answer{}, in.call(stop("s1")))
	require.True(t, held(in.call(strings.Replace(stop("s1"), "{", fmt.Sprintf(`{"cwd":%q,`, below), 1))))
	in.Cwd = below
	require.True(t, held(in.call(stop("s2"))))
	in.Cwd, in.Getenv = "", func(string) string { return root }
	require.True(t, held(in.call(stop("s3"))))
}

func TestOldNotesAreForgotten(t *testing.T) {
	in := input(t, boundary.Validate)
	told := filepath.Join(folder.In(in.Root).Path(), "journal", "told")
	require.True(t, held(in.call(stop("s1"))))
	entries, err := os.ReadDir(told)
	require.NoError(t, err)
	old := filepath.Join(told, entries[0].Name())
	require.NoError(t, os.Chtimes(old, time.Time{}, time.Now().Add(-31*24*time.Hour)))
	require.True(t, held(in.call(stop("s2"))))
	_, err = os.Stat(old)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.False(t, held(in.call(stop("s2"))), "its own note stays")
}
