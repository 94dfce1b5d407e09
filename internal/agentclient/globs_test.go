package agentclient

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPatternsOfFilesAreNamed: a search may be pointed at files by a pattern, below the folder that it names.
func TestPatternsOfFilesAreNamed(t *testing.T) {
	claude, _ := Named("claude")
	for input, want := range map[string][]string{
		`"Grep","tool_input":{"pattern":"orc_","glob":".orchestrator/**"}`:             {".orchestrator/**"},
		`"Grep","tool_input":{"pattern":"orc_","path":"/p/","glob":".orchestrator/*"}`: {"/p/", "/p/.orchestrator/*"},
		`"Grep","tool_input":{"pattern":"a/b","glob":"*.go"}`:                          {},
		`"Glob","tool_input":{"pattern":"src/**/*.go","path":"/p"}`:                    {"/p", "/p/src/**/*.go"},
		`"Glob","tool_input":{"pattern":"/etc/*"}`:                                     {"/etc/*"},
		`"Glob","tool_input":{"pattern":7}`:                                            {},
		`"Read","tool_input":{"file_path":"a","pattern":"b/c"}`:                        {"a"},
	} {
		event, err := claude.Parse([]byte(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":` + input + `}`))
		require.NoError(t, err, input)
		require.Equal(t, want, event.Paths, input)
	}
}

// Gemini CLI and Copilot CLI name the folder of a search in members of their own.
//
// Verifies: ORC-229
func TestFoldersOfSearchesAreNamed(t *testing.T) {
	const secret = ".orchestrator/tokens"
	for client, input := range map[string]string{
		"gemini": `"hook_event_name":"BeforeTool","tool_name":"grep_search",` +
			`"tool_input":{"pattern":".","dir_path":"` + secret + `"}`,
		"copilot": `"timestamp":1,"toolName":"grep","toolArgs":{"pattern":".","paths":"` + secret + `"}`,
	} {
		c, _ := Named(client)
		event, err := c.Parse([]byte("{" + input + "}"))
		require.NoError(t, err)
		require.Equal(t, []string{secret}, event.Paths, client)
	}
	gemini, _ := Named("gemini")
	event, err := gemini.Parse([]byte(`{"hook_event_name":"BeforeTool","tool_name":"grep_search",` +
		`"tool_input":{"pattern":".","dir_path":"shop","include_pattern":"../` + secret + `/*"}}`))
	require.NoError(t, err)
	require.Equal(t, []string{"shop", "shop/../" + secret + "/*"}, event.Paths)
}
