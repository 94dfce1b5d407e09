package toolchain

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name that stands out of order is not found.
func TestRowsAreInOrder(t *testing.T) {
	for _, rows := range [][]Row{rows, own, ghRows, steering} {
		require.True(t, slices.IsSortedFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) }))
		for i, r := range rows {
			require.False(t, i > 0 && rows[i-1].Name == r.Name, r.Name)
		}
	}
	require.Len(t, Rows(), len(rows)+len(own)+len(ghRows))
	require.Len(t, SteeringRows(), len(steering))
}

func TestFind(t *testing.T) {
	for _, r := range Rows() {
		words := strings.Fields(r.Name)
		require.True(t, Knows(words[0]), r.Name)
		found, used, ok := Find(words[0], append(words[1:], "more"))
		require.True(t, ok, r.Name)
		require.Equal(t, r, found)
		require.Equal(t, len(words)-1, used, r.Name)
	}
	for _, name := range []string{"", "g", "goo", "golangci", "zz"} {
		require.False(t, Knows(name), name)
	}
	_, _, ok := Find("go", []string{"frobnicate"})
	require.False(t, ok)
	opts, ok := Steering("make")
	require.True(t, ok)
	require.Equal(t, OfMake, opts)
	_, ok = Steering("maker")
	require.False(t, ok)
}

// Verifies: ORC-200
func TestTasksAreToldByTheirNames(t *testing.T) {
	for _, name := range []string{"test", "test:unit", "build-linux", "compileJava", ":app:test", "integrationTest",
		"lint_all",
		"e2e", "build/app", "Test", "type-check", "format:check", "fmt-check", "checkFormat"} {
		require.True(t, isTask(name), name)
	}
	for _, name := range []string{"", "fmt", "lint:fix", "test-update", "build-and-deploy", "install", "test:u",
		"generate",
		"test=x", "a", ":", "-", "test$X", "testGolden", "test/../x", "test:",
		"prebuild", "build\n", "run", "start", "checkFormatWrite", "format", "fmt-all"} {
		require.False(t, isTask(name), name)
	}
}

func TestWordsOfARow(t *testing.T) {
	for _, one := range []struct {
		row   string
		word  string
		known bool
		n     int
		want  bool
	}{
		{"npm ci", "x", true, 0, false},
		{"go test", "./...", true, 0, true},
		{"go test", "", false, 0, true},
		{"git fetch", "ext::sh -c x", true, 0, false},
		{"git fetch", "origin", true, 0, true},
		{"git fetch", "main:main", true, 0, false},
		{"git fetch", "+main", true, 0, false},
		{"git fetch", "../x", true, 0, false},
		{"git fetch", "", false, 0, false},
		{"pytest", "a.py::test", true, 0, true},
		{"pip install", "requests", true, 0, true},
		{"pip install", "", false, 0, false},
		{"pip install", "https://x/y.tgz", true, 0, false},
		{"pip install", "git+ssh:x", true, 0, false},
		{"pip install", "@file", true, 0, false},
		{"pip install", "file:scratch/pkg", true, 0, false},
		{"pip install", "x @ file:scratch/pkg", true, 0, false},
		{"pip install", "requests[socks]==2.0", true, 0, true},
		{"make", "test", true, 1, true},
		{"make", "test", false, 0, false},
		{"make", "fmt", true, 0, false},
		{"make", "4", true, 0, true},
		{"pytest", "@file", true, 0, false},
		{"npm run", "test", true, 0, true},
		{"python -m json.tool", "a.json", true, 0, true},
		{"python -m json.tool", "b.json", true, 1, false},
		{"npm run", "test", true, 1, false},
		{"npm run", "test", false, 0, false},
		{"mvn", "verify", true, 1, true},
		{"mvn", "exec:java", true, 0, false},
		{"mvn", "", false, 0, false},
		{"python -m venv", ".venv", true, 0, true},
	} {
		row, found := find(rows, one.row)
		require.True(t, found, one.row)
		require.Equal(t, one.want, row.Accepts(one.word, one.known, one.n), "%+v", one)
	}
	for word, runs := range map[string]bool{"requests": false, ".": true, "/x": true, "~/x": true, "sub/req.txt": true} {
		row, _ := find(rows, "pip install")
		require.Equal(t, runs, row.RunsWord(word), word)
		row, _ = find(rows, "go test")
		require.True(t, row.RunsWord(word))
	}
}

