package boundary

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// sweeping returns the call of a command that writes files which it does not name.
func sweeping(words ...string) Call {
	return Call{Tool: "Bash", IsShell: true, Text: strings.Join(words, "\n"), Parts: []Part{{Words: words[:2],
		Class: Writes, Targets: []Target{{Unknown: true}}, All: words}}}
}

func file(path string) Target { return Target{Path: path, Real: path} }

// what are calls of every class, by a name for the table.
var what = map[string]Call{
	"Edit":       {Tool: "Edit", Targets: []Target{file("src/a.go")}},
	"Edit plan":  {Tool: "Edit", Targets: []Target{file(".claude/plans/p.md")}},
	"Edit guard": {Tool: "Write", Targets: []Target{file(".orchestrator/boundary/policy.json")}},
	"Read":       {Tool: "Read", Targets: []Target{file("src/a.go")}},
	"Read token": {Tool: "Read", Targets: []Target{file(".orchestrator/tokens/pm.token")}},
	"cat token": {Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"cat"}, Class: Reads}}, Text: "cat\nx",
		Reads: []Target{file(".orchestrator/tokens/pm.token")}},
	"Task": {Tool: "Task"},
	"ls":   {Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"ls"}, Class: Reads}}, Text: "ls"},
	"rm": {Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"rm"}, Class: Writes,
		Targets: []Target{file("src/a.go")}, Why: "rm removes files"}}, Text: "rm\nsrc/a.go"},
	"python -c": {Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"python"},
		Class: Ambiguous, Why: "code of python -c cannot be told"}}, Text: "python\n-c\nx"},
	"go test": {Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"go", "test"},
		Class: Produces, Runs: []Target{file(".")}}}, Text: "go\ntest"},
	"./build.sh": {Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"build.sh"},
		Class: Ambiguous, Foreign: true}}, Text: "./build.sh"},
	"mcp write": {Tool: "mcp__filesystem__write_file", Targets: []Target{file("src/a.go")}},
	"new tool":  {Tool: "Frobnicate"},
	"bypass": {Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"orchestrator",
		"boundary", "bypass"}, Class: Ambiguous, Foreign: true}}},
}

var actors = map[string]Actor{
	"main":    {Kind: Main},
	"typed":   {Kind: Main, Type: "modular-builder"}, // --agent gives a main session a type
	"agent":   {Kind: Agent, ID: "a1", Type: "modular-builder"},
	"docs":    {Kind: Agent, ID: "a2", Type: "docs"},
	"unknown": {Kind: Unknown},
}

// table has, for every call, what each actor gets in enforce: the decision and the rule.
var table = map[string]map[string]string{
	"Edit": {"main": "block main.writes", "typed": "block main.writes",
		"agent": "allow agent.rights", "docs": "block agent.outside", "unknown": "block main.writes"},
	"Edit plan": {"main": "allow path.exempt", "typed": "allow path.exempt",
		"agent": "allow agent.rights", "docs": "block agent.outside", "unknown": "allow path.exempt"},
	"Edit guard": {"main": "block protected.path", "typed": "block protected.path",
		"agent": "block protected.path", "docs": "block protected.path", "unknown": "block protected.path"},
	"Read": {"main": "allow tool.reads", "typed": "allow tool.reads",
		"agent": "allow tool.reads", "docs": "allow tool.reads", "unknown": "allow tool.reads"},
	"Read token": {"main": "block secret.reads", "typed": "block secret.reads",
		"agent": "block secret.reads", "docs": "block secret.reads", "unknown": "block secret.reads"},
	"cat token": {"main": "block secret.reads", "typed": "block secret.reads",
		"agent": "block secret.reads", "docs": "block secret.reads", "unknown": "block secret.reads"},
	"Task": {"main": "allow tool.delegates", "typed": "allow tool.delegates",
		"agent": "allow tool.delegates", "docs": "allow tool.delegates", "unknown": "allow tool.delegates"},
	"ls": {"main": "allow tool.reads", "typed": "allow tool.reads",
		"agent": "allow tool.reads", "docs": "allow tool.reads", "unknown": "allow tool.reads"},
	"rm": {"main": "block main.writes", "typed": "block main.writes",
		"agent": "allow agent.rights", "docs": "block agent.outside", "unknown": "block main.writes"},
	"python -c": {"main": "block main.ambiguous", "typed": "block main.ambiguous",
		"agent": "allow agent.rights", "docs": "block agent.outside", "unknown": "block main.ambiguous"},
	"go test": {"main": "allow main.produces", "typed": "allow main.produces",
		"agent": "allow agent.rights", "docs": "allow agent.rights", "unknown": "allow main.produces"},
	"./build.sh": {"main": "block main.ambiguous", "typed": "block main.ambiguous",
		"agent": "allow agent.rights", "docs": "block agent.outside", "unknown": "block main.ambiguous"},
	"mcp write": {"main": "block main.writes", "typed": "block main.writes",
		"agent": "allow agent.rights", "docs": "block agent.outside", "unknown": "block main.writes"},
	"new tool": {"main": "block main.ambiguous", "typed": "block main.ambiguous",
		"agent": "allow agent.rights", "docs": "block agent.outside", "unknown": "block main.ambiguous"},
	"bypass": {"main": "block protected.command", "typed": "block protected.command",
		"agent": "block protected.command", "docs": "block protected.command", "unknown": "block protected.command"},
}

