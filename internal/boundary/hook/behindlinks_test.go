package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/rules/boundary"
)

// linkable returns a project with sources, settings of a client and a folder where a main session may write, and what
// judges a call in it: of the main session, or of an agent of a type that may write tests, or anything.
func linkable(t *testing.T) (project, func(who string, e agentclient.Event) boundary.Verdict) {
	t.Helper()
	p := newProject(t, boundary.Enforce)
	for _, dir := range []string{"scratch/sub/deep", "shop", ".claude/plans", ".git/hooks", "test", "docs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(p.dir.Root, dir), 0o700))
	}
	for _, file := range []string{"shop/cart.go", ".claude/settings.json", "go.mod", "scratch/own.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(p.dir.Root, file), []byte("{}"), 0o600))
	}
	policy := boundary.DefaultPolicy()
	policy.Mode, policy.ExemptPaths = boundary.Enforce, []string{"scratch/**"}
	policy.Agents = []boundary.Rights{{Name: "tester", MayWrite: []string{"test/**"}},
		{Name: "any", MayWrite: []string{"**"}}}
	return p, func(who string, e agentclient.Event) boundary.Verdict {
		if e.Client == "" {
			e.Client = "claude"
		}
		e.Cwd, e.Actor = p.dir.Root, boundary.Actor{Kind: boundary.Main}
		if who != "main" {
			e.Actor = boundary.Actor{Kind: boundary.Agent, ID: "a1", Type: who}
		}
		r := newResolver(p.dir.Root, p.dir.Root, p.dir.Root, "").under(&policy)
		call := callOf(e, r, time.Unix(0, 0))
		call.Guarded = r.guarded("")
		return r.judge(&policy, call, boundary.Judge)
	}
}

