package toolchain

// rows lists the commands that produce, in the order of their names.
var rows = []Row{
	{Name: "bandit", Words: Any, Opts: "r q --recursive --quiet l i ll lll"},
	{Name: "bun install", Opts: "--frozen-lockfile --production"},
	{Name: "bun run", Words: Task, Opts: "--silent"},
	{Name: "bun test", Words: Code, Opts: "--coverage --bail= t: --timeout:"},
	{Name: "cargo audit", Opts: "q --quiet"},
	{Name: "cargo bench", Words: Any, Opts: cargoOpts + " --bench: --no-run"},
	{Name: "cargo build", Opts: cargoOpts},
	{Name: "cargo check", Opts: cargoOpts},
	{Name: "cargo clean", Opts: "r --release p: --package:"},
	{Name: "cargo clippy", Opts: cargoOpts + " --no-deps", After: "D: W: A: F:"},
	{Name: "cargo doc", Opts: cargoOpts + " --no-deps --document-private-items"},
	{Name: "cargo fetch", Opts: "--locked --target:"},
	{Name: "cargo fmt", Opts: "--all --check v --verbose q --quiet p: --package:", After: "--check l --color:",
		Needs: "--check"},
	{Name: "cargo generate-lockfile", Opts: "--offline"},
	{Name: "cargo metadata", Opts: cargoOpts + " --no-deps --format-version:"},
	{Name: "cargo nextest run", Words: Any, Opts: cargoOpts + " --no-fail-fast --retries: --test-threads:"},
	{Name: "cargo test", Words: Any, Opts: cargoOpts + " --test: --bench: --doc --no-run --no-fail-fast",
		After: "--nocapture --test-threads: --ignored --include-ignored --exact --skip: q --quiet --list"},
	{Name: "cargo tree", Opts: cargoOpts + " d --duplicates i: --invert: --depth: e: --edges: f: --format: --prefix:"},
	{Name: "cargo update", Opts: "p: --package: --precise: --dry-run w --workspace"},
	{Name: "coverage html", Opts: "d:/ --directory:/ i"},
	{Name: "coverage json", Opts: "o:>"},
	{Name: "coverage report", Opts: "m i --show-missing --skip-covered --fail-under:"},
	{Name: "coverage xml", Opts: "o:> i"},
	{Name: "dotnet build", Words: Code, Opts: dotnetOpts + " o:/ --output:/ --no-incremental"},
	{Name: "dotnet clean", Words: Code, Opts: dotnetOpts},
	{Name: "dotnet list", Words: Any, Opts: "--outdated --vulnerable --include-transitive"},
	{Name: "dotnet pack", Words: Code, Opts: dotnetOpts + " o:/ --output:/"},
	{Name: "dotnet publish", Words: Code, Opts: dotnetOpts + " o:/ --output:/ --self-contained"},
	{Name: "dotnet restore", Words: Code, Opts: "v: --verbosity: --locked-mode --nologo"},
	{Name: "dotnet test", Words: Code, Opts: dotnetOpts + " --filter: --collect: --results-directory:/ " +
		"--list-tests t --blame"},
	{Name: "eslint", Words: Code, Opts: "--ext: --quiet --max-warnings: --cache --color --no-color " +
		"--report-unused-disable-directives"},
	{Name: "flake8", Words: Any, Opts: "--max-line-length: --select: --ignore: --exclude: --count --statistics " +
		"--show-source q v"},
	{Name: "git add", Words: Any, Opts: "A --all u --update v --verbose n --dry-run N --intent-to-add f --force " +
		"--ignore-errors"},
	{Name: "git branch", Words: Any, Opts: "d --delete m --move c --copy v q --quiet u: --set-upstream-to: " +
		"--unset-upstream t --track --no-track"},
	{Name: "git checkout", Opts: "b: q --quiet", Needs: "b"},
	{Name: "git commit", Words: Any, Opts: "a --all m: --message: q --quiet v --verbose s --signoff --amend " +
		"--no-edit F:< --file:< t:< --template:< --allow-empty --author: --date: --fixup: --squash: --trailer: " +
		"S= --gpg-sign= --no-gpg-sign --dry-run --short --porcelain --reset-author C: --reuse-message: o --only " +
		"i --include"},
	{Name: "git fetch", Words: Any, Opts: "a --all p --prune t --tags --no-tags --depth: v --verbose q --quiet " +
		"--unshallow n --dry-run j:"},
	{Name: "git gc", Opts: "q --quiet --auto"},
	{Name: "git reset", Words: Any, Opts: "--mixed q --quiet N"},
	{Name: "git restore", Words: Any, Opts: "S --staged q --quiet", Needs: "S --staged"},
	{Name: "git stage", Words: Any, Opts: "A --all u --update v --verbose"},
	{Name: "git switch", Opts: "c: --create: q --quiet", Needs: "c --create"},
	{Name: "git tag", Words: Any, Opts: "a --annotate m: --message: F:< --file:< d --delete"},
	{Name: "gmake", Words: Tasks, Opts: makeOpts},
	{Name: "go build", Words: Code, Opts: goOpts + " -o:>"},
	{Name: "go clean", Opts: "-cache -testcache -modcache -n -x"},
	{Name: "go install", Words: Code, Opts: goOpts},
	{Name: "go mod download", Words: Any, Opts: "-x -json"},
	{Name: "go test", Words: Code, Opts: goOpts + " -run: -count: -cover -coverprofile:> -covermode: -coverpkg: " +
		"-timeout: -short -bench: -benchtime: -benchmem -failfast -json -parallel: -cpu: -skip: -shuffle: " +
		"-list: -vet: -cpuprofile:> -memprofile:> -blockprofile:> -mutexprofile:> -trace:> -outputdir:/ -fullpath"},
	{Name: "go tool cover", Opts: "-func: -html: -o:>"},
	{Name: "golangci-lint run", Words: Code, Opts: "v --verbose --timeout: --fast --new --new-from-rev: E: " +
		"--enable: D: --disable: --enable-only: j: --concurrency: --tests --build-tags: --show-stats"},
	{Name: "govulncheck", Words: Code, Opts: "-test -show: -tags: -mode:"},
	{Name: "gradle", Words: Tasks, Opts: gradleOpts},
	{Name: "gradlew", Words: Tasks, Opts: gradleOpts},
	{Name: "jest", Words: Code, Opts: "--coverage --ci --runInBand i --verbose --silent t: --testNamePattern: " +
		"--bail --maxWorkers: w: --passWithNoTests --findRelatedTests --runTestsByPath --json --forceExit " +
		"--detectOpenHandles --no-coverage --no-cache o --onlyChanged"},
	{Name: "just", Words: Tasks, Opts: "l --list q --quiet v --verbose n --dry-run"},
	{Name: "make", Words: Tasks, Opts: makeOpts},
	{Name: "mocha", Words: Code, Opts: "--recursive g: --grep: f: --fgrep: b --bail t: --timeout: --exit " +
		"--parallel --forbid-only"},
	{Name: "mvn", Words: Phases, Opts: mvnOpts},
	{Name: "mvnw", Words: Phases, Opts: mvnOpts},
	{Name: "mypy", Words: Code, Opts: mypyOpts},
	{Name: "next build", Opts: "--debug --no-lint"},
	{Name: "node --test", Words: Code, Opts: "--test-name-pattern: --test-concurrency: --test-timeout:"},
	{Name: "nox", Opts: "s: --session: r l --list k:"},
	{Name: "npm audit", Opts: "--json --omit: --audit-level: --production"},
	{Name: "npm ci", Opts: npmInstall},
	{Name: "npm i", Opts: npmInstall},
	{Name: "npm install", Opts: npmInstall},
	{Name: "npm run", Words: Task, Opts: npmRun, After: testAfter},
	{Name: "npm run-script", Words: Task, Opts: npmRun, After: testAfter},
	{Name: "npm t", Opts: npmRun, After: testAfter},
	{Name: "npm test", Opts: npmRun, After: testAfter},
	{Name: "npm version", Opts: "--json", Reads: true},
	{Name: "pip install", Words: Package, Opts: pipOpts},
	{Name: "pip3 install", Words: Package, Opts: pipOpts},
	{Name: "playwright test", Words: Code, Opts: "--headed --project: g: --grep: --workers: --retries: --list " +
		"--max-failures:"},
	{Name: "pnpm", Words: Task, Opts: "s --silent r", After: testAfter},
	{Name: "pnpm i", Opts: npmInstall},
	{Name: "pnpm install", Opts: npmInstall},
	{Name: "pnpm run", Words: Task, Opts: npmRun, After: testAfter},
	{Name: "pnpm test", Opts: npmRun, After: testAfter},
	{Name: "poetry build", Opts: "f: --format:"},
	{Name: "poetry check", Opts: "--lock --strict"},
	{Name: "poetry install", Opts: "--no-root --with: --without: --only: --sync --all-extras E: --extras: n " +
		"--no-interaction"},
	{Name: "poetry lock", Opts: "--no-update --regenerate"},
	{Name: "prettier", Words: Code, Opts: "c --check l --list-different --parser: --no-color"},
	{Name: "py.test", Words: Code, Opts: pytestOpts},
	{Name: "pylint", Words: Code, Opts: "E --errors-only --disable: --enable: j: --jobs: r: --score:"},
	{Name: "pyright", Words: Any, Opts: "--stats --warnings --pythonversion: --outputjson"},
	{Name: "pytest", Words: Code, Opts: pytestOpts},
	{Name: "python -m build", Opts: "s w --sdist --wheel o:/ --outdir:/ n --no-isolation"},
	{Name: "python -m compileall", Words: Any, Opts: "q f j:"},
	{Name: "python -m json.tool", Words: One, Opts: "--sort-keys --json-lines --indent: --tab --compact --no-indent"},
	{Name: "python -m mypy", Words: Code, Opts: mypyOpts},
	{Name: "python -m pip install", Words: Package, Opts: pipOpts},
	{Name: "python -m pytest", Words: Code, Opts: pytestOpts},
	{Name: "python -m unittest", Words: Code, Opts: "v q f b c --verbose --failfast --buffer k:"},
	{Name: "python -m venv", Words: Makes, Opts: "--clear --upgrade-deps --system-site-packages"},
	{Name: "ruff check", Words: Any, Opts: "--select: --ignore: --extend-select: --output-format: q --quiet " +
		"--statistics --no-cache --exclude: --diff --show-files --preview"},
	{Name: "staticcheck", Words: Code, Opts: "-checks: -tests -tags: -f:"},
	{Name: "stylelint", Words: Code, Opts: "--quiet --max-warnings: --allow-empty-input"},
	{Name: "task", Words: Tasks, Opts: "l --list v --verbose s --silent n --dry f --force a"},
	{Name: "terraform graph", Opts: "-type:"},
	{Name: "terraform init", Opts: "-input= -upgrade -backend= -reconfigure -no-color -lock= -lockfile:"},
	{Name: "terraform output", Words: Any, Opts: "-json -raw -no-color"},
	{Name: "terraform plan", Opts: terraformPlan},
	{Name: "terraform providers"},
	{Name: "terraform show", Words: Any, Opts: "-json -no-color"},
	{Name: "terraform state list", Words: Any},
	{Name: "terraform validate", Opts: "-json -no-color"},
	{Name: "tofu init", Opts: "-input= -upgrade -backend= -reconfigure -no-color -lock="},
	{Name: "tofu plan", Opts: terraformPlan},
	{Name: "tofu validate", Opts: "-json -no-color"},
	{Name: "tox", Opts: "e: q v r --recreate p: --parallel: l --listenvs"},
	{Name: "tsc", Opts: "--noEmit p:% --project:% b --build --pretty= --skipLibCheck --strict --incremental " +
		"--outDir:/ --noEmitOnError --listFiles --diagnostics"},
	{Name: "turbo run", Words: Task, Opts: "--filter: --force --concurrency:"},
	{Name: "uv lock", Opts: "--check --locked U --upgrade"},
	{Name: "uv pip install", Words: Package, Opts: pipOpts},
	{Name: "uv sync", Opts: "--frozen --locked --all-extras --extra: --dev --no-dev --group:"},
	{Name: "vite build", Opts: "--mode: m: --minify= --sourcemap="},
	{Name: "vitest", Words: Code, Opts: vitestOpts, Needs: "--run"},
	{Name: "vitest run", Words: Code, Opts: vitestOpts},
	{Name: "webpack", Opts: "--mode: --stats: --no-color"},
	{Name: "yarn", Words: Task, Opts: "--silent s --frozen-lockfile --immutable", After: testAfter},
	{Name: "yarn install", Opts: "--frozen-lockfile --immutable --silent s --production --offline --ignore-scripts"},
	{Name: "yarn run", Words: Task, Opts: npmRun, After: testAfter},
	{Name: "yarn test", Opts: npmRun, After: testAfter},
}

