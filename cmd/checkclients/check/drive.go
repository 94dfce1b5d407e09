package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
	"orchestrator/cmd/checkclients/printed"
	"orchestrator/cmd/checkclients/sandbox"
)

// The roles that a client has in a drive. A person is the PM.
const (
	theArchitect = "architect"
	theCoder     = "coder"
	theTester    = "tester"
)

// task returns what the prompt of a role begins with, which tells its conversation from the others.
func task(role string) string {
	return "You are " + agentOf(role) + ", " + role + " of a software project."
}

func agentOf(role string) string { return "agents." + role }

// kinds are what the roles are asked for.
var kinds = map[string]string{theArchitect: "requirement.design_spec", theCoder: "requirement.implementation",
	theTester: "requirement.test"}

// agentContract declares a client as an agent. The service passes on the variables that the client is set up by.
const agentContract = `name: %[1]s
version: "1"
role: %[2]s
description: A session of %[3]s.
satisfies: [ACHIEVE(%[4]s)]
produces: {type: object}
reliability: medium
cost: high
latency_ms: 60000
timeout_ms: 600000
verify: off
idempotent: false
implementation:
  means: exec
  argv: [%[5]s]
  env: [%[6]s]
  stdin: prompt
`

// contract returns the contract of a role.
func (p *place) contract(role string) string {
	env := []string{"PATH", "HOME"}
	for _, variable := range p.client.Env(p.at) {
		name, _, _ := strings.Cut(variable, "=")
		env = append(env, name)
	}
	return fmt.Sprintf(agentContract, agentOf(role), role, p.client.Name, kinds[role],
		strings.Join(append([]string{p.client.Name}, p.client.Agent...), ", "), strings.Join(env, ", "))
}

// driven makes the steps of the agents of a drive. They work in the tree of the requirement.
type driven struct{ teller }

// change is a request that completes the work of a role.
func (d driven) change(body string) string {
	return `curl -sS -X PATCH "$ORCHESTRATOR_URL/requirements/SHOP-001" -H "Authorization: Bearer $ORCHESTRATOR_TOKEN" ` +
		`-H 'Content-Type: application/json' -H 'Prefer: return=minimal' -d '` + body + `'`
}

// attached is how the service names a report that was sent to it; some clients show a result as a string of JSON.
var attached = regexp.MustCompile(`report\\*":\\*"(sha256:[0-9a-f]{64})`)

// committed is how git names a commit.
var committed = regexp.MustCompile(`\b[0-9a-f]{40}\b`)

// implements is the step by which a coder cites what it has just committed.
func (d driven) implements() model.Step {
	return model.Step{Name: "implementation", Make: func(tools model.Tools, last string) model.Call {
		return d.calls.Shell(tools, d.change(`{"implementation":{"summary":"Greets by name.","files":[{"path":"greet.go",`+
			`"lines":"1-5","commit":"`+committed.FindString(last)+`"}]}}`))
	}}
}

// reports is the step by which a tester cites the report that it has just attached.
func (d driven) reports() model.Step {
	return model.Step{Name: "report", Make: func(tools model.Tools, last string) model.Call {
		report := attached.FindStringSubmatch(last)
		if report == nil {
			return model.Call{}
		}
		evidence := `[{"kind":"test","name":"TestGreeting_SHOP001","result":"pass","report":"` + report[1] + `"}]`
		return d.calls.Shell(tools, d.change(`{"test":{"plan":"the greeting, by its name","evidence":`+evidence+
			`},"status":"tested_pass","justification":{"reason":"the test passes","evidence":`+evidence+`}}`))
	}}
}

// scripts are what the model does in each role.
func (d driven) scripts() []model.Script {
	return []model.Script{
		{Mark: task(theArchitect), Last: "The design is written.", Steps: []model.Step{
			d.read("greet.go"),
			d.shell(d.change(`{"design_spec":{"summary":"Greet takes the name.","files":["greet.go"]}}`)),
		}},
		{Mark: task(theCoder), Last: "Greet greets by name.", Steps: []model.Step{
			d.read("greet.go"),
			d.edit(),
			d.shell("go build ./... && git add greet.go && git commit -qm 'Greet by name' && git log -1 --format='%an: %s, %H'"),
			d.implements(),
		}},
		{Mark: task(theTester), Last: "SHOP-001 passes its test.", Steps: []model.Step{
			d.shell("cat > greet_test.go <<'END'\n" + storyTest + "END"),
			d.shell("git add greet_test.go && git commit -qm 'Test the greeting'"),
			d.shell("mkdir -p build && go test -json ./... > build/report.json; tail -n 1 build/report.json"),
			d.shell(`curl -sS --data-binary @build/report.json -H "Authorization: Bearer $ORCHESTRATOR_TOKEN" ` +
				`"$ORCHESTRATOR_URL/requirements/SHOP-001/test-report" | grep -o '"report":"sha256:[0-9a-f]*"' | head -n 1`),
			d.reports(),
		}},
	}
}

