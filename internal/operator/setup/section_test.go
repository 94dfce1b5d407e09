package setup

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

func TestTheSectionIsShort(t *testing.T) {
	lines := strings.Split(section, "\n")
	require.LessOrEqual(t, len(lines), 25)
	for _, line := range lines {
		require.LessOrEqual(t, len(line), 140, line)
	}
}

// Verifies: ORC-161
func TestTheTextOfTheUserStaysByteForByte(t *testing.T) {
	text := section
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	for name, c := range map[string]struct{ has, want string }{
		"empty":            {"", text},
		"text":             {"# Mine\n", "# Mine\n\n" + text},
		"no final newline": {"# Mine", "# Mine\n\n" + text},
		"CRLF":             {"# Mine\r\nmore\r\n", "# Mine\r\nmore\r\n\r\n" + crlf},
		"CRLF, no final":   {"# Mine\r\nmore", "# Mine\r\nmore\r\n\r\n" + crlf},
		"an older section": {"# Mine  \n" + beginMark + "\nold\n" + endMark + " tail", "# Mine  \n" +
			strings.TrimSuffix(text, "\n") + " tail"},
		"another mark": {"a\n<!-- orchestrator:begin v0 -->\nold\n" + endMark + "\n\n\nb", "a\n" + text + "\n\nb"},
	} {
		got, err := withSection("AGENTS.md", c.has, text)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
		again, err := withSection("AGENTS.md", got, text)
		require.NoError(t, err, name)
		require.Equal(t, got, again, name)
	}
	for _, broken := range []string{beginMark, endMark, endMark + beginMark, text + text, text + beginMark} {
		_, err := withSection("AGENTS.md", broken, text)
		require.True(t, fault.Is(err, CodeMarks), broken)
		require.NotEmpty(t, fault.As(err).Fix)
	}
}

func TestWhichFilesAgentsAreToldIn(t *testing.T) {
	told := func(t *testing.T, name string) bool {
		content, err := os.ReadFile(name)
		return err == nil && strings.Contains(string(content), endMark)
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
