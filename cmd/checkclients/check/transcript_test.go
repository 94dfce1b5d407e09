package check

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// The transcript that is kept shows a life in enforce in which agents alone changed files.
//
// Verifies: ORC-231
func TestTheKeptTranscript(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/sessions/pm-enforce.txt")
	require.NoError(t, err)
	said, log, found := strings.Cut(string(text), "$ orchestrator boundary log\n")
	require.True(t, found)
	require.Contains(t, said, "SHOP-001: approved; done")
	require.NotContains(t, said, os.TempDir()+"/")
	tried := strings.Split(said, "\nmain session: Edit")
	require.Len(t, tried, 2, "the main session tries one edit")
	require.Contains(t, tried[1][:400], "OPERATION BLOCKED")
	for _, command := range []string{"go build", "go test", "git commit"} {
		require.Regexp(t, `allow +main +Bash: .*`+command+` +\[main\.produces\]`, log)
	}
	blocks := 0
	for line := range strings.Lines(log) {
		switch {
		case strings.Contains(line, "  main  Edit"):
			require.Contains(t, line, "block")
			blocks++
		case strings.Contains(line, "  main  "):
			require.Regexp(t, `allow .*\[(tool\.reads|tool\.delegates|main\.produces)\]  enforce`, line)
		case strings.Contains(line, "  agent "):
			require.Contains(t, line, "allow")
		}
	}
	require.Equal(t, 1, blocks)
}

func TestTranscript(t *testing.T) {
	p := &place{root: "/tmp/x", at: client.Place{Home: "/tmp/x/home/pm"}}
	tr := &transcript{p: p, calls: map[string][]model.Outcome{
		pmTask: {
			outcomeOf("look", "Bash", map[string]string{"command": "cat a\ncat b"}, "one\ntwo"),
			outcomeOf(coderTask, "Agent", map[string]string{"prompt": coderTask}, "the client's own report"),
			outcomeOf("quiet", "Bash", map[string]string{"command": "true"}, "(no output)"),
		},
		coderTask: {
			outcomeOf("edit greet.go", "Edit", map[string]string{"file_path": "/tmp/x/home/pm/shop/greet.go"}, "well done"),
		},
	}}
	text := tr.text(&client.Client{Name: "some"}, "1", "a  outcome  b\n2026-11-23T16:00:01.5Z  allow  0.7 ms\n")
	_, text, _ = strings.Cut(text, "\n\n")
	require.Equal(t, `user: `+pmTask+`

main session: Bash
    $ cat a
    cat b
    | one
    | two

main session: Agent prompt=`+coderTask+`

        agent: Edit file_path=/home/pm/shop/greet.go
            | the file is changed
    | the agent ends

main session: Bash
    $ true
    | (nothing is printed)

Afterwards, a person looks at the decisions of the boundary:

$ orchestrator boundary log
2026-11-23 12:00  allow
`, text)
}

func outcomeOf(step, tool string, input map[string]string, result string) model.Outcome {
	call := model.Call{Input: input}
	return model.Outcome{Step: step, Tool: tool, Call: call, Offered: true, Ended: true, Result: result}
}

// The transcript that is kept shows a drive in which a client did the work of three roles, and a person approved it.
//
// Verifies: ORC-275
func TestTheKeptDrive(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/sessions/drive-claude.txt")
	require.NoError(t, err)
	said := string(text)
	require.NotContains(t, said, os.TempDir()+"/")
	at := 0
	for _, next := range []string{
		"argv: [claude, -p,",
		"\n$ orchestrator drive\n",
		"ACHIEVE(requirement.design_spec): resolved by agents.architect\n",
		"ACHIEVE(requirement.implementation): resolved by agents.coder\n",
		"orchestrator/SHOP-001 is merged into main (1 commit",
		"resolved by requirement.change, implementation_in_progress → implemented\n",
		"resolved by agents.tester, test_in_progress → tested_pass\n",
		"SHOP-001 is tested_pass, waiting: for the pm:",
		"3 runs of agents reported 1400 tokens in, 140 out, 0.0084 US dollars\n",
		`"decision":"approved"`,
		`"status":"done","outcome":"done","steps":1}`,
		"agents.tester: Test the greeting\n",
		"agents.coder: Greet by name\n",
		"1 of 1 requirements are done\n",
		"\nagents.coder: Edit file_path=/home/pm/shop/.orchestrator/worktrees/SHOP-001/greet.go",
		"\nagents.tester: Bash\n    $ cat > greet_test.go",
	} {
		i := strings.Index(said[at:], next)
		require.GreaterOrEqual(t, i, 0, "%q is missing, or comes too early", next)
		at += i
	}
}
