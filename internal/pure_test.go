package layout_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pure packages do no I/O, read no clock and draw no randomness, and import no package of ours that might.
var pure = []string{
	"internal/rules/lifecycle", "internal/rules/boundary", "internal/rules/planning", "internal/rules/planning/flow",
	"internal/rules/actorname", "internal/rules/claiming",
	"internal/rules/renaming", "internal/rules/repeating", "internal/rules/boundary/glob", "internal/rules/boundary/share",
	"internal/rules/boundary/mention",
	"internal/system/jsonobject", "internal/system/lazyregexp", "internal/system/shellquote",
	"internal/boundary/shell", "internal/boundary/shell/escapes", "internal/boundary/shell/lists",
	"internal/boundary/shell/sedscript", "internal/boundary/shell/toolchain", "internal/agentclient", "internal/ledger/audit",
	"internal/ledger/store/onefile/file", "internal/strictjson", "internal/secret",
	"internal/fault", "internal/requirements/review", "internal/requirements/review/render",
	"internal/requirements/reqdoc", "internal/requirements/reqid", "internal/requirements/markdown",
	"internal/requirements/placeholder", "internal/requirements/statusmark", "internal/requirements/vocabulary",
	"internal/requirements/idmatch", "internal/requirements/testreport", "internal/requirements/decision",
	"internal/requirements/account", "internal/requirements/qualify", "internal/requirements/circles",
	"internal/requirements/pending", "internal/requirements/deltas", "internal/requirements/ahead",
	"internal/requirements/finished", "internal/requirements/guidance", "internal/requirements/encode",
	"internal/conductor/agreement", "internal/conductor/arith",
	"internal/conductor/datalog", "internal/conductor/lettercount", "internal/conductor/normalize",
}

// besidesPure lists the few imports of pure packages that are not pure, each with its reason.
var besidesPure = map[string]map[string]string{
	"internal/requirements/decision": {
		"internal/requirements/record": "has the size of a small change, a constant",
		"schemas":                      "validates against documents that are embedded in the program",
	},
}

// impure lists the packages that pure ones do not import.
var impure = []string{
	"os", "net", "net/http", "io/fs", "io/ioutil", "syscall", "log", "log/slog", "runtime", "plugin", "testing",
	"math/rand", "math/rand/v2", "hash/maphash", "crypto/rand", "path/filepath", "database/sql", "golang.org/x/sys",
}

// impureNames lists, of packages that pure ones may import, the names that read the clock or the machine, or wait.
var impureNames = map[string][]string{
	"time": {
		"Now", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Sleep", "Local", "LoadLocation",
	},
	"fmt":     {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
}

func TestPurePackagesStayPure(t *testing.T) {
	seen, used := map[string]bool{}, map[string]bool{}
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.ImportPath) {
			continue
		}
		seen[p.ImportPath] = true
		for _, path := range p.Imports {
			require.False(t, isImpure(path), "%s imports %s", p.ImportPath, path)
		}
		for _, path := range ours(p.Imports) {
			if !slices.Contains(pure, path) {
				require.NotEmpty(t, besidesPure[p.ImportPath][path], "%s imports %s, which is not pure", p.ImportPath, path)
				used[p.ImportPath+" "+path] = true
			}
		}
		for _, file := range p.AllFiles {
			require.Empty(t, impureUses(t, p.source(t, file)), "%s/%s", p.ImportPath, file)
		}
	}
	for _, name := range pure {
		require.True(t, seen[name], "%s is named as pure and does not exist", name)
	}
	for from, paths := range besidesPure {
		for to := range paths {
			require.True(t, used[from+" "+to], "the exception for %s → %s is not needed", from, to)
		}
	}
}

// isImpure reports whether an import is an impure package or lies below one; of what lies below net, addresses are
// data.
func isImpure(path string) bool {
	if path == "net/url" || path == "net/netip" || path == "net/mail" {
		return false
	}
	return slices.ContainsFunc(impure, func(name string) bool { return path == name || strings.HasPrefix(path, name+"/") })
}

// impureUses returns the impure names that a file uses of the packages it imports.
func impureUses(t *testing.T, source string) (found []string) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	require.NoError(t, err)
	imported := map[string]string{} // by the name in the file
	for _, spec := range syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		name := filepath.Base(path)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		require.False(t, name == "." && impureNames[path] != nil, "import . %q hides what is used of it", path)
		imported[name] = path
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		selected, is := n.(*ast.SelectorExpr)
		if !is {
			return true
		}
		of, is := selected.X.(*ast.Ident)
		if is && of.Obj == nil && slices.Contains(impureNames[imported[of.Name]], selected.Sel.Name) {
			found = append(found, of.Name+"."+selected.Sel.Name)
		}
		return true
	})
	return found
}

// TestImpureUsesAreFound under whatever name their package is imported.
func TestImpureUsesAreFound(t *testing.T) {
	const head = "package p\n\nimport (\n\t\"context\"\n\t\"time\"\n\tclock \"time\"\n)\n\n"
	for code, want := range map[string][]string{
		"var at = time.Now()":                                    {"time.Now"},
		"var read = clock.Now":                                   {"clock.Now"},
		"func f(at time.Time) { _ = time.Since(at) }":            {"time.Since"},
		"func f() { <-time.After(1); time.Sleep(1) }":            {"time.After", "time.Sleep"},
		"var _, _ = context.WithTimeout(nil, 1)":                 {"context.WithTimeout"},
		"func f(at time.Time) bool { return at.After(at) }":      nil,
		"func f(time struct{ Now int }) int { return time.Now }": nil,
		"var day = 24 * time.Hour":                               nil,
	} {
		require.Equal(t, want, impureUses(t, head+code), code)
	}
}
