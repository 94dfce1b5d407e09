package frontmatter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-193, ORC-203
func TestCut(t *testing.T) {
	for text, want := range map[string]struct {
		head, body string
		ended      bool
	}{
		"":                                   {ended: true},
		"body\n---\nx: 1\n---\n":             {body: "body\n---\nx: 1\n---\n", ended: true},
		"---\nx: 1\n---\nbody":               {"x: 1\n", "body", true},
		"--- \t\nx: 1\n---  \nbody":          {"x: 1\n", "body", true},
		"\ufeff---\r\nx: 1\r\n---\r\nbody\r": {"x: 1\n", "body\r", true},
		"---\nx: 1\n---y\n ---\n---":         {"x: 1\n---y\n ---\n", "", true},
		"---\n---\nbody":                     {"", "body", true},
		"---\nx: 1\n":                        {"x: 1\n", "", false},
		"---":                                {ended: false},
		"----\nx: 1\n---\n":                  {body: "----\nx: 1\n---\n", ended: true},
	} {
		head, body, ended := Cut(text)
		require.Equal(t, want.head, head, "%q", text)
		require.Equal(t, want.body, body, "%q", text)
		require.Equal(t, want.ended, ended, "%q", text)
	}
}
