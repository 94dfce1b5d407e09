package lists

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAProgramIsIn(t *testing.T) {
	for name, c := range map[string]struct {
		is      func(string) bool
		in, out []string
	}{
		"reads plainly":       {ReadsPlainly, []string{":", "cat", "zstdcat"}, []string{"", "rm", "tee", "find", "Cat"}},
		"shows no content":    {Contentless, []string{"[", "find", "rm", "which"}, []string{"cat", "grep", "cp"}},
		"searches":            {Searches, []string{"ack", "sed", "zgrep"}, []string{"cat", "find"}},
		"leaves out":          {Leaves, []string{"--exclude", "-x"}, []string{"--file", "-f", "e"}},
		"git without content": {ContentlessGit, []string{"branch", "tag"}, []string{"show", "diff", "add"}},
		"flags as in Go":      {TakesGoFlags, []string{"clang-format", "goimports"}, []string{"sed", "prettier"}},
		"folders of programs": {SystemFolder, []string{"/bin/", "/usr/sbin/"}, []string{"/bin", "bin/", "/tmp/bin/", ""}},
		"wraps":               {Wraps, []string{"builtin", "sudo", "uvx"}, []string{"", "env", "xargs", "cat"}},
		"moves":               {Moves, []string{"cd", "."}, []string{"ls", "exec"}},
		"assigns":             {Assigns, []string{"read", "unset", "."}, []string{"cd", "echo"}},
	} {
		for _, word := range c.in {
			require.True(t, c.is(word), "%s: %s", name, word)
		}
		for _, word := range c.out {
			require.False(t, c.is(word), "%s: %s", name, word)
		}
	}
}
