package shell

import (
	"strings"

	"orchestrator/internal/boundary/shell/toolchain"
)

// special returns what looks at a program that the row of a table cannot describe; nil for all others.
func special(name string) func(*call) {
	switch name {
	case "awk", "gawk", "mawk", "nawk":
		return awk
	case "bsdtar", "gtar", "tar":
		return tar
	case "cp", "gcp", "gmv", "install", "ln", "mv", "rsync", "scp":
		return transfer
	case "curl":
		return curl
	case "date", "hostname":
		return argument
	case "dd":
		return dd
	case "docker", "kubectl", "nerdctl", "oc", "podman":
		return container
	case "env":
		return env
	case "fd", "fdfind":
		return fd
	case "find":
		return find_
	case "flock":
		return flock
	case "git":
		return git
	case "gsed", "sed":
		return sed
	case "make":
		return makeRule
	case "parallel":
		return parallel
	case "patch":
		return patch
	case "perl", "ruby":
		return perl
	case "ssh":
		return elsewhere
	case "watch":
		return watch
	case "xargs":
		return xargs
	}
	return specialOfShells(name)
}

// specialOfShells does what special does, for shells and for what shells do themselves.
func specialOfShells(name string) func(*call) {
	switch name {
	case ".", "source":
		return source
	case "[":
		return bracket
	case "alias":
		return alias
	case "ash", "bash", "dash", "fish", "ksh", "sh", "zsh":
		return shellCode
	case "cd", "popd", "pushd":
		return cd
	case "cmd", "powershell", "pwsh":
		return otherShell
	case "declare", "export", "getopts", "let", "local", "printf", "read", "readonly", "typeset", "unset", "wait":
		return forgetful
	case "eval":
		return eval
	case "mapfile", "readarray":
		return callback
	case "set", "shopt":
		return shellOption
	case "trap":
		return trap
	}
	return nil
}

// shellCode looks at bash -c and its like.
func shellCode(c *call) {
	code := false
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		option := len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+')
		switch {
		case c.about():
			c.reads()
			return
		case a.loose && !code || option && !a.known:
			c.ambiguous("what " + c.name + " runs cannot be told")
			return
		case option && a.text != "--":
			code = code || !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c")
			if strings.HasSuffix(a.text, "o") || strings.HasSuffix(a.text, "O") || a.text == "--rcfile" ||
				a.text == "--init-file" {
				i++
			}
			continue
		case option:
			continue
		}
		c.shellText(a, code)
		return
	}
	c.ambiguous(c.name + " runs what it is fed")
}

// shellText looks at the first operand of a shell: its code, or the name of a script.
func (c *call) shellText(a arg, code bool) {
	switch {
	case code && a.known && c.name != "fish":
		c.w.apart(func() {
			c.w.scope.vars = nil
			c.w.scope.forget()
			c.w.code(a.text)
		})
	case code:
		c.ambiguous("code of " + c.name + " -c cannot be told")
	case a.known && a.text != "-" && !strings.HasPrefix(a.text, "/dev/") && !strings.HasPrefix(a.text, "/proc/"):
		c.unknown("a script may do anything")
	default:
		c.ambiguous(c.name + " runs what it is fed")
	}
}

func otherShell(c *call) {
	if c.about() {
		c.reads()
		return
	}
	c.ambiguous("code of " + c.name + " cannot be told")
}

// interpret looks at python, node and their like: inline code, code from standard input, or a script.
func (c *call) interpret(opts string) {
	p := c.parse(opts)
	switch {
	case c.about() || len(c.args) == 1 && c.args[0].text == "-v" && c.name != "python" && c.name != "python3":
		c.reads()
	case p.runs != "":
		c.ambiguous("code of " + strings.TrimSuffix(p.runs, " may run anything") + " cannot be told")
	case p.loose && len(p.operands) > 0 && p.operands[0].loose:
		c.ambiguous("what " + c.name + " runs cannot be told")
	case len(p.programs) == 0 &&
		(len(p.operands) == 0 || p.operands[0].text == "-" || strings.HasPrefix(p.operands[0].text, "/dev/")):
		c.ambiguous(c.name + " runs what it is fed")
	default:
		c.unknown("a program of " + c.name + " may do anything")
	}
}

func eval(c *call) {
	var code []string
	for _, a := range c.args {
		if !a.known {
			c.ambiguous("what eval runs cannot be told")
			c.w.scope.forget()
			c.w.scope.lost = true
			return
		}
		code = append(code, a.text)
	}
	c.w.code(strings.Join(code, " "))
}

func source(c *call) {
	c.w.scope.forget()
	c.w.scope.lost = true
	if len(c.args) > 0 && c.args[0].known && !strings.HasPrefix(c.args[0].text, "/dev/") {
		c.unknown("a script may do anything")
		return
	}
	c.ambiguous("which script runs cannot be told")
}

// trap looks at the code that runs later, alias at what its names stand for, on any words.
func trap(c *call) {
	c.w.scope.forget()
	if len(c.args) > 1 && c.args[0].text != "-" {
		c.later(c.args[0], "")
		return
	}
	c.reads()
}

