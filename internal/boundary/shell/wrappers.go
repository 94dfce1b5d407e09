package shell

import (
	"slices"
	"strings"
)

// wrapper is a program that runs the command in its words.
type wrapper struct {
	opts    string
	skip    int  // operands before the command
	assigns bool // name=value before the command sets its environment
	foreign bool // what runs is a package's program, not the system's
}

var wrappers = table[wrapper]{
	{"builtin", wrapper{}},
	{"bunx", wrapper{opts: "p: --package:", foreign: true}},
	{"busybox", wrapper{opts: "--list."}},
	{"caffeinate", wrapper{opts: "t: w: d i m s u"}},
	{"chronic", wrapper{opts: "v e"}},
	{"chrt", wrapper{opts: "p. --pid. b d f i o r a v R T: P: D: m.", skip: 1}},
	{"command", wrapper{opts: "v. V. p"}},
	{"doas", wrapper{opts: "u: C:! n"}},
	{"exec", wrapper{opts: "a: c l"}},
	{"gtimeout", wrapper{opts: timeoutOptions, skip: 1}},
	{"ionice", wrapper{opts: "c: n: p: t --class: --classdata: --pid: --ignore"}},
	{"nice", wrapper{opts: "n: --adjustment: 0 1 2 3 4 5 6 7 8 9"}},
	{"nohup", wrapper{}},
	{"npx", wrapper{opts: npmExec, foreign: true}},
	{"setsid", wrapper{opts: "c f w --ctty --fork --wait"}},
	{"stdbuf", wrapper{opts: "i: o: e: --input: --output: --error:"}},
	{"sudo", wrapper{
		opts: "u: g: h: p: C: r: t: T: U: D:! R:! e! --edit! --user: --group: --host: --prompt: --chdir:! " +
			"--chroot:! l. v. k. K. --list. A b B E H i n P s S --login --shell --preserve-env= --set-home " +
			"--non-interactive --stdin --background --reset-timestamp", assigns: true}},
	{"taskset", wrapper{opts: "p. --pid. a c --cpu-list", skip: 1}},
	{"time", wrapper{opts: "f: o:> --format: --output:> a p q v --append --portability --quiet --verbose"}},
	{"timeout", wrapper{opts: timeoutOptions, skip: 1}},
	{"toybox", wrapper{}},
	{"unbuffer", wrapper{opts: "p"}},
	{"uvx", wrapper{opts: "p: --from: --with: --python: q --quiet --offline", foreign: true}},
}

const (
	timeoutOptions = "s: k: --signal: --kill-after: v --verbose --foreground --preserve-status"
	npmExec        = "y --yes --no --no-install p: --package: c:! --call:! q --quiet --offline --prefer-offline"
)

// runners are subcommands that run a command, as wrappers do, with their options.
var runners = table[string]{
	{"bundle exec", ""},
	{"hatch run", ""},
	{"mise exec", ""},
	{"npm exec", npmExec},
	{"pdm run", ""},
	{"pipenv run", ""},
	{"pnpm dlx", "--package: s --silent"},
	{"pnpm exec", "s --silent"},
	{"poetry run", ""},
	{"rye run", ""},
	{"uv run", "--frozen --locked --no-sync --offline q --quiet --dev --no-dev --with: --extra: --group: p: --python:"},
	{"yarn dlx", "p: --package: q --quiet"},
}

// unwrap looks at the command within a wrapper.
func (c *call) unwrap(wrapped wrapper) {
	p, rest := c.lead(wrapped.opts)
	if harmful := harm(p.named); harmful != nil {
		c.writesOrReads(p.why, harmful...)
	}
	switch {
	case p.runs != "":
		c.ambiguous(p.runs)
		return
	case c.about():
		c.reads()
		return
	case p.strange, wrapped.foreign && len(rest) == 0:
		c.ambiguous("what " + c.name + " runs cannot be told by these words")
		return
	case p.isDry():
		c.reads()
		return
	case p.loose && len(c.args) > len(rest):
		c.ambiguous("which command " + c.name + " runs cannot be told")
		return
	}
	if wrapped.assigns {
		altered := c.w.scope.altered
		defer func() { c.w.scope.altered = altered }()
		c.w.scope.altered = new(c.name) // as another user, with that one's environment
	}
	for wrapped.assigns && len(rest) > 0 && strings.Contains(rest[0].text, "=") {
		c.setting(rest[0])
		rest = rest[1:]
	}
	if len(rest) <= wrapped.skip {
		c.bare()
		return
	}
	rest = rest[wrapped.skip:]
	if wrapped.foreign && rest[0].known {
		folder := "./"
		if !slices.ContainsFunc(c.args[:len(c.args)-len(rest)], notPlain) {
			folder = "./node_modules/.bin/" // where a project installs its programs
		}
		rest = append([]arg{literal(folder + rest[0].text)}, rest[1:]...)
	}
	c.inside(rest)
}

// notPlain reports whether an option of a runner of packages does more than agree to what it asks.
func notPlain(a arg) bool {
	return !slices.Contains([]string{"-y", "--yes", "--no", "--no-install", "--", "--frozen", "--locked", "--no-sync",
		"--offline", "-q", "--quiet", "-s", "--silent"}, a.text)
}

// bare looks at a wrapper without a command.
func (c *call) bare() {
	switch c.name {
	case "sudo", "doas":
		c.ambiguous(c.name + " without a command starts a shell")
	default:
		c.reads()
	}
}

