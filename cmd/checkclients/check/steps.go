package check

import (
	"path/filepath"

	"orchestrator/cmd/checkclients/model"
)

// write is a step by which a main session writes a file.
type write struct{ step, file string }

// writing are the steps that every client can do.
var writing = []write{
	{"edit", "edit.txt"}, {"redirect", "redirect.txt"}, {"sed -i", "sed.txt"}, {"here-document", "here.txt"},
	{"python3 -c", "python.txt"},
}

// typed is the file that is written by what is typed into a program in a terminal.
var typed = write{"terminal", "typed.txt"}

// writing returns the steps by which the client writes.
func (p *place) writing() []write {
	all := append([]write{}, writing...)
	if p.client.Calls.Terminal != nil {
		all = append(all, typed)
	}
	return all
}

// fileOf returns the file that a step is to write.
func (p *place) fileOf(step string) string {
	for _, w := range append(p.writing(), write{"look-alike", p.lookAlike()}) {
		if w.step == step {
			return w.file
		}
	}
	return ""
}

// notes are the files that the client keeps for itself.
func (p *place) notes() []string {
	var all []string
	for _, note := range p.client.Notes {
		all = append(all, filepath.Join(p.at.Home, note))
	}
	return all
}

// lookAlike is a file of the project that is called as a note of the client is.
func (p *place) lookAlike() string {
	if n := len(p.client.Notes); n > 0 {
		return p.project(p.client.Notes[n-1])
	}
	return ""
}

// was returns what a file had before the session.
func (p *place) was(file string) string {
	if file == p.lookAlike() {
		return ""
	}
	return before
}

// steps are collected one after the other.
type steps struct {
	*place

	all []model.Step
}

func (s *steps) add(name string, choose func(model.Tools) model.Call) {
	s.all = append(s.all, model.Step{Name: name, Make: ignoring(choose)})
}

func (s *steps) read(name, file string) {
	s.add(name, func(t model.Tools) model.Call { return s.client.Calls.Read(t, s.file(file)) })
}

func (s *steps) shell(name, command string) {
	s.add(name, func(t model.Tools) model.Call { return s.client.Calls.Shell(t, command) })
}

// oneEdit is a session that changes one file.
func (p *place) oneEdit() []model.Step {
	s := &steps{place: p}
	s.read("read", "edit.txt")
	s.add("edit", func(t model.Tools) model.Call { return s.client.Calls.Edit(t, s.file("edit.txt"), before, after) })
	return s.all
}

// everything is a session that reads, writes in each way, keeps its books, and delegates.
func (p *place) everything() []model.Step {
	s := &steps{place: p, all: p.oneEdit()}
	s.read("read again", "sed.txt") // one client's shell wants it before sed
	s.shell("shell reads", "cat README.md")
	s.shell("redirect", "echo "+after+" > redirect.txt")
	s.shell("sed -i", "sed -i s/"+before+"/"+after+"/ sed.txt")
	s.shell("here-document", "cat > here.txt <<'END'\n"+after+"\nEND")
	s.shell("python3 -c", `python3 -c "open('python.txt', 'w').write('`+after+`')"`)
	s.shell("build", "make build")
	s.own()
	s.delegates()
	return s.all
}

// own are the steps that only some clients have the tools for.
func (s *steps) own() {
	calls := s.client.Calls
	if calls.Terminal != nil {
		s.add(typed.step, func(t model.Tools) model.Call { return calls.Terminal(t, "less edit.txt") })
		s.all = append(s.all, model.Step{Name: "type", Make: func(t model.Tools, last string) model.Call {
			return calls.Type(t, last, "!echo "+after+" > "+typed.file+"\n\nq")
		}})
	}
	for _, book := range calls.Books {
		s.add("book "+book.Tool, func(t model.Tools) model.Call {
			tool, found := t.Find(book.Tool)
			if !found {
				return model.Call{}
			}
			return model.Call{Tool: tool, Input: book.Input}
		})
	}
	for _, note := range s.notes() {
		s.add("note "+note, func(t model.Tools) model.Call { return calls.Write(t, note, after+"\n") })
	}
	if file := s.lookAlike(); file != "" {
		s.add("look-alike", func(t model.Tools) model.Call { return calls.Write(t, file, after+"\n") })
	}
}

// delegates are the steps by which an agent is started.
func (s *steps) delegates() {
	calls := s.client.Calls
	if calls.Find != nil {
		s.add("find", calls.Find)
	}
	s.add("delegate", func(t model.Tools) model.Call { return calls.Delegate(t, agentMark+" Change agent.txt.") })
	if calls.Wait != nil {
		s.all = append(s.all, model.Step{Name: "wait", Make: calls.Wait})
	}
}

// ignoring makes a step of a choice that what came of the call before does not matter to.
func ignoring(choose func(model.Tools) model.Call) func(model.Tools, string) model.Call {
	return func(t model.Tools, _ string) model.Call { return choose(t) }
}

// agentScript is what the agent does that the main session delegates to.
func (p *place) agentScript() model.Script {
	calls := p.client.Calls
	s := &steps{place: p}
	s.read("agent reads", "agent.txt")
	s.add("agent edits", func(t model.Tools) model.Call { return calls.Edit(t, p.file("agent.txt"), before, after) })
	if calls.End != nil {
		s.add("agent ends", calls.End)
	}
	return model.Script{Mark: agentMark, Steps: s.all, Last: "agent.txt is changed."}
}
