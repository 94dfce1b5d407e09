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
	Ended   bool     // the main session came to its end
	Ends    []string // what it had been told, each time that it did
	Offered Snapshot
	Files   Files // of the project, after the run
	Journal []Line
	Calls   []Call
	Output  string
	Late    bool
	Exit    int
	Took    time.Duration
	Odd     []string
	Doctor  Doctor

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

// Doctor is what orchestrator boundary doctor said after the session.
type Doctor struct {
	Said string
	Exit int
}

// Call is one call of the hook, as the client made it.
type Call struct {
	Args   string
	Stdin  []byte
	Stdout string
	Stderr string
	Exit   string
}

// Run runs a client once.
func (b *Bed) Run(ctx context.Context, c *client.Client, version, mode string) (*Session, error) {
	p, err := b.newPlace(c, version, modeOf(mode))
	if err != nil {
		return nil, err
	}
	server, err := model.Start(p.dir("requests"), model.Script{Mark: mainMark, Steps: p.mode.steps(p),
		Last: "All steps are done."}, p.agentScript())
	if err != nil {
		return nil, err
	}
	defer server.Close()
	p.at.Model, p.at.Prompt = server.URL, mainMark+" Do the steps one by one."
	stop, err := p.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	result, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{Mode: mode, Output: string(result.Output), Late: result.Late, Exit: result.Exit,
		Took: result.Took, Odd: server.Odd(), Ends: server.Ends(mainMark), place: p,
		Offered: Snapshot{Main: server.Offered(mainMark), Agent: server.Offered(agentMark)}}
	s.Main, s.Ended = server.Outcomes(mainMark)
	s.Agent, _ = server.Outcomes(agentMark)
	return s, s.look(ctx)
}

// prepare writes the client's settings, and sets up what the mode needs besides.
func (p *place) prepare(ctx context.Context) (stop func(), err error) {
	stop = func() {}
	if err := p.client.Prepare(p.at); err != nil {
		return nil, err
	}
	if p.mode.claim {
		if stop, err = p.claims(ctx); err != nil {
			return nil, err
		}
	}
	if err := p.install(ctx); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// start runs the client to its end.
func (p *place) start(ctx context.Context) (sandbox.Result, error) {
	command := append(p.bed.program(p.client, p.at.Version), p.client.Args(p.at)...)
	return sandbox.Run(ctx, sandbox.Command{Dir: p.folder(), Args: command, Env: p.env(),
		Limit: p.bed.Limit, Mark: p.mark()})
}

// folder is where the session starts.
func (p *place) folder() string { return filepath.Join(p.at.Project, p.mode.folder) }

// file returns the path of a file in the folder of the session.
func (p *place) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.folder(), name)
}

// project returns the path of a file of the project.
func (p *place) project(name string) string { return filepath.Join(p.at.Project, name) }

// look reads what the session left behind.
func (s *Session) look(ctx context.Context) error {
	p := s.place
	s.Files = Files{}
	for _, name := range slices.Concat(targets, []string{"build/out", p.lookAlike()}, p.notes()) {
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
	if err := s.readCalls(p); err != nil || !p.mode.doctor {
		return err
	}
	result, err := p.result(ctx, p.folder(), "orchestrator", "boundary", "doctor", p.client.Name)
	s.Doctor = Doctor{string(result.Output), result.Exit}
	return err
}

func (s *Session) readJournal(p *place) error {
	files, err := filepath.Glob(p.project(".orchestrator/boundary/journal/*.jsonl"))
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
		s.Calls = append(s.Calls, Call{Args: read(".args"), Stdin: []byte(read(".stdin")), Stdout: read(".stdout"),
			Stderr: read(".stderr"), Exit: strings.TrimSpace(read(".exit"))})
	}
	return nil
}
