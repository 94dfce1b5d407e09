package httpapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// answering are the packages whose faults become answers.
var answering = []string{"httpapi", "requirements", "rules/lifecycle", "strictjson", "requirements/reqdoc", "requirements/markdown", "ledger", "ledger/store", "requirements/testreport", "boundary/control", "boundary/report", "boundary/folder", "rules/boundary", "conductor", "conductor/language", "conductor/contract"}

// neverAnswered are the codes in those packages that no request meets, and why.
var neverAnswered = map[string]string{
	"no_obligations": "becomes invalid_obligations",
	"too_much_held":  "stands in a trace", "subject_forbidden": "stands in a trace", "answer_differs": "stands in a trace", "answer_contradicted": "stands in a trace",
	"tool_missing":           "stands in a trace",
	"tool_defect":            "stands in a trace",
	"tool_answer":            "stands in a trace",
	"answer_not_held":        "stands in a trace",
	"translation_invalid":    "becomes a CLARIFY",
	"rephrasing_refused":     "stands in a trace",
	"llm_setting":            "start",
	"tools_invalid":          "start",
	"tools_unreadable":       "start",
	"tools_digest":           "start",
	"unknown_input":          "stands in a trace",
	"input_invalid":          "stands in a trace",
	"result_invalid":         "stands in a trace",
	"bypass_duration":        "orchestrator boundary bypass",
	"grants_unreadable":      "orchestrator boundary bypass",
	"invalid_policy":         "becomes policy_unreadable",
	"journal_missing":        "orchestrator boundary replay",
	"unknown_decision":       "orchestrator boundary label",
	"unknown_label":          "orchestrator boundary label",
	"client_gone":            "its client is gone; TestAClientThatHangsUpIsNoDefect",
	"export_differs":         "orchestrator verify",
	"audit_key_changed":      "start",
	"audit_origin_changed":   "start",
	"no_audit_key":           "a service without a key, which serve does not start",
	"log_unfit":              "restore",
	"store_not_empty":        "restore",
	"export_invalid":         "orchestrator import without a service",
	"store_differs":          "start",
	"store_empty":            "orchestrator verify",
	"store_format":           "start",
	"store_of_another_log":   "start",
	"store_older":            "start",
	"unknown_family":         "a flag, which is checked at the start",
	"unknown_workflow":       "start",
	"illegal_id":             "becomes invalid_id, or document_invalid",
	"json_type":              "becomes schema_violation",
	"test_ambiguous":         "stands in errors of evidence_not_found",
	"test_missing":           "stands in errors of evidence_not_found",
	"unknown_role":           "becomes invalid_parameter",
	"evidence_not_looked_up": "stands in the trace of a VERIFY(requirement.evidence)",
}

// elsewhere are the documented codes of other packages.
var elsewhere = map[string]string{
	"requirements_unreadable": "internal/requirements/documents",
	"store_commit":            "internal/ledger/store/boltstore",
	"store_lost":              "internal/ledger/store/boltstore",
	"disk_full":               "internal/ledger/store/boltstore",
	"token_expired":           "internal/token",
	"token_unknown":           "internal/token",
}

func TestEveryCodeInTheSourceIsDocumented(t *testing.T) {
	inSource := map[string]bool{}
	for _, dir := range answering {
		maps.Copy(inSource, codesIn(t, filepath.Join("..", dir)))
	}
	for code, where := range elsewhere {
		require.Contains(t, codesIn(t, filepath.Join("../..", where)), code, "is no longer in %s", where)
		inSource[code] = true
	}
	for code := range neverAnswered {
		require.Contains(t, inSource, code, "is no longer in the source")
		delete(inSource, code)
	}
	require.Equal(t, slices.Sorted(maps.Keys(inSource)), slices.Sorted(maps.Keys(theContract().codes())))
}

func TestEveryCodeIsDocumentedWhereItIsAnswered(t *testing.T) {
	used := map[string]bool{}
	var visit func(node any)
	visit = func(node any) {
		object, _ := node.(map[string]any)
		for name, below := range object {
			if name == "x-problem-codes" {
				for _, code := range below.([]any) {
					used[code.(string)] = true
				}
				continue
			}
			visit(below)
		}
	}
	visit(theContract().root)
	require.Equal(t, slices.Sorted(maps.Keys(theContract().codes())), slices.Sorted(maps.Keys(used)))
}