// inside runs a command of which only what it prints and writes comes back; builtin and command are this very shell.
func (c *call) inside(words []arg) {
	if c.name == "builtin" || c.name == "command" {
		c.w.run(words)
		return
	}
	c.w.apart(func() { c.w.run(words) })
}

// setting looks at name=value among the words of a wrapper.
func (c *call) setting(a arg) {
	name, value, _ := strings.Cut(a.text, "=")
	set := arg{text: value, known: a.known}
	c.w.environment(name, set)
	c.w.alter(name, set)
}

// env looks at env: settings, -S, and the command.
func env(c *call) {
	p, rest := c.lead("u:@ C:/ --unset:@ --chdir:/ S:! --split-string:! i@ 0 --ignore-environment@ --null")
	if p.elsewise {
		c.w.doubt("env takes variables away by which programs go")
	}
	if start := c.w.scope; p.into != nil {
		c.w.scope.enter(*p.into)
		defer func() { c.w.scope = start }()
	}
	for i, a := range c.args[:len(c.args)-len(rest)] {
		if text, ok := splitString(a, c.args[i+1:]); ok {
			if text.known {
				c.w.apart(func() { c.w.code(text.text) })
				return
			}
			c.ambiguous("what env -S runs cannot be told")
			return
		}
	}
	c.afterSettings(rest)
}

func (c *call) afterSettings(rest []arg) {
	altered := c.w.scope.altered
	defer func() { c.w.scope.altered = altered }()
	for len(rest) > 0 && strings.Contains(rest[0].text, "=") {
		c.setting(rest[0])
		rest = rest[1:]
	}
	if len(rest) == 0 {
		showVariables(c.w, []string{"$"})
		c.reads()
		return
	}
	c.inside(rest)
}

// splitString finds the text of env -S in one word and those after it, which belong to the same command.
func splitString(a arg, after []arg) (arg, bool) {
	text, ok := strings.CutPrefix(a.text, "--split-string=")
	if !ok && strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") {
		_, text, ok = strings.Cut(a.text, "S")
	}
	if a.text == "--split-string" {
		text, ok = "", true
	}
	if !ok {
		return arg{}, false
	}
	all := arg{text: text, known: a.known}
	for _, more := range after {
		all = arg{text: all.text + " " + more.text, known: all.known && more.known}
	}
	return all, true
}

// xargs runs a command with further words that nobody knows.
func xargs(c *call) {
	p, rest := c.lead("I: i= n: P: L: l= s: d: E: e= a:< J: R: S: 0 r t x o p --replace= --max-args: --max-procs: " +
		"--max-lines= --max-chars: --delimiter: --eof= --arg-file:<")
	if p.loose {
		c.ambiguous("which command xargs runs cannot be told")
		return
	}
	if len(rest) == 0 {
		c.reads() // echo
		return
	}
	words := append(make([]arg, 0, len(rest)+1), rest...)
	place := placeholder(c.args[:len(c.args)-len(rest)])
	if place == "" {
		c.inside(append(words, arg{loose: true}))
		return
	}
	for i, a := range words {
		if text, _, ok := strings.Cut(a.text, place); ok {
			words[i] = arg{text: text, loose: text == ""}
		}
	}
	c.inside(words)
}

// placeholder returns what -I names: it stands for the words that nobody knows, which then do not follow at the end.
func placeholder(options []arg) string {
	for i, a := range options {
		switch {
		case a.text == "-I" && i+1 < len(options) && options[i+1].known:
			return options[i+1].text
		case strings.HasPrefix(a.text, "-I") && a.known:
			return a.text[2:]
		case a.text == "-i", a.text == "--replace":
			return "{}"
		}
	}
	return ""
}

// parallel runs its words as code, with others behind them.
func parallel(c *call) {
	_, rest := c.lead("j: --jobs: a:< --arg-file:< --colsep: C: N: n: --joblog:> --results:> --delay: --timeout: I:")
	var code []string
	for _, a := range rest {
		if strings.HasPrefix(a.text, ":::") {
			break
		}
		if !a.known {
			c.ambiguous("what parallel runs cannot be told")
			return
		}
		code = append(code, a.text)
	}
	c.w.apart(func() { c.w.code(strings.ReplaceAll(strings.Join(code, " "), "{}", `$@`) + " $@") })
}

// watch runs its words as code, flock a command or code once it has its file.
func watch(c *call) {
	p, rest := c.lead("n: --interval: d= --differences= g t b e c x p q: --equexit: s: --shotsdir:/")
	c.joined(rest, p.loose)
}

func flock(c *call) {
	p, rest := c.lead("w: E: --timeout: --wait: --conflict-exit-code:")
	if len(rest) == 0 || p.loose {
		c.ambiguous("what flock runs cannot be told")
		return
	}
	if strings.Trim(rest[0].text, "0123456789") != "" || !rest[0].known {
		c.writesOrReads("flock makes its file", c.w.scope.target(rest[0]))
	}
	if rest = rest[1:]; len(rest) > 1 && (rest[0].text == "-c" || rest[0].text == "--command") {
		c.joined(rest[1:], false)
	} else if len(rest) > 0 {
		c.inside(rest)
	}
}

// joined looks at words that become one text of code.
func (c *call) joined(words []arg, loose bool) {
	var code []string
	for _, a := range words {
		loose = loose || !a.known
		code = append(code, a.text)
	}
	if loose {
		c.ambiguous("what " + c.name + " runs cannot be told")
		return
	}
	c.w.apart(func() { c.w.code(strings.Join(code, " ")) })
}
