package toolchain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name that stands out of order is not found.
func TestRowsAreInOrder(t *testing.T) {
	for _, rows := range [][]Row{rows, own, steering} {
		require.True(t, slices.IsSortedFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) }))
		for i, r := range rows {
			require.False(t, i > 0 && rows[i-1].Name == r.Name, r.Name)
		}
	}
	require.Len(t, Rows(), len(rows)+len(own))
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

// Covers: ORC-200
func TestTasksAreToldByTheirNames(t *testing.T) {
	for _, name := range []string{"test", "test:unit", "build-linux", "compileJava", ":app:test", "integrationTest",
		"lint_all",
		"e2e", "build/app", "Test", "type-check"} {
		require.True(t, isTask(name), name)
	}
	for _, name := range []string{"", "fmt", "lint:fix", "test-update", "build-and-deploy", "install", "test:u",
		"generate",
		"test=x", "a", ":", "-", "test$X", "testGolden", "test/../x", "test:",
		"prebuild", "build\n", "run", "start", "checkFormat"} {
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
		{"make", "test", true, 1, true},
		{"make", "test", false, 0, false},
		{"make", "fmt", true, 0, false},
		{"make", "4", true, 0, true},
		{"pytest", "@file", true, 0, false},
		{"npm run", "test", true, 0, true},
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

func TestPlaces(t *testing.T) {
	unittest, _ := find(rows, "python -m unittest")
	pytest, _ := find(rows, "pytest")
	require.Equal(t, "scratch/test_x", unittest.Place("scratch.test_x"))
	require.Equal(t, "scratch/test.py", unittest.Place("scratch/test.py"))
	require.Equal(t, "a.b.py", pytest.Place("a.b.py::TestX"))
}

func TestValuesThatTurnAnOption(t *testing.T) {
	for words, sound := range map[string]bool{
		"":                            true,
		"-v ./...":                    true,
		"-ldflags=-s ./x":             true,
		"-ldflags -w":                 true,
		"-ldflags":                    true,
		"--ldflags=-X=main.v=1":       true,
		"-ldflags=-o=main.go":         false,
		"-ldflags -linkmode=external": false,
		"--cov-report=term-missing":   true,
		"--cov-report=html:src":       false,
		"--cov-report xml:pom.xml":    false,
	} {
		require.Equal(t, sound, Row{}.Sound(strings.Fields(words)), words)
	}
}

// Covers: ORC-200
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

// Covers: ORC-202
func TestTakesCommands(t *testing.T) {
	require.True(t, slices.IsSorted(takers))
	for name, takes := range map[string]bool{"less": true, "orchestrator": true, "cat": false, "": false} {
		require.Equal(t, takes, TakesCommands(name), name)
	}
}