// Options that several rows have.
const (
	goOpts = "-v -race -tags: -trimpath -p: -n -x -a -buildvcs= -ldflags: -work -asan -msan -cover"

	cargoOpts = "r --release --workspace --all p: --package: --exclude: F: --features: --all-features " +
		"--no-default-features --all-targets --lib --bins --bin: --tests --examples --example: --benches q " +
		"--quiet v " +
		"--verbose vv j: --jobs: --target:% --locked --offline --frozen --color: --message-format: --profile: " +
		"--target-dir:/ --keep-going"

	dotnetOpts = "c: --configuration: f: --framework: r: --runtime: --no-build --no-restore v: --verbosity: " +
		"--nologo " +
		"--no-dependencies"

	makeOpts = "j= --jobs= k --keep-going s --silent --quiet B --always-make n --dry-run l= --load-average= O= " +
		"--output-sync= --no-print-directory w --print-directory --trace --version"

	gradleOpts = "x: --exclude-task: --tests: i --info s --stacktrace q --quiet d --debug --no-daemon " +
		"--parallel --continue " +
		"--offline --console: --rerun-tasks --build-cache --no-build-cache --no-parallel --warning-mode: --dry-run m"

	mvnOpts = "q --quiet B --batch-mode o --offline U --update-snapshots e --errors X --debug T: --threads: " +
		"-pl:% " +
		"--projects:% am -am --also-make -amd -P: -DskipTests= -DskipITs= -Dtest: -Dit.test: -Dmaven.test.skip= " +
		"-DfailIfNoTests= -ntp --no-transfer-progress --fail-at-end -fae"

	mypyOpts = "--strict --ignore-missing-imports --install-types --non-interactive p: --package: m: --module: " +
		"--python-version: --show-error-codes --no-incremental --exclude: --namespace-packages " +
		"--explicit-package-bases " +
		"--pretty --no-color-output --follow-imports:"

	npmInstall = "--no-audit --no-fund --legacy-peer-deps --prefer-offline --offline s --silent " +
		"--ignore-scripts --include: --dry-run " +
		"--omit: --production --frozen-lockfile --verbose --loglevel: --no-progress --package-lock-only w: " +
		"--workspaces"

	npmRun    = "s --silent w: --workspace: --workspaces --if-present"
	testAfter = "--coverage --ci --runInBand --silent --verbose --run --bail"

	pipOpts = "r:% --requirement:% e:% --editable:% U --upgrade --user q --quiet --no-deps --pre --no-cache-dir c:% " +
		"--constraint:% " +
		"--disable-pip-version-check --break-system-packages --no-build-isolation --upgrade-strategy: " +
		"--require-hashes --dry-run"

	pytestOpts = "q v vv x s l k: m: n: r= --lf --ff --last-failed --failed-first --maxfail: --tb: --co " +
		"--collect-only " +
		"--cov= --cov-report: --cov-fail-under: --no-cov --junitxml:> --junit-xml:> --durations= --no-header " +
		"--verbose " +
		"--quiet --exitfirst --color: --strict-markers --disable-warnings --timeout: --showlocals --sw --stepwise"

	terraformPlan = "-out:> -input= -var: -var-file: -target: -refresh= -lock= -no-color -detailed-exitcode " +
		"-destroy -compact-warnings " +
		"-refresh-only -json"

	vitestOpts = "--run --coverage --bail: t: --testNamePattern: --silent --passWithNoTests --changed " +
		"--no-color"
)
