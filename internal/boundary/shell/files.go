package shell

import "strings"

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
	opts := "t:/ --target-directory:/ T S: --suffix: v f --no-target-directory"
	switch c.name {
	case "install":
		opts += " m: o: g: d* --directory* --mode: --owner: --group:"
	case "rsync":
		opts = "n. --dry-run. --list-only. a v r l p t g o D z u c h P q x H A X S W i d --archive --verbose " +
			"--recursive --stats --progress --compress --delete --checksum --itemize-changes --human-readable " +
			"--update --links e:! --rsh:! --rsync-path:! --log-file:> --exclude: --include: " +
			"--exclude-from: --files-from: f: --filter: --remove-source-files@ " +
			"--write-batch:> --only-write-batch:> --partial-dir:@ T:@ --temp-dir:@ --backup-dir:@ B: M: --info: " +
			"--port: --timeout: --bwlimit: --password-file:"
	case "scp":
		opts = "S:! F: i: o:! P: c: J: l: X: D:!"
	}
	p := c.parse(opts)
	switch {
	case p.runs != "":
		c.ambiguous(p.runs)
	case p.isDry():
		c.reads()
	case p.inPlace:
		c.writesOrReads(c.name+" makes folders", c.targets(p.operands)...)
	default:
		targets := append(p.named, c.moved(p)...)
		if p.elsewise {
			targets = append(targets, Target{})
		}
		c.writesOrReads(c.name+" writes files", targets...)
	}
}

// moved returns the files that come to be, or go, when sources go to a file or a folder.
func (c *call) moved(p parsed) []Target {
	sources := p.operands
	var to arg
	switch {
	case p.into != nil:
		to = *p.into
		if to.known {
			to.text = strings.TrimSuffix(to.text, "/") + "/"
		}
	case len(sources) == 1 && c.name == "ln" && !p.loose:
		to = literal("./")
	case len(sources) == 0 || len(sources) == 1 && !p.loose:
		return nil
	default:
		to, sources = sources[len(sources)-1], sources[:len(sources)-1]
		if to.text == "." || to.text == ".." || len(sources) > 1 && to.known && !strings.HasSuffix(to.text, "/") {
			to.text += "/"
		}
	}
	var targets []Target
	if c.name == "mv" || c.name == "gmv" {
		targets = c.targets(sources)
	}
	if p.loose { // any option, and any number of sources
		return append(targets, c.w.scope.target(to), Target{})
	}
	if !to.known || !strings.HasSuffix(to.text, "/") {
		return append(targets, c.w.scope.target(to))
	}
	for _, s := range sources {
		into := arg{text: to.text}
		name := s.text[strings.LastIndexByte(strings.TrimRight(s.text, "/"), '/')+1:]
		if s.known && strings.Trim(name, "./") != "" && (c.name != "rsync" || !strings.HasSuffix(name, "/")) {
			into = literal(to.text + strings.TrimRight(name, "/"))
		}
		targets = append(targets, c.w.scope.target(into))
	}
	return targets
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

const tarOptions = "x@ --extract@ --get@ t. --list. c r@ u@ A@ f:> --file:> --append@ --update@ --delete@ C:/ " +
	"--directory:/ T: X: I:! F:! g:> " +
	"--to-command:! --use-compress-program:! --checkpoint-action:! --rmt-command:! --rsh-command:! " +
	"--info-script:! --new-volume-script:! --index-file:> " +
	"z j J v p a h k --gzip --bzip2 --xz --zstd --verbose --auto-compress --wildcards " +
	"--exclude: --transform: --files-from: --listed-incremental:> --strip-components: b: H: K: L: N: V: --remove-files@"

func tar(c *call) {
	if len(c.args) > 0 && c.args[0].known && !strings.HasPrefix(c.args[0].text, "-") {
		c.args = append([]arg{literal("-" + c.args[0].text)}, c.args[1:]...) // tar xzf: letters without a dash
	}
	p := c.parse(tarOptions)
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
	p := c.parse("o:> --output:> --dry-run. C. --check. --version. d:/ --directory:/ i: --input: p: --strip: r:> " +
		"--reject-file:> B: D: F: V: Y: z: --get: g: N R s f t E b")
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