func policy() Policy {
	p := DefaultPolicy()
	p.Mode = Enforce
	p.Agents = []Rights{{Name: "docs", MayWrite: []string{"docs/**"}},
		{Name: "modular-builder", For: "code", MayWrite: []string{"**"}}}
	return p
}

func call(name, actor string) Call {
	c := what[name]
	c.At, c.Client, c.Session, c.Actor = noon, "claude", "s1", actors[actor]
	return c
}

// Every call by every actor in every mode.
//
// Verifies: ORC-060, ORC-062
func TestEveryActorEveryToolEveryMode(t *testing.T) {
	require.Len(t, table, len(what))
	for name, row := range table {
		require.Len(t, row, len(actors), name)
		for actor, want := range row {
			for _, mode := range Modes() {
				p, label := policy(), fmt.Sprintf("%s by %s in %s", name, actor, mode)
				p.Mode = mode
				v := Explain(&p, call(name, actor))
				var would Decision
				var rule string
				_, err := fmt.Sscan(want, &would, &rule)
				require.NoError(t, err)
				switch mode {
				case Off:
					require.Equal(t, Verdict{Decision: Allow, Would: Allow, Rule: RuleOff, Class: v.Class, Steps: v.Steps}, v, label)
				case Validate:
					require.Equal(t, map[Decision]Decision{Allow: Allow, Block: Warn}[would], v.Decision, label)
				case Enforce:
					require.Equal(t, would, v.Decision, label)
				}
				if mode != Off {
					require.Equal(t, want, fmt.Sprint(v.Would, " ", v.Rule), label)
					require.Equal(t, would != Allow, v.Violation(), label)
				}
				last := v.Steps[len(v.Steps)-1]
				v.Steps = nil
				require.Equal(t, v, Judge(&p, call(name, actor)), label)
				require.True(t, last.Matched, "the last rule that is looked at is the one that decides: %s", label)
			}
		}
	}
}

// What a policy can say of who is not known and of what cannot be told.
//
// Verifies: ORC-062
func TestPolicyDecidesOnTheUnknown(t *testing.T) {
	for _, one := range []struct {
		actor     ActorRule
		ambiguous Decision
		name      string
		want      string
	}{
		{AsMain, Block, "Edit", "block main.writes"},
		{AskWho, Block, "Edit", "ask main.writes"},
		{AskWho, Block, "python -c", "ask main.ambiguous"},
		{AskWho, Allow, "python -c", "allow ambiguous.accepted"},
		{AsAgent, Block, "Read", "allow tool.reads"},
		{AsAgent, Block, "Edit", "block agent.unnamed"},
		{AsMain, Ask, "python -c", "ask main.ambiguous"},
		{AsMain, Allow, "python -c", "allow ambiguous.accepted"},
		{AsMain, Allow, "Edit", "block main.writes"},
	} {
		p := policy()
		p.UnknownActor, p.Ambiguous = one.actor, one.ambiguous
		v := Judge(&p, call(one.name, "unknown"))
		require.Equal(t, one.want, fmt.Sprint(v.Decision, " ", v.Rule), "%v", one)
	}
	p := policy()
	p.UnknownActor = AsAgent
	p.Agents = []Rights{{Name: "*", MayWrite: []string{"**"}}}
	v := Judge(&p, call("Edit", "unknown"))
	require.Equal(t, "allow actor.unknown", fmt.Sprint(v.Decision, " ", v.Rule))
}

