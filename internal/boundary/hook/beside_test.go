package hook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// programLink returns a project's link to a hook, which is what some systems take for the program itself, and the
// folder with both programs.
func programLink(t *testing.T) (link, programs string) {
	t.Helper()
	programs, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(programs, "orchestrator-hook"), nil, 0o755))
	link = filepath.Join(t.TempDir(), "orchestrator-hook")
	require.NoError(t, os.Symlink(filepath.Join(programs, "orchestrator-hook"), link))
	return link, programs
}

// The whole program is found, and guarded, beside the real hook, by whatever link that was started.
// Verifies: ORC-224
func TestTheProgramBehindALink(t *testing.T) {
	link, programs := programLink(t)
	require.Equal(t, []string{filepath.Join(programs, "orchestrator"), filepath.Join(filepath.Dir(link), "orchestrator")},
		beside(&links{}, link, "orchestrator"))
	direct := filepath.Join(programs, "orchestrator-hook")
	require.Equal(t, []string{filepath.Join(programs, "orchestrator")}, beside(&links{}, direct, "orchestrator"))

	guarded := newResolver(t.TempDir(), "", "", "").guarded(link)
	for _, name := range []string{"orchestrator", "orchestrator-hook"} {
		require.Contains(t, guarded.Paths, filepath.Join(programs, name))
		require.Contains(t, guarded.Paths, filepath.Join(filepath.Dir(link), name))
	}
}
