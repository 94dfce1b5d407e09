package skillfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-203
func TestRead(t *testing.T) {
	for _, one := range []struct {
		name, text, args string
		commands         []string
		doubt            string
	}{
		{name: "no command", text: "# Skill\nRun `ls`, and a!`b` is none.\n"},
		{name: "in a line", text: "Status: !`git status`, and\n!`git log -1`\n",
			commands: []string{"git status", "git log -1"}},
		{name: "a block", text: "```!\nls\nrm x\n```\n", commands: []string{"ls\nrm x"}},
		{name: "a block that is shown", text: "```sh\nrm x\n```\n"},
		{name: "arguments", text: "!`cat $ARGUMENTS`, !`cat $1 $ARGUMENTS[0]`", args: "a; rm x",
			commands: []string{"cat a; rm x", "cat a; rm x a; rm x"}},
		{name: "no arguments", text: "!`cat $ARGUMENTS`", commands: []string{"cat "}},
		{name: "front matter", text: "---\nname: x\ndescription: !`ls`\n---\n!`pwd`", commands: []string{"pwd"}},
		{name: "front matter of Windows", text: "\ufeff---\r\nname: x\r\n---\r\n!`pwd`", commands: []string{"pwd"}},
		{name: "front matter without end", text: "---\nname: x\n!`pwd`", commands: []string{"pwd"}},
		{name: "hooks", text: "---\n\"hooks\" :\n  PreToolUse: []\n---\n",
			doubt: "the skill registers hooks of its own"},
		{name: "hooks behind blanks", text: "--- \nhooks: {}\n---\t\n",
			doubt: "the skill registers hooks of its own"},
		{name: "hooks behind a line that some take for the end", text: "---\nx: 1\n---y\nhooks: {}\n---\n!`pwd`",
			commands: []string{"pwd"}, doubt: "the skill registers hooks of its own"},
		{name: "a command behind such a line", text: "---\nx: a---\ny: !`ls`\n---\n!`pwd`",
			commands: []string{"ls", "pwd"}},
		{name: "hooks of something else", text: "---\nmeta:\n  hooks: 1\n---\nhooks: x\n"},
		{name: "a shell", text: "---\nshell: powershell\n---\n!`ls`", commands: []string{"ls"},
			doubt: "the skill names the shell that its commands run in"},
		{name: "a shell for nothing", text: "---\nshell: powershell\n---\n"},
		{name: "named arguments", text: "---\narguments: [file]\n---\n!`cat $file`", args: "x",
			commands: []string{"cat $file"},
			doubt:    "the skill puts named arguments into its commands"},
	} {
		require.Equal(t, Skill{one.commands, one.doubt}, Read(one.text, one.args), one.name)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("---\nhooks:\n---\n!`ls $1`", "x")
	f.Fuzz(func(t *testing.T, text, args string) {
		for _, c := range Read(text, args).Commands {
			require.LessOrEqual(t, len(c), len(text)*(len(args)+1)+len(text))
		}
	})
}