// Verifies: ORC-067
func TestBypass(t *testing.T) {
	grant := Grant{ID: "g1", Since: noon.Add(-time.Minute), Until: noon.Add(time.Minute)}
	for _, one := range []struct {
		name, env string
		grant     *Grant
		forbidden bool
		mode      Mode
		what      string
		bypass    string
		decision  Decision
	}{
		{name: "exactly true", env: "true", mode: Enforce, what: "Edit", bypass: ByEnvironment, decision: Allow},
		{name: "TRUE is not true", env: "TRUE", mode: Enforce, what: "Edit", decision: Block},
		{name: "1 is not true", env: "1", mode: Enforce, what: "Edit", decision: Block},
		{name: "with a blank", env: "true ", mode: Enforce, what: "Edit", decision: Block},
		{name: "forbidden by the policy", env: "true", forbidden: true, mode: Enforce, what: "Edit", decision: Block},
		{name: "a grant", grant: &grant, forbidden: true, mode: Enforce, what: "Edit", bypass: "g1", decision: Allow},
		{name: "in validate it takes the warning away", env: "true", mode: Validate, what: "Edit",
			bypass: ByEnvironment, decision: Allow},
		{name: "not reported where it changes nothing", env: "true", mode: Enforce, what: "Read", decision: Allow},
		{name: "nor for what is exempt", env: "true", mode: Enforce, what: "Edit plan", decision: Allow},
		{name: "not of the guard's own files", env: "true", grant: &grant, mode: Enforce,
			what: "Edit guard", decision: Block},
		{name: "nor its commands", env: "true", grant: &grant, mode: Enforce, what: "bypass", decision: Block},
		{name: "over", grant: &Grant{ID: "g2", Since: noon.Add(-time.Hour), Until: noon}, mode: Enforce,
			what: "Edit", decision: Block},
		{name: "not begun", grant: &Grant{ID: "g3", Since: noon.Add(1), Until: noon.Add(time.Hour)},
			mode: Enforce, what: "Edit", decision: Block},
		{name: "of another session", grant: &Grant{ID: "g4", Since: noon, Until: noon.Add(1),
			Session: "s2"}, mode: Enforce, what: "Edit", decision: Block},
		{name: "of this session", grant: &Grant{ID: "g5", Since: noon, Until: noon.Add(1),
			Session: "s1"}, mode: Enforce, what: "Edit", bypass: "g5", decision: Allow},
	} {
		p, c := policy(), call(one.what, "main")
		p.Mode, p.Bypass.Environment, c.BypassEnv = one.mode, !one.forbidden, one.env
		if one.grant != nil {
			c.Grants = []Grant{*one.grant}
		}
		v := Judge(&p, c)
		require.Equal(t, one.bypass, v.Bypass, one.name)
		require.Equal(t, one.decision, v.Decision, one.name)
	}
}

