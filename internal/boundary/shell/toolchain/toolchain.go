// Package toolchain lists the commands that build, test, install packages and commit, and those of orchestrator itself,
// with all options that leave them what they are. It is data, and what decides by it is pure; package shell reads the
// words of a command and asks.
//
// A row holds for a command only if every option is in it and every word is of the kind that it takes. Anything else
// is none of this package's: package shell then decides as if there were no row. So a row can only be too narrow.
//
// What a row cannot promise: a target of make, a script of npm, a test and a hook of git are the project's own code,
// and may do anything that somebody wrote into them.
package toolchain

import (
	"slices"
	"strings"

	"orchestrator/internal/boundary/shell/lists"
)

// Row is a command by its program and subcommands. Opts has its options in the notation of package shell, where % marks
// a value that names code which runs; and After those behind --, which another program gets.
type Row struct {
	Name  string
	Words Words
	Opts  string
	After string
	Needs string // options of which one must be given, between blanks
	Reads bool   // it changes no file
}

// Words says what the words of a command are that are no options.
type Words int

// The kinds of words.
const (
	None    Words = iota // there are none
	Any                  // names of commits, packages or tests
	Code                 // files and folders whose code runs
	Package              // names of packages, or folders of their code
	Makes                // files and folders that come to be
	Tasks                // targets of a build, by the names that builds and tests have
	Task                 // one of them
	Phases               // of Maven
	One                  // file that is read
	Local                // files of this machine
)

// tables are all rows, each list in the order of their names.
var tables = [...][]Row{rows, own, ghRows}

// Effect returns in two words what a row does, if it does not only read.
func (r Row) Effect() string {
	if strings.HasPrefix(r.Name, "gh ") {
		return "publishes text"
	}
	return "produces files"
}

// Knows reports whether there is a row of a program. It is asked of every command: a search of all rows would take ten
// times as long.
func Knows(program string) bool {
	switch program {
	case "bandit", "bun", "cargo", "coverage", "dotnet", "eslint", "flake8", "gh", "git", "gmake", "go",
		"golangci-lint", "govulncheck", "gradle", "gradlew", "jest", "just", "make", "mocha", "mvn", "mvnw", "mypy",
		"next", "node", "nox", "npm", "orchestrator", "pip", "pip3", "playwright", "pnpm", "poetry", "prettier",
		"py.test", "pylint", "pyright", "pytest", "python", "ruff", "staticcheck", "stylelint", "task", "terraform",
		"tofu", "tox", "tsc", "turbo", "uv", "vite", "vitest", "webpack", "yarn":
		return true
	}
	return false
}

// at returns where the row of a name stands, or would stand, and whether there is one.
func at(rows []Row, name string) (int, bool) {
	return lists.Find(name, len(rows), func(i int) string { return rows[i].Name })
}

// Find returns the row of a program with its first words, and how many of them are in its name. The longest name wins.
func Find(program string, words []string) (row Row, used int, found bool) {
	key := program
	for i := 0; ; i++ {
		for _, rows := range tables {
			if r, is := find(rows, key); is {
				row, used, found = r, i, true
			}
		}
		if i == len(words) || i == maxName {
			return row, used, found
		}
		key += " " + words[i]
	}
}

// maxName is the most words of a name after its program.
const maxName = 3

// Accepts reports whether a word is of the kind that a row takes, as the nth of those that are no options.
func (r Row) Accepts(word string, known bool, n int) bool {
	switch r.Words {
	case None:
		return false
	case Any, Makes:
		return r.Name != "git fetch" || known && !strings.ContainsAny(word[:min(1, len(word))], "+./~") &&
			!strings.Contains(word, ":")
	case Local:
		return known && !strings.Contains(word, ":")
	case Code:
		return !strings.HasPrefix(word, "@") // a file of options
	case Package:
		return known && !strings.ContainsAny(word, ":@") // no address, and no file of options
	case Tasks:
		return known && (isTask(word) || strings.Trim(word, "0123456789") == "") // make -j 4
	case Task:
		return known && n == 0 && isTask(word)
	case One:
		return known && n == 0
	}
	return known && slices.Contains(phases, word)
}

// RunsWord reports whether a word names code that the command runs.
func (r Row) RunsWord(word string) bool {
	return r.Words == Code || r.Words == Package && (strings.HasPrefix(word, ".") || strings.Contains(word, "/"))
}

// Place returns the file or folder of a word that RunsWord reports: what stands before the name of a test in it, and
// for a module of Python its path.
func (r Row) Place(word string) string {
	if r.Name == "python -m unittest" && !strings.Contains(word, "/") {
		word = strings.ReplaceAll(word, ".", "/")
	}
	word, _, _ = strings.Cut(word, "::")
	return word
}

// Names of tasks: what a project's makefile, scripts and recipes call building and testing. A task may have more words,
// as in test:unit and build-linux, but none of changing.
var (
	tasks = []string{"all", "assemble", "audit", "bench", "benchmark", "build", "check", "checks", "ci",
		"classes", "clean",
		"compile", "cover", "coverage", "deps", "dist", "e2e", "help", "integration", "jar", "lint", "package",
		"race",
		"smoke", "spec", "test", "tests", "tsc", "type", "typecheck", "types", "unit", "validate", "verify", "vet"}
	changing = []string{"accept", "apply", "commit", "deploy", "exec", "fix", "fmt", "format", "gen", "generate",
		"golden", "install", "migrate", "publish", "push", "record", "regenerate", "release", "run", "save",
		"snapshot",
		"snapshots", "sync", "u", "update", "upload", "watch", "write"}
	phases = []string{"clean", "compile", "dependency:analyze", "dependency:go-offline", "dependency:resolve",
		"dependency:tree", "install", "integration-test", "package", "process-classes", "test", "test-compile",
		"validate",
		"verify"}
)

// isTask reports whether a name is that of building or testing. Of the tasks of Gradle, which begin with the names of
// projects, the last word is the task.
func isTask(name string) bool {
	if strings.HasPrefix(name, ":") {
		name = name[strings.LastIndexByte(name, ':')+1:]
	}
	words := wordsOf(name)
	if slices.Contains(words, "check") { // format:check changes nothing
		words = slices.DeleteFunc(words, func(w string) bool { return w == "fmt" || w == "format" })
	}
	return len(words) > 0 && slices.Contains(tasks, words[0]) &&
		!slices.ContainsFunc(words, func(w string) bool { return w == "" || slices.Contains(changing, w) })
}

// wordsOf returns the words of a name such as test:unit, build-linux or compileJava, in small letters. A name with any
// other character has none.
func wordsOf(name string) (all []string) {
	word, before := "", ' '
	for _, r := range name {
		small := before >= 'a' && before <= 'z'
		before = r
		switch {
		case strings.ContainsRune(":-_./", r):
			all, word = append(all, strings.ToLower(word)), ""
			continue
		case r >= 'A' && r <= 'Z' && small:
			all, word = append(all, word), ""
		case (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z'):
			return nil
		}
		word += string(r)
	}
	return append(all, strings.ToLower(word))
}

// projectFolders hold the programs that a project installs for itself.
var projectFolders = []string{"./.venv/bin/", "./node_modules/.bin/", "./venv/bin/", ".venv/bin/",
	"node_modules/.bin/",
	"venv/bin/"}

// OfProject reports whether a program in a folder is one that the project brings: an installed tool, or the wrapper of
// Gradle or Maven.
func OfProject(folder, program string) bool {
	return slices.Contains(projectFolders, folder) || folder == "./" && (program == "gradlew" || program == "mvnw")
}
