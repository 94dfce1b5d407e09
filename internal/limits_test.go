package layout_test

import (
	"go/ast"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Limits that hold everywhere. What exceeded one of them when it was introduced has a limit of its own in the table
// beside it, which is only lowered.
const (
	maxFile     = 400 // lines
	maxPackage  = 2500
	maxExported = 25 // functions, and types with methods
	maxMethods  = 30 // of one type
	maxKnot     = 6  // files of a package that all need one another
	maxRun      = 30 // lines of what a command runs, and of each function that it calls
	maxWidth    = 160
	wantedWidth = 120
	maxWide     = 600 // lines over wantedWidth
	maxChildren = 18  // folders of internal/
	maxArrows   = 115 // imports from folder to folder
)

// largePackages lists the packages over maxPackage lines.
var largePackages = map[string]int{
	"cmd/bench": 2675, "internal/boundary/shell": 4200,
	"internal/requirements/reqdoc": 4150,
}

// manyExported lists the packages over maxExported; a vocabulary is a package of names and data.
var manyExported = map[string]int{"internal/ledger/audit": 29}

// manyMethods lists the types over maxMethods.
var manyMethods = map[string]int{
	"cmd/bench.bench": 35, "internal/boundary/shell.call": 41, "internal/boundary/shell.walker": 40,
	"internal/conductor.run": 42, "internal/ledger/store/onefile.Store": 44,
	"internal/requirements/reqdoc.collector": 49,
}

// largeKnots lists the packages with a knot over maxKnot files.
var largeKnots = map[string]int{
	"cmd/bench": 8, "internal/boundary/shell": 19, "internal/conductor": 14,
	"internal/ledger/store/onefile": 8, "internal/requirements/evidence": 10,
	"internal/requirements/reqdoc": 25, "internal/rules/lifecycle": 11,
	"internal/system/runner": 7,
}

// within requires of each figure that it is at most the limit, or at most what the table of exceptions says, and of
// each exception that it is needed and no higher than it must be.
func within(t *testing.T, figures map[string]int, limit int, exceptions map[string]int) {
	t.Helper()
	for name, n := range figures {
		most, excepted := exceptions[name]
		if !excepted {
			most = limit
		}
		require.LessOrEqual(t, n, most, "%s has %d, at most %d are allowed", name, n, most)
		if excepted {
			require.Greater(t, n, limit, "the exception for %s is not needed any more", name)
			require.GreaterOrEqual(t, n, most*9/10, "%s has %d: lower its exception of %d", name, n, most)
		}
	}
	for name := range exceptions {
		require.Contains(t, figures, name, "there is no %s any more", name)
	}
}

func TestFilesStaySmall(t *testing.T) {
	for _, p := range parseAll(t) {
		for _, f := range p.files {
			require.LessOrEqual(t, strings.Count(f.source, "\n"), maxFile, "%s/%s", p.ImportPath, f.name)
		}
	}
}

func TestPackagesStaySmall(t *testing.T) {
	figures := map[string]int{}
	for _, p := range parseAll(t) {
		figures[p.ImportPath] = p.lines()
	}
	within(t, figures, maxPackage, largePackages)
}

func TestExportedNamesDoNotGrow(t *testing.T) {
	figures := map[string]int{}
	for _, p := range parseAll(t) {
		figures[p.ImportPath] = p.exported()
	}
	within(t, figures, maxExported, manyExported)
}

func TestNoTypeDoesEverything(t *testing.T) {
	figures := map[string]int{}
	for _, p := range parseAll(t) {
		for name, n := range p.methods() {
			figures[p.ImportPath+"."+name] = n
		}
	}
	within(t, figures, maxMethods, manyMethods)
}

func TestKnotsOfFilesStaySmall(t *testing.T) {
	figures := map[string]int{}
	for _, p := range parseAll(t) {
		figures[p.ImportPath] = len(p.knot())
	}
	within(t, figures, maxKnot, largeKnots)
}

func TestLinesStayNarrow(t *testing.T) {
	wide := 0
	for _, p := range parseAll(t) {
		for _, f := range p.files {
			for n, line := range strings.Split(f.source, "\n") {
				w := width(line)
				require.LessOrEqual(t, w, maxWidth, "%s/%s:%d", p.ImportPath, f.name, n+1)
				if w > wantedWidth {
					wide++
				}
			}
		}
	}
	require.LessOrEqual(t, wide, maxWide, "lines over %d columns", wantedWidth)
}

// TestExportedFunctionsSayWhatTheyDo: a comment on a function begins with what it does, not with what it is.
func TestExportedFunctionsSayWhatTheyDo(t *testing.T) {
	for _, p := range parseAll(t) {
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && ast.IsExported(d.Name.Name) {
					require.NotEqual(t, "a noun", described(d), "%s: %s", p.fset.Position(d.Pos()), d.Doc.Text())
				}
			}
		}
	}
}