// Verifies: ORC-200
//
// A command that looks for its code says below which folder.
func TestWhereCodeIsLookedFor(t *testing.T) {
	require.True(t, slices.IsSorted(gathering))
	for _, name := range slices.Concat(gathering, filtering) {
		_, found := find(rows, name)
		require.True(t, found, name)
	}
	for _, one := range []struct{ row, word, folder string }{
		{"go test", "", ""},
		{"go test", "./src", ""},
		{"go test", "./...", "./."},
		{"go test", "./src/...", "./src/."},
		{"go test", "./scr...", "./."},
		{"pytest", "", "."},
		{"pytest", "tests", "tests"},
		{"pytest", "tests/test_a.py::test_x", "tests/test_a.py"},
		{"node --test", "scratc?/x.test.js", "."},
		{"mocha", "src/**/*.js", "src/."},
		{"jest", "cratch", "."},
		{"make", "", "."},
		{"npm run", "", "."},
		{"python -m unittest", "", "."},
		{"eslint", "src", "src"},
		{"git commit", "", ""},
		{"npm ci", "", ""},
		{"pip install", "", ""},
	} {
		row, known := find(rows, one.row)
		require.True(t, known, one.row)
		folder, found := row.Gathers(one.word)
		require.Equal(t, one.folder, folder, "%+v", one)
		require.Equal(t, one.folder != "", found, "%+v", one)
	}
}

func TestCalmVariables(t *testing.T) {
	require.True(t, slices.IsSorted(calm) && slices.IsSorted(goFlags))
	for setting, is := range map[string]bool{
		"GOOS=linux": true, "LC_ALL=C.UTF-8": true, "DEBUG=1": true, "NODE_ENV=test": true, "CC=x": false, "=": false,
		"GOFLAGS=-count=1 -race": true, "GOFLAGS=-mod=mod": true, "GOFLAGS=-toolexec=x": false,
		"GOFLAGS=-tags=$(x)": false,
		"PYTHONPATH=.":       true, "PYTHONPATH=src": true, "PYTHONPATH=scratch": false,
		"CI=$(shell x)": false, "PATH=x": false,
	} {
		name, value, _ := strings.Cut(setting, "=")
		require.Equal(t, is, IsCalm(name, value), setting)
	}
}

func TestPlaces(t *testing.T) {
	unittest, _ := find(rows, "python -m unittest")
	pytest, _ := find(rows, "pytest")
	require.Equal(t, "scratch/test_x", unittest.Place("scratch.test_x"))
	require.Equal(t, "scratch/test.py", unittest.Place("scratch/test.py"))
	require.Equal(t, "a.b.py", pytest.Place("a.b.py::TestX"))
}

// Verifies: ORC-200
func TestWordsThatTurnARow(t *testing.T) {
	for _, one := range []struct {
		row   string
		words string // separated by |
		sound bool
	}{
		{"go build", "", true},
		{"go build", "-v|./...", true},
		{"go build", "-ldflags=-s|./x", true},
		{"go build", "-ldflags|-w", true},
		{"go build", "-ldflags", true},
		{"go build", "--ldflags=-X=main.v=1", true},
		{"go build", "-ldflags=-s -w -X main.v=1 -X 'main.w=a b'", true},
		{"go build", `-ldflags="-X=main.v=a b"`, true},
		{"go build", "-ldflags=-X main.v=" + Unfinished, false},
		{"go build", "-ldflags=-o=main.go", false},
		{"go build", "-ldflags=all=-o=main.go", false},
		{"go build", "-ldflags=-s '-o=main.go' -w", false},
		{"go build", "-ldflags=-s 'w", false},
		{"go build", "-ldflags|-linkmode=external", false},
		{"go build", "example.com/x@latest", false},
		{"go build", "-o|.venv/bin/mypy|cmd/go", false},
		{"go test", "cmd", false},
		{"go install", "./cmd/app", true},
		{"go install", "./cmd/orchestrator-hook", false},
		{"go install", "./cmd/make", false},
		{"go install", "example.com/x/grep", false},
		{"go mod download", "example.com/x@v1.0.0", true},
		{"pytest", "--cov-report=term-missing", true},
		{"pytest", "--cov-report=html:src", false},
		{"pytest", "--cov-report|xml:pom.xml", false},
		{"python -m pytest", "--cov-report=html:src", false},
		{"dotnet build", "-c|Release|src/app.csproj", true},
		{"dotnet build", "-c|Debug;OutDir=src", false},
		{"dotnet build", "-c|Debug%3BOutDir=src", false},
		{"dotnet build", "-c|" + Unfinished, false},
		{"git reset", "", true},
		{"git reset", "-q", true},
		{"git reset", "-q|HEAD|src/main.go", true},
		{"git reset", "--|src/main.go", true},
		{"git reset", "HEAD~1", false},
		{"git reset", "main|src/main.go", false},
		{"git reset", "HEAD" + Unfinished, false},
		{"git add", "HEAD~1", true},
		{"python -m unittest", "", true},
		{"python -m unittest", "discover|tests|test_*.py", true},
		{"python -m unittest", "-v|-k|cart|tests.test_cart", true},
		{"python -m unittest", "tests", true},
		{"python -m unittest", "tests/test_cart.py", true},
		{"python -m unittest", "test_cart.TestCart.test_sum", true},
		{"python -m unittest", "tests.unit.test_cart", true},
		{"python -m unittest", "shop.tests.unit.test_cart.CartTest", true},
		{"python -m unittest", "code.interact", false},
		{"python -m unittest", "pdb.main", false},
		{"python -m unittest", "code.interact|discover", false},
		{"python -m unittest", "tests.test_cart.unittest.loader.sys.breakpointhook", false},
		{"python -m unittest", "tests.test_cart.unittest.TestProgram", false},
		{"python -m unittest", "tests.test_cart.TestCart.run", false},
		{"python -m unittest", "tests.test_" + Unfinished, false},
	} {
		row, found := find(rows, one.row)
		require.True(t, found, one.row)
		words := slices.DeleteFunc(strings.Split(one.words, "|"), func(w string) bool { return w == "" })
		require.Equal(t, one.sound, row.Sound(words), "%+v", one)
	}
}