// No command makes a link to what it may not write, and writes through none that it makes or moves.
//
// Verifies: ORC-192
func TestCommandsThatMakeLinks(t *testing.T) {
	p, judged := linkable(t)
	require.NoError(t, os.Symlink("../shop", filepath.Join(p.dir.Root, "docs/l")))
	require.NoError(t, os.Symlink("../../outside.go", filepath.Join(p.dir.Root, "scratch/sub/up")))
	for who, commands := range map[string]map[string]bool{
		"main": {
			`ln -s ../.claude scratch/c && echo "{}" > scratch/c/settings.json`:                false,
			`ln -s ../shop scratch/l3 && echo EVIL > scratch/l3/cart.go`:                       false,
			`ln -s ../shop scratch/l && rm -rf scratch/l/cart.go`:                              false,
			`ln -s ../.git/hooks scratch/gh && echo x > scratch/gh/a && chmod +x scratch/gh/a`: false,
			`ln -s ../shop scratch/l && sed -i s/a/b/ scratch/l/cart.go`:                       false,
			`ln -s ../shop scratch/l && cp scratch/own.txt scratch/l/cart.go`:                  false,
			`ln -s ../shop scratch/l && mv scratch/own.txt scratch/l/cart.go`:                  false,
			`ln -s ../shop scratch/l`:                                     false,
			`ln -sfn ../shop scratch/l`:                                   false,
			`ln --sym ../shop scratch/l`:                                  false,
			`ln -s ../../shop scratch/sub`:                                false,
			`ln -s ../shop scratch/`:                                      false,
			`ln -st scratch ../shop`:                                      false,
			`ln -sr shop scratch/l`:                                       false,
			`ln -s "$PWD/shop" scratch/l`:                                 false,
			`ln -s / scratch/l`:                                           false,
			`ln -s "$X" scratch/l`:                                        false,
			`ln -s own.txt "$X"`:                                          false,
			`cd scratch && ln -s ../shop`:                                 false,
			`cd scratch && ln -s ../shop l`:                               false,
			`ln shop/cart.go scratch/c.txt`:                               false,
			`ln -S -s shop/cart.go scratch/c.txt`:                         false,
			`ln -P shop/cart.go scratch`:                                  false,
			`ln shop/cart.go -t scratch`:                                  false,
			`link shop/cart.go scratch/c.txt`:                             false,
			`cp -as "$PWD/shop" scratch/z`:                                false,
			`cp --symbolic-link shop/cart.go scratch/`:                    false,
			`cp -al .claude scratch/c`:                                    false,
			`cp --link shop/cart.go scratch/c.txt`:                        false,
			`rsync -a --link-dest=../../shop scratch/sub/ scratch/r/`:     false,
			`rsync -a --link-dest=shop scratch/sub/ scratch/r/`:           false,
			`cp -P docs/l scratch/l && echo x > scratch/l/cart.go`:        false,
			`cp -a docs scratch/d && echo x > scratch/d/l/cart.go`:        false,
			`cd scratch && cp -a ../docs d && cd d/l && echo x > cart.go`: false,
			`rsync -a docs/ scratch/d && echo x > scratch/d/l/cart.go`:    false,
			`mv scratch/sub/up scratch/up && echo x > scratch/up`:         false,
			`ln -s ../x.go scratch/sub/deep/l; mv scratch/sub/deep/l scratch/l; echo x > scratch/l`: false,
			`ln -s ../.. scratch/sub/deep/l; echo x > scratch/sub/deep/l/../x.go`:                   false,
			`tar xf a.tgz -C scratch && echo x > scratch/l/cart.go`:                                 false,
			`git restore scratch/d && echo x > scratch/d/l/cart.go`:                                 false,
			`scratch/touch scratch/x`:                                      false,
			`echo x > scratch/../go.mod`:                                   false,
			`ln -s own.txt scratch/again.txt`:                              true,
			`ln -s ../own.txt scratch/sub/again.txt`:                       true,
			`ln scratch/own.txt scratch/again.txt`:                         true,
			`cp shop/cart.go scratch/copy.go && echo x >> scratch/copy.go`: true,
			`cp -a shop scratch/copy`:                                      true,
			`cp -r shop scratch/copy && echo x > scratch/other`:            true,
			`echo x > scratch/a.tmp && mv scratch/a.tmp scratch/a`:         true,
			`mv scratch/own.txt scratch/a && rm scratch/a`:                 true,
		},
		"tester": {
			`mkdir -p test; ln -s ../shop test/l && echo EVIL > test/l/cart.go`: false,
			`ln shop/cart.go test/c.txt`:                                        false,
			`cp -a docs test/d && echo x > test/d/l/cart.go`:                    false,
			`python3 -c 'evil()' > test/out`:                                    false,
			`test/rm test/x`:                                                    false,
			`ln -s data test/again`:                                             true,
		},
		"any": {
			`ln -s .claude c && echo "{}" > c/settings.json`:         false,
			`mkdir e; ln .claude/* e/`:                               false,
			`cp -al .claude e`:                                       false,
			`cp -al . e && echo "{}" > e/.claude/settings.json`:      false,
			`ln -s .. test/up && echo "{}" > test/up/.claude/x`:      false,
			`ln -s ../.. test/up && echo "{}" > test/up/x/.claude/x`: false,
			`ln -s shop s && echo x > s/cart.go`:                     true,
			`cp -a shop s`:                                           true,
		},
	} {
		for command, passes := range commands {
			v := judged(who, agentclient.Event{Tool: toolBash, Command: command})
			require.Equal(t, passes, v.Decision == boundary.Allow, "%s: %s: %+v", who, command, v)
		}
	}
}

