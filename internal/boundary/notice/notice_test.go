package notice_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/notice"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/marked"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// project is a folder with a boundary in validate, whose hook is registered with a client, and some files.
func project(t *testing.T, client string, files map[string]string) folder.Dir {
	t.Helper()
	dir := folder.In(t.TempDir())
	_, err := control.SetUp(dir, boundary.DefaultPolicy(),
		control.Change{By: "ada", Reason: "set up", At: noon, ID: "0000000000000001"})
	require.NoError(t, err)
	_, err = settings.Install(client, settings.Options{Root: dir.Root, Command: "/bin/orchestrator-hook " + client})
	require.NoError(t, err)
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir.Root, name), []byte(text), 0o600))
	}
	return dir
}

func read(t *testing.T, dir folder.Dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir.Root, name))
	require.NoError(t, err)
	return string(text)
}

// TestTheText says the rule, since when, how to delegate in the client's words, and the way out.
// Verifies: ORC-225
func TestTheText(t *testing.T) {
	codex, err := agentclient.Find("codex")
	require.NoError(t, err)
	require.Equal(t, `## The boundary

The main session of an agent client reads, asks and delegates here; agents change files.
In force since 2026-03-04: a call against this rule is blocked before the tool runs, and the answer says what to do instead.

- To delegate in codex, call `+"`spawn_agent` with `agent_type`, `task_name` and `message`"+`.
- Do what a block says instead; do not look for a way around it.
- In an emergency a person lifts the boundary: `+"`orchestrator boundary bypass --reason TEXT --for 30m`"+`.
  Each call that it lets through says so, and is on record.
- `+"`orchestrator boundary status`"+` says what holds now.
`, notice.Text(boundary.Enforce, noon, []*agentclient.Client{codex}))
	for mode, want := range map[boundary.Mode]string{
		boundary.Off: "The boundary is off since 2026-03-04", boundary.Validate: "since 2026-03-04 as a trial",
		"confirm": "the person's to allow", "of a newer program": "In force since 2026-03-04, mode of a newer program."} {
		require.Contains(t, notice.Text(mode, noon, nil), want)
	}
	require.Contains(t, notice.Text(boundary.Enforce, time.Time{}, nil), "In force: a call")
	all := strings.Split(notice.Text(boundary.Enforce, noon, agentclient.All()), "\n")
	require.LessOrEqual(t, len(all), 20)
	for _, line := range all {
		require.LessOrEqual(t, len(line), 140)
	}
}

// TestThePartFollowsTheMode: it is put in, brought up to date and cut out, and all else stays byte for byte.
// Verifies: ORC-225
func TestThePartFollowsTheMode(t *testing.T) {
	const mine, crlf = "# Mine\n\nedited  \n", "# Mine\r\nmore\r\n"
	dir := project(t, "codex", map[string]string{"AGENTS.md": mine, "CLAUDE.md": crlf})
	changed, said, err := notice.Put(dir)
	require.NoError(t, err)
	require.Empty(t, said)
	require.Equal(t, []string{"AGENTS.md", "CLAUDE.md"}, changed)
	has := read(t, dir, "AGENTS.md")
	require.True(t, strings.HasPrefix(has, mine+"\n"+marked.Guide.Begin))
	require.Contains(t, has, "In force since 2026-03-04 as a trial")
	require.True(t, strings.HasPrefix(read(t, dir, "CLAUDE.md"), crlf+"\r\n"+marked.Guide.Begin+"\r\n"))
	require.Empty(t, notice.Stale(dir))
	changed, _, err = notice.Put(dir)
	require.NoError(t, err)
	require.Empty(t, changed, "done twice, the second time changes nothing")

	after := has + "\nbehind it\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir.Root, "AGENTS.md"), []byte(after), 0o600))
	change := control.Change{By: "ada", Reason: "r", At: noon.AddDate(0, 0, 20), ID: "0000000000000002"}
	_, err = control.SetMode(dir, boundary.Enforce, "to test", change, report.FromFiles(dir))
	require.NoError(t, err)
	require.Equal(t, []string{"AGENTS.md", "CLAUDE.md"}, notice.Stale(dir))
	changed, _, err = notice.Follow(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"AGENTS.md", "CLAUDE.md"}, changed)
	require.Contains(t, read(t, dir, "AGENTS.md"), "In force since 2026-03-24: a call against this rule is blocked")

	changed, _, err = notice.Cut(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"AGENTS.md", "CLAUDE.md"}, changed)
	require.Equal(t, mine+"\nbehind it\n", read(t, dir, "AGENTS.md"))
	require.Equal(t, crlf, read(t, dir, "CLAUDE.md"))
	changed, _, err = notice.Follow(dir)
	require.NoError(t, err)
	require.Empty(t, changed, "where there is no part, none is put")
	require.Empty(t, notice.Stale(dir))
}

