package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/trace"
	"orchestrator/internal/rules/lifecycle"
)

// tourBlock is a block of commands in a page, and the output that is printed under it.
var tourBlock = regexp.MustCompile("(?s)<!-- tour -->\n```sh\n(.*?)```\n(?:```text\n(.*?)```\n)?")

// tours lists the pages with such blocks. The pages of one row share one service and one shell, in this order.
var tours = map[string][]string{
	"readme": {"README.md"},
	"tour":   {"docs/tour.md", "docs/api.md"},
	"events": {"docs/events.md"},
}

// readPage reads a page of this repository.
func readPage(t *testing.T, path string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("../..", path))
	require.NoError(t, err)
	return string(page)
}

// TestTheReadmesTour runs the tours as printed, on this project's own requirements.
func TestTheReadmesTour(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "grep", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the tour needs %s, which is not installed", tool)
		}
	}
	for name, pages := range tours {
		t.Run(name, func(t *testing.T) {
			var blocks [][]string
			for _, path := range pages {
				page := readPage(t, path)
				found := tourBlock.FindAllStringSubmatch(page, -1)
				require.NotEmpty(t, found, path)
				require.Len(t, found, strings.Count(page, "<!-- tour -->"), "every marked block of %s is found", path)
				blocks = append(blocks, found...)
			}
			runTour(t, blocks)
		})
	}
}

// TestTheReadmesFirstCommands types what "Run it" tells people to type in a project of theirs, in a folder that has
// nothing but a document.
func TestTheReadmesFirstCommands(t *testing.T) {
	_, block, found := strings.Cut(readPage(t, "README.md"), "\norchestrator init ")
	require.True(t, found)
	block, _, found = strings.Cut("orchestrator init "+block, "\n```")
	require.True(t, found)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "REQUIREMENTS.md"), []byte("- **REQ-001**: One.\n"), 0o600))
	t.Cleanup(func() { _ = exec.Command(program(), "down", "--data", filepath.Join(dir, ".orchestrator")).Run() })
	typed := 0
	for line := range strings.Lines(block) {
		command, _, _ := strings.Cut(line, "#")
		args := strings.Fields(command)
		require.Equal(t, "orchestrator", args[0])
		cmd := exec.Command(program(), args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", command, out)
		typed++
	}
	require.Equal(t, 5, typed)
}

// runTour runs blocks in one shell beside a service of their own, and compares what each prints.
func runTour(t *testing.T, blocks [][]string) {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{"REQUIREMENTS.md", "internal/requirements/import.go"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(readPage(t, path)), 0o600))
	}
	commitAll(t, dir)
	startServer(t, dir)

	var script strings.Builder
	for _, b := range blocks {
		fmt.Fprintf(&script, "%s\necho '--- end of block'\n", b[1])
	}
	cmd := exec.Command("bash", "-eu", "-o", "pipefail", "-c", script.String())
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	printed := strings.Split(string(out), "--- end of block\n")
	require.Len(t, printed, len(blocks)+1)
	for i, b := range blocks {
		require.Equal(t, b[2], printed[i], "after the commands\n%s", b[1])
	}
}

// commitAll makes a folder a git repository with one commit of all that is in it.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// TestTheReadmesTables holds the README's tables of roles and moves against the rules, in the same order.
func TestTheReadmesTables(t *testing.T) {
	t.Parallel()
	readme := readPage(t, "README.md")
	for _, row := range lifecycle.V1.Transitions() {
		line := fmt.Sprintf("\n| %s | %s | %s | ", row.From, row.To, row.By)
		_, rest, found := strings.Cut(readme, line)
		require.True(t, found, line)
		readme = rest
	}
	for _, role := range lifecycle.Roles() {
		row := regexp.MustCompile("\n\\| `" + string(role) + "` \\| (.*) \\|\n").
			FindStringSubmatch(readPage(t, "README.md"))
		require.NotNil(t, row, role)
		for _, field := range lifecycle.FieldsOf(role) {
			if field != lifecycle.FieldJustification {
				require.Contains(t, row[1], "`"+field+"`", role)
			}
		}
	}
}

// TestTheReadmesFamilies holds the table of families in docs/documents.md against those that are read, in the same
// order.
func TestTheReadmesFamilies(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(readPage(t, "docs/documents.md"), "| family | what marks it | the id |\n| --- | --- | --- |\n")
	require.True(t, found)
	var names []string
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| `") {
			break
		}
		names = append(names, strings.Split(line, "`")[1])
	}
	require.Equal(t, reqdoc.Families(), names)
}

