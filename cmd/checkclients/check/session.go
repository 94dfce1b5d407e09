package check

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
	"orchestrator/cmd/checkclients/sandbox"
)

// The marks by which the model knows the conversations.
const (
	mainMark  = "[conversation of the main session]"
	agentMark = "[conversation of the agent]"
)

// Session is what a client did in one run.
type Session struct {
	Mode    string
	Main    []model.Outcome
	Agent   []model.Outcome
	Ended   bool // the main session came to its end
	Offered Snapshot
	Files   Files // of the project, after the run
	Journal []Line
	Calls   []Call
	Output  string
	Late    bool
	Exit    int
	Took    time.Duration
	Odd     []string

	place *place
}

// Files are the contents of files by their names.
type Files map[string]string

// Line is what is read of a line of the journal.
type Line struct {
	Tool    string `json:"tool"`
	Verdict struct {
		Decision string `json:"decision"`
	} `json:"verdict"`
}

// Call is one call of the hook, as the client made it.
type Call struct {
	Stdin  []byte
	Stdout string
	Stderr string
	Exit   string
}

// Run runs a client once.
func (b *Bed) Run(ctx context.Context, c *client.Client, version, mode string) (*Session, error) {
	p, err := b.newPlace(c, version, mode)
	if err != nil {
		return nil, err
	}
	server, err := model.Start(p.dir("requests"), p.script(), p.agentScript())
	if err != nil {
		return nil, err
	}
	defer server.Close()
	if err := p.install(ctx, mode); err != nil {
		return nil, err
	}
	p.at.Model, p.at.Prompt = server.URL, mainMark+" Do the steps one by one."
	if err := c.Prepare(p.at); err != nil {
		return nil, err
	}
	command := append(c.Start(filepath.Join(b.Clients, c.Name+"@"+version)), c.Args(p.at)...)
	result, err := sandbox.Run(ctx, sandbox.Command{Dir: p.at.Project, Args: command, Env: p.env(),
		Limit: b.Limit, Mark: p.mark()})
	if err != nil {
		return nil, err
	}
	s := &Session{Mode: mode, Output: string(result.Output), Late: result.Late, Exit: result.Exit,
		Took: result.Took, Odd: server.Odd(), place: p,
		Offered: Snapshot{Main: server.Offered(mainMark), Agent: server.Offered(agentMark)}}
	s.Main, s.Ended = server.Outcomes(mainMark)
	s.Agent, _ = server.Outcomes(agentMark)
	return s, s.look(p)
}

// script is what the main session does.
func (p *place) script() model.Script {
	calls, steps := p.client.Calls, []model.Step{}
	step := func(name string, choose func(model.Tools) model.Call) {
		steps = append(steps, model.Step{Name: name, Make: ignoring(choose)})
	}
	shell := func(name, command string) {
		step(name, func(t model.Tools) model.Call { return calls.Shell(t, command) })
	}
	step("read", func(t model.Tools) model.Call { return calls.Read(t, p.file("edit.txt")) })
	step("edit", func(t model.Tools) model.Call { return calls.Edit(t, p.file("edit.txt"), before, after) })
	step("read again", func(t model.Tools) model.Call { // one client's shell wants it before sed
		return calls.Read(t, p.file("sed.txt"))
	})
	shell("shell reads", "cat README.md")
	shell("redirect", "echo "+after+" > redirect.txt")
	shell("sed -i", "sed -i s/"+before+"/"+after+"/ sed.txt")
	shell("here-document", "cat > here.txt <<'END'\n"+after+"\nEND")
	shell("python3 -c", `python3 -c "open('python.txt', 'w').write('`+after+`')"`)
	shell("build", "make build")
	for _, book := range calls.Books {
		step("book "+book.Tool, func(t model.Tools) model.Call {
			tool, found := t.Find(book.Tool)
			if !found {
				return model.Call{}
			}
			return model.Call{Tool: tool, Input: book.Input}
		})
	}
	if calls.Find != nil {
		step("find", calls.Find)
	}
	step("delegate", func(t model.Tools) model.Call {
		return calls.Delegate(t, agentMark+" Change agent.txt.")
	})
	if calls.Wait != nil {
		steps = append(steps, model.Step{Name: "wait", Make: calls.Wait})
	}
	return model.Script{Mark: mainMark, Steps: steps, Last: "All steps are done."}
}

// ignoring makes a step of a choice that what came of the call before does not matter to.
func ignoring(choose func(model.Tools) model.Call) func(model.Tools, string) model.Call {
	return func(t model.Tools, _ string) model.Call { return choose(t) }
}

// agentScript is what the agent does that the main session delegates to.
func (p *place) agentScript() model.Script {
	calls := p.client.Calls
	steps := []model.Step{
		{Name: "agent reads", Make: ignoring(func(t model.Tools) model.Call {
			return calls.Read(t, p.file("agent.txt"))
		})},
		{Name: "agent edits", Make: ignoring(func(t model.Tools) model.Call {
			return calls.Edit(t, p.file("agent.txt"), before, after)
		})},
	}
	if calls.End != nil {
		steps = append(steps, model.Step{Name: "agent ends", Make: ignoring(calls.End)})
	}
	return model.Script{Mark: agentMark, Steps: steps, Last: "agent.txt is changed."}
}

func (p *place) file(name string) string { return filepath.Join(p.at.Project, name) }

// look reads what the session left behind.
func (s *Session) look(p *place) error {
	s.Files = Files{}
	for _, name := range append(slices.Clone(targets), "build/out") {
		text, err := os.ReadFile(p.file(name))
		if err == nil {
			s.Files[name] = strings.TrimSpace(string(text))
		}
	}
	if err := os.WriteFile(p.dir("output.txt"), []byte(s.Output), 0o600); err != nil {
		return err
	}
	if err := s.readJournal(p); err != nil {
		return err
	}
	return s.readCalls(p)
}

func (s *Session) readJournal(p *place) error {
	files, err := filepath.Glob(p.file(".orchestrator/boundary/journal/*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			var l Line
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			s.Journal = append(s.Journal, l)
		}
	}
	return nil
}

// readCalls reads what the recorder kept, in the order in which the client called.
func (s *Session) readCalls(p *place) error {
	files, err := filepath.Glob(filepath.Join(p.dir("calls"), "*.stdin"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, file := range files {
		read := func(suffix string) string {
			text, _ := os.ReadFile(strings.TrimSuffix(file, ".stdin") + suffix) // missing where the hook was ended
			return string(text)
		}
		s.Calls = append(s.Calls, Call{Stdin: []byte(read(".stdin")), Stdout: read(".stdout"),
			Stderr: read(".stderr"), Exit: strings.TrimSpace(read(".exit"))})
	}
	return nil
}
