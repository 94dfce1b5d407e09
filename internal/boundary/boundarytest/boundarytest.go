// Package boundarytest makes projects with a boundary, and lines of a journal, for tests.
package boundarytest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"
)

// Day0 is when the projects of the tests were set up.
var Day0 = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// Project makes a project in validate, whose journal has one line.
func Project(t *testing.T) folder.Dir {
	t.Helper()
	dir := folder.In(t.TempDir())
	made, err := control.SetUp(dir, boundary.DefaultPolicy(), By("set up", Day0))
	require.NoError(t, err)
	require.True(t, made)
	return dir
}

var changes atomic.Int64

// By returns a change of a person; each has an id of its own.
func By(reason string, at time.Time) control.Change {
	return control.Change{By: "local:ada", Reason: reason, At: at, ID: fmt.Sprintf("c%015x", changes.Add(1))}
}

// Call is a judged call as a test writes it.
type Call struct {
	ID, Session, Tool, File string
	Actor                   boundary.ActorKind
	At                      time.Time
	Bypass                  []boundary.Grant
}

// Judged returns the line of a call, with the verdict of the project's policy of now.
func Judged(t *testing.T, dir folder.Dir, c Call) folder.Line {
	t.Helper()
	p, err := dir.Policy()
	require.NoError(t, err)
	l := folder.Line{
		ID: c.ID, At: c.At, Kind: folder.KindDecision, Client: "claude", Session: c.Session, Tool: c.Tool,
		ToolUseID: "use-" + c.ID,
		Actor:     &boundary.Actor{Kind: c.Actor}, Mode: p.Mode, Micros: 500,
	}
	if c.File != "" {
		l.Named = []boundary.Target{{Path: c.File}}
	}
	judging := l.Call()
	judging.Grants = c.Bypass
	v := boundary.Judge(&p, judging)
	v.Steps, v.Targets, v.Fix = nil, nil, ""
	l.Verdict = &v
	return l
}

// Add appends lines to the journal of dir.
func Add(t *testing.T, dir folder.Dir, lines ...folder.Line) {
	t.Helper()
	for _, l := range lines {
		require.NoError(t, dir.Append(l))
	}
}

// ID returns an id of a line.
func ID(n int) string { return fmt.Sprintf("%016x", n) }

// History reads the journal of dir.
func History(t *testing.T, dir folder.Dir) *report.History {
	t.Helper()
	h, err := report.Read(dir)
	require.NoError(t, err)
	return h
}

// RequireCode fails the test unless err has the code, and says what to do.
func RequireCode(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, f.Code, "%v", err)
	require.NotEmpty(t, f.Fix, "an error says what to do")
	return f
}

// AppendRaw writes to a file of the journal what no hook does.
func AppendRaw(t *testing.T, dir folder.Dir, file, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir.Path(), "journal", file), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	require.NoError(t, err)
	_, err = f.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// OpenLedger opens the ledger of s.
func OpenLedger(t *testing.T, s store.Store) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	return l
}

// Noted returns the line of a tool that ran.
func Noted(n int, at time.Time) folder.Line {
	return folder.Line{ID: ID(n), At: at, Kind: folder.KindOutcome, Client: "claude", Session: "s", ToolUseID: ID(n),
		What: folder.OutcomeDone}
}
