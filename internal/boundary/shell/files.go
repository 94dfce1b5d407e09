package shell

import (
	"slices"
	"strings"

	"orchestrator/internal/boundary/shell/toolchain"
)

// find_ looks at find: what it runs, deletes and prints to files.
func find_(c *call) {
	parts := len(c.w.parts)
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		switch {
		case a.loose:
			c.ambiguous("a word that cannot be told may be an option of find that writes")
		case !a.known || !strings.HasPrefix(a.text, "-"):
		case a.text == "-delete":
			c.writesOrReads("find -delete removes files", c.root())
		case strings.HasPrefix(a.text, "-fprint"), a.text == "-fls":
			if i++; i < len(c.args) {
				c.writesOrReads("find "+a.text+" writes a file", c.w.scope.target(c.args[i]))
			}
		case a.text == "-exec", a.text == "-execdir", a.text == "-ok", a.text == "-okdir":
			i = c.executed(i + 1)
		}
	}
	if len(c.w.parts) == parts {
		c.reads()
	}
}

// root returns what is known of the files that find finds: they lie in the folder that it names.
func (c *call) root() Target {
	if len(c.args) > 0 && c.args[0].text != "" && c.args[0].text != "." && !strings.HasPrefix(c.args[0].text, "-") &&
		(len(c.args) < 2 || strings.HasPrefix(c.args[1].text, "-")) {
		t := c.w.scope.target(c.args[0])
		return Target{Path: t.Path}
	}
	return Target{}
}

// executed looks at the command of -exec, from i to its end, and returns where that is.
func (c *call) executed(i int) int {
	var words []arg
	for ; i < len(c.args); i++ {
		a := c.args[i]
		if a.known && (a.text == ";" || a.text == "+") {
			break
		}
		if a.known && strings.Contains(a.text, "{}") {
			text, _, _ := strings.Cut(a.text, "{}")
			a = arg{text: text} // a path below a root: no option
		}
		words = append(words, a)
	}
	c.w.apart(func() { c.w.scope.lost = true; c.w.run(words) })
	return i
}

// fd runs what follows -x and -X.
func fd(c *call) {
	for i, a := range c.args {
		name, _, _ := strings.Cut(a.text, "=")
		switch {
		case a.loose:
			c.ambiguous("a word that cannot be told may be an option of fd that runs a command")
			return
		case name == "--exec" || name == "--exec-batch" || len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' &&
			strings.ContainsAny(a.text, "xX"):
			if name != a.text || len(a.text) > 2 && a.text[1] != '-' {
				c.ambiguous("what fd runs cannot be told")
				return
			}
			c.args = append(append([]arg(nil), c.args[i+1:]...), arg{})
			c.executed(0)
			return
		}
	}
	c.reads()
}

// transfer looks at cp, mv, install, ln, rsync and scp: sources, then where they go.
func transfer(c *call) {
	p := c.parse(toolchain.Transfer(c.name))
	switch {
	case p.runs != "":
		c.ambiguous(p.runs)
	case p.isDry():
		c.reads()
	case p.inPlace:
		c.writesOrReads(c.name+" makes folders", c.targets(p.operands)...)
	default:
		from, to := ends(c, p)
		made := c.moved(p, from, to)
		targets := append(append(p.named, sources(c, p, from, to)...), made...)
		if p.elsewise {
			targets = append(targets, Target{})
		}
		why := c.name + " writes files"
		if p.links || c.name == "ln" {
			why = c.name + " makes a link, and may write what it leads to"
		}
		c.writesOrReads(why, targets...)
		if p.strange || p.links || c.name != "cp" && c.name != "gcp" && c.name != "install" {
			c.w.parts[len(c.w.parts)-1].Placed = made // links that it moves stay links
		}
	}
}

// ends returns what goes somewhere and where it goes, which ends in a slash where that is sure to be a folder. There is
// no end where nothing goes.
func ends(c *call, p parsed) (from []arg, to arg) {
	from = p.operands
	switch {
	case p.into != nil:
		to = *p.into
		if to.known {
			to.text = strings.TrimSuffix(to.text, "/") + "/"
		}
	case len(from) == 1 && c.name == "ln" && !p.loose:
		to = literal("./")
	case len(from) == 0 || len(from) == 1 && !p.loose:
		return nil, arg{}
	default:
		to, from = from[len(from)-1], from[:len(from)-1]
		if to.text == "." || to.text == ".." || len(from) > 1 && to.known && !strings.HasSuffix(to.text, "/") {
			to.text += "/"
		}
	}
	return from, to
}