// What guards the boundary's own files, by whatever name and way.
//
// Verifies: ORC-066
func TestProtectedPaths(t *testing.T) {
	shellWrites := func(text string, targets ...Target) Call {
		return Call{Tool: "Bash", IsShell: true, Parts: []Part{{Class: Writes, Targets: targets}}, Text: text}
	}
	for _, one := range []struct {
		name string
		call Call
		rule string
	}{
		{"journal", Call{Tool: "Write",
			Targets: []Target{file(".orchestrator/boundary/journal/2026-01-02.jsonl")}}, RuleProtected},
		{"mark", Call{Tool: "Write", Targets: []Target{file(".orchestrator/boundary/enforcing")}}, RuleProtected},
		{"settings", Call{Tool: "Edit", Targets: []Target{file(".claude/settings.json")}}, RuleProtected},
		{"settings in other letters", Call{Tool: "Edit",
			Targets: []Target{file(".CLAUDE/Settings.JSON")}}, RuleProtected},
		{"by a link", Call{Tool: "Edit", Targets: []Target{{Path: "scratch/x",
			Real: ".claude/settings.local.json"}}}, RuleProtected},
		{"the folder above", shellWrites("rm\n-rf\n.orchestrator", file(".orchestrator")), RuleProtected},
		{"the folder of settings", shellWrites("mv\n.claude\nx", file(".claude"), file("x")), RuleProtected},
		{"an unfinished path", shellWrites("x", Target{Path: ".orchestrator/boundary/", Unknown: true}), RuleProtected},
		{"an unfinished path that may become one", shellWrites("x", Target{Path: ".orch",
			Unknown: true}), RuleProtected},
		{"the second target", Call{Tool: "MultiEdit", Targets: []Target{file("a"),
			file(".gemini/settings.json")}}, RuleProtected},
		{"one of the policy", Call{Tool: "Write", Targets: []Target{file("deploy/prod.yaml")}}, RuleProtected},
		{"an absolute one of the policy", Call{Tool: "Write",
			Targets: []Target{file("/usr/local/bin/orchestrator-hook")}}, RuleProtected},
		{"named in the code", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Class: Ambiguous}},
			Text: "python\n-c\nopen('.Orchestrator/boundary/policy.json','w')"}, RuleMention},
		{"the variable", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Class: Ambiguous}},
			Text: "AMPLIFIER_BYPASS_BOUNDARY=true\nclaude"}, RuleMention},
		{"the hook by hand", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"orchestrator-hook", "claude"}, Class: Ambiguous}}}, RuleCommand},

		{"settings named in the code", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Class: Ambiguous}}, Text: "python\n-c\nopen('.Claude/settings.json','w')"}, RuleMention},

		{"text that no shell parses", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Class: Ambiguous}}, Text: "orchestrator boundary mode off --reason x\n("}, RuleCommand},
		{"words for xargs", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"orchestrator"}, Class: Ambiguous, Foreign: true}},
			Text:  "echo\nboundary rollback --reason x\nxargs\norchestrator"}, RuleCommand},
		{"a token of its own", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"orchestrator", "token", "add", "x"}, Class: Ambiguous, Foreign: true}}}, RuleCommand},
		{"over HTTP", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"curl"},
			Class: Ambiguous, Foreign: true}},
			Text: "curl\n-X\nPUT\nhttp://127.0.0.1:8080/boundary/mode"}, RuleMention},
		{"a boundary within", Call{Tool: "Write",
			Targets: []Target{file("scratch/.orchestrator/boundary/policy.json")}}, RuleProtected},
		{"the whole project", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"find",
			"."}, Class: Writes, Targets: []Target{{Unknown: true}}}}, Text: "find\n.\n-delete"}, RuleProtected},
		{"all that lies in it", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"rm",
			"."}, Class: Writes, Targets: []Target{file(".")}}}, Text: "rm\n-r\n."}, RuleProtected},
		{"the program by another name", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"go", "run"}, Class: Ambiguous, Foreign: true}},
			Text:  "go\nrun\n./cmd/orchestrator\nboundary\nmode\noff"}, RuleCommand},
		{"an option before the verb", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"orchestrator"}, Class: Ambiguous, Foreign: true}},
			Text:  "orchestrator\nboundary\n--root\n.\nrollback"}, RuleCommand},
		{"options before the verb", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"orchestrator"}, Class: Ambiguous, Foreign: true}},
			Text:  "x\nboundary\n--root=.\n--json\n--note\na\nlabel"}, RuleCommand},
		{"the second of the words", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"orchestrator"}, Class: Ambiguous, Foreign: true}},
			Text:  "x\nboundary\nstatus\nx\nboundary\n--json\nmode"}, RuleCommand},
		{"git clean", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"git", "clean"},
			Class: Writes, Targets: []Target{{Unknown: true}}}}, Text: "git\nclean\n-fdx"}, RuleProtected},
		{"git stash of all", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"git",
			"stash"}, Class: Writes, Targets: []Target{{Unknown: true}}, All: []string{"git", "stash", "-u"}}},
			Text: "git\nstash\n-u"}, RuleProtected},
		{"git stash of all in other words", sweeping("git", "stash", "push", "--incl"), RuleProtected},
		{"git stash of all, too", sweeping("git", "stash", "--all"), RuleProtected},
		{"git clean that spares another", sweeping("git", "clean", "-fdx", "-e", ".orchestrator2"), RuleProtected},
		{"git clean that takes it back", sweeping("git", "clean", "-e", ".orchestrator", "-e", "!.orchestrator"),
			RuleProtected},
		{"git clean of the very folder", sweeping("git", "clean", "-fdx", ".orchestrator"), RuleProtected},
		{"the words of another part", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"git", "clean"},
			Class: Writes, Targets: []Target{{Unknown: true}}, All: []string{"git", "clean", "-fdx"}}},
			Text: "git\nclean\n-fdx\necho\n-e\n.orchestrator"}, RuleProtected},

		{"git stash", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"git", "stash"},
			Class: Writes, Targets: []Target{{Unknown: true}}}}, Text: "git\nstash\npush"}, RuleAgent},
		{"git stash in other words", sweeping("git", "stash", "-q", "--"), RuleAgent},
		{"git clean that spares it", sweeping("git", "clean", "-fdx", "-e", ".orchestrator/"), RuleAgent},
		{"git clean that spares it, too", sweeping("git", "clean", "-fdx", "--exclude=/.orchestrator"), RuleAgent},
		{"words about it", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"echo"},
			Class: Reads}}, Text: "echo\nboundary\nmode\noff"}, RuleReads},
		{"reading it", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"cat"},
			Class: Reads}}, Text: "cat\n.orchestrator/boundary/policy.json"}, RuleReads},
		{"another command after it", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Words: []string{"orchestrator"}, Class: Ambiguous, Foreign: true}},
			Text:  "x\nboundary\n--root\n.\nstatus\npip\ninstall"}, RuleOwn},
		{"its status", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Words: []string{"orchestrator",
			"boundary", "status"}, Class: Reads}}, Text: "x"}, RuleReads},
		{"a file beside", Call{Tool: "Write", Targets: []Target{file(".claude/agents/x.md")}}, RuleAgent},
		{"the whole project", shellWrites("gofmt\n-w\n.", file(".")), RuleAgent},
		{"a file that cannot be told", shellWrites("x", Target{Unknown: true}), RuleAgent},
		{"an unfinished path elsewhere", shellWrites("x", Target{Path: "build/", Unknown: true}), RuleAgent},
		{"outside", shellWrites("x", file("/tmp/x")), RuleAgent},
	} {
		p := policy()
		p.ProtectedPaths = []string{"deploy/*.yaml", "/usr/local/bin/orchestrator-hook"}
		one.call.Actor = actors["agent"]
		one.call.Guarded = Guarded{Paths: []string{".claude/settings.json", ".claude/settings.local.json", ".gemini/settings.json"},
			Mentions: []string{".claude/settings"}}
		require.Equal(t, one.rule, Judge(&p, one.call).Rule, one.name)
	}
}