// TestTheReadmesDryRun makes the report that docs/documents.md shows.
func TestTheReadmesDryRun(t *testing.T) {
	t.Parallel()
	_, after, found := strings.Cut(readPage(t, "docs/documents.md"), "<!-- dry run -->\n```\n$ orchestrator import --dry-run\n")
	require.True(t, found)
	shown, _, _ := strings.Cut(after, "```")

	dir := t.TempDir()
	document := filepath.Join(dir, "REQUIREMENTS.md")
	require.NoError(t, os.WriteFile(document, []byte("# Shop\n\n- **REQ-001**: A customer can log in with a password.\n- **REQ-002**: A customer can log out.\n"), 0o600))
	require.NoError(t, startServer(t, dir).stop(0))
	require.NoError(t, os.WriteFile(document, []byte("# Shop\n\n- **REQ-001**: A customer can log in with a key.\n- **REQ-003**: A customer can pay.\n"), 0o600))
	cmd := exec.Command(program(), "import", "--dry-run")
	cmd.Dir = dir
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, shown, string(out))
}

// TestTheReadmesTrace makes the report that docs/trace.md shows, and holds its keywords against those that are read.
func TestTheReadmesTrace(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("the report needs git, which is not installed")
	}
	page := readPage(t, "docs/trace.md")
	_, after, found := strings.Cut(page, "<!-- trace -->\n```\n$ orchestrator trace\n")
	require.True(t, found)
	shown, _, _ := strings.Cut(after, "```")
	for _, keyword := range trace.Keywords() {
		require.Contains(t, page, "\n| `"+keyword+"` | ")
	}

	dir := t.TempDir()
	require.NoError(t, exec.Command(git, "init", "-q", dir).Run())
	require.NoError(t, os.Mkdir(filepath.Join(dir, "shop"), 0o700))
	for path, content := range map[string]string{
		"REQUIREMENTS.md":    "# Shop\n\n- **REQ-001**: A customer can log in with a password.\n- **REQ-002**: A customer can log out.\n",
		"shop/login.go":      "package shop\n\n// Implements: REQ-001\nfunc Login() {}\n\nfunc Logout() {} // Covers: REQ-2\n",
		"shop/login_test.go": "package shop\n\nfunc TestLogin_REQ001(t *testing.T) {}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(content), 0o600))
	}
	cmd := exec.Command(program(), "trace")
	cmd.Dir = dir
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, shown, string(out))
}

// TestTheProductsOwnMarks keeps this project's marks to its requirements.
func TestTheProductsOwnMarks(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program(), "trace", "--check", "--repo", "../..", "--exclude", "testdata").CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "  cmd/orchestrator/trace.go:")
}

// TestEveryRequirementHasAMark: whoever reads what the product promises finds what keeps it. Other projects lie within
// the test data, and none of them names requirements of this one.
func TestEveryRequirementHasAMark(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program(), "trace", "--json", "--repo", "../..").Output()
	require.NoError(t, err)
	var report struct {
		Requirements []struct {
			ID     string            `json:"id"`
			Places []json.RawMessage `json:"places"`
		} `json:"requirements"`
	}
	require.NoError(t, json.Unmarshal(out, &report))
	require.NotEmpty(t, report.Requirements)
	for _, r := range report.Requirements {
		require.NotEmpty(t, r.Places, "nothing names %s: mark the test that shows it, or the code that decides it", r.ID)
	}
}

// TestCommandsInPagesExist holds what the documents call against the commands and flags that there are.
func TestCommandsInPagesExist(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	called := regexp.MustCompile("(?m)(?:^|`|[$|;] )orchestrator ([a-z][^`\n|;]*)|`((?:serve|import|gate|audit|restore|token|boundary) [^`\n]*--[^`\n]*)`")
	found := 0
	for _, path := range append(pages, "../../README.md", "../../SECURITY.md", "../../CHANGELOG.md") {
		page := readPage(t, strings.TrimPrefix(path, "../../"))
		for _, call := range called.FindAllStringSubmatch(page, -1) {
			requireCommand(t, path, strings.Fields(call[1]+call[2]))
			found++
		}
	}
	require.Greater(t, found, 60)
}

// requireCommand fails unless the words begin with a command and name flags of it alone.
func requireCommand(t *testing.T, path string, words []string) {
	t.Helper()
	root := rootCommand()
	root.InitDefaultCompletionCmd()
	command, rest, err := root.Find(words)
	require.NoError(t, err, "%s: orchestrator %v", path, words)
	require.False(t, command.HasSubCommands() && len(rest) > 0 && isName(rest[0]), "%s: orchestrator %v", path, words)
	command.InitDefaultHelpFlag()
	for _, word := range rest {
		if word == "#" {
			return
		}
		if name, isFlag := strings.CutPrefix(word, "--"); isFlag {
			name, _, _ = strings.Cut(name, "=")
			require.NotNil(t, command.Flag(name), "%s: orchestrator %v: %s has no flag --%s", path, words, command.CommandPath(), name)
		}
	}
}

// isName reports whether a word can be the name of a command.
func isName(word string) bool { return regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(word) }
