package layout_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxPage is the size of the README and of each page, in bytes.
const maxPage = 12_000

func TestPagesAreShort(t *testing.T) {
	for _, p := range readPages(t) {
		if strings.HasPrefix(p.path, "docs/") || p.path == "README.md" {
			require.LessOrEqual(t, p.size, maxPage, p.path)
		}
	}
}

func TestLinksInPagesResolve(t *testing.T) {
	pages := readPages(t)
	for _, p := range pages {
		for _, link := range p.links {
			if strings.Contains(link, "://") {
				continue
			}
			path, anchor, _ := strings.Cut(link, "#")
			target := p.path
			if path != "" {
				target = filepath.Join(filepath.Dir(p.path), path)
			}
			_, err := os.Stat(filepath.Join("..", target))
			require.NoError(t, err, "%s links to %s", p.path, link)
			require.True(t, anchor == "" || pages[target].anchors[anchor], "%s links to %s, which is no heading", p.path, link)
		}
	}
}

// TestEveryPageIsLinkedFromTheReadme: a page that no index names is not read.
func TestEveryPageIsLinkedFromTheReadme(t *testing.T) {
	pages := readPages(t)
	for path := range pages {
		if path != "README.md" && path != "REQUIREMENTS.md" {
			require.Contains(t, pages["README.md"].links, path)
		}
	}
}

// TestCommandsInPagesNameTests: go test exits with 0 where a pattern matches nothing.
func TestCommandsInPagesNameTests(t *testing.T) {
	_, scripts := testsOfTheTree(t)
	found := 0
	for _, p := range readPages(t) {
		for _, call := range p.commands() {
			if call[0] == "go" && call[1] == "test" && slices.ContainsFunc(call, isOurs) {
				requireTests(t, p.path, call[2:], scripts)
				found++
			}
		}
	}
	require.Greater(t, found, 20)
}

func isOurs(word string) bool { return strings.HasPrefix(word, "./") && word != "./..." }

// requireTests fails unless each package of a go test command exists and each alternative of its pattern matches a
// test, a fuzz target or a benchmark of them; and a script where it names one.
func requireTests(t *testing.T, path string, args []string, scripts map[string]bool) {
	t.Helper()
	pattern, names := "", []string(nil)
	for i, arg := range args {
		switch {
		case isOurs(arg):
			found := testsBelow(t, arg)
			require.NotEmpty(t, found, "%s: %v: %s has no tests", path, args, arg)
			names = append(names, found...)
		case i > 0 && (args[i-1] == "-run" || args[i-1] == "-bench") && arg != "^$":
			pattern = arg
		}
	}
	for alternative := range strings.SplitSeq(pattern, "|") {
		function, subtest, _ := strings.Cut(alternative, "/")
		matches := func(name string) bool { return regexp.MustCompile(function).MatchString(name) }
		require.True(t, slices.ContainsFunc(names, matches), "%s: %v: no test matches %s", path, args, function)
		if strings.HasSuffix(function, "Scripts") || strings.HasSuffix(function, "Transcripts") {
			require.True(t, scripts[subtest+".txtar"] || scripts[subtest+".transcript"], "%s: %v: no script %s", path, args, subtest)
		}
	}
}

// testsBelow returns the tests of a package pattern, such as ./internal/ledger or ./internal/....
func testsBelow(t *testing.T, pattern string) (names []string) {
	t.Helper()
	root, recursive := strings.CutSuffix(pattern, "/...")
	root = filepath.Join("..", root)
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && !recursive:
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			content, err := os.ReadFile(path)
			for _, name := range declaredTest.FindAllSubmatch(content, -1) {
				names = append(names, string(name[1]))
			}
			return err
		}
		return nil
	}))
	return names
}

func TestMakeTargetsInPagesExist(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	found := 0
	for _, p := range readPages(t) {
		for _, call := range p.commands() {
			if call[0] != "make" {
				continue
			}
			for _, target := range call[1:] {
				if target != "" && !strings.Contains(target, "=") {
					require.Regexp(t, `(?m)^`+regexp.QuoteMeta(target)+`:`, string(makefile), "%s: make %s", p.path, target)
					found++
				}
			}
		}
	}
	require.Greater(t, found, 5)
}