// TestSettingsAreGuarded: what a session could write there would decide where evidence is looked up, and where tokens
// go.
//
// Verifies: ORC-066
func TestSettingsAreGuarded(t *testing.T) {
	p := policy()
	p.Mode = Enforce
	agent := Actor{Kind: Agent, Type: "modular-builder"}
	for path, guarded := range map[string]bool{
		"orchestrator.yaml": true, ".orchestrator/settings.yaml": true, ".orchestrator/addr": true, ".orchestrator": true,
		".orchestrator/audit.pub": true, ".orchestrator/tokens/remote.token": true,
		"orchestrator.yml": false, ".orchestrator/tools/sum.yaml": false,
		"sub/orchestrator.yaml": true, "sub/.orchestrator": true, "sub/.orchestrator/settings.yaml": true,
		"a/b/.orchestrator/addr": true, "sub/.orchestrator/tokens/pm.token": true,
		"sub/.orchestrator/boundary/policy.json": true, "sub/.orchestrator/prompts/coder.md": false,
	} {
		for _, tool := range []string{"Edit", "Write"} {
			v := Judge(&p, Call{Actor: agent, Tool: tool, Targets: []Target{{Path: path}}})
			require.Equal(t, guarded, v.Rule == RuleProtected, "%s %s: %s", tool, path, v.Rule)
		}
		v := Judge(&p, Call{Actor: agent, Tool: "Bash", IsShell: true, Text: "sed\n-i", Parts: []Part{
			{Words: []string{"sed"}, Class: Writes, Targets: []Target{{Path: path}}}}})
		require.Equal(t, guarded, v.Rule == RuleProtected, "sed %s: %s", path, v.Rule)
	}
	for command, want := range map[string]string{
		"orchestrator config set evidence record": RuleCommand, "orchestrator config unset evidence": RuleCommand,
		"orchestrator config": RuleReads,
	} {
		class := Reads
		if want == RuleCommand {
			class = Ambiguous
		}
		v := Judge(&p, Call{Actor: agent, Tool: "Bash", IsShell: true, Text: command,
			Parts: []Part{{Words: strings.Fields(command), Class: class}}})
		require.Equal(t, want, v.Rule, command)
	}
}

