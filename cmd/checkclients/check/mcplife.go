package check

import (
	"context"
	"fmt"
	"os"
	"regexp"

	"orchestrator/cmd/checkclients/model"
)

// object is the input of a tool.
type object map[string]any

// life takes one requirement from not_started to done, in sessions of four roles: each has the MCP server with the
// token of its role, and proposes by no other way.
type life struct {
	teller

	commit, report string // as the sessions learn them
}

func newLife(p *place) *life { return &life{teller: teller{p: p, calls: p.client.Calls}} }

// part is one session of the life.
type part struct {
	role, task string
	steps      []model.Step
}

// parts are the sessions, in their order.
func (l *life) parts() []part {
	return []part{
		{"pm", "You are the PM, and the shop has agreed.", l.steps(l.ask("next", object{}),
			l.move("planned"), l.move("design_in_progress"))},
		{theArchitect, "You are the architect of SHOP-001.", l.steps(l.ask("requirement", object{"id": "SHOP-001"}),
			l.change(object{"design_spec": object{"summary": "Greet takes the name.",
				"files": []string{"greet.go"}}}))},
		{"pm", "You are the PM, and the design is there.", l.steps(l.move("design_ready"),
			l.move("implementation_in_progress"))},
		{theCoder, "You are the coder of SHOP-001.", l.steps([]model.Step{l.read("greet.go"), l.edit(),
			l.shell("go build ./... && git add greet.go && git commit -qm 'Greet by name' && git log -1 --format=%H")},
			l.implement())},
		{"pm", "You are the PM, and it is built.", l.steps(l.move("implemented"), l.move("test_in_progress"))},
		{theTester, "You are the tester of SHOP-001.", l.steps([]model.Step{
			l.shell("cat > greet_test.go <<'END'\n" + storyTest + "END"),
			l.shell("git add greet_test.go && git commit -qm 'Test the greeting'"),
			l.shell("mkdir -p build && go test -json ./... > build/report.json; tail -n 1 build/report.json")},
			l.ask("attach_report", object{"id": "SHOP-001", "path": "build/report.json"}),
			l.ask("next", object{"id": "SHOP-001"}), l.pass())},
		{"pm", "You are the PM, and it is tested.", l.steps(l.ask("review", object{"id": "SHOP-001"}),
			l.approve(), l.ask("history", object{"id": "SHOP-001"}))},
	}
}

func (l *life) steps(all ...[]model.Step) (steps []model.Step) {
	for _, some := range all {
		steps = append(steps, some...)
	}
	return steps
}

// ask calls a tool whose input is known before.
func (l *life) ask(tool string, in object) []model.Step { return calling(l.p.client, tool, fixed(in)) }

// change proposes what is known before.
func (l *life) change(members object) []model.Step {
	members["id"] = "SHOP-001"
	return l.ask("change", members)
}

// why is a justification by a file.
func why(reason string) object {
	return object{"reason": reason,
		"evidence": []any{object{"kind": "file", "path": "REQUIREMENTS.md", "lines": "1-3"}}}
}

func (l *life) move(status string) []model.Step {
	return l.change(object{"status": status, "justification": why("it is time for " + status)})
}

// implement cites the commit that the step before has printed.
func (l *life) implement() []model.Step {
	return calling(l.p.client, "change", func(last string) any {
		if found := committed.FindString(last); found != "" && l.commit == "" {
			l.commit = found
		}
		return object{"id": "SHOP-001", "implementation": object{"summary": "Greets by name.",
			"files": []any{object{"path": "greet.go", "lines": "1-5", "commit": l.commit}}}}
	})
}

// hash is how the service names a report.
var hash = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// pass cites the report that the step before names.
func (l *life) pass() []model.Step {
	return calling(l.p.client, "change", func(last string) any {
		if found := hash.FindString(last); found != "" && l.report == "" {
			l.report = found
		}
		return object{"id": "SHOP-001", "status": "tested_pass", "justification": object{"reason": "the test passes",
			"evidence": []any{object{"kind": "test", "name": "TestGreeting_SHOP001", "result": "pass",
				"report": l.report}}}}
	})
}

func (l *life) approve() []model.Step {
	return l.change(object{"status": "done", "justification": why("it greets by name"),
		"approvals": []any{object{"decision": "approved", "text": "it greets by name"}}})
}

// scripts are what the model does in each session.
func (l *life) scripts() (scripts []model.Script) {
	for _, one := range l.parts() {
		scripts = append(scripts, model.Script{Mark: one.task, Last: "It is done.", Steps: one.steps})
	}
	return scripts
}

// What orchestrator show says of the status.
var isDone, ofStatus = regexp.MustCompile(`(?m)^status +done\b`), regexp.MustCompile(`(?m)^status.*`)

// live runs the sessions of a life one after the other.
func (s *served) live(ctx context.Context, server *model.Server, l *life) error {
	calls, bytes := 0, 0
	for i, one := range l.parts() {
		if _, err := s.run(ctx, "orchestrator", "mcp", "install", s.client.Name, "--scope", "user", "--as",
			one.role); err != nil {
			return err
		}
		s.at.Prompt = one.task
		result, err := s.start(ctx)
		if err != nil {
			return err
		}
		file := s.dir(fmt.Sprintf("output-%d-%s.txt", i, one.role))
		if err := os.WriteFile(file, result.Output, 0o600); err != nil {
			return err
		}
		outcomes, _ := server.Outcomes(one.task)
		for _, o := range outcomes {
			if !o.Offered {
				continue
			}
			s.tell(one.role+": "+o.Step, fmt.Sprintf("%.400s", o.Result))
			calls, bytes = calls+1, bytes+len(o.Result)
		}
	}
	s.tell("sum", fmt.Sprintf("%d calls, %d bytes of results", calls, bytes))
	said, err := s.run(ctx, "orchestrator", "show", "SHOP-001")
	if err != nil {
		return err
	}
	s.tell("orchestrator show SHOP-001", said)
	s.note(comesToDone, unless(isDone.MatchString(said), "SHOP-001 is not done: "+ofStatus.FindString(said)))
	return nil
}
