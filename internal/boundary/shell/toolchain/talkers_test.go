package toolchain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-202
func TestTyped(t *testing.T) {
	require.True(t, slices.IsSorted(talkers) && slices.IsSorted(paging))
	for command, is := range map[string]bool{
		"less go.mod": true, "vi a": true, "cat a": false, "go test ./...": false, "python3 -m unittest": false,
		"pytest --pdb": true, "git log -p": false, "git log": false, "git -C /p diff": false,
		"git -C /p -p diff": true, "git --paginate log": true, "git -c core.pager=less log": true,
		"git -ccore.pager=x log": true, "git -c PAGER.log=true log": true, "git -c color.ui=no log": false,
		"git help log": true, "git commit": true, "git commit -am x": false, "git commit --amend --no-edit": false,
		"git tag": false, "git tag -a v1": true, "git tag -a v1 -m x": false,
		"unset GIT_PAGER ; git log": true, "env -i git log": true, "env A=b git log": false,
		"GIT_PAGER= git log": true, "declare +x P ; gh pr view 1": true, "gh pr view 1": false,
		"exec -c git log": true, "unset A ; cat a": false,
		"orchestrator design REQ-1": true, "orchestrator design REQ-1 --summary=x": false,
		"orchestrator review": false, "orchestrator": false,
	} {
		words := strings.Fields(command)
		begin := slices.IndexFunc(words, func(w string) bool {
			return slices.Contains([]string{"less", "vi", "cat", "go", "python3", "pytest", "git", "gh",
				"orchestrator"}, w)
		})
		named := slices.DeleteFunc(slices.Clone(words[begin:]), func(w string) bool { return w[0] == '-' || w == "/p" })
		require.Equal(t, is, Typed(named, words), command)
	}
}
