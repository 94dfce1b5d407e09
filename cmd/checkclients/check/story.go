package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
	"orchestrator/cmd/checkclients/sandbox"
)

// The story: a main session that is PM takes one requirement through its life, in enforce.
const (
	pmTask        = "You are the PM. Take SHOP-001 from not_started to done. Delegate every change of a file."
	architectTask = "You are the architect. Write the design of SHOP-001."
	coderTask     = "You are the coder. Build SHOP-001 in greet.sh as it is designed, and commit it."
	testerTask    = "You are the tester. Test SHOP-001, commit the test, and report what came of it."
)

// storyFiles are the project at the beginning.
var storyFiles = Files{
	"REQUIREMENTS.md": "# The shop\n\n- **SHOP-001**: The shop greets a customer by name.\n",
	"greet.sh":        "# Greets a customer.\necho hello\n",
}

// storyTest is the test that the tester writes; it prints a report.
const storyTest = `if [ "$(sh greet.sh Ada)" = "hello, Ada" ]
then echo '<testsuite><testcase name="TestGreeting_SHOP001"/></testsuite>'
else echo '<testsuite><testcase name="TestGreeting_SHOP001"><failure/></testcase></testsuite>'
fi
`

// teller makes the steps of the story.
type teller struct {
	p     *place
	calls client.Calls
}

func (t teller) shell(command string) model.Step {
	return model.Step{Name: command, Make: ignoring(func(tools model.Tools) model.Call {
		return t.calls.Shell(tools, command)
	})}
}

func (t teller) move(status, reason, evidence string) model.Step {
	return t.shell(fmt.Sprintf("orchestrator change SHOP-001 --status %s --reason '%s' --evidence %s",
		status, reason, evidence))
}

func (t teller) delegate(task string) model.Step {
	return model.Step{Name: task, Make: ignoring(func(tools model.Tools) model.Call {
		return t.calls.Delegate(tools, task)
	})}
}

func (t teller) read(file string) model.Step {
	return model.Step{Name: "read " + file, Make: ignoring(func(tools model.Tools) model.Call {
		return t.calls.Read(tools, t.p.file(file))
	})}
}

func (t teller) edit() model.Step {
	return model.Step{Name: "edit greet.sh", Make: ignoring(func(tools model.Tools) model.Call {
		return t.calls.Edit(tools, t.p.file("greet.sh"), "echo hello", `echo "hello, $1"`)
	})}
}

// scripts are the conversations of the story.
func (t teller) scripts() []model.Script {
	return []model.Script{
		{Mark: pmTask, Last: "SHOP-001 is done.", Steps: []model.Step{
			t.shell("orchestrator next"),
			t.shell("orchestrator show SHOP-001"),
			t.move("planned", "agreed with the shop", "file:REQUIREMENTS.md:1-3"),
			t.move("design_in_progress", "it can begin", "commit:HEAD"),
			t.delegate(architectTask),
			t.move("design_ready", "the design is complete", "commit:HEAD"),
			t.move("implementation_in_progress", "it can be built", "commit:HEAD"),
			t.read("greet.sh"),
			t.edit(), // it is blocked, and says what to do instead
			t.delegate(coderTask),
			t.shell("git show --stat HEAD"),
			t.move("implemented", "it is built", "file:greet.sh:1-2"),
			t.move("test_in_progress", "it can be tested", "commit:HEAD"),
			t.delegate(testerTask),
			t.shell("orchestrator show SHOP-001"),
			t.shell("orchestrator approve SHOP-001 --yes"),
			t.shell("orchestrator history SHOP-001"),
			t.shell("orchestrator status"),
		}},
		{Mark: architectTask, Last: "The design is written.", Steps: []model.Step{
			t.read("greet.sh"),
			t.shell("orchestrator design SHOP-001 --summary 'greet.sh takes the name as an argument.' --file greet.sh"),
		}},
		{Mark: coderTask, Last: "greet.sh greets by name.", Steps: []model.Step{
			t.shell("orchestrator show SHOP-001"),
			t.read("greet.sh"),
			t.edit(),
			t.shell("git commit -qam 'Greet by name'"),
			t.shell("orchestrator implement SHOP-001 --summary 'Greets by name.' --file greet.sh:1-2 --commit HEAD"),
		}},
		{Mark: testerTask, Last: "SHOP-001 passes its test.", Steps: []model.Step{
			t.shell("cat > test.sh <<'END'\n" + storyTest + "END"),
			t.shell("sh test.sh > report.xml && cat report.xml"),
			t.shell("git add test.sh report.xml && git commit -qm 'Test the greeting'"),
			t.shell("orchestrator change SHOP-001 --status tested_pass --reason 'all green' " +
				"--evidence test:TestGreeting_SHOP001@report.xml"),
		}},
	}
}

// Tell runs the story with a client, and returns it as text. An error is a story that did not come to its end.
func (b *Bed) Tell(ctx context.Context, c *client.Client, version string) (string, error) {
	p, err := b.newPlace(c, version, "story")
	if err != nil {
		return "", err
	}
	t := teller{p: p, calls: c.Calls}
	stop, err := p.begin(ctx)
	if err != nil {
		return "", err
	}
	defer stop()
	server, err := model.Start(p.dir("requests"), t.scripts()...)
	if err != nil {
		return "", err
	}
	defer server.Close()
	p.at.Model, p.at.Prompt = server.URL, pmTask
	if err := c.Prepare(p.at); err != nil {
		return "", err
	}
	command := append(c.Start(filepath.Join(b.Clients, c.Name+"@"+version)), c.Args(p.at)...)
	result, err := sandbox.Run(ctx, sandbox.Command{Dir: p.at.Project, Args: command, Env: p.env(), Limit: b.Limit,
		Mark: p.mark()})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(p.dir("output.txt"), result.Output, 0o600); err != nil {
		return "", err
	}
	log, err := p.run(ctx, "orchestrator", "boundary", "log", "--lines", "0")
	if err != nil {
		return "", err
	}
	text := newTranscript(p, server).text(c, version, log)
	said, err := p.run(ctx, "orchestrator", "show", "SHOP-001")
	if err == nil && !strings.Contains(said, "done") {
		err = fmt.Errorf("SHOP-001 is not done: %.300s", said)
	}
	return text, err
}

// begin sets the project up, starts the service and enforces the boundary.
func (p *place) begin(ctx context.Context) (stop func(), err error) {
	for name, text := range storyFiles {
		if err := os.WriteFile(p.file(name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"git", "add", "REQUIREMENTS.md", "greet.sh"}, {"git", "commit", "-qm", "Greet"}} {
		if _, err := p.run(ctx, args...); err != nil {
			return nil, err
		}
	}
	env := append(p.env(), "TMPDIR="+p.dir("service")) // it does not end with a session
	stop, err = sandbox.Start(sandbox.Command{Dir: p.at.Project, Env: env, Args: []string{
		filepath.Join(p.dir("bin"), "orchestrator"), "serve", "--demo-tokens", "--addr", "127.0.0.1:0"}})
	if err != nil {
		return nil, err
	}
	for range 100 {
		if _, err = p.run(ctx, "orchestrator", "status"); err == nil {
			return stop, p.install(ctx, Enforce)
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	return nil, fmt.Errorf("the service does not answer: %w", err)
}
