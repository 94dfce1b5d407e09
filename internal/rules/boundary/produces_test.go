package boundary

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func produces(words []string, runs Target, targets ...Target) Part {
	return Part{Words: words, Class: Produces, Runs: []Target{runs}, Targets: targets}
}

func shellOf(parts ...Part) Call {
	return Call{Tool: "Bash", IsShell: true, Parts: parts, Text: "x", Actor: actors["main"], Session: "s1"}
}

// Verifies: ORC-200
//
// What a main session may have written is not run because a command finds it.
func TestCodeInExemptFolders(t *testing.T) {
	policy := DefaultPolicy()
	require.Equal(t, []string{".claude/plans", "scratch"}, policy.ExemptFolders())
	policy.ExemptPaths = []string{"**", "**/*.md", "notes.md", "a/b/*.md", "a/b/**", "/tmp/**", "~/x/**", "src/x*"}
	require.Equal(t, []string{"a/b", "~/x", "src"}, policy.ExemptFolders())
	part := Part{Words: []string{"go", "test"}, Class: Produces, Runs: []Target{{Path: "."}}}
	class, _ := part.produced(&policy)
	require.Equal(t, Produces, class)
	part.Runs[0].Holds = "scratch/x_test.go"
	class, why := part.produced(&policy)
	require.Equal(t, Ambiguous, class)
	require.Equal(t, "go may run scratch/x_test.go, which a main session may have written", why)
	for place, want := range map[string]Class{".": Reads, "src": Reads, "/elsewhere": Reads, "a/b/c": Ambiguous} {
		part := Part{Words: []string{"git", "status"}, Class: Reads, Runs: []Target{{Path: place}}}
		class, _ = part.produced(&policy)
		require.Equal(t, want, class, place)
	}
}

// Verifies: ORC-198
func TestThePolicyDecidesOnWhatProduces(t *testing.T) {
	test := produces([]string{"go", "test"}, file("."))
	for _, one := range []struct {
		says   Decision
		actor  string
		part   Part
		reads  []string
		unsure ActorRule
		want   string
	}{
		{"", "main", test, nil, AsMain, "allow main.produces"},
		{Allow, "main", test, nil, AsMain, "allow main.produces"},
		{Ask, "main", test, nil, AsMain, "ask main.produces"},
		{Block, "main", test, nil, AsMain, "block main.produces"},
		{Block, "unknown", test, nil, AskWho, "ask main.produces"},
		{Block, "agent", test, nil, AsMain, "allow agent.rights"},
		{Block, "docs", test, nil, AsMain, "block agent.outside"},
		{Allow, "docs", test, nil, AsMain, "allow agent.rights"},
		{Block, "main", test, []string{"go test"}, AsMain, "allow tool.reads"},
		{Block, "main", test, []string{"go build"}, AsMain, "block main.produces"},
	} {
		p, c := policy(), shellOf(one.part)
		p.Produces, p.ReadingCommands, p.UnknownActor, c.Actor = one.says, one.reads, one.unsure, actors[one.actor]
		v := Judge(&p, c)
		require.Equal(t, one.want, fmt.Sprint(v.Decision, " ", v.Rule), "%+v", one)
	}
}

// Verifies: ORC-199
func TestWhatProducesWritesNoSource(t *testing.T) {
	for target, want := range map[Target]Class{
		file("bin/app"):                         Produces,
		file("c.out"):                           Produces,
		file("sub/target/x"):                    Produces,
		file("junit.xml"):                       Produces,
		file("/tmp/x"):                          Produces,
		file(".venv"):                           Produces,
		file(""):                                Writes,
		file("main.go"):                         Writes,
		file("pom.xml"):                         Writes,
		file("src"):                             Writes,
		file("."):                               Writes,
		file("lib/x.js"):                        Writes,
		file("/etc/bin/x"):                      Writes,
		file("~/bin/x"):                         Writes,
		file(".git/hooks/bin/x"):                Writes,
		file(".github/out/x"):                   Writes,
		file(".orchestrator/tmp/x"):             Writes,
		{Path: "bin/x", Real: "main.go"}:        Writes,
		{Path: "bin/x", Unknown: true}:          Writes,
		{Unknown: true}:                         Writes,
		{Path: "bin/rails", Tracked: true}:      Writes,
		{Path: "build/x", Real: "/tmp/build/x"}: Produces,
	} {
		p, part := policy(), produces([]string{"go", "build"}, file("."), target)
		class, _ := part.produced(&p)
		require.Equal(t, want, class, "%+v", target)
	}
	for reason, target := range map[string]Target{
		"go is told to write main.go, which is no output": file("main.go"),
		"go is told to write bin/rails, which git tracks": {Path: "bin/rails", Tracked: true},
		"go is told to write bin/a, of which git's index does not tell whether it is tracked: " +
			"git update-index --no-split-index may mend that": {Path: "bin/a", Tracked: true, Unsure: true},
		"go is told to write a file that cannot be told": {Unknown: true},
	} {
		p, c := policy(), shellOf(produces([]string{"go", "build"}, file("."), target))
		v := Judge(&p, c)
		require.Equal(t, RuleWrites, v.Rule)
		require.Equal(t, reason, v.Reason)
	}
}