func TestExemptPaths(t *testing.T) {
	writes := func(targets ...Target) Call {
		return Call{Tool: "Bash", IsShell: true, Parts: []Part{{Class: Writes, Targets: targets}}}
	}
	for _, one := range []struct {
		name string
		call Call
		rule string
	}{
		{"all of them", writes(file("scratch/a"), file("scratch/b/c")), RuleExempt},
		{"one is not", writes(file("scratch/a"), file("src/b")), RuleWrites},
		{"a repository", writes(file("scratch/.git/config")), RuleWrites},
		{"a bare repository", writes(file("scratch/x/HEAD")), RuleWrites},
		{"a repository where case does not count", writes(file("scratch/.Git/x")), RuleWrites},
		{"its settings where case does not count", writes(file("scratch/x/Config")), RuleWrites},
		{"a folder of that name", writes(file("scratch/config/x")), RuleExempt},
		{"a link out of it", writes(Target{Path: "scratch/a", Real: "src/a.go"}), RuleWrites},
		{"a link into it", writes(Target{Path: "src/a", Real: "scratch/a"}), RuleWrites},
		{"none is named", writes(), RuleWrites},
		{"one cannot be told", writes(file("scratch/a"), Target{Unknown: true}), RuleWrites},
		{"an unfinished path", writes(Target{Path: "scratch/", Unknown: true}), RuleWrites},
		{"the folder itself", writes(file("scratch")), RuleExempt},
		{"with something that cannot be told", Call{Tool: "Bash", IsShell: true,
			Parts: []Part{{Class: Writes, Targets: []Target{file("scratch/a")}}, {Class: Ambiguous}}}, RuleWrites},
		{"with a command that reads", Call{Tool: "Bash", IsShell: true, Parts: []Part{{Class: Writes,
			Targets: []Target{file("scratch/a")}}, {Class: Reads, Targets: []Target{file("src/a.go")}}}}, RuleExempt},
	} {
		p := policy()
		one.call.Actor = actors["main"]
		require.Equal(t, one.rule, Judge(&p, one.call).Rule, one.name)
	}
}

func TestClassOfTools(t *testing.T) {
	p := policy()
	for tool, want := range map[string]Class{
		"mcp__filesystem__write_file": Writes, "mcp__filesystem__read_file": Reads,
		"mcp__fs__readAndDelete": Writes, "mcp__github__create_issue": Writes,
		"mcp__x__list_allowed_directories": Reads, "mcp__x": Ambiguous, "mcp__x__": Ambiguous,
		"mcp__x__frob": Ambiguous, "mcp__db__getUser": Reads, "mcp__fs__get_and_store": Writes,
		"mcp__x__search_exec": Ambiguous, "mcp__pg__query": Ambiguous, "mcp__k8s__describe_and_scale": Writes,
		"mcp__x__find_and_look": Ambiguous, "mcp__x__read_file_to_disk": Ambiguous,
		"mcp__x__get_dump": Ambiguous, "mcp__x__resolve_conflict": Ambiguous,
		"mcp__x__find_substitute": Ambiguous, "mcp__x__view_toggle": Ambiguous, "mcp__x__list_saveAs": Writes,
		"mcp__context7__resolve-library-id": Reads, "mcp__x__resolve": Ambiguous,
		"mcp__x__resolve_and_run_id": Ambiguous, "NotebookEdit": Writes, "MultiEdit": Writes,
		"Agent": Delegates, "Task": Delegates, "WebFetch": Reads, "StrReplace": Writes, "": Ambiguous,
		"offset": Ambiguous, "reader": Ambiguous,
	} {
		require.Equal(t, want, classOf(&p, &Call{Tool: tool}), tool)
	}
	require.Equal(t, Ambiguous, classOf(&p, &Call{Tool: "mcp__x__get_page", Puts: true}), "it is told where to put it")
	require.Equal(t, Writes, classOf(&p, &Call{Tool: "mcp__x__set_page", Puts: true}))
	require.Equal(t, Reads, classOf(&p, &Call{Tool: "WebFetch", Puts: true}), "a policy lists it")
	p.AllowedTools = append(p.AllowedTools, "mcp__github__*", "Edit")
	require.Equal(t, Reads, classOf(&p, &Call{Tool: "mcp__github__create_issue"}), "a policy can vouch for a tool")
	require.Equal(t, Writes, classOf(&p, &Call{Tool: "Edit"}), "a tool in both lists writes")
	p.BlockedTools = append(p.BlockedTools, "Bash")
	ls := call("ls", "main")
	require.Equal(t, Writes, classOf(&p, &ls), "a policy can block a shell as a whole")
}