// approval is what a person who is PM sends when the tests have passed.
const approval = `{"approvals":[{"decision":"approved","text":"it greets by name"}]}`

// commands are what a person runs: drive goes on where it stands after the approval.
var commands = []struct {
	line string
	exit int
}{
	{"cat .orchestrator/tools/coder.yaml", 0},
	{"orchestrator drive --plan", 0},
	{"orchestrator drive", 1},
	{"orchestrator show SHOP-001", 0},
	{"git show --stat --format=%an:%x20%s HEAD^2", 0},
	{"echo '" + approval + "' | orchestrator change SHOP-001 --as pm --from -", 0},
	{"orchestrator drive --json | tail -n 1", 0},
	{"git log --graph --format=%an:%x20%s", 0},
	{"git worktree list", 0},
	{"git status --short", 0},
	{"orchestrator history SHOP-001", 0},
	{"orchestrator status", 0},
}

// driveLimit is how long one command of a drive may take: a client works in each of its steps.
const driveLimit = 15 * time.Minute

// Drive brings one requirement to done by orchestrator drive, with a client in the role of architect, coder and tester,
// and returns what happened as text. An error is a drive that did not come to its end.
//
// Implements: ORC-275
func (b *Bed) Drive(ctx context.Context, c *client.Client, version string) (string, error) {
	if c.Agent == nil {
		return "", fmt.Errorf("nobody has said how %s reads a task from standard input", c.Title())
	}
	p, err := b.newPlace(c, version, mode{name: "drive"})
	if err != nil {
		return "", err
	}
	d := driven{teller{p: p, calls: c.Calls, folder: p.project(".orchestrator/worktrees/SHOP-001")}}
	server, err := model.Start(p.dir("requests"), d.scripts()...)
	if err != nil {
		return "", err
	}
	defer server.Close()
	p.at.Model = server.URL
	stop, err := p.employ(ctx)
	if err != nil {
		return "", err
	}
	defer stop()
	t := newTranscript(p)
	fmt.Fprintf(t, "%s %s as architect, coder and tester of one requirement, started by orchestrator drive. Its model "+
		"follows a\nscript; the rest is as it happened. Made by: make check-drive CLIENT=%s TRANSCRIPT=FILE\n",
		c.Title(), version, c.Name)
	for _, command := range commands {
		if err = p.says(ctx, t, command.line, command.exit); err != nil {
			break
		}
	}
	t.calls = conversations(server, task(theArchitect), task(theCoder), task(theTester))
	for _, role := range []string{theArchitect, theCoder, theTester} {
		fmt.Fprintf(t, "\n%s is told, among other things: %s\n", agentOf(role), task(role))
		t.conversation(agentOf(role), "", task(role))
	}
	if err == nil && b.Update {
		err = printed.Keep(p.dir("printed"), c.Title())
	}
	return t.fixed(t.String()), err
}

// employ declares the agents, and starts the service.
func (p *place) employ(ctx context.Context) (stop func(), err error) {
	if err := p.declare(); err != nil {
		return nil, err
	}
	// One client waits 10 s for a command, and a first test compiles more than that.
	if _, err := p.run(ctx, "/bin/sh", "-c", "go build testing testing/internal/testdeps"); err != nil {
		return nil, err
	}
	return p.serve(ctx)
}

// declare writes the contracts of the agents, and the settings of their client.
func (p *place) declare() error {
	for _, folder := range []string{p.project(".orchestrator/tools"), p.dir("printed")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	for role := range kinds {
		file := p.project(".orchestrator/tools/" + role + ".yaml")
		if err := os.WriteFile(file, []byte(p.contract(role)), 0o600); err != nil {
			return err
		}
	}
	if err := writeProfile(p); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir("bin"), p.client.Name), []byte(p.listener()), 0o700); err != nil {
		return err
	}
	return p.client.Prepare(p.at)
}

// listener is the client's program in PATH, which keeps what the client prints.
func (p *place) listener() string {
	return fmt.Sprintf("#!/bin/sh\nout=\"%s/$(date +%%s%%N)\"\n%s \"$@\" > \"$out\"\ncode=$?\ncat \"$out\"\nexit $code\n",
		p.dir("printed"), strings.Join(p.bed.program(p.client, p.at.Version), " "))
}

// says runs a command, and writes what it printed. Another exit code than the expected one is an error.
func (p *place) says(ctx context.Context, t *transcript, line string, exit int) error {
	result, err := sandbox.Run(ctx, sandbox.Command{Dir: p.at.Project, Args: []string{"sh", "-c", line}, Env: p.env(),
		Limit: driveLimit, Mark: p.mark()})
	if err != nil {
		return err
	}
	fmt.Fprintf(t, "\n$ %s\n", line)
	t.result("", string(result.Output))
	if result.Exit != exit {
		return fmt.Errorf("%s: exit code %d, and not %d: %.2000s", line, result.Exit, exit, result.Output)
	}
	return nil
}
