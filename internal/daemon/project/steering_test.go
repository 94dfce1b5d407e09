package project

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/datadir"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/planning"
)

// newSteering is that of a project in the folder shop of a repository.
func newSteering(t *testing.T) steering {
	t.Helper()
	root := rooted(t.TempDir())
	project := filepath.Join(root, "shop")
	for name, text := range map[string]string{
		"REQUIREMENTS.md": "", "docs/a.md": "", "docs/b.txt": "", "bin/coder": "", "bin/real": "",
		"agents/test.py": "", "contracts/a.yaml": "", ".orchestrator/settings.yaml": "",
	} {
		file := filepath.Join(project, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	require.NoError(t, os.Symlink("../contracts", filepath.Join(project, ".orchestrator", "tools")))
	require.NoError(t, os.Symlink("real", filepath.Join(project, "bin", "linked")))
	docs, err := documents.Open([]string{filepath.Join(project, "REQUIREMENTS.md"),
		filepath.Join(project, "docs", "*.md")})
	require.NoError(t, err)
	t.Cleanup(docs.Close)
	s := steering{root: root, project: project, data: datadir.Dir(filepath.Join(project, ".orchestrator")), docs: docs,
		cited: func(path string) string { return path }, exports: []string{"shop/project_status.json"}}
	for _, argv := range [][]string{
		{"./bin/coder", "./docs/b.txt"}, {"./bin/linked"}, {"/usr/bin/python3", "-u", "agents/test.py", "docs/b.txt"},
		{"claude", "docs/b.txt"}, {"sh", "-c", "true"},
	} {
		agent := planning.Contract{Role: "coder", Implementation: planning.Implementation{Argv: argv}}
		if program := programOf(agent, project); program != "" {
			s.programs = append(s.programs, program)
		}
	}
	return s
}

// What people steer the service and its agents by is told from what agents work on.
//
// Verifies: ORC-273
func TestWhatSteersTheService(t *testing.T) {
	s := newSteering(t)
	steers := []string{
		"shop/.orchestrator/tools/evil.yaml", "shop/.orchestrator/prompts/tester.md",
		"shop/.orchestrator/boundary/policy.json",
		"shop/.orchestrator/state.db", "shop/.orchestrator/addr", "shop/.orchestrator", "shop/.Orchestrator/tokens.json",
		"shop/orchestrator.yaml", "shop/sub/Orchestrator.yaml", ".orchestrator/settings.yaml", "orchestrator.yaml",
		"shop/REQUIREMENTS.md", "shop/docs/new.md", "shop/contracts/a.yaml", "shop/contracts",
		"shop/bin/coder", "shop/bin/linked", "shop/bin/real", "shop/bin", "shop/agents/test.py", "shop",
		"shop/project_status.json",
	}
	work := []string{
		"shop/app.go", "shop/docs/b.txt", "shop/docs/a/b.md", "shop/agents/other.py", "README.md", "REQUIREMENTS.md",
		"shop/.claude/settings.json", "shop/orchestrator.yaml.md", "shop/contractsx/a.yaml", "shop/claude",
	}
	require.Equal(t, steers, s.among(t.Context(), slices.Concat(steers, work)))

	policy := boundary.DefaultPolicy()
	policy.ProtectedPaths = []string{"infra/**"}
	_, err := folder.In(s.project).Make(policy)
	require.NoError(t, err)
	guarded := []string{
		"shop/.claude/settings.json", "shop/.github/hooks/a.json", "shop/infra/main.tf", ".claude/settings.json",
	}
	require.Equal(t, guarded, s.among(t.Context(), slices.Concat(guarded, []string{"shop/app.go", "shop/.claude/agents/a.md"})))
	watched := s.watched(t.Context())
	for _, file := range []string{
		"REQUIREMENTS.md", "docs/a.md", "orchestrator.yaml", "bin/coder", "agents/test.py", ".orchestrator/tokens.json",
		".orchestrator/tools", ".orchestrator/addr", ".orchestrator/boundary/grants.json",
		".claude/settings.local.json", ".github/hooks",
	} {
		require.Contains(t, watched, filepath.Join(s.project, file))
	}
	require.NotContains(t, watched, "/usr/bin/python3")
	require.NotContains(t, watched, filepath.Join(s.project, ".orchestrator", "state.db"))

	require.NoError(t, os.WriteFile(filepath.Join(folder.In(s.project).Path(), "policy.json"), []byte("{"), 0o600))
	require.Len(t, s.among(t.Context(), guarded), 3, "of a policy that cannot be read, what is guarded in any case")
	tool := planning.Contract{Implementation: planning.Implementation{Argv: []string{"./tool"}}}
	require.Empty(t, programOf(tool, s.project), "a tool that only answers is no agent")
}
