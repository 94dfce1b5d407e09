package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call looks at a simple command: its assignments, then its program.
func (w *walker) call(c *syntax.CallExpr) {
	start, altered := w.scope.vars, w.scope.altered
	for _, a := range c.Assigns {
		value := w.assign(a)
		if len(c.Args) > 0 { // for this call alone, and only as the program sees it
			w.alter(a.Name.Value, value)
			value = arg{loose: true}
		}
		w.scope.bind(a.Name.Value, value)
	}
	if len(c.Args) == 0 {
		return
	}
	bound, own := w.scope.vars, w.scope.altered
	w.run(w.words(c.Args))
	if w.scope.altered == own {
		w.scope.altered = altered
	}
	if len(c.Assigns) > 0 {
		after := w.scope.vars
		if w.scope.vars = start; after != bound {
			w.scope.forget()
		}
	}
}

// assign evaluates an assignment, and tells what is known of the variable afterwards.
func (w *walker) assign(a *syntax.Assign) arg {
	value := literal("")
	if a.Value != nil {
		value = w.word(a.Value)
	}
	if a.Name != nil {
		w.environment(a.Name.Value, value)
	}
	if a.Array != nil || a.Index != nil {
		if a.Array != nil {
			w.inner(a.Array)
		}
		if a.Index != nil {
			w.inner(a.Index)
		}
		return arg{loose: true}
	}
	if a.Append || !value.known || len(value.text) > maxValue {
		return arg{loose: true}
	}
	return value
}

// assignments looks at export, declare and their like.
func (w *walker) assignments(d *syntax.DeclClause) {
	exported := exports(d)
	for _, a := range d.Args {
		value := w.assign(a)
		switch {
		case a.Name == nil && !(value.known && strings.Trim(value.text, "-xgr") == ""):
			w.blind = true // names of names, numbers, lower case: values are not what is assigned
		case a.Name != nil && !a.Naked:
			w.scope.bind(a.Name.Value, value)
		}
		if exported && a.Name != nil {
			if a.Naked {
				value, _ = w.scope.lookup(a.Name.Value)
			}
			w.alter(a.Name.Value, value)
		}
	}
	w.add(Part{Words: []string{d.Variant.Value}, Class: Reads})
}

// exports says whether a declaration may give variables to programs.
func exports(d *syntax.DeclClause) bool {
	exported := d.Variant.Value == "export"
	for _, a := range d.Args {
		if a.Name == nil && a.Value != nil {
			text := a.Value.Lit()
			exported = exported || text == "" || text[0] == '-' && strings.Contains(text, "x")
		}
	}
	return exported
}

// commandVariables hold a command that other programs run, hazards change what programs do in other ways.
var (
	commandVariables = map[string]bool{
		"PAGER": true, "GIT_PAGER": true, "MANPAGER": true, "GH_PAGER": true, "EDITOR": true, "VISUAL": true, "GIT_EDITOR": true,
		"GIT_SEQUENCE_EDITOR": true, "GIT_SSH_COMMAND": true, "GIT_SSH": true, "GIT_ASKPASS": true, "GIT_EXTERNAL_DIFF": true,
		"PROMPT_COMMAND": true, "LESSOPEN": true, "LESSCLOSE": true, "BROWSER": true, "RIPGREP_PREPROCESSOR": true,
	}
	hazards = map[string]bool{
		"PATH": true, "PATHEXT": true, "LD_PRELOAD": true, "LD_AUDIT": true, "LD_LIBRARY_PATH": true, "DYLD_INSERT_LIBRARIES": true, "BASH_ENV": true, "ENV": true, "PS4": true,
		"PERL5OPT": true, "PERL5LIB": true, "RUBYOPT": true, "PYTHONSTARTUP": true, "NODE_OPTIONS": true, "JAVA_TOOL_OPTIONS": true,
		"SHELLOPTS": true, "BASHOPTS": true, "RIPGREP_CONFIG_PATH": true, "GIT_EXEC_PATH": true, "GIT_TEMPLATE_DIR": true, "LESS": true,
		"GOFLAGS": true, "BASH_ALIASES": true, "BASH_CMDS": true, "TAR_OPTIONS": true, "CURL_HOME": true, "HOME": true, "XDG_CONFIG_HOME": true,
	}
)

// environment looks at what a variable would make other programs do.
func (w *walker) environment(name string, value arg) {
	switch {
	case name == "CDPATH", name == "GIT_WORK_TREE", name == "GIT_DIR":
		w.scope.lost = true
	case commandVariables[name] && value.known:
		w.apart(func() { w.code(value.text) })
	case commandVariables[name], hazards[name],
		strings.HasPrefix(name, "GIT_CONFIG"), strings.HasPrefix(name, "GIT_TRACE"), strings.HasPrefix(name, "BASH_FUNC_"):
		w.doubt(name + " changes what programs do")
	}
}
