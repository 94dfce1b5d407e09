package shell

// writers are programs that write files unless an option keeps them from it.
var writers = tools{
	{"7z", Writes, unnamed, ""},
	{"apk", Writes, unnamed, ""},
	{"apt", Writes, unnamed, "s. --dry-run. --simulate. q y --yes --quiet"},
	{"apt-get", Writes, unnamed, "s. --dry-run. --simulate. q y --yes --quiet"},
	{"ar", Writes, unnamed, ""},
	{"aria2c", Writes, unnamed, ""},
	{"autopep8", Ambiguous, none, "i* --in-place* d. --diff. r a --aggressive --recursive --max-line-length:"},
	{"black", Writes, every, "--check. --diff. c:. --code:. l: t: q v S --line-length: --config: --version. --quiet " +
		"--verbose --color --no-color --exclude: --extend-exclude: --include: --fast --target-version: --preview"},
	{"bunzip2", Writes, stem, "c. t. --stdout. --test. k q v --keep"},
	{"bzip2", Writes, stem, "c. t. --stdout. --test. d k q v 1 9 --decompress --keep"},
	{"chattr", Writes, afterFirst, "v: p:"},
	{"chgrp", Writes, afterFirst, "--reference:"},
	{"chmod", Writes, afterFirst, "--reference:"},
	{"chown", Writes, afterFirst, "--reference: --from:"},
	{"code", Writes, every, "--version. d. --diff."},
	{"compress", Writes, stem, "c. d v"},
	{"cpio", Writes, unnamed, "t. --list. F: O:> --to-stdout. i v --extract --verbose --quiet"},
	{"crontab", Writes, unnamed, "l. u:"},
	{"csplit", Writes, unnamed, "f: b: n: --prefix: --suffix-format: --digits:"},
	{"dnf", Writes, unnamed, ""},
	{"dos2unix", Writes, every, "i."},
	{"dpkg", Writes, unnamed, "l. L. s. S. --list. --listfiles. --status. --search. --get-selections."},
	{"ed", Writes, every, ""},
	{"emacs", Writes, every, "-batch@ --batch@ --eval:! -eval:! l:! -l:! --load:! f:! -f:! --script:! -Q q --version."},
	{"emacsclient", Writes, every, "e! --eval!"},
	{"ex", Writes, every, "c:@ s S:@ u:!"},
	{"fallocate", Writes, every, "l: o: --length: --offset:"},
	{"ftp", Writes, unnamed, ""},
	{"gem", Writes, unnamed, "--version."},
	{"gunzip", Writes, stem, gzipOptions},
	{"gzip", Writes, stem, gzipOptions},
	{"isort", Writes, every, "c. --check. --check-only. --diff. --profile: --version. q v --quiet --verbose --settings: --color"},
	{"joe", Writes, every, ""},
	{"lftp", Writes, unnamed, ""},
	{"link", Writes, every, ""},
	{"lz4", Writes, stem, "c. t. d q v"},
	{"lzma", Writes, stem, xzOptions},
	{"micro", Writes, every, ""},
	{"mkdir", Writes, every, "m: --mode: Z"},
	{"mkfifo", Writes, every, "m: --mode:"},
	{"mkfs", Writes, every, ""},
	{"mknod", Writes, first, "m: --mode:"},
	{"mktemp", Writes, unnamed, "p:/ --tmpdir= t u. --dry-run. --suffix:"},
	{"mount", Writes, unnamed, "l. --version."},
	{"nano", Writes, every, "--version."},
	{"nvim", Writes, every, "c:@ S:@ R u:! s w:> W:> l:! --cmd:! --version."},
	{"pacman", Writes, unnamed, "Q. --query."},
	{"passwd", Writes, unnamed, "S."},
	{"pico", Writes, every, ""},
	{"protoc", Writes, unnamed, "--version."},
	{"rename", Writes, unnamed, "n. --no-act. v --verbose"},
	{"rm", Writes, every, ""},
	{"rmdir", Writes, every, ""},
	{"rustfmt", Writes, every, "--check. l q v --edition: --version. --color:"},
	{"setfacl", Writes, every, "m: x: M: X: --modify: --remove: --restore:@"},
	{"setfattr", Writes, every, "n: v: x: --name: --value: --remove: --restore:@"},
	{"sftp", Writes, unnamed, ""},
	{"shred", Writes, every, "n: s: --iterations: --size: --random-source:"},
	{"snap", Writes, unnamed, ""},
	{"split", Writes, unnamed, "b: C: l: n: a: t: d x --filter:! --bytes: --lines: --number:"},
	{"sponge", Writes, every, "a"},
	{"sudoedit", Writes, every, ""},
	{"swiftformat", Writes, every, "--lint. --dryrun. --quiet --verbose"},
	{"symlink", Writes, second, ""},
	{"tee", Writes, every, "a i p"},
	{"touch", Writes, every, "d: r: t: --date: --reference: --time:"},
	{"truncate", Writes, every, "s: r: --size: --reference:"},
	{"umount", Writes, unnamed, ""},
	{"uncompress", Writes, stem, "c. v"},
	{"unix2dos", Writes, every, "i."},
	{"unlink", Writes, every, ""},
	{"unxz", Writes, stem, xzOptions},
	{"unzip", Writes, unnamed, "l. t. v. p. Z. z. d:/ x: P: q c. 1 2"},
	{"unzstd", Writes, stem, "c. l. t. --stdout. --list. --test. o:> d q v"},
	{"update-alternatives", Writes, unnamed, "--list: --display:."},
	{"useradd", Writes, unnamed, ""},
	{"usermod", Writes, unnamed, ""},
	{"vi", Writes, every, "c:@ S:@ R u:! s w:> W:>"},
	{"view", Writes, unnamed, ""},
	{"vim", Writes, every, "c:@ S:@ R u:! s w:> W:> --cmd:! --version."},
	{"virtualenv", Writes, every, "p: --python: --version."},
	{"visudo", Writes, unnamed, "c."},
	{"wget", Writes, unnamed, "O:> --output-document:> o:> a:> --output-file:> --append-output:> P:/ " +
		"--directory-prefix:/ q n v S --quiet --no-verbose --server-response --config:! " +
		"--spider. U: e:! --use-askpass:! --user-agent: --header: --post-data:^ " +
		"--post-file:^ --body-data:^ --body-file:^ --method:~ t: T: --tries: --timeout: --version. --help."},
	{"wipefs", Writes, every, "n."},
	{"xz", Writes, stem, xzOptions},
	{"yum", Writes, unnamed, ""},
	{"zip", Writes, first, "T: TT:! b: i: x: n: P: r q j u m@ sf."},
	{"zstd", Writes, stem, "c. l. t. --stdout. --list. --test. o:> d k q v --decompress"},
}

