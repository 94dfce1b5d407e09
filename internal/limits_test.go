package layout_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Limits that hold everywhere. What was over one of them when it came stands in the table beside it with its figure,
// which may go down and never up.
const (
	maxFile      = 400 // lines
	maxPackage   = 2500
	maxExported  = 25 // functions, and types with methods
	maxMethods   = 30 // of one type
	maxKnot      = 6  // files of a package that all need one another
	maxRun       = 30 // lines of what a command runs
	maxWidth     = 160
	wantedWidth  = 120
	maxWide      = 600 // lines over wantedWidth
	maxChildren  = 17  // folders of internal/
	maxRoomLinks = 85  // arrows between rooms
)

// largePackages lists the packages over maxPackage lines.
var largePackages = map[string]int{}

// manyExported lists the packages over maxExported; a vocabulary is a package of names and data.
var manyExported = map[string]int{}

// manyMethods lists the types over maxMethods.
var manyMethods = map[string]int{}

// largeKnots lists the packages with a knot over maxKnot files.
var largeKnots = map[string]int{}

// longCommands lists the commands of cmd/orchestrator over maxRun lines.
var longCommands = map[string]int{}

// file is a production file, parsed.
type file struct {
	name   string
	source string
	ast    *ast.File
}

// room is a production package, parsed.
type parsed struct {
	pkg
	fset  *token.FileSet
	files []file
}

func parseAll(t *testing.T) []parsed {
	t.Helper()
	var all []parsed
	for _, p := range packages(t) {
		one := parsed{pkg: p, fset: token.NewFileSet()}
		for _, name := range p.GoFiles {
			source := p.source(t, name)
			syntax, err := parser.ParseFile(one.fset, filepath.Join(p.Dir, name), source, parser.ParseComments)
			require.NoError(t, err)
			one.files = append(one.files, file{name, source, syntax})
		}
		all = append(all, one)
	}
	return all
}

// width returns the columns of a line, a tab being four.
func width(line string) int { return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) }

func (p parsed) lines() (n int) {
	for _, f := range p.files {
		n += strings.Count(f.source, "\n")
	}
	return n
}

// exported counts the exported functions and the exported types with exported methods or exported constructors' results.
func (p parsed) exported() int {
	names := map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() {
				if name := receiver(d); name == "" {
					names[d.Name.Name] = true
				} else if ast.IsExported(name) {
					names[name] = true
				}
			}
		}
	}
	return len(names)
}

// receiver returns the name of the type that d is a method of, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.Ident:
			return of.Name
		default:
			return "?"
		}
	}
}

// methods counts the methods of each type.
func (p parsed) methods() map[string]int {
	count := map[string]int{}
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil {
				count[receiver(d)]++
			}
		}
	}
	return count
}

// knot returns the files of the largest group of which each needs, directly or by others, all the rest.
func (p parsed) knot() []string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	var syntax []*ast.File
	for _, f := range p.files {
		syntax = append(syntax, f.ast)
	}
	// Names of other packages stay unknown, and what is wrong by that does not matter here.
	config := types.Config{Importer: nowhere{}, Error: func(error) {}, FakeImportC: true}
	own, _ := config.Check(p.ImportPath, p.fset, syntax, info)
	needs := map[string]map[string]bool{}
	for id, o := range info.Uses {
		if o.Pkg() != own || !o.Pos().IsValid() || o.Parent() != own.Scope() && !isMethod(o) {
			continue
		}
		from, to := filepath.Base(p.fset.Position(id.Pos()).Filename), filepath.Base(p.fset.Position(o.Pos()).Filename)
		if from != to {
			if needs[from] == nil {
				needs[from] = map[string]bool{}
			}
			needs[from][to] = true
		}
	}
	return largestKnot(needs)
}

func isMethod(o types.Object) bool {
	f, is := o.(*types.Func)
	return is && f.Signature().Recv() != nil
}

type nowhere struct{}

func (nowhere) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// largestKnot returns the largest strongly connected part of a graph.
func largestKnot(needs map[string]map[string]bool) (largest []string) {
	reach := func(from string) map[string]bool {
		seen, next := map[string]bool{}, []string{from}
		for len(next) > 0 {
			at := next[0]
			next = next[1:]
			for to := range needs[at] {
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		return seen
	}
	reached := map[string]map[string]bool{}
	for from := range needs {
		reached[from] = reach(from)
	}
	for from := range needs {
		var knot []string
		for to := range reached[from] {
			if reached[to][from] {
				knot = append(knot, to)
			}
		}
		if len(knot) > len(largest) {
			largest = knot
		}
	}
	sort.Strings(largest)
	return largest
}

// commands returns the lines of each function that a command of cobra runs in its place.
func (p parsed) commands() map[string]int {
	lines := map[string]int{}
	for _, f := range p.files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, named := pair.Key.(*ast.Ident)
			run, literal := pair.Value.(*ast.FuncLit)
			if named && literal && key.Name == "RunE" {
				at := p.fset.Position(run.Pos())
				lines[fmt.Sprintf("%s:%d", f.name, at.Line)] = p.fset.Position(run.End()).Line - at.Line + 1
			}
			return true
		})
	}
	return lines
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

