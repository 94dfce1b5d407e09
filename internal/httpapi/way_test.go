package httpapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/lifecycle"
)

// withPatch tells TestOnePatch to make its PATCH; without it the service only starts and ends.
const withPatch = "ORCHESTRATOR_TEST_PATCH"

// TestOnePatch moves one requirement, in a database on disk, and waits for the export.
func TestOnePatch(t *testing.T) {
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "state.db"), boltstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	h := newHarness(t, func(o *options) { o.Store = s })
	if os.Getenv(withPatch) == "no" {
		return
	}
	h.patch("pm", move(lifecycle.Planned), "If-Match", `"1"`)
}

// TestTheWayOfAPatch: every function that docs/architecture.md lists on the way of one PATCH exists and runs there, and
// there are 28 at most. A service that starts and ends runs less of each than one that takes a PATCH meanwhile.
func TestTheWayOfAPatch(t *testing.T) {
	way := wayOfAPatch(t)
	require.LessOrEqual(t, len(way), 28)
	var packages []string
	for _, f := range way {
		packages = append(packages, "orchestrator/internal/"+f.folder)
	}
	slices.Sort(packages)
	program := filepath.Join(t.TempDir(), "counted.test")
	build := exec.Command("go", "test", "-c", "-o", program, "-covermode=count",
		"-coverpkg="+strings.Join(slices.Compact(packages), ","), ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	with, without := countedRun(t, program, "yes"), countedRun(t, program, "no")
	for _, f := range way {
		file, from, to := f.lines(t)
		require.Greater(t, with.in(file, from, to), without.in(file, from, to), "%s does not run in a PATCH", f)
	}
}

// function is one function of the way: its package below internal, its receiver, which may be missing, and its name.
type function struct{ folder, receiver, name string }

func (f function) String() string { return f.folder + "." + f.receiver + "." + f.name }

var listedFunction = regexp.MustCompile("(?m)^\\| *[0-9]+ \\| `([a-z/]+)\\.(?:([A-Za-z]+)\\.)?([A-Za-z]+)` ")

// wayOfAPatch reads the table of the functions.
func wayOfAPatch(t *testing.T) (way []function) {
	t.Helper()
	page, err := os.ReadFile("../../docs/architecture.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## The way of one PATCH\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	for _, m := range listedFunction.FindAllStringSubmatch(section, -1) {
		way = append(way, function{m[1], m[2], m[3]})
	}
	require.Greater(t, len(way), 20)
	return way
}

// lines returns where the function stands.
func (f function) lines(t *testing.T) (file string, from, to int) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", f.folder, "*.go"))
	require.NoError(t, err)
	set := token.NewFileSet()
	for _, path := range paths {
		parsed, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			fn, is := d.(*ast.FuncDecl)
			if is && fn.Name.Name == f.name && receiverOf(fn) == f.receiver {
				file = "orchestrator/internal/" + f.folder + "/" + filepath.Base(path)
				return file, set.Position(fn.Pos()).Line, set.Position(fn.End()).Line
			}
		}
	}
	require.Fail(t, "there is no such function", "%s", f)
	return "", 0, 0
}

func receiverOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	of := fn.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	if generic, is := of.(*ast.IndexExpr); is {
		of = generic.X
	}
	return of.(*ast.Ident).Name
}

// counts says how often each block of a program was run.
type counts []block

type block struct {
	file        string
	line, times int
}

// in adds up how often the blocks of some lines were run.
func (c counts) in(file string, from, to int) (times int) {
	for _, b := range c {
		if b.file == file && from <= b.line && b.line <= to {
			times += b.times
		}
	}
	return times
}

var countedBlock = regexp.MustCompile(`(?m)^(\S+):([0-9]+)\.[0-9]+,\S+ [0-9]+ ([0-9]+)$`)

// countedRun runs TestOnePatch with its PATCH or without.
func countedRun(t *testing.T, program, patch string) (c counts) {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "profile")
	run := exec.Command(program, "-test.run=^TestOnePatch$", "-test.coverprofile="+profile)
	run.Env = append(os.Environ(), withPatch+"="+patch)
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	lines, err := os.ReadFile(profile)
	require.NoError(t, err)
	for _, m := range countedBlock.FindAllStringSubmatch(string(lines), -1) {
		line, _ := strconv.Atoi(m[2])
		times, _ := strconv.Atoi(m[3])
		c = append(c, block{m[1], line, times})
	}
	return c
}
