package hunk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-317
func TestOneHunk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		was, is   bool
		old, made string
		want      string
	}{
		"made":    {false, true, "", "a\nb\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"removed": {true, false, "a\n", "", "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
		"in the middle": {true, true, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\ny\n6\n7\n8\n9\n",
			"--- f\n+++ f\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n 8\n"},
		"repeated": {true, true, "a\na\n", "a\na\na\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n"},
		"without an end": {true, true, "a", "a\n",
			"--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
	} {
		require.Equal(t, c.want, Unified("f", c.was, []byte(c.old), c.is, []byte(c.made)), name)
	}
}
