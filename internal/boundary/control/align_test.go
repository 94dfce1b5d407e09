package control_test

import (
	"os"
	"path/filepath"
	"testing"

	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/boundary/boundarytest"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/boundary"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
)

// registered registers the hook with a client of a version, as an installation in validate does.
func registered(t *testing.T, dir folder.Dir, client, version string) (file string) {
	t.Helper()
	c, _ := agentclient.Named(client)
	change, err := settings.Install(client, settings.Options{Root: dir.Root, ClientVersion: version,
		Command: commandline.For(c, c.Wiring.Before()), Later: commandline.For(c, "later")})
	require.NoError(t, err)
	require.NoError(t, control.NoteInstallation(dir, client, version, control.Installed, boundarytest.By("r", boundarytest.Day0)))
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
	p, err := dir.Written()
	require.NoError(t, err)
	p.Mode = to
	require.NoError(t, dir.WritePolicy(p))
	n := 0
	done, err := control.Align(dir, version, boundarytest.By("we begin", boundarytest.Day0), func() string { n++; return boundarytest.ID(n) + string(to) })
	require.NoError(t, err)
	return done
}

// What makes a client block where the hook breaks comes with enforce, and goes with every other mode; nothing else of
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
		require.Equal(t, control.Shut, a.What)
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
	require.Equal(t, control.Shut, done[0].What, "who asks the client knows its version")
	_, err := control.Align(folder.In(t.TempDir()), nil, control.Change{}, nil)
	boundarytest.RequireCode(t, err, "no_boundary")
}

// A request to the service does the same as the command.
func TestTheServiceAlignsTheClients(t *testing.T) {
	dir := boundarytest.Project(t)
	file := registered(t, dir, "claude", "2.1.330")
	n := 100
	g := control.New(dir, boundarytest.OpenLedger(t, store.NewMemory()), func() time.Time { return boundarytest.Day0.Add(time.Hour) },
		func() string { n++; return boundarytest.ID(n) })
	done, err := g.SetMode(t.Context(), "paula", control.ModeChange{Mode: boundary.Enforce, Reason: "r", Override: "o"})
	require.NoError(t, err)
	require.Equal(t, []control.Aligned{{Client: "claude", What: control.Shut, File: file}}, done.Clients)
	require.Contains(t, text(t, file), `"onFailure": "block"`)
	_, err = g.SetMode(t.Context(), "paula", control.ModeChange{Mode: boundary.Validate, Reason: "r"})
	require.NoError(t, err)
	require.NotContains(t, text(t, file), "onFailure")
}
