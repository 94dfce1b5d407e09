package gitrepo

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-329
func TestWhatACommitSaysOfItself(t *testing.T) {
	at := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	head := "tree 1\nparent 2\nauthor A <B> > <a@example.org> 1767312000 +0100\ncommitter C <c@example.org> 1 +0000\n"
	for content, want := range map[string]Told{
		head + "\nA subject\nof two lines\n\nA body.\n":                {"A subject of two lines", at},
		head + "gpgsig -----BEGIN\n author x\n -----END\n\n\n\nLate\n": {"Late", at},
		head + "\n":         {"", at},
		head + "\nbad \xff": {"bad \uFFFD", at},
		"author A <a@example.org> 99999999999999 +0000\n\nx": {"x", time.Time{}},
		"author A <a@example.org> -1 +0000\n\nx":             {"x", time.Time{}},
		"author A\n\nx":                                      {"x", time.Time{}},
		"":                                                   {},
	} {
		require.Equal(t, want, parseTold(content), "%q", content)
	}
}
