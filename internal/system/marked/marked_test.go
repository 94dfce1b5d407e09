package marked

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

const told = "## Told\n\nmore\n"

// Verifies: ORC-161
func TestTheTextOfTheUserStaysByteForByte(t *testing.T) {
	text := Guide.Whole(told)
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	for name, c := range map[string]struct{ has, want string }{
		"empty":            {"", text},
		"text":             {"# Mine\n", "# Mine\n\n" + text},
		"no final newline": {"# Mine", "# Mine\n" + text},
		"CRLF":             {"# Mine\r\nmore\r\n", "# Mine\r\nmore\r\n\r\n" + crlf},
		"CRLF, no final":   {"# Mine\r\nmore", "# Mine\r\nmore\r\n" + crlf},
		"an older section": {"# Mine  \n" + Guide.Begin + "\nold\n" + Guide.End + " tail", "# Mine  \n" +
			strings.TrimSuffix(text, "\n") + " tail"},
		"another mark": {"a\n<!-- orchestrator:begin v0 -->\nold\n" + Guide.End + "\n\n\nb", "a\n" + text + "\n\nb"},
	} {
		got, err := Guide.Put("AGENTS.md", c.has, told)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
		require.True(t, Guide.Has(got), name)
		inside, err := Guide.Text("AGENTS.md", got)
		require.NoError(t, err, name)
		require.Equal(t, told, inside, name)
		again, err := Guide.Put("AGENTS.md", got, told)
		require.NoError(t, err, name)
		require.Equal(t, got, again, name)
	}
	for _, broken := range []string{Guide.Begin, Guide.End, Guide.End + Guide.Begin, text + text, text + Guide.Begin} {
		_, err := Guide.Put("AGENTS.md", broken, told)
		require.True(t, fault.Is(err, CodeMarks), broken)
		require.NotEmpty(t, fault.As(err).Fix)
		_, err = Guide.Text("AGENTS.md", broken)
		require.True(t, fault.Is(err, CodeMarks), broken)
		_, err = Guide.Cut("AGENTS.md", broken)
		require.True(t, fault.Is(err, CodeMarks), broken)
	}
}

// What Put adds, Cut takes out again.
// Verifies: ORC-225
func TestCutGivesTheTextBack(t *testing.T) {
	for _, has := range []string{
		"", "\n", "# Mine\n", "# Mine\r\nmore\r\n", "a\n\n\n", "\n\nb\n",
		"# Mine", "# Mine\r\nmore", "\n\nb",
	} {
		with, err := Guide.Put("AGENTS.md", has, told)
		require.NoError(t, err)
		without, err := Guide.Cut("AGENTS.md", with)
		require.NoError(t, err)
		require.Equal(t, has, without)
	}
	for has, want := range map[string]string{
		"a\n" + Guide.Whole(told) + "b\n":                         "a\nb\n",
		"a\n\n" + Guide.Whole(told) + "\nb\n":                     "a\n\nb\n",
		"a " + strings.TrimSuffix(Guide.Whole(told), "\n") + " b": "a  b",
		"nothing": "nothing",
	} {
		got, err := Guide.Cut("AGENTS.md", has)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// One part stands in the other.
func TestTheMarksOfThePartsDiffer(t *testing.T) {
	for _, p := range []Part{Guide, Boundary} {
		other := map[Part]Part{Guide: Boundary, Boundary: Guide}[p]
		require.True(t, strings.HasPrefix(p.Begin, p.Known))
		for _, mark := range []string{p.Begin, p.End} {
			require.NotContains(t, mark, other.Known)
			require.NotContains(t, mark, other.End)
		}
	}
}

func TestFilesThatAreLeftAsTheyAre(t *testing.T) {
	dir := t.TempDir()
	at := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
		return path
	}
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(at("a", "a"), link))
	for path, why := range map[string]string{link: "not a regular file", dir: "not a regular file",
		at("large", strings.Repeat("x", MaxFile+1)): "larger than 1 MiB", at("utf16", "\xff\xfe#\x00"): "not UTF-8"} {
		f, err := Read(path)
		require.NoError(t, err)
		require.Equal(t, []string{why, ""}, []string{f.Left, f.Text})
	}
	f, err := Read(link)
	require.NoError(t, err)
	require.True(t, f.LeadsTo(filepath.Join(dir, "a")))
	require.False(t, f.LeadsTo(filepath.Join(dir, "utf16")))
	require.False(t, File{Name: filepath.Join(dir, "a")}.LeadsTo(filepath.Join(dir, "a")), "itself")
	f, err = Read(filepath.Join(dir, "none"))
	require.NoError(t, err)
	require.Equal(t, File{Name: filepath.Join(dir, "none"), mode: 0o644}, f)
	f, err = Read(at("b", "see\n @AGENTS.md\n"))
	require.NoError(t, err)
	require.True(t, f.Includes("AGENTS.md"))
	require.False(t, f.Includes("OTHER.md"))
	require.NoError(t, f.Write("new\n"))
	info, err := os.Stat(f.Name)
	require.NoError(t, err)
	require.EqualValues(t, 0o640, info.Mode().Perm(), "it keeps its mode")
	_, err = Read(filepath.Join(at("c", ""), "below"))
	require.ErrorContains(t, err, "below cannot be read")
	require.NotEmpty(t, fault.As(err).Fix)
	err = File{Name: "/proc/AGENTS.md", mode: 0o644}.Write("text")
	require.ErrorContains(t, err, "/proc/AGENTS.md cannot be written")
	require.NotEmpty(t, fault.As(err).Fix)
}
