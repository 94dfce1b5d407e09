package shell

import (
	"strings"

	"orchestrator/internal/boundary/shell/toolchain"
)

// A policy vouches for a program by its name: for make test, say, as the project's makefile does it. What may make
// the program run other code than that is told here, and takes the word of the policy away. It takes away as well what
// the toolchain says of programs that build, test, install packages and commit.

// alter notes a variable that programs get from here on, unless it is sure to steer none of them: a calm one with a
// plain value, or one whose value has been looked at as the command it is.
func (w *walker) alter(name string, value arg) {
	if !value.known || !toolchain.HoldsCommand(name) && !toolchain.IsCalm(name, value.text) {
		w.scope.altered = &name
	}
}

// otherCode returns what may make a program run other code than that for which a policy vouches, or "".
func (c *call) otherCode() string {
	if by := c.w.scope.altered; by != nil {
		return *by + " may lead " + c.name + " to other code"
	}
	opts, ok := c.steering()
	if !ok {
		return ""
	}
	all := call{w: c.w, name: c.name, args: c.args}
	p := all.parse(opts)
	switch {
	case p.runs != "" && c.name == "orchestrator":
		return strings.TrimSuffix(p.runs, "may run anything") + "is for a person to give"
	case p.runs != "":
		return strings.TrimSuffix(p.runs, "anything") + "other code"
	case p.loose:
		return "a word that cannot be told may lead " + c.name + " to other code"
	}
	if c.name == "go" && c.otherLinker() {
		return "go -ldflags may run other code"
	}
	for _, a := range p.operands {
		if opts == toolchain.OfPytest && strings.HasPrefix(a.text, "@") {
			return "options in a file may lead " + c.name + " to other code"
		}
		if opts == toolchain.OfMake && (!a.known || strings.Contains(a.text, "=")) {
			return "a variable may lead " + c.name + " to other code"
		}
	}
	return ""
}

// otherLinker reports whether -ldflags may name a linker, or options for one.
func (c *call) otherLinker() bool {
	flags := false
	for _, a := range c.args {
		own := strings.HasPrefix(a.text, "-ldflags")
		if (own || flags) && (!a.known || strings.Contains(a.text, "-ext")) {
			return true
		}
		flags = own && a.text == "-ldflags"
	}
	return false
}

// steering finds the row of a program, or that of the module which python -m runs.
func (c *call) steering() (string, bool) {
	if opts, _ := interpreters.find(c.name); opts != pythonOptions {
		return toolchain.Steering(c.name)
	}
	for _, a := range c.parse(pythonOptions).programs {
		if opts, ok := toolchain.Steering(a.text); ok {
			return opts, true
		}
	}
	return "", false
}

// produces adds the part of a call that a row of the toolchain describes whole, and reports whether one does. Where it
// reports false, nothing has been added.
func produces(c *call) bool {
	name := c.name
	if strings.HasPrefix(name, "py") {
		if opts, _ := interpreters.find(name); opts == pythonOptions {
			name = "python"
		}
	}
	if !toolchain.Knows(name) {
		return false
	}
	if c.about() && c.name != "git" && !c.w.scope.function(c.name) {
		c.reads()
		return true
	}
	var leading [3]string
	n := 0
	for n < len(leading) && n < len(c.args) && c.args[n].known {
		leading[n] = c.args[n].text
		n++
	}
	row, used, found := toolchain.Find(name, leading[:n])
	if !found || c.other && !toolchain.OfProject(c.in, c.name) || c.w.scope.function(c.name) {
		return false
	}
	args := c.args[used:]
	inner := call{w: c.w, name: c.name, args: args}
	p := inner.parse(row.Opts)
	if p.strange || p.loose || p.sends || c.w.scope.altered != nil || !needed(row.Needs, args) ||
		!row.Sound(texts(args)) || !accepts(c, row, p.operands) {
		return false
	}
	addProducing(c, row, p)
	return true
}

// texts returns words, those that are not known whole with toolchain.Unfinished behind them.
func texts(args []arg) []string {
	all := make([]string, 0, len(args))
	for _, a := range args {
		if !a.known {
			a.text += toolchain.Unfinished
		}
		all = append(all, a.text)
	}
	return all
}

// needed reports whether one of some options is given, and none of them is taken back by a value.
func needed(options string, args []arg) bool {
	given := options == ""
	for _, name := range strings.Fields(options) {
		if len(name) == 1 {
			name = "-" + name
		}
		for _, a := range args {
			if strings.HasPrefix(a.text, name+"=") {
				return false
			}
			given = given || a.text == name
		}
	}
	return given
}

// accepts reports whether a row takes all words of a call. What begins with a dash stands behind --.
func accepts(c *call, row toolchain.Row, operands []arg) bool {
	behind := call{w: c.w, name: c.name}
	for i, a := range operands {
		switch {
		case strings.HasPrefix(a.text, "-") && len(a.text) > 1:
			behind.args = operands[i:]
			after := behind.parse(row.After)
			return row.After != "" && !after.strange && len(after.operands) == 0
		case !row.Accepts(a.text, a.known, i):
			return false
		}
	}
	return true
}

// addProducing adds the part of a call that a row describes.
func addProducing(c *call, row toolchain.Row, p parsed) {
	part := Part{Words: c.words(), Class: Produces, Why: row.Name + " " + row.Effect()}
	part.Targets = harm(p.named)
	if p.into != nil {
		part.Targets = append(part.Targets, c.w.scope.target(*p.into))
	}
	if row.Words == toolchain.Makes {
		part.Targets = append(part.Targets, c.targets(p.operands)...)
	}
	if row.Reads && len(part.Targets) == 0 {
		c.reads()
		return
	}
	part.Runs = append(c.targets(p.programs), c.w.scope.target(literal(".")))
	named := false
	for _, a := range p.operands {
		if named = row.RunsWord(a.text) || named; row.RunsWord(a.text) {
			part.Runs = append(part.Runs, gathered(c, row, a.text)...)
			a.text = row.Place(a.text)
			part.Runs = append(part.Runs, c.w.scope.target(a))
		}
	}
	if !named {
		part.Runs = append(part.Runs, gathered(c, row, "")...)
	}
	c.w.add(part)
}

// gathered returns the folder below which a command finds the code that it runs.
func gathered(c *call, row toolchain.Row, word string) []Target {
	folder, found := row.Gathers(word)
	if !found {
		return nil
	}
	t := c.w.scope.target(literal(folder))
	t.Tree = true
	return []Target{t}
}
