package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/boundary/shell/toolchain"
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
	w.together(func() { w.run(w.words(c.Args)) })
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
		if a.Naked || a.Array != nil { // programs may not get it any more
			w.note(a.Name.Value)
		}
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
	if a.Append || len(value.text) > maxValue {
		return arg{loose: true}
	}
	if !value.known {
		return arg{loose: true, pattern: value.pattern}
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
	showVariables(w, toolchain.Variables(d.Variant.Value, declared(d)))
	w.add(Part{Words: []string{d.Variant.Value}, Class: Reads})
}

// declared returns the words of a declaration, of values only that there is one.
func declared(d *syntax.DeclClause) (words []string) {
	for _, a := range d.Args {
		switch {
		case a.Name != nil && a.Naked:
			words = append(words, a.Name.Value)
		case a.Name != nil:
			words = append(words, a.Name.Value+"=value")
		default:
			words = append(words, a.Value.Lit()+"-")
		}
	}
	return words
}

// exports reports whether a declaration may give variables to programs.
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

// environment looks at what a variable would make other programs do.
func (w *walker) environment(name string, value arg) {
	switch {
	case name == "GLOBIGNORE": // it sets dotglob
		w.dotglob = true
	case name == "CDPATH", name == "GIT_WORK_TREE", name == "GIT_DIR":
		w.scope.lost = true
	case toolchain.HoldsCommand(name) && value.known:
		given := w.given
		w.given = !w.fed
		w.apart(func() { w.code(value.text) })
		w.given = given
	case value.known && toolchain.IsPlain(name, value.text):
	case toolchain.HoldsCommand(name), toolchain.Hazard(name):
		w.doubt(name + " changes what programs do")
	}
}