// moved returns the files that come to be when sources go to a file or a folder.
func (c *call) moved(p parsed, from []arg, to arg) []Target {
	switch {
	case len(from) == 0:
		return nil
	case p.loose: // any option, and any number of sources
		return []Target{c.w.scope.target(to), {}}
	case !to.known || !strings.HasSuffix(to.text, "/"):
		return []Target{c.w.scope.target(to)}
	}
	var targets []Target
	for _, s := range from {
		into := arg{text: to.text}
		name := s.text[strings.LastIndexByte(strings.TrimRight(s.text, "/"), '/')+1:]
		if s.known && strings.Trim(name, "./") != "" && (c.name != "rsync" || !strings.HasSuffix(name, "/")) {
			into = literal(to.text + strings.TrimRight(name, "/"))
		}
		targets = append(targets, c.w.scope.target(into))
	}
	return targets
}

// sources returns the files that a transfer changes or takes away besides those that it makes. To make a link to a file
// counts as a write of it, as whoever writes to the link writes there.
func sources(c *call, p parsed, from []arg, to arg) (all []Target) {
	switch {
	case c.name == "ln" && p.links && !p.fromHere:
		for _, folder := range linkFolders(to) {
			all = append(all, c.targets(seenFrom(folder, from))...)
		}
		for _, a := range from {
			if strings.HasPrefix(a.text+"/", "./") { // it may have been $PWD
				all = append(all, c.w.scope.target(a))
			}
		}
	case p.links, c.name == "ln", c.name == "mv", c.name == "gmv":
		all = c.targets(slices.Concat(from, p.linked))
	}
	return append(all, c.targets(seenFrom(to, p.linked))...)
}

// linkFolders returns the folders in which a link may lie that is made under a name: the name may be that of a folder.
func linkFolders(to arg) []arg {
	cut := strings.LastIndexByte(to.text, '/') + 1
	if cut == len(to.text) {
		return []arg{to}
	}
	return []arg{{text: to.text[:cut], known: to.known}, to}
}

// seenFrom returns words as paths that begin at a folder; without a name it is the one where the command runs.
func seenFrom(folder arg, words []arg) (all []arg) {
	for _, a := range words {
		switch {
		case rooted(a.text) || folder.known && folder.text == "":
		case !folder.known:
			a = arg{}
		default:
			a.text = join(folder.text, a.text)
		}
		all = append(all, a)
	}
	return all
}

func dd(c *call) {
	var targets []Target
	for _, a := range c.args {
		if path, ok := strings.CutPrefix(a.text, "of="); ok {
			targets = append(targets, c.w.scope.target(arg{text: path, known: a.known}))
		} else if a.loose {
			targets = append(targets, Target{})
		}
	}
	c.writesOrReads("dd of= writes a file", targets...)
}

func tar(c *call) {
	if len(c.args) > 0 && c.args[0].known && !strings.HasPrefix(c.args[0].text, "-") {
		c.args = append([]arg{literal("-" + c.args[0].text)}, c.args[1:]...) // tar xzf: letters without a dash
	}
	p := c.parse(toolchain.Tar)
	switch {
	case p.runs != "":
		c.ambiguous(p.runs)
	case p.isDry():
		c.reads()
	case p.elsewise || p.loose:
		c.writesOrReads("tar writes the files of an archive", p.hereOr(c))
	default:
		c.writesOrReads("tar writes an archive", p.named...)
	}
}

func patch(c *call) {
	p := c.parse(toolchain.Patch)
	switch {
	case p.isDry():
		c.reads()
	case len(p.operands) > 0 && !p.loose && p.into == nil:
		c.writesOrReads("patch edits a file", append(p.named, c.targets(p.operands[:1])...)...)
	case len(p.named) > 0:
		c.writesOrReads("patch writes a file", p.named...)
	default:
		c.writesOrReads("patch edits the files that its input names", p.hereOr(c))
	}
}
