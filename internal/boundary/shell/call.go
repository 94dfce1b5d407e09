package shell

import (
	"strings"

	"orchestrator/internal/boundary/shell/lists"
	"orchestrator/internal/boundary/shell/toolchain"
)

// call is a program with its words.
type call struct {
	w     *walker
	name  string
	args  []arg
	sub   int    // how many of the words name a subcommand
	other bool   // called by a path or a runner that need not lead to the program of this name
	in    string // the folder that it is called by
	plain bool   // see lists.ReadsPlainly
}

// run looks at a program and its words.
func (w *walker) run(words []arg) {
	switch {
	case len(words) == 0:
		return
	case w.depth >= maxDepth:
		w.doubt("commands within commands are not read that deep")
		return
	case !words[0].known || words[0].text == "" || lists.Only(words[0].text[len(words[0].text)-1:], `/\`):
		w.doubt("which program runs cannot be told")
		w.scope.forget()
		w.scope.lost = true
		return
	}
	path := words[0].text
	cut := max(strings.LastIndexByte(path, '/'), strings.LastIndexByte(path, '\\')) + 1
	var c *call
	if w.inside < len(w.calls) {
		c = &w.calls[w.inside]
	} else {
		c = new(call)
	}
	*c = call{w: w, name: path[cut:], args: words[1:], in: path[:cut], other: cut > 0 && !lists.SystemFolder(path[:cut])}
	if len(c.name) > 4 && strings.EqualFold(c.name[len(c.name)-4:], ".exe") {
		c.name = c.name[:len(c.name)-4]
	}
	if lists.TakesGoFlags(c.name) {
		c.args = singleDashes(c.args)
	}
	c.plain = lists.ReadsPlainly(c.name)
	w.show(c)
	outer := w.current
	w.current = words
	w.depth++
	w.inside++
	c.look()
	w.inside--
	w.depth--
	w.current = outer
}

func (c *call) look() {
	if c.w.scope.function(c.name) {
		c.function()
		return
	}
	if end := c.name[len(c.name)-1]; end >= '0' && end <= '9' && !listed(c.name) {
		if plain := strings.TrimRight(c.name, "0123456789."); listed(plain) {
			c.name, c.plain = plain, lists.ReadsPlainly(plain) // python3.12
		}
	}
	if c.plain { // as most are, which no other table has
		c.reads()
	} else if lists.Wraps(c.name) {
		wrapped, _ := wrappers.find(c.name)
		c.unwrap(wrapped)
	} else if c.name != "git" && produces(c) {
		return
	} else if look := special(c.name); look != nil {
		look(c)
	} else if t, ok := program(c.name); ok {
		c.judge(t)
	} else if opts, ok := runner(c); ok {
		c.args = c.args[1:]
		c.unwrap(wrapper{opts: opts, foreign: true})
	} else if t, ok := c.subcommand(); ok {
		c.judge(t)
	} else if opts, ok := interpreters.find(c.name); ok {
		c.interpret(opts)
	} else if c.name == "orchestrator" {
		c.unknown(toolchain.NoReading(texts(c.args)))
	} else {
		c.unknown(c.name + " may do anything")
	}
}

// runner returns the options of a subcommand that runs a command.
func runner(c *call) (opts string, found bool) {
	if len(c.args) == 0 || !c.args[0].known {
		return "", false
	}
	return runners.find(c.name + " " + c.args[0].text)
}

// program returns the row of a program that a row can describe.
func program(name string) (tool, bool) {
	for _, rows := range []tools{readers, writers, sometimes} {
		if t, found := rows.find(name); found {
			return t, true
		}
	}
	return tool{}, false
}

// function looks at the call of a function. What it does stands where it is declared, but for what it gets from here.
func (c *call) function() {
	does := c.w.scope.does(c.name)
	c.w.scope.forget()
	c.w.scope.lost = true
	if by := c.w.scope.altered; by != nil && does.vouched {
		c.ambiguous(*by + " may lead " + c.name + " to other code")
	} else {
		c.reads()
	}
	if does.alters {
		c.w.scope.altered = new(c.name)
	}
}

func singleDashes(args []arg) []arg {
	single := append([]arg(nil), args...)
	for i, a := range single {
		if len(a.text) > 2 && a.text[:2] == "--" {
			single[i].text = a.text[1:]
		}
	}
	return single
}

// listed reports whether a table tells what a program does.
func listed(name string) bool {
	_, does := program(name)
	_, runs := interpreters.find(name)
	return lists.Wraps(name) || does || runs || special(name) != nil || lists.ReadsPlainly(name)
}

// judge decides by a row of a table.
func (c *call) judge(t tool) {
	if t.class == Reads && t.files == none && t.opts == "" {
		c.reads()
		return
	}
	p := c.parse(t.opts)
	switch {
	case p.runs != "":
		c.ambiguous(p.runs)
		return
	case p.isDry() && len(harm(p.named)) == 0:
		c.keepsNothing(p)
		return
	case p.loose && t.class != Writes && strings.ContainsAny(t.opts, optionMarks):
		c.ambiguous("a word that cannot be told may be an option of " + c.name + " that writes")
		return
	}
	targets := p.named
	if p.inPlace {
		targets = append(targets, edited(c, t, p)...)
	}
	if p.elsewise {
		targets = append(targets, p.hereOr(c))
	}
	if !p.inPlace {
		targets = append(targets, c.files(t, p)...)
	}
	if t.class == Ambiguous && len(harm(targets)) == 0 {
		c.unknown(c.name + " may do anything")
		return
	}
	if len(harm(targets)) == 0 {
		c.keepsNothing(p)
		return
	}
	if p.why == "" {
		p.why = c.name + " writes files"
	}
	c.writesOrReads(p.why, targets...)
}

// keepsNothing adds a part that writes no file: it reads, or it sends.
func (c *call) keepsNothing(p parsed) {
	if p.sends {
		c.unknown(c.name + " sends something")
		return
	}
	c.reads()
}

// files returns the targets that the operands of a call name.
func (c *call) files(t tool, p parsed) []Target {
	n := len(p.operands)
	switch {
	case t.files == every && len(p.operands) == 0 && (c.w.given || c.about() || toolchain.Filters(c.name)):
		return nil
	case t.files == every:
		return targetsOr(c, p)
	case t.files == last && n > 0:
		return c.targets(p.operands[n-1:])
	case t.files == afterFirst && n > 1:
		return c.targets(p.operands[1:])
	case t.files == second && n > 1:
		if p.operands[1].known && p.operands[1].text == "-" {
			return nil
		}
		return c.targets(p.operands[1:2])
	case t.files == stem:
		return c.stems(p.operands)
	case t.files == first && n > 0:
		return c.targets(p.operands[:1])
	case t.files == unnamed && len(p.named) == 0 && !p.stdout:
		return []Target{p.hereOr(c)}
	case (t.files == afterFirst || t.files == second) && p.loose:
		return []Target{{}}
	}
	return nil
}

// stems returns operands without their ending: with or without one, the files begin like that.
func (c *call) stems(operands []arg) []Target {
	var all []Target
	for _, a := range operands {
		if dot := strings.LastIndexByte(a.text, '.'); a.known && dot > strings.LastIndexByte(a.text, '/')+1 {
			a.text = a.text[:dot]
		}
		a.known = false
		all = append(all, c.w.scope.target(a))
	}
	return all
}

// hereOr returns a file in the folder that an option names, or one of which nothing is known.
func (p parsed) hereOr(c *call) Target {
	if p.into == nil {
		return Target{}
	}
	t := c.w.scope.target(*p.into)
	if t.Known {
		t = Target{Path: strings.TrimSuffix(t.Path, "/") + "/"}
	}
	return t
}

// edited returns the files that an option has a program edit. One that reads otherwise edits nothing unless it is named.
func edited(c *call, t tool, p parsed) []Target {
	if t.class == Reads {
		return c.targets(p.operands)
	}
	return targetsOr(c, p)
}

// targetsOr returns the files that operands name; where none does, the program finds its files, or opens what it is
// told later.
func targetsOr(c *call, p parsed) []Target {
	if len(p.operands) == 0 {
		return []Target{p.hereOr(c)}
	}
	return c.targets(p.operands)
}

func (c *call) targets(args []arg) []Target {
	var all []Target
	for _, a := range args {
		all = append(all, c.w.scope.target(a))
	}
	return all
}

// words returns the base name and the first words that are no options, as far as they can be told.
func (c *call) words() []string {
	all, n := [4]string{c.name}, 1
	for i := range c.args {
		a := &c.args[i]
		if !a.known || n == len(all) {
			break
		}
		if !strings.HasPrefix(a.text, "-") {
			all[n] = a.text
			n++
		}
	}
	return append(lists.Carve(&c.w.names, n), all[:n]...)
}

func (w *walker) add(p Part) {
	p.all = w.current
	w.parts = append(w.parts, p)
}

func (c *call) reads() {
	if c.other && !c.w.scope.function(c.name) {
		c.ambiguous("this " + c.name + " need not be the program of that name")
		return
	}
	p := Part{Words: c.words(), Class: Reads}
	if toolchain.ReadsSettings(c.name) {
		p.Runs = []Target{c.w.scope.target(literal("."))}
	}
	c.w.add(p)
}

// writesOrReads adds a part that writes, or that reads where no target keeps anything.
func (c *call) writesOrReads(why string, targets ...Target) {
	if targets = harm(targets); len(targets) == 0 {
		c.reads()
		return
	}
	if c.other && !c.w.scope.function(c.name) {
		c.ambiguous("this " + c.name + " need not be the program of that name") // and may do more than that
	}
	c.w.add(Part{Words: c.words(), Class: Writes, Targets: targets, Why: why})
}

// ambiguous adds a part that no policy can vouch for, unknown one that it can.
func (c *call) ambiguous(why string) {
	c.w.add(Part{Words: c.words(), Class: Ambiguous, Why: why})
}

func (c *call) unknown(why string) {
	if other := c.otherCode(); other != "" {
		c.ambiguous(other)
		return
	}
	c.w.add(Part{Words: c.words(), Class: Ambiguous, Why: why, Unknown: true})
}

// about reports whether a call asks a program only for its version or its help.
func (c *call) about() bool {
	if len(c.args) != 1 || !c.args[0].known {
		return false
	}
	text := c.args[0].text
	return text == "--version" || text == "-V" || text == "--help"
}