func TestVariablesThatAreShown(t *testing.T) {
	require.True(t, ShowsVariables("printenv"))
	require.False(t, ShowsVariables("cat"))
	for command, want := range map[string]string{
		"printenv": "$", "printenv -0": "$", "printenv A B": "$A $B", "printenv " + Unfinished: "$", "export A": "$A", "export A=b": "",
		"declare -p": "$", "set": "$", "set -e": "", "ps": "", "ps aux": "", "ps axe": "$", "ps -e": "", "ps -o user": "", "ps -p 1 e": "$",
		"ps -E": "$", "ps --sort=pcpu": "", "awk ENVIRON[x]": "$", "awk {print}": "", "jq $ENV.x": "$", "jq [env]": "$", "jq env.A": "$",
		"jq .env": "", "jq .environment": "",
	} {
		words := strings.Fields(command)
		require.Equal(t, want, strings.Join(Variables(words[0], words[1:]), " "), command)
	}
	require.Equal(t, []string{"$"}, Expanded("x", true, false))
	require.Equal(t, []string{"$ORCHESTRATOR_TOKEN"}, Expanded("ORCHESTRATOR_TOKEN", false, false))
	require.Empty(t, Expanded("ORCHESTRATOR_TOKEN", false, true))
	require.Empty(t, Expanded("HOME", false, false))
	require.Equal(t, []string{"$ORCHESTRATOR_TOKEN"}, InPowerShell("$Env:Orchestrator_Token"))
	require.Equal(t, []string{"$"}, InPowerShell("dir env:"))
	require.Equal(t, []string{"$"}, InPowerShell("[Environment]::GetEnvironmentVariables()"))
	require.Empty(t, InPowerShell("dir"))
}

func TestFilters(t *testing.T) {
	require.True(t, slices.IsSorted(filters))
	require.True(t, Filters("tee"))
	require.False(t, Filters("ed"), "it opens what it is told")
}

// Verifies: ORC-200
func TestWhatGitMayRun(t *testing.T) {
	for setting, safe := range map[string]bool{
		"user.name=me": true, "core.pager=cat": true, "pager.log=less": true, "Color.UI=always": true,
		"commit.gpgsign=false": true,
		"core.pager=./x":       false, "pager.log=./x": false, "protocol.ext.allow=always": false,
		"http.cookieFile=main.go": false, "http.saveCookies=true": false, "alias.x=!y": false, "": false,
	} {
		require.Equal(t, safe, SafeSetting(setting), setting)
	}
	for word, is := range map[string]bool{
		"ext::sh -c x": true, "--remote=ext::x": true, "x-y::a": true, "--remote=origin": false, "origin": false,
		"::x": false, "a b::c": false, "https://x/y": false, "": false,
	} {
		require.Equal(t, is, IsTransport(word), word)
	}
}

func TestOfProject(t *testing.T) {
	require.True(t, OfProject("./", "gradlew"))
	require.True(t, OfProject("node_modules/.bin/", "tsc"))
	require.False(t, OfProject("./", "tsc"))
	require.False(t, OfProject("/tmp/", "gradlew"))
}

func TestReadsSettings(t *testing.T) {
	require.True(t, ReadsSettings("git"))
	require.False(t, ReadsSettings("cat"))
}

