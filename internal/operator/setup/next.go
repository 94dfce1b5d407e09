package setup

import (
	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/system/marked"
	"orchestrator/internal/system/shellquote"
)

// ToCommit returns the files that others who work in the repository need; outside of one there are none. The settings
// of clients are not among them: they name programs of this machine.
func (p Plan) ToCommit() []string {
	files := []string{}
	if _, found := config.Top("."); !found {
		return files
	}
	files = append(files, config.TreeFile, p.data.GitIgnore())
	for _, name := range p.told {
		if has, err := marked.Read(name); err == nil && marked.Guide.Has(has.Text) {
			files = append(files, name)
		}
	}
	return files
}

// Next returns the three commands that go on after a set-up. First does what comes first; "" where nothing does.
func (p Plan) Next(first string) []string {
	commands := []string{"orchestrator up", "orchestrator next", first}
	if apiclient.Runs(p.data) {
		commands[0] = "orchestrator status"
	}
	if first == "" {
		commands[2] = "orchestrator doctor"
	}
	if p.data != datadir.Default {
		for i := range commands {
			commands[i] += " --data " + shellquote.Quote(string(p.data))
		}
	}
	return commands
}