// notOfEvidence are the codes of package evidence that say nothing of one piece of it, and why they are not answered.
var notOfEvidence = map[string]string{
	"git_missing":    "start",
	"no_repository":  "start",
	"object_missing": "becomes evidence_unreadable",
}

func TestEveryCodeOfEvidenceIsDocumented(t *testing.T) {
	inSource := map[string]bool{"evidence_unreadable": true}
	for _, dir := range []string{"requirements/evidence", "requirements/testreport"} {
		for _, f := range parseFolder(t, filepath.Join("..", dir)) {
			eachCall(f, func(_ *ast.FuncDecl, call *ast.CallExpr) {
				at := map[string]int{"refuse": 0, "fault.New": 1}
				if i, ok := at[name(call.Fun)]; ok {
					if code, ok := literal(call.Args[i]); ok {
						inSource[code] = true
					}
				}
			})
		}
	}
	for code := range notOfEvidence {
		require.Contains(t, inSource, code, "is no longer in the source")
		delete(inSource, code)
	}
	for _, path := range []string{"../rules/lifecycle/looked.go", "../requirements/attach.go"} {
		maps.Copy(inSource, fieldCodesIn(t, path))
	}
	require.Equal(t, slices.Sorted(maps.Keys(inSource)), slices.Sorted(maps.Keys(theContract().codesOf("EvidenceCode"))))
}

// fieldCodesIn are the codes of the fields of problems that one file makes.
func fieldCodesIn(t *testing.T, path string) map[string]bool {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	codes := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok && name(pair.Key) == "Code" {
			if code, ok := literal(pair.Value); ok {
				codes[code] = true
			}
		}
		return true
	})
	require.NotEmpty(t, codes, path)
	return codes
}

// codesIn are the codes given to fault.New in the files of one folder: as a literal, or through a function
// that hands one of its own parameters on.
func codesIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files := parseFolder(t, dir)
	codes, through := map[string]bool{}, map[string]int{}
	for _, f := range files {
		eachCall(f, func(fn *ast.FuncDecl, call *ast.CallExpr) {
			if name(call.Fun) != "fault.New" {
				return
			}
			if i := parameterIndex(fn, call.Args[1]); i >= 0 {
				through[fn.Name.Name] = i
				return
			}
			code, ok := literal(call.Args[1])
			// token_id_unknown and token_name_unknown are put together, and never answered over HTTP.
			require.True(t, ok || dir == filepath.Join("../..", "internal/token"), "%s: a code that is no literal", fn.Name)
			codes[code] = ok
		})
	}
	for _, f := range files {
		eachCall(f, func(fn *ast.FuncDecl, call *ast.CallExpr) {
			i, ok := through[name(call.Fun)[strings.LastIndex(name(call.Fun), ".")+1:]]
			if !ok {
				return
			}
			code, ok := literal(call.Args[i])
			require.True(t, ok, "%s: a code that is no literal", fn.Name)
			codes[code] = true
		})
	}
	return codes
}

func parseFolder(t *testing.T, dir string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, "%s: %v", dir, fs.ErrNotExist)
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	return files
}

func eachCall(f *ast.File, visit func(fn *ast.FuncDecl, call *ast.CallExpr)) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			fn = &ast.FuncDecl{Name: ast.NewIdent("a variable"), Type: &ast.FuncType{}}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				visit(fn, n)
			case *ast.CompositeLit:
				if name(n.Type) == "fault.Error" && len(n.Elts) > 0 {
					panic(fn.Name.Name + " makes a fault.Error without fault.New, where this test cannot see its code")
				}
			}
			return true
		})
	}
}

func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return name(e.X) + "." + e.Sel.Name
	}
	return ""
}

// parameterIndex is the position of e among the parameters of fn, or -1.
func parameterIndex(fn *ast.FuncDecl, e ast.Expr) int {
	id, ok := e.(*ast.Ident)
	if !ok || fn.Type.Params == nil {
		return -1
	}
	i := 0
	for _, group := range fn.Type.Params.List {
		for _, p := range group.Names {
			if p.Name == id.Name {
				return i
			}
			i++
		}
	}
	return -1
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