func alias(c *call) {
	for _, a := range c.args {
		if _, value, ok := strings.Cut(a.text, "="); ok || !a.known {
			c.later(arg{text: value, known: a.known}, ` "$@"`)
		}
	}
	c.reads()
}

func (c *call) later(code arg, more string) {
	if !code.known {
		c.ambiguous("what " + c.name + " names cannot be told")
		return
	}
	c.w.apart(func() {
		c.w.scope = scope{lost: true}
		c.w.scope.forget()
		c.w.code(code.text + more)
	})
}

// cd follows cd and pushd where they can be followed.
func cd(c *call) {
	to := literal("~")
	for _, a := range c.args {
		if a.loose || !a.known || a.text == "-" || !strings.HasPrefix(a.text, "-") {
			to = a
			break
		}
	}
	if to.text == "-" || c.name == "popd" || c.name == "pushd" &&
		(len(c.args) != 1 || strings.HasPrefix(to.text, "+")) {
		to = arg{}
	}
	c.w.scope.enter(to)
	c.reads()
}

// forgetful looks at builtins that may assign variables.
func forgetful(c *call) {
	switch {
	case c.name == "printf" && (len(c.args) == 0 || !c.args[0].loose && !strings.HasPrefix(c.args[0].text, "-v")):
	case c.name == "wait":
		c.w.scope.forget()
	default:
		c.w.scope.forget()
		c.assigns()
	}
	c.reads()
}

// assigns looks at the names that a builtin may assign, any of its words.
func (c *call) assigns() {
	for _, a := range c.args {
		name, _, _ := strings.Cut(strings.TrimPrefix(a.text, "-v"), "=")
		c.w.environment(name, arg{})
	}
	switch c.name {
	case "export", "declare", "typeset", "local":
		c.w.scope.altered = new(c.name)
	}
}

// shellOption looks at set and shopt: with allexport, all that is assigned from then on goes to programs.
func shellOption(c *call) {
	if c.name == "shopt" {
		c.w.scope.forget()
	}
	for _, a := range c.args {
		if a.text == "--" {
			break
		}
		short := c.name == "set" && strings.HasPrefix(a.text, "-") && strings.Contains(a.text, "a")
		c.w.dotglob = c.w.dotglob || a.text == "dotglob"
		if short || !a.known || a.text == "allexport" {
			c.w.scope.altered = new(c.name)
		}
	}
	c.reads()
}

func callback(c *call) {
	c.w.scope.forget()
	c.assigns()
	c.judge(tool{class: Reads, opts: "C:! d: n: O: s: u: c: t"})
}

func elsewhere(c *call) {
	if c.about() {
		c.reads()
		return
	}
	c.ambiguous("what runs on another machine cannot be told")
}

// container looks at docker and kubectl, whose exec and run start other programs.
func container(c *call) {
	for _, word := range c.words()[1:] {
		switch word {
		case "exec", "run", "debug", "attach", "cp":
			c.ambiguous("what runs in a container cannot be told")
			return
		}
	}
	c.listed()
}

// listed decides by the table of subcommands.
func (c *call) listed() {
	if t, ok := c.subcommand(); ok {
		c.judge(t)
		return
	}
	c.unknown(c.name + " may do anything")
}

// subcommand looks the first words up, which must follow the program at once.
func (c *call) subcommand() (tool, bool) {
	key := c.name
	found, ok := tool{}, false
	for i := 0; i < len(c.args) && i < 2 && c.args[i].known; i++ {
		key += " " + c.args[i].text
		t, listed := subcommands.find(key)
		if readingSubcommands.has(key) {
			t, listed = tool{class: Reads}, true
		} else if writingSubcommands.has(key) {
			t, listed = tool{class: Writes, files: unnamed}, true
		}
		if listed {
			found, ok, c.sub = t, true, i+1
		}
	}
	return found, ok
}

// argument looks at programs that show a value, and set it when they are given one.
func argument(c *call) {
	p := c.parse("d: --date: s:@ --set:@ f: --file: r: --reference: I= --iso-8601= --rfc-3339= F: b")
	for _, a := range p.operands {
		if p.elsewise = p.elsewise || !strings.HasPrefix(a.text, "+"); p.elsewise {
			c.unknown(c.name + " may set its value")
			return
		}
	}
	if p.elsewise {
		c.writesOrReads(c.name+" sets its value", Target{})
		return
	}
	c.reads()
}

// curl judges curl, which writes files by more than its options: in the text of -w, and by an upload to file://.
func curl(c *call) {
	c.args = append([]arg(nil), c.args...)
	for i, a := range c.args {
		if name, ok := strings.CutPrefix(a.text, "--expand-"); ok {
			c.args[i].text = "--" + name // the same option, with variables in its value
		}
		if lower := strings.ToLower(a.text); strings.Contains(lower, "%output{") || strings.Contains(lower, "file:") {
			c.ambiguous("curl " + a.text + " may write a file")
			return
		}
	}
	c.judge(tool{class: Reads, opts: toolchain.CurlOptions})
}

// makeRule allows nothing: even make -n runs what a makefile runs to be read.
func makeRule(c *call) { c.unknown("make may run anything") }

func bracket(c *call) { c.reads() }
