package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// groups are the headings of the help of the program, and the commands below each, in their order.
var groups = []struct {
	title    string
	commands []string
}{
	{"Five commands to begin with:", []string{"init", "up", "status", "next", "change"}},
	{"Requirements:", []string{"list", "show", "history", "design", "implement", "test", "attach",
		"approve", "accept", "note", "block",
		"defer", "reopen", "claim", "watch", "workflow", "whoami"}},
	{"The project and its documents:", []string{"import", "trace", "review", "gate", "rename",
		"adopt", "apply", "merge-status"}},
	{"The service:", []string{"serve", "down", "open", "health", "doctor", "config", "token",
		"webhook"}},
	{"The log and the database:", []string{"verify", "audit", "backup", "restore", "upgrade", "compact",
		"migrate"}},
	{"Agents:", []string{"boundary", "hook", "mcp", "tools", "prompts", "ask", "answer", "conduct", "schedules", "drive",
		"usage"}},
	{"The program:", []string{"version", "completion"}},
}

// arrange puts the commands of the program into groups, the five to begin with first.
func arrange(root *cobra.Command) *cobra.Command {
	byName := map[string]*cobra.Command{}
	for _, cmd := range root.Commands() {
		byName[cmd.Name()] = cmd
	}
	var ordered []*cobra.Command
	for _, g := range groups {
		there := 0
		for _, name := range g.commands {
			if cmd := byName[name]; cmd != nil {
				cmd.GroupID = g.title
				ordered = append(ordered, cmd)
				there++
			}
		}
		if there > 0 {
			root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		}
	}
	rest := slices.DeleteFunc(slices.Clone(root.Commands()), func(cmd *cobra.Command) bool { return cmd.GroupID != "" })
	root.RemoveCommand(slices.Clone(root.Commands())...)
	root.AddCommand(append(ordered, rest...)...)
	root.SetHelpCommandGroupID(groups[len(groups)-1].title)
	return root
}
