package control

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

func TestMain(m *testing.M) {
	if os.Getenv(recordingIn) != "" {
		recordForEver()
	}
	goleak.VerifyTestMain(m)
}

// day0 is when the projects of the tests were set up.
var day0 = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// project is a new one, in validate, whose journal has one line.
func project(t *testing.T) folder.Dir {
	t.Helper()
	dir := folder.In(t.TempDir())
	made, err := SetUp(dir, by("set up", day0))
	require.NoError(t, err)
	require.True(t, made)
	return dir
}

var changes int

// by is a change of a person; each has an id of its own.
func by(reason string, at time.Time) Change {
	changes++
	return Change{By: "local:ada", Reason: reason, At: at, ID: fmt.Sprintf("c%015x", changes)}
}

// call is a judged call as a test writes it.
type call struct {
	id, session, tool, file string
	actor                   boundary.ActorKind
	at                      time.Time
	bypass                  []boundary.Grant
}

// judged is the line of a call, with the verdict of the project's policy of now.
func judged(t *testing.T, dir folder.Dir, c call) folder.Line {
	t.Helper()
	p, err := dir.Policy()
	require.NoError(t, err)
	l := folder.Line{
		ID: c.id, At: c.at, Kind: folder.KindDecision, Client: "claude", Session: c.session, Tool: c.tool, ToolUseID: "use-" + c.id,
		Actor: &boundary.Actor{Kind: c.actor}, Mode: p.Mode, Micros: 500,
	}
	if c.file != "" {
		l.Named = []boundary.Target{{Path: c.file}}
	}
	judging := l.Call()
	judging.Grants = c.bypass
	v := boundary.Judge(&p, judging)
	v.Steps, v.Targets, v.Fix = nil, nil, ""
	l.Verdict = &v
	return l
}

func add(t *testing.T, dir folder.Dir, lines ...folder.Line) {
	t.Helper()
	for _, l := range lines {
		require.NoError(t, dir.Append(l))
	}
}

func id(n int) string { return fmt.Sprintf("%016x", n) }

func history(t *testing.T, dir folder.Dir) *History {
	t.Helper()
	h, err := Read(dir)
	require.NoError(t, err)
	return h
}

func requireCode(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, f.Code, "%v", err)
	require.NotEmpty(t, f.Fix, "an error says what to do")
	return f
}

// appendRaw writes to a file of the journal what no hook does.
func appendRaw(t *testing.T, dir folder.Dir, file, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir.Path(), "journal", file), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func long(n int) string { return strings.Repeat("x", n) }
