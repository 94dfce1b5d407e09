package adopting

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-154

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const spec = "openspec/specs/cli/spec.md"

// state is the export of a project with one requirement that its document calls finished, and one that it does not.
func state(t *testing.T) []byte {
	t.Helper()
	p := projection.Project{Name: "p", WorkflowName: "v1", Evidence: projection.EvidenceVerified}
	entries := map[string]*projection.Entry{}
	for id, tick := range map[string]string{"cli/A 1": "ticked", "cli/B 2": "open"} {
		req, _ := lifecycle.Define(nil, lifecycle.Definition{ID: id, Title: id, Fingerprint: "sha256:" + strings.Repeat("a", 64),
			Source: lifecycle.Source{Path: spec, Line: 3, EndLine: 4, Tick: tick}}, noon, lifecycle.LatestRules)
		raw, err := json.Marshal(req)
		require.NoError(t, err)
		p.IDs, entries[id] = append(p.IDs, id), projection.NewEntry(req, raw, p.Workflow())
	}
	snap, err := projection.New(p, entries, audit.Head{Size: 9})
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, snap.Write(&out))
	return out.Bytes()
}

// write makes a tree of files the working folder.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	t.Chdir(dir)
}

func requests(r adoption.Result) string {
	var all strings.Builder
	for _, l := range r.Lines {
		all.Write(l.Request)
	}
	return all.String()
}

// What a tree has for a requirement goes into its plan: a design of a finished change, marks with the lines that they are
// about, each file once, and tests by the marks above them.
func TestWhatATreeHas(t *testing.T) {
	const archive = "openspec/changes/archive/2026-01-01-first/"
	write(t, map[string]string{
		spec: "### Requirement: A 1\n", archive + "design.md": "d", archive + "specs/cli/spec.md": "s",
		"a.go":        "package a\n\n// Implements: A 1\nfunc A() {\n}\n\n// Covers: cli/A 1\nfunc B() {}\n",
		"whole.go":    "// Implements: cli/A 1\npackage a\n\n// Covers: cli/A 1\nfunc C() {}\n",
		"notes.md":    "Implements: cli/A 1\n",
		"tests/x.py":  "import a\n\n# Verifies: cli/A 1\ndef test_all():\n    a()\n",
		"report.xml":  `<testsuite><testcase name="test_all"/></testsuite>`,
		"ignored/b.c": "// Implements: cli/A 1\n",
	})
	r, err := Plan(t.Context(), state(t), Options{Reports: []string{"report.xml"}, Exclude: []string{"ignored"}}, noon)
	require.NoError(t, err)
	require.Len(t, r.Outcomes, 1)
	require.True(t, r.Outcomes[0].Awaits, "%+v", r.Outcomes)
	sent := requests(r)
	require.Contains(t, sent, `"files":[{"path":"`+archive+`design.md"},{"path":"notes.md"}]`)
	require.Contains(t, sent, `"files":[{"path":"a.go","lines":"3-5"},{"path":"a.go","lines":"7-8"},{"path":"whole.go"}]`)
	require.Equal(t, "^(test_all)$", r.Lines[8].Report.Tests)
	require.Contains(t, sent, `"path":"`+spec+`","lines":"3-4"`)
}

func TestWhatCannotBePlanned(t *testing.T) {
	write(t, map[string]string{spec: "", "broken.xml": "<testsuite", "future.xml": `<testsuite timestamp="2027-01-01T00:00:00Z"><testcase name="a"/></testsuite>`})
	for name, code := range map[string]fault.Code{"none.xml": fault.CodeUsage, "broken.xml": "report_unreadable", "future.xml": "report_from_future"} {
		_, err := Plan(t.Context(), state(t), Options{Reports: []string{name}}, noon)
		require.True(t, fault.Is(err, code), "%s: %v", name, err)
		require.Contains(t, fault.As(err).Detail, name)
	}
	_, err := Plan(t.Context(), []byte("{}"), Options{}, noon)
	require.True(t, fault.Is(err, projection.CodeExportUnreadable))
	_, err = Plan(t.Context(), state(t), Options{Reports: []string{"future.xml"}, Commit: "HEAD"}, noon)
	require.Error(t, err, "there is no repository to look the commit up in")
	r, err := Plan(t.Context(), state(t), Options{}, noon)
	require.NoError(t, err)
	require.Len(t, r.Outcomes[0].Lacks, 2)
}
