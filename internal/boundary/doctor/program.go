package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// line is a registered command line, taken apart as a shell does.
type line struct {
	text  string
	call  *syntax.CallExpr // the simple command that starts the hook; nil for a line that an installation made
	args  []string         // its words; one that cannot be told is ""
	finds bool             // an installation made it: it finds the program
	other bool             // it begins so, and is not as this version makes it
}

// read takes a registered line apart, and finds the program that answers.
func (e *examination) read(c *agentclient.Client, text string, environ []string) (l line, program string, err error) {
	if made, is := commandline.Parse(c, text); is {
		program, err = e.answering(made)
		return line{text: text, finds: true}, program, err
	}
	if l, err = readLine(text, environ); err != nil {
		return l, "", err
	}
	if slices.Contains([]string{":", "sh"}, l.args[0]) && commandline.Runs(text) {
		return line{text: text, finds: true, other: true}, "", nil
	}
	program, err = l.program(e.Path)
	return l, program, err
}

// answering returns the program that a line finds which an installation made.
func (e *examination) answering(made commandline.Line) (string, error) {
	candidates := []string{filepath.Join(e.Dir.Path(), commandline.Small),
		filepath.Join(e.Dir.Path(), commandline.Whole)}
	if made.User {
		candidates = append(candidates, made.Program)
	}
	for _, name := range []string{commandline.Small, commandline.Whole} {
		for _, dir := range filepath.SplitList(e.Path) {
			candidates = append(candidates, filepath.Join(dir, name))
		}
	}
	for _, path := range candidates {
		if filepath.IsAbs(path) && startable(path) == nil {
			return path, nil
		}
	}
	return "", fault.New(fault.Invalid, "hook_program",
		"neither is there a link to the program in %s, nor is there an %s in PATH", e.Dir.Path(), commandline.Small)
}

// lookAtProgram says which program answers, and whether somebody else may have made it.
func (e *examination) lookAtProgram(client, program string) {
	real := tree.Real(program)
	install := "orchestrator boundary install " + client + " links this program's hook"
	root := tree.Real(e.Dir.Root)
	switch {
	case e.Program != "" && !isOwn(program, e.Program):
		e.say(client, Fault, install, "the program that answers is %s, not the hook of this orchestrator", real)
	case strings.HasPrefix(real, root+string(filepath.Separator)):
		e.say(client, Note, "install the programs outside of the project",
			"the program that answers is %s, which agents may write", real)
	default:
		e.say(client, OK, "", "the program that answers is %s", real)
	}
}

// shortened returns a command line for a message: what an installation makes is long.
func shortened(command string) string {
	const most = 120
	if r := []rune(command); len(r) > most {
		return string(r[:most]) + "…"
	}
	return command
}

// starting returns a command line that no installation of today made, for the end of a message.
func starting(c *agentclient.Client, command string) string {
	if _, is := commandline.Parse(c, command); is {
		return ""
	}
	return ": " + shortened(command)
}

// copyLinks gives a copy of a project the links to the program that the project has.
func copyLinks(from, to folder.Dir) error {
	for _, name := range []string{commandline.Small, commandline.Whole} {
		target, err := filepath.EvalSymlinks(filepath.Join(from.Path(), name))
		if err != nil {
			continue // the line passes it over as well
		}
		if err := os.Symlink(target, filepath.Join(to.Path(), name)); err != nil {
			return err
		}
	}
	return nil
}

// readLine finds the command that starts the hook.
func readLine(text string, environ []string) (line, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil {
		return line{}, err
	}
	l := line{text: text}
	config := &expand.Config{Env: expand.ListEnviron(environ...)}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, isCall := n.(*syntax.CallExpr)
		if !isCall || l.call != nil || len(call.Args) == 0 {
			return true
		}
		l.call = call
		for _, word := range call.Args {
			one := ""
			if fields, err := expand.Fields(config, word); err == nil && len(fields) == 1 {
				one = fields[0]
			}
			l.args = append(l.args, one)
		}
		return false
	})
	if l.call == nil {
		return l, fmt.Errorf("it starts nothing")
	}
	return l, nil
}

// program returns the path of what is started. It returns an error where it is not there or cannot be started.
func (l line) program(path string) (string, error) {
	name := l.args[0]
	switch {
	case name == "":
		return "", fault.New(fault.Invalid, "hook_program", "the program cannot be told")
	case filepath.IsAbs(name):
		return name, startable(name)
	case strings.Contains(name, "/"):
		return "", fault.New(fault.Invalid, "hook_program", "%s is relative to whatever folder the client works in",
			name)
	}
	for _, dir := range filepath.SplitList(path) {
		if at := filepath.Join(dir, name); filepath.IsAbs(dir) && startable(at) == nil {
			return at, nil
		}
	}
	return "", fault.New(fault.Invalid, "hook_program", "%s is in no folder of PATH", name)
}

func startable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fault.New(fault.Invalid, "hook_program", "%s is not there", path)
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return fault.New(fault.Invalid, "hook_program", "%s is no program that can be started", path)
	}
	return nil
}

// at returns the command line as it is run for the project in another folder, and with which environment. A --root of
// its own names that folder instead. A line that finds its program by the project's folder keeps that, and is given
// --root.
func (l line) at(root, copied string, w agentclient.Wiring, environ []string) (text string, env []string) {
	env = without(environ, agentclient.ProjectVariables()...)
	if l.finds {
		if w.Project != "" {
			env = append(env, w.Project+"="+copied)
		}
		return l.text, env
	}
	keep := w.Project != "" && strings.Contains(l.text, w.Project)
	project := copied
	if keep {
		project = root
	}
	if w.Project != "" {
		env = append(env, w.Project+"="+project)
	}
	text = l.text
	replaced := false
	for i, word := range slices.Backward(l.args) {
		from := l.call.Args[i]
		switch {
		case word == "--root" && i+1 < len(l.args):
			text, replaced = text[:from.Pos().Offset()]+"--root "+shellquote.Quote(copied)+
				text[l.call.Args[i+1].End().Offset():], true
		case strings.HasPrefix(word, "--root="):
			text, replaced = text[:from.Pos().Offset()]+"--root="+shellquote.Quote(copied)+
				text[from.End().Offset():], true
		}
	}
	if keep && !replaced {
		end := l.call.Args[len(l.call.Args)-1].End().Offset()
		text = text[:end] + " --root " + shellquote.Quote(copied) + text[end:]
	}
	return text, env
}

func lookup(environ []string, name string) (value string, set bool) {
	for _, e := range environ {
		if v, found := strings.CutPrefix(e, name+"="); found {
			value, set = v, true
		}
	}
	return value, set
}

func without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(names, name)
	})
}