// Options of compressors. What only lists and tests writes nothing.
const (
	gzipOptions = "c. l. t. --stdout. --to-stdout. --list. --test. S: d f k n q v 1 9 --decompress --keep --quiet"
	xzOptions   = "c. l. t. --stdout. --to-stdout. --list. --test. S: T: d f k q v 1 9 --decompress --keep --quiet"
)

// sometimes are programs that mostly do something that is not known, and write with certain options.
var sometimes = tools{
	{"biome", Ambiguous, none, "--write* --fix* --apply*"},
	{"cc", Ambiguous, none, "o:>"},
	{"clang", Ambiguous, none, "o:>"},
	{"clang-format", Reads, none, "i* -style: -assume-filename: -lines: -n -dry-run"},
	{"convert", Ambiguous, last, ""},
	{"dot", Reads, none, "o:> O@ T: K: G: N: E: l:"},
	{"eslint", Ambiguous, none, "--fix* o:> --output-file:> --cache-location:> c: --config: --ext: f: --format: " +
		"--rulesdir:"},
	{"ffmpeg", Ambiguous, last, "i: f: c: t: s: r:"},
	{"flake8", Ambiguous, none, "--output-file:> --tee"},
	{"g++", Ambiguous, none, "o:>"},
	{"gcc", Ambiguous, none, "o:>"},
	{"gofmt", Reads, none, "w* r: d l s e -cpuprofile:> cpuprofile:>"},
	{"gofumpt", Reads, none, "w* d l e -lang: -modpath:"},
	{"goimports", Reads, none, "w* d l e -local: -srcdir: local: srcdir: -cpuprofile:> -memprofile:> -trace:>"},
	{"golangci-lint", Ambiguous, none, "--fix@ --output.text.path:> --output.json.path:>"},
	{"gpg", Ambiguous, none, "o:> --output:> --export. --list-keys. --list-secret-keys. --version. a --armor"},
	{"iconv", Reads, none, "o:> --output:> f: t: --from-code: --to-code:"},
	{"ktlint", Ambiguous, none, "F* --format*"},
	{"ld", Ambiguous, none, "o:>"},
	{"magick", Ambiguous, last, ""},
	{"openssl", Ambiguous, none, "-out:> -keyout:> -writerand:> -CAcreateserial@ -signature: -in: -engine:!"},
	{"pandoc", Ambiguous, none, "o:> --output:> F:! --filter:! L:! --lua-filter:! --pdf-engine:! --extract-media:> f: " +
		"t: --from: --to: d:! --defaults:! --log:>"},
	{"prettier", Ambiguous, none, "w* --write* c l --check --list-different --config:! --plugin:! --parser: " +
		"--stdin-filepath: --cache-location:>"},
	{"pytest", Ambiguous, none, "--basetemp:> --junitxml:> --junit-xml:> --log-file:> --resultlog:>"},
	{"rubocop", Ambiguous, none, "a* A* x* --auto-correct* --autocorrect* --autocorrect-all* o:> --out:>"},
	{"script", Writes, unnamed, "c:! --command:! O:> --log-out:>"},
	{"shfmt", Reads, none, "w* --write* d l i: ln: bn ci sr kp"},
	{"sqlite3", Ambiguous, none, "-cmd:!"},
	{"strace", Ambiguous, none, "o:>"},
	{"stylelint", Ambiguous, none, "--fix* o:> --output-file:>"},
	{"tidy", Reads, none, "m* -modify* o:> -output:> f:>"},
	{"tsc", Ambiguous, none, "--outDir:> --outFile:>"},
	{"xmllint", Reads, none, "--output:> o:> --xpath: --schema:"},
	{"yq", Reads, none, "i* --inplace* s:! --split-exp:! p: o: --input-format: --output-format: I: --indent:"},
}

