package control_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/notice"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"
)

// registered registers the hook with a client of a version, as an installation in validate does.
func registered(t *testing.T, dir folder.Dir, client, version string) (file string) {
	t.Helper()
	c, _ := agentclient.Named(client)
	change, err := settings.Install(client, settings.Options{Root: dir.Root, ClientVersion: version,
		Command: commandline.For(c, c.Wiring.Before()), Later: commandline.For(c, "later")})
	require.NoError(t, err)
	by := boundarytest.By("r", boundarytest.Day0)
	require.NoError(t, control.NoteInstallation(dir, client, version, control.Installed, by))
	return change.File
}

func text(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(raw)
}

func switched(t *testing.T, dir folder.Dir, to boundary.Mode, version func(string) string) []control.Aligned {
	t.Helper()
	done, err := change(dir, to, version).Make(dir)
	require.NoError(t, err)
	require.Equal(t, to, done.Mode)
	return done.Clients
}

var lines atomic.Int64

func change(dir folder.Dir, to boundary.Mode, version func(string) string) control.Switch {
	id := func() string { return fmt.Sprintf("a%015x", lines.Add(1)) }
	return control.Switch{To: to, Override: "o", History: report.FromFiles(dir), Version: version, NewID: id,
		Change: control.Change{By: "local:ada", Reason: "we begin", At: boundarytest.Day0, ID: id()}}
}

// What makes a client block when the hook breaks comes with enforce, and goes with every other mode; nothing else of
// the settings changes, and each change is on record.
// Verifies: ORC-205
func TestClientsFailShutInEnforceAlone(t *testing.T) {
	t.Parallel()
	dir := boundarytest.Project(t)
	open := map[string]string{}
	for _, client := range agentclient.Names() {
		file := registered(t, dir, client, "2.1.330")
		open[file] = text(t, file)
	}
	done := switched(t, dir, boundary.Enforce, nil)
	require.Len(t, done, 2, "those that can be told: %v", done)
	for _, a := range done {
		require.Equal(t, control.FailsClosed, a.What)
		require.NotEqual(t, open[a.File], text(t, a.File))
	}
	require.Empty(t, switched(t, dir, boundary.Enforce, nil), "a second time there is nothing to do")
	for _, back := range []boundary.Mode{boundary.Validate, boundary.Off} {
		done = switched(t, dir, back, nil)
		require.Len(t, done, 2)
		for file, before := range open {
			require.Equal(t, before, text(t, file))
		}
		switched(t, dir, boundary.Enforce, nil)
	}
	var noted []string
	require.NoError(t, dir.Read(func(l folder.Line, err error) error {
		if l.Kind == folder.KindInstallation && l.What != control.Installed {
			noted = append(noted, l.Client+" "+l.What+" "+l.Reason)
		}
		return err
	}))
	require.Contains(t, noted, "claude fails_shut we begin")
	require.Contains(t, noted, "cursor fails_open we begin")
}