func TestCommandsCallAndPrint(t *testing.T) {
	for _, p := range parseAll(t) {
		if p.ImportPath == "cmd/orchestrator" {
			within(t, p.commands(), maxRun, longCommands)
		}
	}
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

// described returns how the comment of a function begins: "a verb", "a noun", "a predicate" that is not introduced by
// "reports whether", or "" where there is none.
func described(d *ast.FuncDecl) string {
	words := strings.Fields(d.Doc.Text())
	if len(words) < 2 || words[0] != d.Name.Name {
		return ""
	}
	switch words[1] {
	case "is", "are", "has", "have", "was", "were", "says", "tells":
		return "a noun"
	}
	return "a verb"
}

// The hook is started before every call of a tool, so it holds no more than it needs to judge one.
func TestTheHookStaysLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", module+"/cmd/orchestrator-hook").Output()
	require.NoError(t, err)
	var ours []string
	for path := range strings.Lines(string(out)) {
		if name, is := strings.CutPrefix(strings.TrimSpace(path), module+"/"); is {
			ours = append(ours, name)
		}
	}
	require.ElementsMatch(t, []string{
		"cmd/orchestrator-hook", "internal/agentclient", "internal/boundary/folder", "internal/boundary/hook",
		"internal/boundary/shell", "internal/fault", "internal/rules/boundary", "internal/strictjson",
		"internal/system/durable", "internal/system/tree",
	}, ours)
}

// TestFigures prints the figures that the limits are about: go test -count=1 -v -run Figures ./internal
func TestFigures(t *testing.T) {
	all := parseAll(t)
	rooms, links, children, wide, wider, lines, tokens, nouns, predicates := map[string]bool{}, map[string]bool{}, map[string]bool{}, 0, 0, 0, 0, 0, 0
	var perFile, perFunction []int
	var packagesBy, exportedBy, methodsBy, knotsBy []string
	for _, p := range all {
		rooms[roomOf(p.ImportPath)] = true
		if name, is := strings.CutPrefix(roomOf(p.ImportPath), "internal/"); is {
			children[name] = true
		}
		for _, path := range p.Imports {
			if ours, is := strings.CutPrefix(path, module+"/"); is && roomOf(ours) != roomOf(p.ImportPath) {
				links[roomOf(p.ImportPath)+" "+roomOf(ours)] = true
			}
		}
		packagesBy = append(packagesBy, fmt.Sprintf("%6d %s", p.lines(), p.ImportPath))
		exportedBy = append(exportedBy, fmt.Sprintf("%6d %s", p.exported(), p.ImportPath))
		for name, n := range p.methods() {
			methodsBy = append(methodsBy, fmt.Sprintf("%6d %s.%s", n, p.ImportPath, name))
		}
		knotsBy = append(knotsBy, fmt.Sprintf("%6d %s", len(p.knot()), p.ImportPath))
		lines += p.lines()
		for _, f := range p.files {
			perFile = append(perFile, strings.Count(f.source, "\n"))
			for line := range strings.Lines(f.source) {
				if w := width(strings.TrimSuffix(line, "\n")); w > wantedWidth {
					wide++
					if w > maxWidth {
						wider++
					}
				}
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if n != nil {
					tokens++
				}
				if d, ok := n.(*ast.FuncDecl); ok && d.Body != nil {
					perFunction = append(perFunction, p.fset.Position(d.End()).Line-p.fset.Position(d.Pos()).Line+1)
					if described(d) == "a noun" {
						nouns++
						if d.Name.IsExported() {
							predicates++
						}
					}
				}
				return true
			})
		}
	}
	sort.Ints(perFile)
	sort.Ints(perFunction)
	share := func(of []int, hundredths int) int { return of[min(len(of)-1, len(of)*hundredths/100)] }
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	row := func(what string, figure any) { fmt.Fprintf(w, "%s\t%v\n", what, figure) }
	row("packages", len(all))
	row("rooms (folders of cmd and internal, api, schemas)", len(rooms))
	row("children of internal/", len(children))
	row("arrows between rooms", len(links))
	row("production lines", lines)
	row("nodes of the syntax", tokens)
	row("files: median, p90, longest", []int{share(perFile, 50), share(perFile, 90), perFile[len(perFile)-1]})
	row("functions: number, median, p90, p99, longest", []int{len(perFunction), share(perFunction, 50), share(perFunction, 90), share(perFunction, 99), perFunction[len(perFunction)-1]})
	row("lines over 120 and 160 columns", []int{wide, wider})
	row("function comments that begin with a noun, of these exported", []int{nouns, predicates})
	require.NoError(t, w.Flush())
	for name, list := range map[string][]string{"largest packages": packagesBy, "most exported functions and types with methods": exportedBy, "types with most methods": methodsBy, "largest knots of files": knotsBy} {
		slices.Sort(list)
		slices.Reverse(list)
		fmt.Fprintf(&b, "%s:\n%s\n", name, strings.Join(list[:min(12, len(list))], "\n"))
	}
	t.Log("\n" + b.String())
}
