package toolchain

import "slices"

// Steering returns the options by which a program runs other code than the project's, in the notation of package shell;
// false where none are listed.
func Steering(program string) (opts string, found bool) {
	row, found := find(steering, program)
	return row.Opts, found
}

// SteeringRows returns the programs of Steering.
func SteeringRows() []Row { return slices.Clone(steering) }

// Rows returns the rows of Find.
func Rows() []Row { return slices.Concat(rows, own, ghRows) }

func find(rows []Row, name string) (row Row, found bool) {
	at, found := at(rows, name)
	if found {
		row = rows[at]
	}
	return row, found
}

// steering are the options by which programs run other code than the project's: of another folder, another
// configuration, or named in the command. A module of python -m has the row of its name.
var steering = []Row{
	{Name: "bun", Opts: "--cwd:! c:! --config:! r:! --preload:! --require:! --import:! --env-file:! --shell:! " +
		"t: --timeout:"},
	{Name: "cargo", Opts: "--config:! C:! --manifest-path:! Z:! p: j: F: --package: --features: --jobs: --target:"},
	{Name: "cmake", Opts: "P:! E:! C:! D:! --toolchain:! --preset:! S:! B: G: j= --build: --target: --config:"},
	{Name: "deno", Opts: "c:! --config:! --import-map:! --preload:! --env-file=! L: --log-level:"},
	{Name: "eslint", Opts: jsSteering + " --rulesdir:! --plugin:! --parser:! --resolve-plugins-relative-to:! " +
		"f:! --format:!"},
	{Name: "gmake", Opts: OfMake},
	{Name: "go", Opts: "-C:! -exec:! -toolexec:! -overlay:! -modfile:! -vettool:! -pkgdir:! -compiler:! " +
		"-gccgoflags:! -run: " +
		"-bench: -count: -timeout: -tags: -skip: -fuzz: -fuzztime: -cpu: -parallel: -ldflags: -gcflags: -o:"},
	{Name: "golangci-lint", Opts: "c:! --config:! E: D: p: j:"},
	{Name: "gradle", Opts: "b:! --build-file:! c:! --settings-file:! I:! --init-script:! p:! --project-dir:! " +
		"--include-build:! g:! --gradle-user-home:! D:! P: x:"},
	{Name: "jest", Opts: jsSteering + " --globalSetup:! --setupFilesAfterEnv:! --testRunner:! --runner:! " +
		"--transform:! t: w:"},
	{Name: "just", Opts: "f:! --justfile:! d:! --working-directory:! --shell:! --shell-arg:! c:! --command:! " +
		"--set:! " +
		"--dotenv-path:! g! --global-justfile!"},
	{Name: "make", Opts: OfMake},
	{Name: "mocha", Opts: jsSteering + " r:! --require:! --import:! --package:! --reporter:! R:! --ui:! u:! g: " +
		"f: t:"},
	{Name: "mvn", Opts: "f:! --file:! s:! --settings:! gs:! D:! P: T: pl:"},
	{Name: "ninja", Opts: "C:! f:! j: k: l: t: d: w:"},
	{Name: "node", Opts: nodeSteering},
	{Name: "nodejs", Opts: nodeSteering},
	{Name: "nox", Opts: "f:! --noxfile:! e: s: k: t: p:"},
	{Name: "npm", Opts: npmSteering},
	{Name: "orchestrator", Opts: "--as:! --server:! --tls-ca:! --token-file:!"}, // whose token goes where
	{Name: "pnpm", Opts: npmSteering},
	{Name: "prettier", Opts: jsSteering + " --plugin:!"},
	{Name: "py.test", Opts: OfPytest},
	{Name: "pytest", Opts: OfPytest},
	{Name: "rake", Opts: "f:! --rakefile:! r:! --require:! e:! --execute:! p:! E:! I:! --libdir:! R:! " +
		"--rakelibdir:! C:! " +
		"--directory:!"},
	{Name: "stylelint", Opts: jsSteering + " --custom-syntax:! --config-basedir:! --custom-formatter:!"},
	{Name: "task", Opts: "d:! --dir:! t:! --taskfile:! g! --global!"},
	{Name: "tox", Opts: "c:! --conf:! --workdir:! --root:! x:! --override:! e: --colored:"},
	{Name: "ts-node", Opts: nodeSteering + " P:! --project:! C:! --compiler:! --cwd:!"},
	{Name: "tsx", Opts: nodeSteering},
	{Name: "unittest", Opts: "s:! --start-directory:! t:! --top-level-directory:! k: p:"},
	{Name: "vite", Opts: jsSteering},
	{Name: "vitest", Opts: jsSteering + " --globalSetup:! --dir:! r:! t:"},
	{Name: "webpack", Opts: jsSteering},
	{Name: "yarn", Opts: npmSteering},
}

// OfMake and OfPytest are the options of programs that take code in other ways, too.
const (
	OfMake = "C:! f:! I:! E:! m! --eval:! --file:! --makefile:! --directory:! --include-dir:! " +
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
	OfPytest = "p:! c:! o:! --rootdir:! --confcutdir:! --config-file:! --override-ini:! --pdbcls:! " +
		"--cov-config:! --co --collect-only " +
		"--cov= --color: k: m: n: r= W: --maxfail: --tb:"
	jsSteering = "c:! --config:! --root:! --rootDir:!"
)
