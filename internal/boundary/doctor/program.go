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
	"orchestrator/internal/fault"
)

// line is a registered command line, taken apart as a shell does.
type line struct {
	text string
	call *syntax.CallExpr // the simple command that starts the hook
	args []string         // its words; one that cannot be told is ""
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
		return "", fault.New(fault.Invalid, "hook_program", "%s is relative to whatever folder the client works in", name)
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
	keep := w.Project != "" && strings.Contains(l.text, w.Project)
	folder := map[bool]string{true: root, false: copied}[keep]
	if w.Project != "" {
		env = append(env, w.Project+"="+folder)
	}
	text = l.text
	replaced := false
	for i, word := range slices.Backward(l.args) {
		from := l.call.Args[i]
		switch {
		case word == "--root" && i+1 < len(l.args):
			text, replaced = text[:from.Pos().Offset()]+"--root "+single(copied)+
				text[l.call.Args[i+1].End().Offset():], true
		case strings.HasPrefix(word, "--root="):
			text, replaced = text[:from.Pos().Offset()]+"--root="+single(copied)+text[from.End().Offset():], true
		}
	}
	if keep && !replaced {
		end := l.call.Args[len(l.call.Args)-1].End().Offset()
		text = text[:end] + " --root " + single(copied) + text[end:]
	}
	return text, env
}

func single(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

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