// Verifies: ORC-200
func TestWhatProducesRunsTheProjectsCode(t *testing.T) {
	for from, why := range map[Target]string{
		file("."):                          "",
		file("sub"):                        "",
		file("scratch"):                    "go runs code from scratch, where a main session may write",
		file("example.com/shop/scratch"):   "go runs code from example.com/shop/scratch, where a main session may write",
		file("scratch/x"):                  "go runs code from scratch/x, where a main session may write",
		{Path: "sub", Real: "scratch/sub"}: "go runs code from sub, where a main session may write",
		file("/elsewhere"):                 "go runs outside of the project, or code from there",
		{Path: "sub", Real: "/elsewhere"}:  "go runs outside of the project, or code from there",
		file("~/x"):                        "go runs outside of the project, or code from there",
		{Unknown: true}:                    "where go runs cannot be told",
	} {
		p, c := policy(), shellOf(produces([]string{"go", "test"}, from))
		v := Judge(&p, c)
		if why == "" {
			require.Equal(t, RuleProduces, v.Rule)
			continue
		}
		require.Equal(t, RuleAmbiguous, v.Rule)
		require.Equal(t, why, v.Reason)
	}
	p, c := policy(), shellOf(Part{Class: Produces, Runs: []Target{{Unknown: true}}})
	require.Equal(t, "where the command runs cannot be told", Judge(&p, c).Reason)
	p.ExemptPaths = []string{"**"}
	c = shellOf(produces([]string{"go", "test"}, file("x")))
	require.Equal(t, RuleProduces, Judge(&p, c).Rule, "where everything is exempt, nothing is to be kept out")
}

// What is exempt stays so beside what produces, where that is let through.
func TestExemptBesideWhatProduces(t *testing.T) {
	p := policy()
	note := Part{Words: []string{"tee"}, Class: Writes, Targets: []Target{file("scratch/log")}, Why: "tee writes files"}
	c := shellOf(produces([]string{"go", "build"}, file("."), file("bin/x")), note)
	require.Equal(t, RuleExempt, Judge(&p, c).Rule)
	p.Produces = Block
	require.Equal(t, RuleWrites, Judge(&p, c).Rule)
	p.Produces = Allow
	c = shellOf(produces([]string{"go", "build"}, file("."), file("main.go")), note)
	require.Equal(t, RuleWrites, Judge(&p, c).Rule)
	c = shellOf(Part{Words: []string{"x"}, Class: Ambiguous, Targets: []Target{file("a")}}, note)
	require.Equal(t, RuleWrites, Judge(&p, c).Rule)
}

// A commit may speak of the boundary, and a build may not write its files.
func TestWhatProducesBesideTheBoundary(t *testing.T) {
	p := policy()
	c := shellOf(produces([]string{"git", "commit"}, file(".")))
	c.Text = "git\ncommit\n-m\norchestrator boundary mode writes .orchestrator/boundary\n"
	require.Equal(t, RuleProduces, Judge(&p, c).Rule)
	c = shellOf(produces([]string{"go", "build"}, file("."), file(".orchestrator/boundary/tmp/x")))
	require.Equal(t, RuleProtected, Judge(&p, c).Rule)
}

// The message says that building is let through only where it is.
func TestTheMessageSaysWhetherToBuild(t *testing.T) {
	for says, offered := range map[Decision]bool{"": true, Allow: true, Ask: false, Block: false} {
		p, c := policy(), call("Edit", "main")
		p.Produces = says
		text := Message(&p, c, Judge(&p, c))
		require.Equal(t, offered, strings.Contains(text, "read, build, test, install packages or commit"), text)
	}
}

// A hard link is exempt by none of its names, and no output. The reason says that it is one, and how to be rid of it.
func TestLinksKeepACallBack(t *testing.T) {
	p := policy()
	p.ExemptPaths = []string{"notes/**"}
	hard := func(name string) Target { return Target{Path: name, Real: name, Link: HardLink} }
	for _, c := range []Call{
		shellOf(produces([]string{"go", "build"}, file("."), hard("bin/x"))),
		shellOf(Part{Words: []string{"tee"}, Class: Writes, Targets: []Target{hard("notes/a")}}),
	} {
		v := Judge(&p, c)
		require.Equal(t, RuleWrites, v.Rule)
		require.Contains(t, v.Reason, "is a hard link: the file has other names")
		require.Contains(t, v.Fix, "find . -samefile ")
	}
	c := shellOf(produces([]string{"go", "test"}, Target{Path: ".", Holds: "notes/l", Link: SymbolicLink}))
	v := Judge(&p, c)
	require.Equal(t, RuleAmbiguous, v.Rule)
	require.Contains(t, v.Reason, "may run notes/l, which a main session may have written; it is a link")
	require.Equal(t, "remove the link with rm notes/l, and call again", v.Fix)
}

// Whoever links the whole project links what is guarded in it.
func TestLinksToTheWholeProject(t *testing.T) {
	p, c := policy(), shellOf(Part{Words: []string{"ln"}, Class: Writes, Targets: []Target{file(".")}})
	c.Text, c.Actor = "ln", Actor{Kind: Agent, Type: "any"}
	require.Equal(t, RuleProtected, Judge(&p, c).Rule)
	c.Parts[0].Targets[0].Unknown = true
	require.NotContains(t, Judge(&p, c).Reason, "sweep")
}
