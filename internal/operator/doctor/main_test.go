package doctor

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/tokens"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/schemas"
)

const shop = "# Shop\n\n- **REQ-001**: A customer can log in.\n"

// newProject makes a project in which all is well, but that no service runs, and the options to examine it there.
func newProject(t *testing.T) Options {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir(datadir.Default, 0o700))
	data := datadir.Dir(datadir.Default)
	write(t, "REQUIREMENTS.md", shop)
	write(t, data.GitIgnore(), "*\n")
	write(t, data.File("settings.yaml"), "evidence: verify\n")
	private, err := audit.GenerateKey(rand.Reader, "example.org/shop")
	require.NoError(t, err)
	write(t, data.Key(), private+"\n")
	record(t, data, time.Now)
	_, err = tokens.Open(data).Bootstrap([]string{"pm", "viewer"}, time.Now())
	require.NoError(t, err)
	runGit(t, "init", "--quiet", "--initial-branch", "main")
	runGit(t, "config", "user.name", "Ada")
	runGit(t, "config", "user.email", "ada@example.org")
	runGit(t, "add", "-A")
	runGit(t, "commit", "--quiet", "-m", "Begin")
	return Options{
		Data: data, Documents: []string{"REQUIREMENTS.md"}, Export: "project_status.json", User: os.Geteuid(),
		Program:  Program{Version: "v1", Commit: "c", Rules: int(lifecycle.LatestRules), System: "linux", Agent: "test"},
		Now:      time.Now(),
		Boundary: newBoundary, Servers: newBoundary,
	}
}

// newBoundary is a boundary of which nothing is said.
func newBoundary(context.Context) ([]Finding, error) { return nil, nil }

// record takes the document into the database, as of a clock, and writes export and checkpoint.
func record(t *testing.T, data datadir.Dir, clock func() time.Time) {
	t.Helper()
	signer, err := audit.ParseSigner(strings.TrimSpace(content(t, data.Key())))
	require.NoError(t, err)
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	l, err := ledger.Open(t.Context(), s, clock)
	require.NoError(t, err)
	service, err := requirements.Open(t.Context(), l, clock,
		requirements.Options{Signer: signer, ExportPath: "project_status.json"})
	require.NoError(t, err)
	_, err = service.Import(t.Context(), lifecycle.Actor{Name: "paula", Role: lifecycle.PM}, func() ([]reqdoc.File, error) {
		return []reqdoc.File{{Path: "REQUIREMENTS.md", Content: []byte(content(t, "REQUIREMENTS.md"))}}, nil
	}, requirements.ImportOptions{})
	require.NoError(t, err)
	ended, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, service.Run(ended))
	require.NoError(t, s.Close())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func runGit(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// examine examines a project, and requires that nothing but the time of the last access of a file changed, and that the
// report has the shape of the schema.
func examine(t *testing.T, o Options) Report {
	t.Helper()
	before := digest(t)
	r := Examine(t.Context(), o)
	require.Equal(t, before, digest(t), "it only reads")
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(raw, &value))
	require.Empty(t, schemas.Violations(schemas.Doctor, value))
	return r
}

// digest describes all below the working folder.
func digest(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime())
		if entry.Type().IsRegular() {
			if b, err := os.ReadFile(path); err == nil {
				fmt.Fprintf(&all, "%x\n", sha256.Sum256(b))
			}
		}
		return nil
	}))
	return all.String()
}

// found returns the findings about something that are not in order.
func found(r Report, about string) (all []Finding) {
	for _, f := range r.Findings {
		if f.About == about && f.Level != OK {
			all = append(all, f)
		}
	}
	return all
}
