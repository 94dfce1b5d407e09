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