// After two switches at once the settings of the clients follow the mode that holds.
// Verifies: ORC-205
func TestTwoSwitchesAtOnceEndAlike(t *testing.T) {
	t.Parallel()
	dir := boundarytest.Project(t)
	file := registered(t, dir, "claude", "2.1.330")
	for range 30 {
		var both sync.WaitGroup
		for _, to := range []boundary.Mode{boundary.Enforce, boundary.Validate} {
			both.Go(func() {
				if _, err := change(dir, to, nil).Make(dir); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		p, err := dir.Policy()
		require.NoError(t, err)
		require.Equal(t, p.Mode == boundary.Enforce, strings.Contains(text(t, file), "onFailure"), p.Mode)
	}
}

// A client is asked for its version before the lock is taken: it may take as long as it likes.
func TestAClientThatIsAskedHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	dir := boundarytest.Project(t)
	registered(t, dir, "claude", "2.1.330")
	done, err := change(dir, boundary.Enforce, func(string) string {
		_, err := change(dir, boundary.Off, nil).Make(dir)
		require.NoError(t, err)
		return ""
	}).Make(dir)
	require.NoError(t, err)
	require.Equal(t, boundary.Off, done.From)
}

// A file with instructions that cannot follow the mode keeps nobody from switching it.
// Verifies: ORC-225
func TestInstructionsThatCannotFollowTheMode(t *testing.T) {
	t.Parallel()
	dir := boundarytest.Project(t)
	agents := filepath.Join(dir.Root, "AGENTS.md")
	require.NoError(t, os.WriteFile(agents, nil, 0o600))
	_, _, err := notice.Put(dir)
	require.NoError(t, err)
	broken := strings.Replace(text(t, agents), "<!-- orchestrator:end -->", "", 1)
	require.NoError(t, os.WriteFile(agents, []byte(broken), 0o600))
	done, err := change(dir, boundary.Enforce, nil).Make(dir)
	require.NoError(t, err)
	require.Equal(t, boundary.Enforce, done.Mode)
	require.Len(t, done.Said, 1)
	require.Contains(t, done.Said[0], "remove the marks")
}

// What cannot be done is said and noted, and the mode holds.
func TestSettingsThatCannotFollowTheMode(t *testing.T) {
	t.Parallel()
	dir := boundarytest.Project(t)
	claude, cursor := registered(t, dir, "claude", ""), registered(t, dir, "cursor", "")
	require.NoError(t, os.Rename(cursor, filepath.Join(dir.Root, "elsewhere")))
	require.NoError(t, os.Symlink(filepath.Join(dir.Root, "elsewhere"), cursor))
	before := text(t, claude)
	done := switched(t, dir, boundary.Enforce, nil)
	require.Len(t, done, 2)
	require.Equal(t, control.Failed, done[0].What)
	require.Contains(t, done[0].Why, "onFailure is left out")
	require.Equal(t, control.Failed, done[1].What)
	require.Contains(t, done[1].Why, "is a symbolic link")
	require.Equal(t, before, text(t, claude))

	done = switched(t, dir, boundary.Enforce, func(string) string { return "2.1.330" })
	require.Equal(t, control.FailsClosed, done[0].What, "who asks the client knows its version")
	nowhere := folder.In(t.TempDir())
	_, err := change(nowhere, boundary.Enforce, nil).Make(nowhere)
	boundarytest.RequireCode(t, err, "no_boundary")
}

// A request to the service does the same as the command.
func TestTheServiceAlignsTheClients(t *testing.T) {
	dir := boundarytest.Project(t)
	file := registered(t, dir, "claude", "2.1.330")
	n := 100
	clock := func() time.Time { return boundarytest.Day0.Add(time.Hour) }
	g := control.New(dir, boundarytest.OpenLedger(t, store.NewMemory()), clock,
		func() string { n++; return boundarytest.ID(n) })
	done, err := g.SetMode(t.Context(), "paula", control.ModeChange{Mode: boundary.Enforce, Reason: "r", Override: "o"})
	require.NoError(t, err)
	require.Equal(t, []control.Aligned{{Client: "claude", What: control.FailsClosed, File: file}}, done.Clients)
	require.Contains(t, text(t, file), `"onFailure": "block"`)
	_, err = g.SetMode(t.Context(), "paula", control.ModeChange{Mode: boundary.Validate, Reason: "r"})
	require.NoError(t, err)
	require.NotContains(t, text(t, file), "onFailure")
}

// A journal may be large: a switch reads it once at most, and not at all where nothing is asked of it.
func TestASwitchReadsTheJournalOnce(t *testing.T) {
	t.Parallel()
	dir := boundarytest.Project(t)
	registered(t, dir, "claude", "2.1.330")
	for _, c := range []struct {
		to       boundary.Mode
		override string
		reads    int
	}{{boundary.Enforce, "", 1}, {boundary.Enforce, "o", 1}, {boundary.Confirm, "o", 1}, {boundary.Validate, "", 0}} {
		reads := 0
		s := change(dir, c.to, nil)
		s.Override, s.History = c.override, func() (*report.History, error) {
			reads++
			return report.Read(dir)
		}
		_, err := s.Make(dir)
		require.Equal(t, c.override == "" && c.to.Blocks(), err != nil, "%v", err)
		require.Equal(t, c.reads, reads, "%v", c)
	}
}
