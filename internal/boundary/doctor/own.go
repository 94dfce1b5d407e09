package doctor

import (
	"os"
	"path/filepath"
	"strings"

	"orchestrator/internal/boundary/folder"

	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/boundary/hook"
)

// foreign returns why a registered line, which starts a program, is not the hook of the program own and nothing else,
// or "". Settings of a client may have come with a repository, so such a line may be anything.
func (l line) foreign(client, program, own string) string {
	switch {
	case l.other:
		return "it is not as this program registers it"
	case !l.finds && !isSimple(l.text):
		return "it is more than one simple command"
	case !isOwn(program, own):
		return "it starts " + program + ", which is not this program"
	case !l.finds && !asksHook(l.args[1:], client):
		return "its arguments are not those of the hook"
	}
	return ""
}

// isSimple reports whether a shell does nothing with a line but start one program: no second command, redirection,
// assignment or substitution.
func isSimple(text string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil || len(file.Stmts) != 1 {
		return false
	}
	s := file.Stmts[0]
	call, is := s.Cmd.(*syntax.CallExpr)
	if !is || s.Negated || s.Background || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return false
	}
	plain := true
	syntax.Walk(call, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.CallExpr, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		case *syntax.ParamExp:
			plain = plain && n.Short
		default:
			plain = false
		}
		return plain
	})
	return plain
}

// isOwn reports whether a path leads to the program own or to the orchestrator-hook beside it.
func isOwn(path, own string) bool {
	found, err := os.Stat(path)
	if err != nil {
		return false
	}
	known := []string{own, filepath.Join(filepath.Dir(own), "orchestrator-hook")}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		known = append(known, filepath.Join(filepath.Dir(real), "orchestrator-hook"))
	}
	for _, k := range known {
		if info, err := os.Stat(k); err == nil && os.SameFile(found, info) {
			return true
		}
	}
	return false
}

// asksHook reports whether arguments are those of the hook for a client, after the word hook where the whole program is
// started.
func asksHook(args []string, client string) bool {
	if len(args) > 0 && args[0] == "hook" {
		args = args[1:]
	}
	named, _, err := hook.Arguments(args)
	return err == nil && named == client
}

// lookAtMark compares the mode of the policy, which a team shares, with the mark of this machine.
func (e *examination) lookAtMark() {
	written, err := e.Dir.Written()
	marked := folder.Marked(e.Dir)
	fix := "orchestrator boundary mode " + string(written.Mode) + " --reason TEXT"
	switch {
	case err != nil || written.Mode.Blocks() == marked.Blocks():
	case marked.Blocks():
		e.say("", Fault, fix+" follows the policy here; orchestrator boundary mode "+string(marked)+
			" --reason TEXT puts the policy back", "the policy says %s, but %s is still in force on this "+
			"machine: the mode was switched on another machine, or by hand", written.Mode, marked)
	default:
		e.say("", Note, fix+" does so now, and brings the settings of the clients in line",
			"the policy says %s, which is not in force on this machine yet: the mode was switched on another machine, "+
				"or by hand; the next call of the hook puts it in force", written.Mode)
	}
}