// TestTheHookStaysLight: the hook is started before every call of a tool, so it holds no more than it needs to judge
// one.
func TestTheHookStaysLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/orchestrator-hook").Output()
	require.NoError(t, err)
	var ours []string
	for path := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(path), "/")
		require.NotContains(t, []string{"crypto", "net", "log", "html"}, top, "it is slow to start: %s", path)
		if name, is := strings.CutPrefix(strings.TrimSpace(path), module+"/"); is {
			ours = append(ours, name)
		}
	}
	require.ElementsMatch(t, []string{
		"cmd/orchestrator-hook", "internal/agentclient", "internal/agentclient/frontmatter",
		"internal/boundary/folder", "internal/boundary/hook",
		"internal/boundary/hook/gitindex", "internal/boundary/hook/skillfile", "internal/boundary/hook/stack", "internal/boundary/roster",
		"internal/boundary/shell",
		"internal/boundary/shell/escapes", "internal/boundary/shell/lists", "internal/boundary/shell/sedscript",
		"internal/boundary/shell/toolchain", "internal/fault",
		"internal/rules/boundary", "internal/rules/boundary/glob", "internal/rules/boundary/mention",
		"internal/rules/boundary/share", "internal/strictjson",
		"internal/system/durable", "internal/system/jsonobject", "internal/system/lazyregexp", "internal/system/shellquote", "internal/system/tree",
	}, ours)
}

// maxAtStart is how many bytes a package may allocate before main begins.
const maxAtStart = 64 << 10

// atStart is what GODEBUG=inittrace=1 tells of the start of a package.
var atStart = regexp.MustCompile(`(?m)^init (\S+) @.*, (\d+) bytes, \d+ allocs$`)

// TestTheStartIsLight: each command begins with the variables of all packages, whatever it needs of them.
func TestTheStartIsLight(t *testing.T) {
	program := filepath.Join(t.TempDir(), "orchestrator")
	out, err := exec.Command("go", "build", "-o", program, module+"/cmd/orchestrator").CombinedOutput()
	require.NoError(t, err, string(out))
	version := exec.Command(program, "version")
	version.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err = version.CombinedOutput()
	require.NoError(t, err, string(out))
	ours := map[string]int{}
	for _, found := range atStart.FindAllStringSubmatch(string(out), -1) {
		if name, is := strings.CutPrefix(found[1], module+"/"); is {
			ours[name], err = strconv.Atoi(found[2])
			require.NoError(t, err)
		}
	}
	require.NotEmpty(t, ours)
	within(t, ours, maxAtStart, nil)
}

func TestThereAreFewFolders(t *testing.T) {
	var sum figures
	for _, p := range parseAll(t) {
		sum.addImports(p)
	}
	require.LessOrEqual(t, len(sum.children), maxChildren, "folders of internal/: %v",
		slices.Sorted(maps.Keys(sum.children)))
	require.LessOrEqual(t, len(sum.arrows), maxArrows, "imports from folder to folder")
}