// An agent that may not write everything does not write what nobody can name.
func TestRightsNeedTargets(t *testing.T) {
	p := policy()
	require.Equal(t, RuleAgentWrite, Judge(&p, Call{Tool: "mcp__fs__write_file", Actor: actors["docs"]}).Rule)
	require.Equal(t, RuleAgent, Judge(&p, Call{Tool: "mcp__fs__write_file", Actor: actors["agent"]}).Rule)
}

// The same arguments give the same verdict, and none of them is changed.
func TestJudgeChangesNothing(t *testing.T) {
	p, c := policy(), call("Edit guard", "agent")
	before := fmt.Sprintf("%+v %+v", p, c)
	first := Judge(&p, c)
	require.Equal(t, first, Judge(&p, c))
	require.Equal(t, before, fmt.Sprintf("%+v %+v", p, c))
}

// The client's own plans and memory may be written by its own tools, and by no shell; exemptions may begin
// with the user's folder.
//
// Verifies: ORC-194
func TestNotesAndTheUsersFolder(t *testing.T) {
	p := policy()
	rule := func(c Call) string { return Judge(&p, c).Rule }
	plan := Call{Tool: "Write", Actor: Actor{Kind: Main}, Targets: []Target{file("/home/u/.claude/plans/a.md")}, Notes: true}
	require.Equal(t, RuleNotes, rule(plan))
	shell := plan
	shell.Tool, shell.IsShell, shell.Targets = "Bash", true, nil
	shell.Parts = []Part{{Words: []string{"tee"}, Class: Writes, Targets: plan.Targets}}
	require.Equal(t, RuleWrites, rule(shell))
	unlisted := plan
	unlisted.Tool = "mcp__fs__write_file"
	require.Equal(t, RuleWrites, rule(unlisted), "what it writes is a guess")
	unknown := plan
	unknown.Actor.Kind = Unknown
	require.Equal(t, RuleNotes, rule(unknown))
	plan.Notes = false
	require.Equal(t, RuleWrites, rule(plan))

	p.ExemptPaths = []string{"scratch/**", "~/notes/**"}
	noted := Call{Tool: "Write", Actor: Actor{Kind: Main}, Targets: []Target{{Path: "/home/u/notes/a", Real: "/data/u/notes/a"}}, Homes: []string{"/home/u", "/data/u"}}
	require.Equal(t, RuleExempt, rule(noted))
	noted.Homes = noted.Homes[:1]
	require.Equal(t, RuleWrites, rule(noted), "its links lead elsewhere")
	noted.Homes, noted.Targets = []string{"/home/[u]*"}, []Target{file("/home/[u]*/notes/a")}
	require.Equal(t, RuleExempt, rule(noted), "no name of a folder is a pattern")
	noted.Targets = []Target{file("/home/[u]x/notes/a")}
	require.Equal(t, RuleWrites, rule(noted))
	require.True(t, file("/a/b").Within([]string{"/a/*"}))
	noted.Homes, noted.Targets = nil, []Target{file("~/notes/a")}
	require.Equal(t, RuleWrites, rule(noted), "a folder of the project")
	noted.Targets = []Target{file("scratch/a")}
	require.Equal(t, RuleExempt, rule(noted))
}
