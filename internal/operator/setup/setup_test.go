package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/requirements/reqdoc"
)

const document = "# Shop\n\n- **REQ-001**: A customer can log in.\n"

func file(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// folder returns all files below the working folder with their content; folders have none.
func folder(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[path] = "a folder"
			return err
		}
		content, err := os.ReadFile(path)
		all[path] = string(content)
		return err
	}))
	return all
}

// shop is a project whose first start makes files as a service does.
func shop(a Answers) Project {
	p := Project{Data: datadir.Default, Answers: a, Told: []string{"AGENTS.md", "CLAUDE.md"}}
	p.Begin = func(context.Context, Answers) error {
		if err := os.MkdirAll(p.Data.TokenDir(), 0o700); err != nil {
			return err
		}
		return errors.Join(os.WriteFile(p.Data.Token("pm"), nil, 0o600), os.WriteFile(p.Data.Database(), nil, 0o600))
	}
	return p
}

func planned(t *testing.T, p Project) Plan {
	t.Helper()
	plan, err := p.Plan(t.Context())
	require.NoError(t, err)
	return plan
}

// Verifies: ORC-161
func TestEveryStepThatFailsLeavesTheFolderAsItWas(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T){
		"new": func(*testing.T) {},
		"some of it is there": func(t *testing.T) {
			file(t, ".orchestrator/settings.yaml", "log_level: warn\n")
			file(t, ".orchestrator/boundary/policy.json", "{}")
			file(t, "orchestrator.yaml", "documents: [REQUIREMENTS.md]\nfamily: markdown\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			file(t, "REQUIREMENTS.md", document)
			prepare(t)
			was := folder(t)
			p := shop(Answers{Evidence: "record", Family: "markdown", Qualify: "none"})
			for i := range planned(t, p).Steps {
				for _, after := range []bool{false, true} {
					plan := planned(t, p)
					work, broken := plan.Steps[i].do, errors.New("broken")
					plan.Steps[i].Done = false
					plan.Steps[i].do = func(ctx context.Context) error {
						if after {
							require.NoError(t, work(ctx))
						}
						return broken
					}
					require.ErrorIs(t, plan.Do(t.Context()), broken)
					require.Equal(t, was, folder(t), "step %d: %s", i, plan.Steps[i])
				}
			}
			require.NoError(t, planned(t, p).Do(t.Context()))
			require.NotEqual(t, was, folder(t))
			require.True(t, planned(t, p).Complete())
		})
	}
}

func TestWhoeverStopsItFindsTheFolderAsItWas(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", document)
	was := folder(t)
	ctx, stop := context.WithCancel(t.Context())
	plan := planned(t, shop(Answers{}))
	write := plan.Steps[0].do
	plan.Steps[0].do = func(ctx context.Context) error { stop(); return write(ctx) }
	err := plan.Do(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, fault.Is(err, CodeInterrupted), err)
	require.Equal(t, was, folder(t))
	_, err = shop(Answers{}).Plan(ctx)
	require.True(t, fault.Is(err, CodeInterrupted), err)
}

func TestASecondRunChangesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", document)
	require.NoError(t, planned(t, shop(Answers{})).Do(t.Context()))
	was := folder(t)
	again := planned(t, shop(Answers{}))
	require.True(t, again.Complete())
	require.NoError(t, again.Do(t.Context()))
	require.Equal(t, was, folder(t))

	file(t, "more.md", "- **REQ-002**: More.\n")
	require.NoError(t, planned(t, shop(Answers{Documents: []string{"REQUIREMENTS.md", "more.md"}})).Do(t.Context()))
	now := folder(t)
	require.Contains(t, now[config.TreeFile], "more.md")
	delete(now, "more.md")
	now[config.TreeFile] = was[config.TreeFile]
	require.Equal(t, was, now, "another answer changes only what it is about")
}

func TestDocumentsAreFoundWhereProjectsKeepThem(t *testing.T) {
	for path, want := range map[string]string{
		"REQUIREMENTS.md":               "REQUIREMENTS.md",
		".planning/REQUIREMENTS.md":     ".planning/REQUIREMENTS.md",
		"docs/requirements/shop.md":     "docs/requirements/*.md",
		"docs/shop.md":                  "docs/shop.md",
		"shop.md":                       "shop.md",
		"specs/001-login/spec.md":       "specs/*/spec.md",
		"openspec/specs/login/spec.md":  "openspec/specs/*/spec.md",
		".kiro/specs/x/requirements.md": ".kiro/specs/*/requirements.md",
	} {
		t.Run(path, func(t *testing.T) {
			t.Chdir(t.TempDir())
			file(t, path, document)
			file(t, "README.md", "# Shop\n\nIt sells.\n")
			file(t, "docs/guide.md", "# Guide\n")
			found, err := Find(t.Context(), nil, reqdoc.Options{})
			require.NoError(t, err)
			require.Equal(t, []string{want}, found.Documents)
			require.Equal(t, 1, found.Requirements)
			require.Equal(t, map[string]int{"markdown": 1}, found.Families)
		})
	}
}

func TestDocumentsWithoutRequirementsAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "docs/REQUIREMENTS.md", "# Why\n\nIt is needed.\n")
	file(t, "specs/001-x/spec.md", "# Later\n")
	_, err := Find(t.Context(), nil, reqdoc.Options{})
	require.True(t, fault.Is(err, CodeNoDocuments), err)
	require.Equal(t, "no requirement was found in specs/*/spec.md, docs/REQUIREMENTS.md", fault.As(err).Detail)
	require.Contains(t, fault.As(err).Fix,
		"orchestrator import --dry-run 'specs/*/spec.md' docs/REQUIREMENTS.md says why")
	file(t, "docs/shop.md", document) // those that have some are taken
	found, err := Find(t.Context(), nil, reqdoc.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"docs/shop.md"}, found.Documents)
}

func TestAFolderThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", document)
	was := folder(t)
	p := shop(Answers{})
	for _, cause := range []error{fs.ErrPermission, syscall.EROFS} {
		p.Begin = func(context.Context, Answers) error { return &fs.PathError{Op: "mkdir", Path: "x", Err: cause} }
		err := planned(t, p).Do(t.Context())
		require.True(t, fault.Is(err, CodeUnwritable), err)
		require.Contains(t, fault.As(err).Fix, "owner")
		require.Equal(t, was, folder(t))
	}
}

func TestWhereNothingIsFoundItSaysWhereItLooked(t *testing.T) {
	t.Chdir(t.TempDir())
	file(t, "REQUIREMENTS.md", "See elsewhere.\n")
	_, err := Find(t.Context(), nil, reqdoc.Options{})
	require.True(t, fault.Is(err, CodeNoDocuments), err)
	require.Contains(t, fault.As(err).Detail, "no requirement was found in REQUIREMENTS.md")
	require.NoError(t, os.Remove("REQUIREMENTS.md"))
	_, err = Find(t.Context(), nil, reqdoc.Options{})
	require.True(t, fault.Is(err, CodeNoDocuments), err)
	require.Contains(t, fault.As(err).Detail, "openspec/specs")
	require.Contains(t, fault.As(err).Fix, "--documents")
}