func TestPathsInPagesExist(t *testing.T) {
	named := regexp.MustCompile(`(?:^|[\s(/])((?:internal|cmd|schemas|api|testdata)/[\w./-]*\w)`)
	found := 0
	for _, p := range readPages(t) {
		for _, code := range p.code {
			for _, match := range named.FindAllStringSubmatch(code, -1) {
				_, err := os.Stat(filepath.Join("..", match[1]))
				require.NoError(t, err, "%s names %s", p.path, match[1])
				found++
			}
		}
	}
	require.Greater(t, found, 20)
}

// TestTheReadmeListsTheFoldersOfInternal holds the README's tree to the folders that are there.
func TestTheReadmeListsTheFoldersOfInternal(t *testing.T) {
	var tree string
	for _, code := range readPages(t)["README.md"].code {
		if _, below, found := strings.Cut(code, "\ninternal/\n"); found {
			tree = below
		}
	}
	var listed []string
	for line := range strings.Lines(tree) {
		names, _, _ := strings.Cut(strings.TrimSpace(line), "   ")
		listed = append(listed, strings.Fields(names)...)
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, entry.Name())
		}
	}
	require.ElementsMatch(t, folders, listed)
}

// TestTheThreatModelNamesTestsThatExist: a claim without its test is a wish.
func TestTheThreatModelNamesTestsThatExist(t *testing.T) {
	functions, scripts := testsOfTheTree(t)
	named := regexp.MustCompile(`^((?:Test|Fuzz|Benchmark)[A-Za-z0-9_]+|[a-z_]+\.txtar)$`)
	pages := readPages(t)
	for path, least := range map[string]int{
		"docs/threat-model.md": 40, "docs/files.md": 10, "docs/architecture.md": 5, "CONTRIBUTING.md": 10,
	} {
		found := 0
		for _, code := range pages[path].code {
			if name := named.FindString(code); name != "" {
				require.True(t, functions[name] || scripts[name], "%s names %s, which is no test", path, name)
				found++
			}
		}
		require.Greater(t, found, least, path)
	}
}

// TestEveryLawIsListed: a rule that only its test knows is found by breaking it.
func TestEveryLawIsListed(t *testing.T) {
	noLaws := []string{ // tests of what the laws are made of, and the figures
		"TestFigures", "TestImpureUsesAreFound", "TestReceiversAreNamed", "TestCommentsThatBeginWithAVerb",
	}
	listed := readPages(t)["CONTRIBUTING.md"].code
	for _, name := range testsBelow(t, "./internal") {
		require.NotEqual(t, slices.Contains(noLaws, name), slices.Contains(listed, name), "CONTRIBUTING.md and %s", name)
	}
}

// TestTheWaysNameFunctionsThatExist: a way through the code is of use as long as its functions are found.
func TestTheWaysNameFunctionsThatExist(t *testing.T) {
	named := regexp.MustCompile(`^((?:[a-z]+/)*[a-z]+)\.(?:([A-Za-z]+)\.)?([A-Za-z]+)$`)
	found := 0
	for _, code := range readPages(t)["docs/architecture.md"].code {
		match := named.FindStringSubmatch(code)
		if match == nil || match[3] == "go" || match[3] == "yaml" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(match[1], "*.go"))
		require.NoError(t, err)
		receiver := ""
		if match[2] != "" {
			receiver = `\(\w+ \*?` + match[2] + `(?:\[\w+\])?\) `
		}
		declared := regexp.MustCompile(`(?m)^func ` + receiver + match[3] + `[\[(]`)
		require.True(t, slices.ContainsFunc(files, func(path string) bool {
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			return declared.Match(source)
		}), "docs/architecture.md names %s", code)
		found++
	}
	require.Greater(t, found, 40)
}

var declaredTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)[A-Za-z0-9_]*)\(`)

// testsOfTheTree returns the names of all test functions, and of all scripts and transcripts.
func testsOfTheTree(t *testing.T) (functions, scripts map[string]bool) {
	t.Helper()
	functions, scripts = map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != "..":
			return filepath.SkipDir
		case strings.HasSuffix(path, ".txtar"), strings.HasSuffix(path, ".transcript"):
			scripts[entry.Name()] = true
		case strings.HasSuffix(path, "_test.go"):
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, name := range declaredTest.FindAllSubmatch(content, -1) {
				functions[string(name[1])] = true
			}
		}
		return nil
	})
	require.NoError(t, err)
	return functions, scripts
}