// subcommands are programs by their first words, which must follow each other at once. What needs no options stands in
// the lists below.
var subcommands = tools{
	{"brew install", Writes, unnamed, "n. --dry-run. --cask q --quiet"},
	{"brew upgrade", Writes, unnamed, "n. --dry-run."},
	{"cargo clippy", Ambiguous, none, "--fix@"},
	{"dart format", Writes, every, "o: --output:"},
	{"deno fmt", Writes, every, "--check. q --quiet"},
	{"go build", Ambiguous, none, goRuns + " -o:>"},
	{"go clean", Writes, unnamed, "n. x i r"},
	{"go doc", Reads, none, "C:!"},
	{"go env", Reads, none, "w@ u@ -w@ -u@"},
	{"go fix", Writes, unnamed, "-diff."},
	{"go fmt", Writes, unnamed, "n. x"},
	{"go generate", Writes, unnamed, "n. v x -run:"},
	{"go install", Writes, unnamed, "n. v x"},
	{"go list", Reads, none, goRuns + " -f: f:"},
	{"go mod download", Ambiguous, none, ""},
	{"go mod edit", Writes, unnamed, "-json. -print."},
	{"go mod tidy", Writes, unnamed, "-diff."},
	{"go test", Ambiguous, none, goRuns + " -o:> -c@ -coverprofile:> -cpuprofile:> -memprofile:> -blockprofile:> " +
		"-mutexprofile:> -trace:> -outputdir:> -run: -bench: -count: -timeout: -update@"},
	{"go vet", Reads, none, goRuns + " -fix@"},
	{"ruff check", Ambiguous, none, "--fix* --fix-only* --unsafe-fixes --add-noqa* o:> --output-file:>"},
	{"ruff format", Writes, every, "--check. --diff. --config: q v --quiet --verbose --preview --exclude: --line-length:"},
	{"terraform fmt", Writes, unnamed, "-check. --check. -recursive --recursive -diff --diff -no-color"},
}

// readingSubcommands write nothing, whatever their options are; writingSubcommands write files that they do not name.
var (
	readingSubcommands = names{
		"brew info", "brew list", "docker compose logs", "docker compose ls", "docker compose ps", "docker images",
		"docker info", "docker inspect", "docker logs", "docker ps", "docker version", "go help", "go mod graph",
		"go mod verify", "go mod why", "go version", "helm list", "helm status", "helm version", "kubectl describe",
		"kubectl explain", "kubectl get", "kubectl logs", "kubectl top", "kubectl version", "npm info", "npm list",
		"npm ls", "npm outdated", "npm view", "pip freeze", "pip list", "pip show", "pip3 freeze", "pip3 list",
		"pip3 show", "pnpm list", "podman images", "podman logs", "podman ps", "systemctl status",
	}
	writingSubcommands = names{
		"brew tap", "brew uninstall", "brew update", "bun add", "bun install", "cargo add", "cargo fix", "cargo fmt",
		"cargo init", "cargo install", "cargo new", "cargo update", "dotnet format", "go get", "go mod init",
		"go mod vendor", "go work", "npm add", "npm ci", "npm i", "npm init", "npm install", "npm uninstall",
		"npm update", "pip download", "pip install", "pip uninstall", "pip3 install", "pip3 uninstall", "pnpm add",
		"pnpm i", "pnpm install", "pnpm remove", "pnpm update", "poetry add", "poetry install", "uv add", "uv init",
		"uv lock", "uv pip", "uv sync", "yarn add", "yarn install", "yarn remove",
	}
)

// goRuns are options of the go command by which it runs other programs.
const goRuns = "-toolexec:! -vettool:! -exec:! -mod:! -modfile:! -C:! -tags: -overlay:!"
