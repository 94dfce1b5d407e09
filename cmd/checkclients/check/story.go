package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// The story: a main session that is PM takes one requirement through its life, in enforce.
const (
	pmTask        = "You are the PM. Take SHOP-001 from not_started to done. Delegate every change of a file."
	architectTask = "You are the architect. Write the design of SHOP-001."
	coderTask     = "You are the coder. Build SHOP-001 in greet.go as it is designed."
	recordTask    = "You are the coder. Record what was built for SHOP-001."
	testerTask    = "You are the tester. Test SHOP-001, and report what came of it."
)

// storyTest is the test that the tester writes.
const storyTest = `package shop

import "testing"

func TestGreeting_SHOP001(t *testing.T) {
	if got := Greet("Ada"); got != "hello, Ada" {
		t.Fatal(got)
	}
}
`

// teller makes the steps of the story.
type teller struct {
	p      *place
	calls  client.Calls
	folder string // in which files are; "" is that of the session
}

// file returns the path of a file that a step names.
func (t teller) file(name string) string {
	if t.folder != "" {
		return filepath.Join(t.folder, name)
	}
	return t.p.file(name)
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
		return t.calls.Read(tools, t.file(file))
	})}
}

func (t teller) edit() model.Step {
	return model.Step{Name: "edit greet.go", Make: ignoring(func(tools model.Tools) model.Call {
		return t.calls.Edit(tools, t.file("greet.go"), storyBefore, storyAfter)
	})}
}

// scripts are the conversations of the story.
func (t teller) scripts() []model.Script {
	return []model.Script{
		{Mark: pmTask, Last: "SHOP-001 is done.", Steps: t.manages()},
		{Mark: architectTask, Last: "The design is written.", Steps: []model.Step{
			t.read("greet.go"),
			t.shell("orchestrator design SHOP-001 --summary 'Greet takes the name.' --file greet.go"),
		}},
		{Mark: coderTask, Last: "Greet greets by name.", Steps: []model.Step{
			t.shell("orchestrator show SHOP-001"),
			t.read("greet.go"),
			t.edit(),
		}},
		{Mark: recordTask, Last: "It is recorded.", Steps: []model.Step{
			t.shell("orchestrator implement SHOP-001 --summary 'Greets by name.' --file greet.go:1-5 --commit HEAD"),
		}},
		{Mark: testerTask, Last: "SHOP-001 passes its test.", Steps: []model.Step{
			t.shell("cat > greet_test.go <<'END'\n" + storyTest + "END"),
			t.shell("go test -json ./... > report.json"),
			t.shell("orchestrator change SHOP-001 --status tested_pass --reason 'all green' " +
				"--evidence test:TestGreeting_SHOP001@report.json"),
		}},
	}
}

// manages are the steps of the main session, which builds, tests and commits what agents have written.
func (t teller) manages() []model.Step {
	return []model.Step{
		t.shell("orchestrator next"),
		t.shell("orchestrator show SHOP-001"),
		t.move("planned", "agreed with the shop", "file:REQUIREMENTS.md:1-3"),
		t.move("design_in_progress", "it can begin", "commit:HEAD"),
		t.delegate(architectTask),
		t.move("design_ready", "the design is complete", "commit:HEAD"),
		t.move("implementation_in_progress", "it can be built", "commit:HEAD"),
		t.read("greet.go"),
		t.edit(), // it is blocked, and says what to do instead
		t.delegate(coderTask),
		t.shell("git diff --stat"),
		t.shell("go build ./..."),
		t.shell("git add greet.go && git commit -m 'Greet by name'"),
		t.delegate(recordTask),
		t.move("implemented", "it is built", "commit:HEAD"),
		t.move("test_in_progress", "it can be tested", "commit:HEAD"),
		t.delegate(testerTask),
		t.shell("go test -count=1 ./..."),
		t.shell("git add greet_test.go report.json && git commit -m 'Test the greeting'"),
		t.shell("orchestrator show SHOP-001"),
		t.shell("orchestrator approve SHOP-001 --yes"),
		t.shell("git status --short"),
		t.shell("orchestrator history SHOP-001"),
		t.shell("orchestrator status"),
	}
}

// Tell runs the story with a client, and returns it as text. An error is a story that did not come to its end.
func (b *Bed) Tell(ctx context.Context, c *client.Client, version string) (string, error) {
	p, err := b.newPlace(c, version, mode{name: "story", phase: Enforce})
	if err != nil {
		return "", err
	}
	t := teller{p: p, calls: c.Calls}
	server, err := model.Start(p.dir("requests"), t.scripts()...)
	if err != nil {
		return "", err
	}
	defer server.Close()
	p.at.Model, p.at.Prompt = server.URL, pmTask
	stop, err := p.serve(ctx)
	if err != nil {
		return "", err
	}
	defer stop()
	ended, err := p.prepare(ctx)
	if err != nil {
		return "", err
	}
	defer ended()
	result, err := p.start(ctx)
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
	told := newTranscript(p)
	told.calls = conversations(server, pmTask, architectTask, coderTask, recordTask, testerTask)
	text := told.text(c, version, log)
	said, err := p.run(ctx, "orchestrator", "show", "SHOP-001")
	if err == nil && !strings.Contains(said, "done") {
		err = fmt.Errorf("SHOP-001 is not done: %.300s", said)
	}
	return text, err
}
