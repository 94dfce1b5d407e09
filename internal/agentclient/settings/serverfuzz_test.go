package settings

import (
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
