package httpapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/rules/lifecycle"
)

// withPatch tells TestOnePatch to make its PATCH; without it the service only starts and ends.
const withPatch = "ORCHESTRATOR_TEST_PATCH"

// TestOnePatch moves one requirement, in a database on disk, and waits for the export. The file is not looked at from
// time to time: how often that happens depends on how long the test takes, and it runs what a PATCH runs.
func TestOnePatch(t *testing.T) {
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "state.db"), boltstore.Options{LookEvery: time.Hour, WAL: true})
	require.NoError(t, err)
	for range 64 { // from which on there is a write-ahead log
		require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error { return tx.Delete("t", "nothing") }))
	}
	require.Eventually(t, func() bool { return s.Stats().WAL }, time.Minute, time.Millisecond)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	h := newHarness(t, func(o *options) { o.Store = s })
	_, err = h.Service.Dossier(t.Context(), "REQ-001", false) // waits for what is read in the background at the start
	require.NoError(t, err)
	if os.Getenv(withPatch) == "no" {
		return
	}
	h.patch("pm", move(lifecycle.Planned), "If-Match", `"1"`)
}

// TestTheWayOfAPatch: every function that docs/architecture.md lists on the way of one PATCH exists and runs there, and
// there are 28 at most. A service that starts and ends runs less of each than one that takes a PATCH meanwhile.
//
// The other way round, what the PATCH runs just once more, and has more than maxHelper lines, is listed on the page or
// below. The body is decoded twice at most.
func TestTheWayOfAPatch(t *testing.T) {
	way := wayOfAPatch(t)
	require.LessOrEqual(t, len(way), 28)
	folders := []string{"strictjson"}
	for _, f := range way {
		folders = append(folders, f.folder)
	}
	slices.Sort(folders)
	folders = slices.Compact(folders)
	with, without := countedRuns(t, folders)
	declared := declaredIn(t, folders)
	for _, f := range way {
		at, exists := declared[f]
		require.True(t, exists, "there is no %s", f)
		require.Greater(t, with.in(at), without.in(at), "%s does not run in a PATCH", f)
	}
	listed := slices.Clone(way)
	for _, helpers := range besideTheWay {
		listed = append(listed, helpers...)
	}
	var once []function
	decoded := 0
	for f, at := range declared {
		more := at.runs(with, without)
		switch {
		case f.folder == "strictjson" && ast.IsExported(f.name):
			decoded += more
		case more == 1 && at.to-at.from >= maxHelper && !slices.Contains(inOneRow, f.folder) && f != ofTheExport:
			once = append(once, f)
		}
	}
	require.Equal(t, 2, decoded, "passes that decode the body")
	for _, f := range once {
		require.Contains(t, listed, f, "it runs in a PATCH: list it in docs/architecture.md, or beside the way")
	}
	for why, helpers := range besideTheWay {
		for _, f := range helpers {
			require.Contains(t, once, f, "it is listed to no end: %s", why)
		}
	}
}

// maxHelper is how many lines a function has that returns at once and is no step of its own.
const maxHelper = 12

// inOneRow are the folders that one row of the page stands for: what Workflow.Apply does, it does of data; the exporter
// runs beside the request, which waits for it.
var inOneRow = []string{"strictjson", "rules/lifecycle", "requirements/projection"}

// ofTheExport signs the checkpoint that is written with the export, beside the request and perhaps after it.
var ofTheExport = function{"requirements", "Log", "checkpointOf"}

