package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
)

// Whatever a settings file says: a server that can be put in is found again, putting it in twice changes nothing, and
// taking it out leaves what was said before, and every comment.
// Verifies: ORC-315, ORC-316
func FuzzServers(f *testing.F) {
	for _, text := range []string{
		"", "{}", "{\"a\":{},\n\"mcpServers\":{\"x\":[[],{}]}}", "{ /* a */ \"mcp\": {\"b\": 1,}, // c\n}", "[]",
		"a = 1", "[mcp_servers]\nx = {}", "[[a]]\nb = '''\n[mcp_servers.orchestrator]\n'''\n# c", "mcp_servers.a.b = 1",
		"\"mcp_servers\" = { }", "[ mcp_servers . \"orchestrator\" ]\ncommand = \"/a/orchestrator\"\nargs = [\n\"mcp\"]\n",
	} {
		f.Add([]byte(text))
	}
	want := Server{Program: "/a b/orchestrator", Args: []string{"mcp", "--data", `/c"d\`}}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, client := range agentclient.Names() {
			r, err := registryOf(client)
			require.NoError(t, err)
			e := &edit{old: text}
			if have, err := r.find(text); err != nil || have != nil && !have.isOurs() {
				continue
			} else if have != nil {
				made, err := r.without(text)
				if r.checked(e, nil, made, err) == nil {
					require.True(t, r.keeps(text, made), "%s: %q", client, made)
				}
				continue
			}
			made, err := r.with(text, want)
			if r.checked(e, &want, made, err) != nil {
				continue
			}
			again, err := r.with(made, want)
			require.NoError(t, err)
			require.Equal(t, string(made), string(again), client)
			e = &edit{old: made, backup: text, hasCopy: true}
			require.True(t, r.restores(e, want), "%s: %q", client, made)
			gone, err := r.without(made)
			require.NoError(t, r.checked(e, nil, gone, err), "%s: %q", client, made)
			require.True(t, r.keeps(text, gone), "%s: %q", client, gone)
			requireSameComments(t, text, gone)
		}
	})
}

func requireSameComments(t *testing.T, before, after []byte) {
	t.Helper()
	old, err := parseFile(before)
	if err != nil {
		return // it is no JSON
	}
	now, err := parseFile(after)
	require.NoError(t, err)
	require.Equal(t, old.comments(), now.comments(), "%q", after)
}

// What somebody else writes meanwhile is not lost, and no copy is left of what was not done.
// Verifies: ORC-315
func TestAFileThatChangesMeanwhileIsLeftAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "a.json")
	for _, now := range []string{"{\"b\": 1}", ""} {
		require.NoError(t, os.WriteFile(file, []byte(now), 0o600))
		for _, e := range []*edit{{there: true, old: []byte("{}")}, {}} {
			e.file, e.new = file, []byte("{\"c\": 1}")
			require.ErrorContains(t, e.put(true), "was changed meanwhile; nothing was written")
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			require.Len(t, entries, 1, "the file alone")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, now, string(text))
		}
	}
}

// careless is an editor that loses what else the file says.
type careless struct{ jsonServers }

func (c careless) with(_ []byte, s Server) ([]byte, error) { return c.jsonServers.with(nil, s) }

func (careless) without([]byte) ([]byte, error) { return []byte("{}"), nil }

// Whatever goes wrong in an edit, nothing else in the file is lost.
// Verifies: ORC-315, ORC-316
func TestAnEditThatLosesSomethingIsRefused(t *testing.T) {
	t.Parallel()
	r, err := registryOf("claude")
	require.NoError(t, err)
	want := Server{Program: "/a/orchestrator", Args: []string{"mcp"}}
	text := []byte(`{"mcpServers": {"other": {"command": "x"}}}`)
	made, err := r.with(text, want)
	require.NoError(t, r.checked(&edit{old: text}, &want, made, err))
	r.serverText = careless{jsonServers{r.Servers}}
	made, err = r.with(text, want)
	require.ErrorContains(t, r.checked(&edit{old: text}, &want, made, err), "does not edit")
	made, err = r.without(text)
	require.ErrorContains(t, r.checked(&edit{old: text}, nil, made, err), "does not edit")
}