// What init says in the section stays in it.
func TestThePartStandsInTheSection(t *testing.T) {
	section := marked.Guide.Whole("## Requirements\n")
	dir := project(t, "codex", map[string]string{"AGENTS.md": "# Mine\n\n" + section})
	_, _, err := notice.Put(dir)
	require.NoError(t, err)
	has := read(t, dir, "AGENTS.md")
	require.True(t, strings.HasPrefix(has, "# Mine\n\n"+marked.Guide.Begin+"\n## Requirements\n\n"+marked.Boundary.Begin+"\n## The"))
	require.True(t, strings.HasSuffix(has, marked.Boundary.End+"\n"+marked.Guide.End+"\n"))
	_, _, err = notice.Cut(dir)
	require.NoError(t, err)
	require.Equal(t, "# Mine\n\n"+section, read(t, dir, "AGENTS.md"))
}

// No file is made, and none is changed that takes over another, cannot be edited, or has broken marks.
// Verifies: ORC-225
func TestFilesThatAreLeftAlone(t *testing.T) {
	dir := project(t, "codex", nil)
	changed, said, err := notice.Put(dir)
	require.NoError(t, err)
	require.Empty(t, append(changed, said...))
	require.NoFileExists(t, filepath.Join(dir.Root, "AGENTS.md"))

	broken := marked.Guide.Begin + "\n"
	dir = project(t, "codex", map[string]string{"AGENTS.md": broken, "CLAUDE.md": "see @AGENTS.md\n"})
	for _, edit := range []func(folder.Dir) (changed, said []string, err error){notice.Put, notice.Cut} {
		changed, said, err = edit(dir)
		require.NoError(t, err)
		require.Empty(t, changed)
		require.Len(t, said, 1)
		require.Contains(t, said[0], "do not enclose one section: remove the marks")
	}
	require.NoError(t, os.Remove(filepath.Join(dir.Root, "AGENTS.md")))
	require.NoError(t, os.WriteFile(filepath.Join(dir.Root, "elsewhere.md"), nil, 0o600))
	require.NoError(t, os.Symlink("elsewhere.md", filepath.Join(dir.Root, "AGENTS.md")))
	_, said, err = notice.Put(dir)
	require.NoError(t, err)
	require.Equal(t, []string{"AGENTS.md is left as it is, since it is not a regular file; " +
		"sessions are not told there of the boundary"}, said)
	require.Equal(t, "see @AGENTS.md\n", read(t, dir, "CLAUDE.md"))

	inner := marked.Guide.Whole(marked.Boundary.Begin + "\n")
	dir = project(t, "codex", map[string]string{"AGENTS.md": inner, "CLAUDE.md": ""})
	changed, said, err = notice.Follow(dir)
	require.NoError(t, err)
	require.Len(t, said, 1)
	require.Equal(t, []string{"CLAUDE.md"}, changed, "an empty file is one")
	require.Equal(t, []string{"AGENTS.md"}, notice.Stale(dir))
	require.Equal(t, inner, read(t, dir, "AGENTS.md"))
}

// Of a link to another file with instructions nothing is said: sessions are told by the file that it leads to.
// Verifies: ORC-225
func TestALinkFromOneFileToTheOther(t *testing.T) {
	for link, to := range map[string]string{"CLAUDE.md": "AGENTS.md", "AGENTS.md": "CLAUDE.md"} {
		dir := project(t, "codex", map[string]string{to: "see @AGENTS.md"})
		require.NoError(t, os.Symlink(to, filepath.Join(dir.Root, link)))
		changed, said, err := notice.Put(dir)
		require.NoError(t, err)
		require.Empty(t, said)
		require.Equal(t, []string{to}, changed)
		_, said, err = notice.Cut(dir)
		require.NoError(t, err)
		require.Empty(t, said)
		require.Equal(t, "see @AGENTS.md", read(t, dir, to), "it ends without a newline, as before")
	}
}

func TestWithoutAPolicyNothingIsSaid(t *testing.T) {
	dir := folder.In(t.TempDir())
	_, _, err := notice.Put(dir)
	require.Error(t, err)
	require.Empty(t, notice.Stale(dir))
}
