package toolchain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-202
func TestTyped(t *testing.T) {
	for _, list := range [][]string{talkers, paging, valued, giving, describing} {
		require.True(t, slices.IsSorted(list))
	}
	for command, is := range map[string]bool{
		"less go.mod": true, "vi a": true, "cat a": false, "go test ./...": false, "python3 -m unittest": false,
		"pytest --pdb": true, "git log -p": false, "git log": false, "git -C /p diff": false, "git": false, "git -p": true,
		"git -C /p -p diff": true, "git --paginate log": true, "git -c core.pager=less log": true,
		"git -c core.pager=cat log": false, "git -ccore.pager= log": false, "git -p add a": true, "git -p tag": true,
		"git -ccore.pager=x log": true, "git -c PAGER.log=true log": true, "git -c color.ui=no log": false,
		"git help log": true, "git commit": true, "git commit -am x": false, "git commit --amend --no-edit": false,
		"git commit -m -e": false, "git commit -m x -e": true, "git commit -em x": true, "git commit --message x --ed": true,
		"git commit -- -m": true, "git commit -Smf": true, "git commit -uma": true, "git commit -m x -p": true,
		"git commit -c HEAD": true, "git commit -tmessage": true, "git commit --fixup=amend:a": true,
		"git commit --fixup reword:a": true, "git commit --fixup a": false, "git commit --author m": true,
		"git commit --message=x --patch": true, "git -p commit -m x": true, "git commit --mess": true,
		"git add -p": true, "git add --inter": true, "git add -i": true, "git add -A": false, "git stage -e": true,
		"git tag": false, "git tag -a v1": true, "git tag -a v1 -m x": false, "git tag --sig v1": true,
		"git tag -u me v1": true, "git tag -m x v1": false, "git tag -e -m x v1": true,
		"git log ; unset GIT_PAGER": true, "git log ; env -i a": true, "git log ; env A=b a": false,
		"git log ; GIT_PAGER": true, "gh pr view 1 ; declare +x P": true, "gh pr view 1": false,
		"git log ; exec -c a": true, "cat a ; unset A": false, "git log ; /usr/bin/sudo a": true,
		"git log ; GIT_PAGER=less": true, "git log ; GIT_PAGER=cat": false,
		"git commit ; ls -m": true, "git diff ; ls -p": false, "git tag -a v1 ; ls -m": true, "ls a ; pytest --pdb": false,
		"gh pr create": true, "gh pr create -t a": true, "gh pr create -t a -b c": false, "gh pr create --fill": false,
		"gh pr create --body a": true, "gh issue comment 1": true, "gh issue comment 1 --body-file a": false,
		"orchestrator design REQ-1": true, "orchestrator design REQ-1 --summary=x": false,
		"orchestrator design REQ-1 ; gate --from a": true, "orchestrator review": false, "orchestrator": false,
	} {
		words := strings.Fields(command)
		own := words[:max(slices.Index(words, ";"), 0)]
		if len(own) == 0 {
			own = words
		}
		named := slices.DeleteFunc(slices.Clone(own), func(w string) bool { return w[0] == '-' || w == "/p" })
		require.Equal(t, is, Typed(named, own, words), command)
	}
}
