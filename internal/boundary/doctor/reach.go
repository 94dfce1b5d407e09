package doctor

import (
	"slices"
	"strings"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/settings"
	"orchestrator/internal/system/tree"
)

// lookAtReach looks at whether a session that is started in the folder that is asked about reads the settings of the
// project. The user's settings hold for every session.
func (e *examination) lookAtReach(c *agentclient.Client, users bool) {
	if users {
		return
	}
	root, from := tree.Real(e.Dir.Root), tree.Real(e.Dir.Root)
	if e.From != "" {
		from = tree.Real(e.From)
	}
	install := "orchestrator boundary install " + c.Name + " --scope user registers it for sessions everywhere"
	top := tree.WorkingTree(from)
	switch {
	case c.Wiring.Reach == agentclient.Here && from != root:
		e.say(c.Name, Fault, "start it in "+root+", or: "+install,
			"a session that is started in %s reads only the settings of that folder, and runs no hook", from)
	case c.Wiring.Reach == agentclient.Here:
		level := Note
		if e.failsClosed() {
			level = Fault
		}
		e.say(c.Name, level, install,
			"a session that is started in a folder below this one runs no hook of the project")
	case c.Wiring.Reach == agentclient.Above && from != root && !within(root, top):
		e.say(c.Name, Fault, "start it in "+root+", or: "+install,
			"a session that is started in %s does not read the settings above its repository, and runs no hook", from)
	}
}

// lookAtRepeated looks at whether the client runs the hook more than once for a call. For the project and for the user
// is as it should be: each covers sessions that the other does not, and the journal counts the call once.
func (e *examination) lookAtRepeated(client string, before, users []settings.Registration) {
	personal := 0
	for _, r := range before {
		if slices.ContainsFunc(users, func(u settings.Registration) bool { return u.File == r.File }) {
			personal++
		}
	}
	switch {
	case len(before) == 1:
	case len(before) == 2 && personal == 1:
		e.say(client, OK, "",
			"registered for the project and for this user: where both run, the journal counts a call once")
	default:
		e.say(client, Note, "leave one in the project, and one of this user at most: orchestrator boundary install "+
			client+" makes one of several in a file", "it is registered %d times before a tool: every call is judged "+
			"as often", len(before))
	}
}

// within reports whether a folder is another one, or lies below it. Nothing lies within "".
func within(folder, top string) bool {
	return top != "" && (folder == top || strings.HasPrefix(folder, strings.TrimSuffix(top, "/")+"/"))
}

// lookAtMutes looks at environment variables that keep the client from running hooks, here and in its settings.
func (e *examination) lookAtMutes(c *agentclient.Client) {
	for _, name := range c.Wiring.DisablingVariables {
		if value, _ := lookup(e.Environ, name); isTrue(value) {
			e.say(c.Name, Fault, "unset it where you start the client",
				"%s=%.40q is set here: a session started from here runs no hook", name, value)
		}
		for _, v := range settings.Variables(c.Name, name, e.settings()) {
			if isTrue(v.Value) {
				e.say(c.Name, Fault, "remove it from env in that file",
					"%s sets %s=%.40q: a session that begins with it runs no hook", v.File, name, v.Value)
			}
		}
	}
}

// isTrue reports whether clients take the value of a variable for true.
func isTrue(value string) bool {
	return slices.Contains([]string{"1", "true", "yes", "on"}, strings.ToLower(strings.TrimSpace(value)))
}
