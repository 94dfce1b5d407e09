package shell

import "strings"

// A policy vouches for a program by its name: for make test, say, as the project's makefile does it. What may make
// the program run other code than that is told here, and takes the word of the policy away.

// steering are the options by which programs run other code than the project's: of another folder, another
// configuration, or named in the command. A module of python -m has the row of its name.
var steering = table[string]{
	{"bun", "--cwd:! c:! --config:! r:! --preload:! --require:! --import:! --env-file:! --shell:! t: --timeout:"},
	{"cargo", "--config:! C:! --manifest-path:! Z:! p: j: F: --package: --features: --jobs: --target:"},
	{"cmake", "P:! E:! C:! D:! --toolchain:! --preset:! S:! B: G: j= --build: --target: --config:"},
	{"deno", "c:! --config:! --import-map:! --preload:! --env-file=! L: --log-level:"},
	{"eslint", jsSteering + " --rulesdir:! --plugin:! --parser:! --resolve-plugins-relative-to:! f:! --format:!"},
	{"gmake", makeSteering},
	{"go", "-C:! -exec:! -toolexec:! -overlay:! -modfile:! -vettool:! -pkgdir:! -compiler:! -gccgoflags:! -run: " +
		"-bench: -count: -timeout: -tags: -skip: -fuzz: -fuzztime: -cpu: -parallel: -ldflags: -gcflags: -o:"},
	{"golangci-lint", "c:! --config:! E: D: p: j:"},
	{"gradle", "b:! --build-file:! c:! --settings-file:! I:! --init-script:! p:! --project-dir:! " +
		"--include-build:! g:! --gradle-user-home:! D:! P: x:"},
	{"jest", jsSteering + " --globalSetup:! --setupFilesAfterEnv:! --testRunner:! --runner:! --transform:! t: w:"},
	{"just", "f:! --justfile:! d:! --working-directory:! --shell:! --shell-arg:! c:! --command:! --set:! " +
		"--dotenv-path:! g! --global-justfile!"},
	{"make", makeSteering},
	{"mocha", jsSteering + " r:! --require:! --import:! --package:! --reporter:! R:! --ui:! u:! g: f: t:"},
	{"mvn", "f:! --file:! s:! --settings:! gs:! D:! P: T: pl:"},
	{"ninja", "C:! f:! j: k: l: t: d: w:"},
	{"node", nodeSteering},
	{"nodejs", nodeSteering},
	{"nox", "f:! --noxfile:! e: s: k: t: p:"},
	{"npm", npmSteering},
	{"pnpm", npmSteering},
	{"prettier", jsSteering + " --plugin:!"},
	{"py.test", pytestSteering},
	{"pytest", pytestSteering},
	{"rake", "f:! --rakefile:! r:! --require:! e:! --execute:! p:! E:! I:! --libdir:! R:! --rakelibdir:! C:! " +
		"--directory:!"},
	{"stylelint", jsSteering + " --custom-syntax:! --config-basedir:! --custom-formatter:!"},
	{"task", "d:! --dir:! t:! --taskfile:! g! --global!"},
	{"tox", "c:! --conf:! --workdir:! --root:! x:! --override:! e: --colored:"},
	{"ts-node", nodeSteering + " P:! --project:! C:! --compiler:! --cwd:!"},
	{"tsx", nodeSteering},
	{"unittest", "s:! --start-directory:! t:! --top-level-directory:! k: p:"},
	{"vite", jsSteering},
	{"vitest", jsSteering + " --globalSetup:! --dir:! r:! t:"},
	{"webpack", jsSteering},
	{"yarn", npmSteering},
}

const (
	makeSteering = "C:! f:! I:! E:! m! --eval:! --file:! --makefile:! --directory:! --include-dir:! " +
		"j= --jobs= l= --load-average= O= --output-sync= o: --old-file: --assume-old: W: --what-if: --new-file: " +
		"--assume-new:"
	npmSteering = "--prefix:! C:! --dir:! --cwd:! --script-shell:! --node-options:! --userconfig:! " +
		"--globalconfig:! --use-yarnrc:! " +
		"--shell:! --config.script-shell:! --config.node-options:! --local-prefix:! --shell-emulator! w: F: " +
		"--filter: --workspace:"
	nodeSteering = "r:! --require:! --import:! --loader:! --experimental-loader:! --env-file:! " +
		"--env-file-if-exists:! --test-reporter:! " +
		"--test-global-setup:! --experimental-config-file:! --experimental-default-config-file! " +
		"--openssl-config:! --snapshot-blob:!"
	pytestSteering = "p:! c:! o:! --rootdir:! --confcutdir:! --config-file:! --override-ini:! --pdbcls:! " +
		"--cov-config:! --co --collect-only " +
		"--cov= --color: k: m: n: r= W: --maxfail: --tb:"
	jsSteering = "c:! --config:! --root:! --rootDir:!"
)

// calm are variables that choose a language, a colour or a number, and no code. What stands before _ is how they begin.
var calm = names{
	"CGO_ENABLED", "CI", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "GIT_AUTHOR_", "GIT_COMMITTER_",
	"GOGC", "GOMAXPROCS", "GOMEMLIMIT",
	"LANG", "LANGUAGE", "LC_", "LINES", "NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONUNBUFFERED",
	"RUST_BACKTRACE", "TERM", "TZ",
}

// alter notes a variable that programs get from here on, unless it is sure to steer none of them: a calm one with a
// plain value, or one whose value has been looked at as the command it is.
func (w *walker) alter(name string, value arg) {
	begin := name[:strings.LastIndexByte(name, '_')+1]
	switch {
	case value.known && commandVariables.has(name):
	case value.known && (calm.has(name) || calm.has(begin)) && !strings.ContainsFunc(value.text, active):
	default:
		w.scope.altered = &name
	}
}

// active reports whether a makefile or a shell would take a character for more than text.
func active(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune(" _.,:@+/=-", r))
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
	case p.runs != "":
		return strings.TrimSuffix(p.runs, "anything") + "other code"
	case p.loose:
		return "a word that cannot be told may lead " + c.name + " to other code"
	}
	if c.name == "go" && c.otherLinker() {
		return "go -ldflags may run other code"
	}
	for _, a := range p.operands {
		if opts == pytestSteering && strings.HasPrefix(a.text, "@") {
			return "options in a file may lead " + c.name + " to other code"
		}
		if opts == makeSteering && (!a.known || strings.Contains(a.text, "=")) {
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
		opts, ok := steering.find(c.name)
		return opts, ok
	}
	for _, a := range c.parse(pythonOptions).programs {
		if opts, ok := steering.find(a.text); ok {
			return opts, true
		}
	}
	return "", false
}