// besideTheWay lists the further functions that run once in a PATCH, by the reason why the page does not list them.
var besideTheWay = map[string][]function{
	"take the actor from the token, for identify": {{"httpapi", "API", "recognize"}},
	"read one part of the request for readProposal": {
		{"httpapi/wire", "", "readHeld"}, {"httpapi/wire", "", "checkMediaType"}, {"httpapi/wire", "", "Query"},
		{"httpapi/wire", "", "IfMatch"}, {"httpapi/wire", "", "IdempotencyKey"},
	},
	"count and log what was answered, for observe": {
		{"httpapi", "metrics", "observe"}, {"httpapi", "API", "logRequest"},
	},
	"are the steps of Read and Decide": {
		{"requirements/decision", "", "changeOf"}, {"requirements/decision", "", "violations"},
		{"requirements/decision", "", "fill"}, {"requirements/decision", "", "namesIn"},
		{"requirements/decision", "", "checkCondition"},
	},
	"hold the evidence of the change against the branch, and do nothing where a change gives no report": {
		{"requirements", "Rechecker", "weigh"}, {"requirements", "", "recordChange"},
	},
	"bring commit and decide what they need": {
		{"requirements", "shared", "reader"},
	},
	"are the steps of Update and Publish": {
		{"ledger", "Ledger", "update"}, {"ledger", "Ledger", "begin"}, {"ledger", "Ledger", "readMark"},
		{"ledger", "charges", "add"}, {"ledger/order", "Published", "publishWaiting"},
		{"ledger/order", "Published", "tell"},
	},
	"encode what Append and the transaction write": {
		{"ledger/audit", "", "Encode"}, {"ledger/audit", "Record", "write"}, {"ledger", "mark", "encode"},
	},
	"are the steps of Put, Append and the transaction": {
		{"ledger", "Tx", "write"}, {"ledger", "Tx", "follow"}, {"ledger", "Tx", "charge"},
		{"ledger/audit", "Head", "seal"}, {"ledger/store/boltstore", "Store", "transact"},
		{"ledger/store/boltstore", "Store", "answer"}, {"ledger/store/tail", "Tail", "Write"},
		{"ledger/store/tail", "Tail", "readyWAL"}, {"ledger/store/wal", "Log", "Check"},
	},
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

// place is where a function stands: its lines in a file, and the lines of its body and of each function literal in it.
type place struct {
	file     string
	from, to int
	bodies   []span
}

type span struct{ from, to token.Position }

// declaredIn returns the functions of some folders of internal.
func declaredIn(t *testing.T, folders []string) map[function]place {
	t.Helper()
	all := map[function]place{}
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		require.NoError(t, err)
		for _, path := range paths {
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, d := range parsed.Decls {
				if fn, is := d.(*ast.FuncDecl); is && fn.Body != nil && !strings.HasSuffix(path, "_test.go") {
					at := placeOf(set, fn)
					at.file = internalPath + folder + "/" + filepath.Base(path)
					all[function{folder, receiverOf(fn), fn.Name.Name}] = at
				}
			}
		}
	}
	return all
}

func placeOf(set *token.FileSet, fn *ast.FuncDecl) place {
	at := place{from: set.Position(fn.Pos()).Line, to: set.Position(fn.End()).Line}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			at.bodies = append(at.bodies, span{set.Position(n.Body.Pos()), set.Position(n.End())})
		case *ast.FuncLit:
			at.bodies = append(at.bodies, span{set.Position(n.Body.Pos()), set.Position(n.End())})
		}
		return true
	})
	return at
}

// runs returns how often a function is entered with a PATCH and not without: itself, or a function literal in it,
// whichever is entered more often.
func (p place) runs(with, without counts) (times int) {
	for _, body := range p.bodies {
		times = max(times, with.entered(p.file, body)-without.entered(p.file, body))
	}
	return times
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
	file                string
	line, column, times int
}

// in adds up how often the blocks of a function were run.
func (c counts) in(p place) (times int) {
	for _, b := range c {
		if b.file == p.file && p.from <= b.line && b.line <= p.to {
			times += b.times
		}
	}
	return times
}

// entered returns how often the first block of a body was run.
func (c counts) entered(file string, body span) (times int) {
	first := body.to
	for _, b := range c {
		at := token.Position{Line: b.line, Column: b.column}
		if b.file == file && !isBefore(at, body.from) && isBefore(at, first) {
			first, times = at, b.times
		}
	}
	return times
}

func isBefore(a, b token.Position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// internalPath is the path of the folder internal in the module that the tests run in.
var internalPath = strings.TrimSuffix(reflect.TypeFor[httpapi.Config]().PkgPath(), "httpapi")

// countedRuns builds the tests with counters in some folders of internal, and runs TestOnePatch with its PATCH and
// without.
func countedRuns(t *testing.T, folders []string) (with, without counts) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "counted.test")
	packages := make([]string, len(folders))
	for i, folder := range folders {
		packages[i] = internalPath + folder
	}
	build := exec.Command("go", "test", "-c", "-o", program, "-covermode=count",
		"-coverpkg="+strings.Join(packages, ","), ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return fewestRuns(t, program, "yes"), fewestRuns(t, program, "no")
}

// fewestRuns runs TestOnePatch some times and returns the fewest runs of each block: what the start reads in the
// background reads the log in one piece or in two.
func fewestRuns(t *testing.T, program, patch string) counts {
	t.Helper()
	fewest := countedRun(t, program, patch)
	for range 5 {
		again := countedRun(t, program, patch)
		require.Len(t, again, len(fewest))
		for i, b := range again {
			fewest[i].times = min(fewest[i].times, b.times)
		}
	}
	return fewest
}

var countedBlock = regexp.MustCompile(`(?m)^(\S+):([0-9]+)\.([0-9]+),\S+ [0-9]+ ([0-9]+)$`)

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
		column, _ := strconv.Atoi(m[3])
		times, _ := strconv.Atoi(m[4])
		c = append(c, block{m[1], line, column, times})
	}
	return c
}