func TestVariables(t *testing.T) {
	for _, list := range [][]string{commandVariables, hazards} {
		require.True(t, slices.IsSorted(list))
	}
	for name, command := range map[string]bool{"PAGER": true, "BAT_PAGER": true, "GIT_PROXY_COMMAND": true,
		"GIT_EDITOR":          true,
		"GIT_SEQUENCE_EDITOR": true, "PROMPT_COMMAND": true, "LESSOPEN": true, "LANG": false, "": false} {
		require.Equal(t, command, HoldsCommand(name), name)
	}
	for name, is := range map[string]bool{"LESSKEY_CONTENT": true, "LESS": true, "GIT_CONFIG_COUNT": true,
		"GIT_COMMON_DIR": true, "GIT_ALLOW_PROTOCOL": true, "GIT_AUTHOR_NAME": false, "GIT_DIR": false,
		"BASH_FUNC_ls%%": true,
		"PATH":           true, "LANG": false, "": false} {
		require.Equal(t, is, Hazard(name), name)
	}
}

func TestIgnored(t *testing.T) {
	for words, want := range map[string][]string{
		"add .":                         nil,
		"add -A :/":                     nil,
		"add -f dist":                   {"dist"},
		"stage --fo -v src docs":        {"src", "docs"},
		"add -fA":                       {"."},
		"add --force --all":             {"."},
		"add -f :/":                     {"."},
		"add -f **":                     {"."},
		"add -f --pathspec-from-file=x": {"."},
		"add --":                        nil,
	} {
		require.Equal(t, want, Ignored(strings.Fields(words)), words)
	}
	require.Equal(t, []string{"."}, Ignored([]string{"add", "-f", ""}), "a word that cannot be told")
}

func TestDestination(t *testing.T) {
	for words, n := range map[string]int{"cp -r . x": 1, "cp -rt x .": 0, "cp --target-directory=x .": 0,
		"rsync -at . x": 1,
		"tar cf x .":    0, "diff . x": 0, "cp": 0, "scp": 0} {
		all := strings.Fields(words)
		require.Equal(t, n, Destination(all[0], all[1:]), words)
	}
}

// A command of orchestrator has no option for another service or another token, and only what reads has --as.
//
// Verifies: ORC-201
func TestOwnCommandsKeepTheirToken(t *testing.T) {
	as := []string{}
	for _, row := range own {
		for _, option := range []string{"--server", "--token-file", "--tls-ca"} {
			require.NotContains(t, row.Opts, option, row.Name)
		}
		if strings.Contains(row.Opts, "--as:") {
			as = append(as, strings.TrimPrefix(row.Name, "orchestrator "))
		}
	}
	require.Equal(t, []string{"history", "list", "next", "show", "status", "watch", "whoami"}, as)
	for word, local := range map[string]bool{"log.zip": true, "http://127.0.0.1:1": false, "unix:x": false} {
		row, _ := find(own, "orchestrator audit verify")
		require.Equal(t, local, row.Accepts(word, true, 0), word)
	}
}

// Verifies: ORC-232
//
// What gh publishes is no reading, and no row of it opens an editor or a browser.
func TestWhatGHPublishes(t *testing.T) {
	for _, row := range ghRows {
		verb := row.Name[strings.LastIndexByte(row.Name, ' ')+1:]
		require.Equal(t, !slices.Contains([]string{"create", "comment"}, verb), row.Reads, row.Name)
		require.Equal(t, "publishes text", row.Effect())
		for _, option := range strings.Fields(row.Opts) {
			require.NotContains(t, []string{"w", "--web", "--editor", "--recover:", "--show-token"}, option, row.Name)
		}
	}
	row, _, _ := Find("make", nil)
	require.Equal(t, "produces files", row.Effect())
}

func TestLeavesOut(t *testing.T) {
	for command, does := range map[string]bool{
		"tar --exclude .orchestrator -cf a .": true, "tar --exclude=./.orchestrator/** -cf a .": true,
		"tar -cf a.orchestrator .": false, "tar --exclude=.orchestrator/tokens -cf a .": false, "tar --exclude": false,
		"rsync -x . .orchestrator": false, "cp --exclude .orchestrator a b": false,
		"zip -r a . -x b .orchestrator/*": true, "zip -x a -r .orchestrator": false, "7z a b . -xr!.orchestrator": true,
		"diff -r -x .orchestrator a b": true,
	} {
		words := strings.Fields(command)
		require.Equal(t, does, LeavesOut(words[0], words[1:], ".orchestrator"), command)
	}
}

// TestKnowsWhatHasARow asks of every word that the package names.
func TestKnowsWhatHasARow(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	all := map[string]bool{"": true}
	for _, name := range files {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, word := range regexp.MustCompile(`[\w.+-]+`).FindAllString(string(source), -1) {
			all[word] = true
		}
	}
	for word := range all {
		hasRow := slices.ContainsFunc(Rows(), func(r Row) bool { return strings.HasPrefix(r.Name+" ", word+" ") })
		require.Equal(t, hasRow && word != "", Knows(word), "%q", word)
	}
}