// A file that has another name is exempt by none of them, nor are the files that its client keeps; its name may be
// removed.
//
// Verifies: ORC-192
func TestHardLinks(t *testing.T) {
	p, judged := linkable(t)
	for name, of := range map[string]string{"scratch/c.txt": "shop/cart.go", "test/c.txt": "shop/cart.go",
		"c.log": "go.mod"} {
		require.NoError(t, os.Link(filepath.Join(p.dir.Root, of), filepath.Join(p.dir.Root, name)))
	}
	for _, one := range []struct {
		who, command string
		passes       bool
	}{
		{"main", "echo EVIL > scratch/c.txt", false},
		{"main", "echo EVIL >> ./scratch/sub/../c.txt", false},
		{"main", "sed -i s/a/b/ scratch/c.txt", false},
		{"main", "ls > c.log", false},
		{"main", "go test -coverprofile=c.log ./...", false},
		{"main", "rm scratch/c.txt", true},
		{"main", "echo x > scratch/own.txt", true},
		{"main", "ls > d.log", true},
		{"tester", "echo EVIL > test/c.txt", false},
		{"tester", "rm test/c.txt", true},
		{"any", "echo x > test/c.txt", true},
	} {
		v := judged(one.who, agentclient.Event{Tool: toolBash, Command: one.command})
		require.Equal(t, one.passes, v.Decision == boundary.Allow, "%+v: %+v", one, v)
		if !one.passes {
			require.Contains(t, v.Reason+v.Fix, "hard link")
			require.Contains(t, v.Fix, "-samefile")
		}
	}
	v := judged("main", agentclient.Event{Tool: "Write", Paths: []string{"scratch/c.txt"}})
	require.Equal(t, boundary.RuleWrites, v.Rule)
	require.Contains(t, v.Reason, "hard link")

	home := t.TempDir()
	plans := filepath.Join(home, ".claude/plans")
	require.NoError(t, os.MkdirAll(plans, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(plans, "a.md"), nil, 0o600))
	require.NoError(t, os.Link(filepath.Join(p.dir.Root, "go.mod"), filepath.Join(plans, "h.md")))
	for name, code := range map[string]int{"a.md": 0, "h.md": 2} {
		call := p.call("Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, filepath.Join(plans, name)))
		require.Equal(t, code, p.hook(strings.NewReader(call), "HOME="+home).code, name)
	}
	policy := boundary.DefaultPolicy()
	for _, l := range p.lines() {
		policy.Mode = l.Mode
		require.Equal(t, l.Verdict.Decision, boundary.Judge(&policy, l.Call()).Decision, "judged again: %+v", l)
	}
}

// The system goes up from where a link leads, other programs from the link itself; neither way leads out.
//
// Verifies: ORC-192
func TestDotsBehindLinks(t *testing.T) {
	p, judged := linkable(t)
	link := func(to, name string) {
		t.Helper()
		require.NoError(t, os.Symlink(to, filepath.Join(p.dir.Root, name)))
	}
	link("../.claude/plans", "scratch/ag")
	link("../shop", "scratch/l2")
	link("sub/deep", "scratch/in")
	for _, one := range []struct {
		command string
		passes  bool
	}{
		{`echo "{}" > scratch/ag/../settings.json`, false},
		{"echo EVIL > scratch/l2/../go.mod", false},
		{"cd scratch/l2 && echo x > ../a", false},
		{"cd -P scratch/l2; echo x > ../a", false},
		{"cd scratch/sub && echo x > ../a", true},
		{"echo x > scratch/in/../a", true},
		{"echo x > scratch/in/../../../a", false},
		{"echo x > scratch/in/../../a", false}, // by the text it is a file of the project
		{"cat scratch/l2/../go.mod", true},
		{"rm scratch/l2", true},
		{"rm -rf scratch/l2/", false},
		{"rm scratch/l2/cart.go", false},
		{"rm scratch/../go.mod", false},
	} {
		v := judged("main", agentclient.Event{Tool: toolBash, Command: one.command})
		require.Equal(t, one.passes, v.Decision == boundary.Allow, "%+v: %+v", one, v)
	}
	v := judged("any", agentclient.Event{Tool: toolBash, Command: `echo "{}" > scratch/ag/../settings.json`})
	require.Equal(t, boundary.RuleProtected, v.Rule)
	for _, client := range []string{"codex", "copilot", "claude"} {
		v := judged("main", agentclient.Event{Client: client, Tool: "Write", Paths: []string{"scratch/l2/../go.mod"}})
		require.Equal(t, boundary.RuleWrites, v.Rule, client)
	}
}

// Where a link in an exempt folder keeps a build back, the message says so, and how to be rid of it.
//
// Verifies: ORC-192
func TestLinksAmongCode(t *testing.T) {
	p, judged := linkable(t)
	require.NoError(t, os.Symlink("../shop", filepath.Join(p.dir.Root, "scratch/d")))
	for _, command := range []string{"go test ./...", "pytest", "npm test"} {
		v := judged("main", agentclient.Event{Tool: toolBash, Command: command})
		require.Equal(t, boundary.RuleAmbiguous, v.Rule, command)
		require.Contains(t, v.Reason, "it is a link", command)
		require.Contains(t, v.Fix, "rm scratch/d", command)
	}
	require.Equal(t, boundary.Allow, judged("main", agentclient.Event{Tool: toolBash, Command: "rm scratch/d"}).Decision)
}
