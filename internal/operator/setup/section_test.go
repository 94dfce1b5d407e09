package setup

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/marked"
)

func TestTheSectionIsShort(t *testing.T) {
	lines := strings.Split(marked.Guide.Whole(told), "\n")
	require.LessOrEqual(t, len(lines), 25)
	for _, line := range lines {
		require.LessOrEqual(t, len(line), 140, line)
	}
}

// What the section says of the boundary is not init's, and stays in it.
func TestTheSectionKeepsWhatItSaysOfTheBoundary(t *testing.T) {
	first, err := withSection("AGENTS.md", "# Mine\r\n")
	require.NoError(t, err)
	inner, err := marked.Guide.Text("AGENTS.md", first)
	require.NoError(t, err)
	require.Equal(t, told, inner)
	inner, err = marked.Boundary.Put("AGENTS.md", "old\n", "## The boundary\n")
	require.NoError(t, err)
	older, err := marked.Guide.Put("AGENTS.md", first, inner)
	require.NoError(t, err)
	got, err := withSection("AGENTS.md", older)
	require.NoError(t, err)
	inner, err = marked.Guide.Text("AGENTS.md", got)
	require.NoError(t, err)
	require.Equal(t, told+"\n"+marked.Boundary.Whole("## The boundary\n"), inner)
	require.True(t, strings.HasPrefix(got, "# Mine\r\n\r\n"))
	again, err := withSection("AGENTS.md", got)
	require.NoError(t, err)
	require.Equal(t, got, again)

	for _, broken := range []string{"a\n" + marked.Guide.End, marked.Guide.Whole(marked.Boundary.Begin + "\n")} {
		_, err := withSection("AGENTS.md", broken)
		require.True(t, fault.Is(err, marked.CodeMarks), broken)
	}
}

func TestWhichFilesAgentsAreToldIn(t *testing.T) {
	told := func(t *testing.T, name string) bool {
		content, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(content), marked.Guide.End)
	}
	for name, c := range map[string]struct {
		prepare        func(t *testing.T)
		agents, claude bool
	}{
		"none":         {func(*testing.T) {}, true, false},
		"claude alone": {func(t *testing.T) { file(t, "CLAUDE.md", "# Mine\n") }, false, true},
		"both": {
			func(t *testing.T) { file(t, "CLAUDE.md", "# Mine\n"); file(t, "AGENTS.md", "") }, true, true,
		},
		"one includes":   {includesAgents, true, false},
		"includes alone": {func(t *testing.T) { file(t, "CLAUDE.md", "@AGENTS.md\n") }, true, false},
		"a link to the other": {func(t *testing.T) {
			file(t, "AGENTS.md", "# Mine\n")
			require.NoError(t, os.Symlink("AGENTS.md", "CLAUDE.md"))
		}, true, true},
		"the first is a link": {func(t *testing.T) {
			file(t, "CLAUDE.md", "see @AGENTS.md")
			require.NoError(t, os.Symlink("CLAUDE.md", "AGENTS.md"))
		}, true, true},
		"a link elsewhere": {
			func(t *testing.T) { require.NoError(t, os.Symlink("/dev/null", "AGENTS.md")) }, false, false,
		},
		"another encoding": {func(t *testing.T) { file(t, "AGENTS.md", "\xff\xfe#\x00") }, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			file(t, "REQUIREMENTS.md", document)
			c.prepare(t)
			require.NoError(t, planned(t, shop(Answers{})).Do(t.Context()))
			require.Equal(t, c.agents, told(t, "AGENTS.md"))
			require.Equal(t, c.claude, told(t, "CLAUDE.md"))
			require.True(t, planned(t, shop(Answers{})).Complete())
			if info, err := os.Lstat("CLAUDE.md"); err == nil && name == "a link to the other" {
				require.Equal(t, os.ModeSymlink, info.Mode().Type())
			}
		})
	}
}

func includesAgents(t *testing.T) {
	file(t, "CLAUDE.md", "@AGENTS.md\n")
	file(t, "AGENTS.md", "")
}
