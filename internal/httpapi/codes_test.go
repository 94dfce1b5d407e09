package httpapi_test

import (
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"

	"orchestrator/internal/fault"
)

// notAnswering are the packages whose errors become no answers but for the codes that are documented, and what becomes
// of them. A package that is not listed is taken to answer.
var notAnswering = map[string]string{
	"cmd/orchestrator/adoptcmd":              "the command line",
	"cmd/orchestrator/clientcmd":             "the command line",
	"internal/requirements/proposal":         "commands say it before they ask",
	"internal/system/editor":                 "the command line",
	"internal/system/outbound":               "stands in a trace",
	"internal/daemon/webhooks":               "the log of the service",
	"internal/operator/webhooks":             "the command line",
	"internal/webhook/folder":                "the command line",
	"internal/webhook/hook":                  "the command line",
	"internal/webhook/posting":               "the command line",
	"cmd/orchestrator":                       "start, or the command line",
	"cmd/orchestrator/boundarycmd":           "the command line",
	"cmd/orchestrator/cli":                   "the command line",
	"cmd/orchestrator/cli/setting":           "the command line",
	"cmd/orchestrator/conductcmd":            "the command line",
	"cmd/orchestrator/logcmd":                "the command line",
	"internal/agentclient":                   "the command line",
	"internal/conductor/worktree":            "stands in the report of a drive",
	"internal/agentclient/settings":          "the command line",
	"internal/apiclient":                     "the command line",
	"internal/auditor":                       "the command line",
	"internal/auditor/witness":               "the command line",
	"internal/boundary/doctor":               "the command line",
	"internal/boundary/install":              "the command line",
	"internal/conductor/arith":               "stands in a trace",
	"internal/conductor/datalog":             "stands in a trace",
	"internal/conductor/lettercount":         "stands in a trace",
	"internal/conductor/normalize":           "stands in a trace",
	"internal/conductor/prompt":              "stands in a trace",
	"internal/conductor/tools":               "stands in a trace",
	"internal/daemon":                        "start",
	"internal/daemon/listen":                 "start",
	"internal/daemon/project":                "start",
	"internal/operator/adopting":             "the command line",
	"internal/operator/applying":             "the command line",
	"internal/operator/config":               "the command line",
	"internal/operator/database":             "the command line",
	"internal/operator/doctor":               "the command line",
	"internal/operator/exportfile":           "start, and the command line",
	"internal/operator/keyfile":              "start, and the command line",
	"cmd/orchestrator/gitcmd":                "the command line",
	"internal/operator/localservice":         "the command line",
	"internal/system/gitignore":              "start, and the command line",
	"internal/system/marked":                 "set-up and the boundary's installation, on the command line",
	"internal/operator/merging":              "the command line",
	"internal/operator/offline":              "the command line",
	"internal/operator/since":                "the command line",
	"internal/operator/setup":                "the command line",
	"internal/operator/storage":              "start, and the command line",
	"internal/daemon/credentials":            "start, and the log of the service",
	"internal/operator/moving":               "the command line",
	"internal/ledger/moved":                  "start; later it becomes ledger_failed",
	"internal/ledger/store/pgstore":          "start; later it becomes store_unreachable, disk_full or ledger_failed",
	"internal/ledger/store/pgstore/schema":   "start",
	"internal/ledger/store/pgstore/session":  "start; later it becomes store_unreachable or disk_full",
	"internal/operator/tokens":               "the command line",
	"internal/requirements/adoption":         "the command line",
	"internal/requirements/documents":        "start, and the command line",
	"internal/requirements/evidence/gitrepo": "start, or becomes evidence_unreadable or file_too_large",
	"internal/daemon/bridge":                 "stands in a trace",
	"internal/daemon/duty":                   "the request is passed on to the replica on duty",
	"internal/daemon/joining":                "start",
	"internal/ledger/store/onefile":          "start; what becomes of a failure later, the ledger says",
	"internal/ledger/store/tail":             "start; what becomes of a failure later, the ledger says",
	"internal/operator/backup":               "the command line",
	"internal/requirements/evidence":         "stands in errors of evidence_not_found; TestEveryCodeOfEvidenceIsDocumented",
	"internal/requirements/trace":            "the command line",
	"internal/system/runner":                 "stands in a trace",
	"internal/token":                         "the command line",
}

// neverAnswered are the codes in those packages that no request meets, and why.
var neverAnswered = map[string]string{
	"store_rolled_back": "becomes ledger_failed",
	"no_link":           "a recovery is recorded by a command", "ambiguous_bypass": "a bypass is ended by a command",
	"unknown_bypass": "a bypass is ended by a command",
	"no_obligations": "becomes invalid_obligations",
	"fact_forbidden": "stands in a trace", "not_held": "stands in a trace", "unknown_subject": "stands in a trace", "too_much_held": "stands in a trace", "subject_forbidden": "stands in a trace", "answer_differs": "stands in a trace",
	"facts_contradicted":    "stands in a trace",
	"not_shown":             "stands in a trace",
	"tool_missing":          "stands in a trace",
	"no_such_value":         "stands in a trace",
	"value_unfit":           "stands in a trace",
	"tool_defect":           "stands in a trace",
	"tool_answer":           "stands in a trace",
	"result_over_budget":    "stands in a trace",
	"translation_invalid":   "becomes a CLARIFY",
	"rephrasing_refused":    "stands in a trace",
	"llm_setting":           "start",
	"tools_invalid":         "start",
	"tools_unreadable":      "start",
	"tools_digest":          "start",
	"unknown_input":         "stands in a trace",
	"input_invalid":         "stands in a trace",
	"result_invalid":        "stands in a trace",
	"bypass_duration":       "orchestrator boundary bypass",
	"grants_unreadable":     "orchestrator boundary bypass",
	"invalid_policy":        "becomes policy_unreadable",
	"journal_missing":       "orchestrator boundary replay",
	"unknown_decision":      "orchestrator boundary label",
	"unknown_label":         "orchestrator boundary label",
	"no_rollback":           "orchestrator boundary recovery",
	"review_not_due":        "orchestrator boundary reviewed",
	"client_gone":           "its client is gone; TestAClientThatHangsUpIsNoDefect",
	"export_unreadable":     "start, and orchestrator verify",
	"export_differs":        "orchestrator verify",
	"audit_key_changed":     "start",
	"audit_origin_changed":  "start",
	"no_audit_key":          "a service without a key, which serve does not start",
	"answer_too_large":      "orchestrator mcp",
	"server_broken":         "orchestrator mcp status",
	"unexpected_answer":     "orchestrator mcp",
	"log_unfit":             "restore",
	"store_not_empty":       "restore",
	"export_invalid":        "orchestrator import without a service",
	"gate_failed":           "orchestrator gate",
	"usage":                 "orchestrator gate",
	"not_done":              "orchestrator drive, from the report that was answered",
	"not_resolved":          "orchestrator ask and conduct, from the trace that was answered",
	"store_differs":         "start",
	"store_empty":           "orchestrator verify",
	"store_format":          "start",
	"store_format_older":    "start",
	"store_of_another_log":  "start",
	"store_older":           "start",
	"unknown_family":        "a flag, which is checked at the start",
	"unknown_qualification": "a flag, which is checked at the start",

	"qualification_on_record": "start",
	"workflow_on_record":      "start",
	"illegal_id":              "becomes invalid_id, or document_invalid",
	"json_type":               "becomes schema_violation",
	"test_ambiguous":          "stands in errors of evidence_not_found",
	"test_missing":            "stands in errors of evidence_not_found",
	"unknown_role":            "becomes invalid_parameter",
	"evidence_not_looked_up":  "stands in the trace of a VERIFY(requirement.evidence)",
}

func TestEveryCodeInTheSourceIsDocumented(t *testing.T) {
	inSource, documented := map[string]bool{}, theContract().codes()
	for dir, codes := range codesInSource().given {
		for code := range codes {
			if _, is := documented[code]; is || notAnswering[dir] == "" {
				inSource[code] = true
			}
		}
	}
	for dir := range notAnswering {
		require.NotEmpty(t, codesInSource().given[dir], "%s is no longer in the source", dir)
	}
	for code := range neverAnswered {
		require.Contains(t, inSource, code, "is no longer in the source")
		delete(inSource, code)
	}
	require.Equal(t, slices.Sorted(maps.Keys(inSource)), slices.Sorted(maps.Keys(documented)))
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
	"git_missing":           "start",
	"no_repository":         "start",
	"tests_pattern_invalid": "answers a report", "tests_pattern_matches_nothing": "answers a report",
}

func TestEveryCodeOfEvidenceIsDocumented(t *testing.T) {
	inSource := map[string]bool{}
	for _, dir := range []string{"internal/requirements/evidence", "internal/requirements/testreport"} {
		maps.Copy(inSource, codesInSource().given[dir])
	}
	for code := range notOfEvidence {
		require.Contains(t, inSource, code, "is no longer in the source")
		delete(inSource, code)
	}
	for _, file := range []string{"internal/rules/lifecycle/looked.go", "internal/requirements/look.go", "internal/requirements/testruns/ties.go"} {
		require.NotEmpty(t, codesInSource().inFields[file], file)
		maps.Copy(inSource, codesInSource().inFields[file])
	}
	require.Equal(t, slices.Sorted(maps.Keys(inSource)), slices.Sorted(maps.Keys(theContract().codesOf("EvidenceCode"))))
}

// twoKinds are the codes with more than one kind, and why.
var twoKinds = map[string]string{
	"store_damaged": "a row that cannot be read is a defect; a file that is damaged ends the store",
	"log_too_large": "what no log has is held against the log; what is only too large to be read says nothing of it",
}

// TestACodeHasOneKind: with two kinds, one code would be answered with two statuses, and mean two things.
func TestACodeHasOneKind(t *testing.T) {
	require.Contains(t, codesInSource().kinds["no_evidence"], string(fault.Conflict))
	for code, kinds := range codesInSource().kinds {
		all := slices.Sorted(maps.Keys(kinds))
		require.Equal(t, twoKinds[code] != "", len(all) > 1, "%s has the kinds %v", code, all)
	}
	for code := range twoKinds {
		require.Contains(t, codesInSource().kinds, code, "is no longer in the source")
	}
}

// sourceCodes are the codes in the source: constants, as literals or by name, resolved by types.
type sourceCodes struct {
	given    map[string]map[string]bool // to fault.New, also through functions that hand a parameter on; by package
	inFields map[string]map[string]bool // of the fields of problems, by file
	kinds    map[string]map[string]bool // of the errors, by code
}

// codesInSource reads the source of all packages that a request may come to.
var codesInSource = sync.OnceValue(func() sourceCodes {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "../.."}, "./internal/...", "./cmd/orchestrator/...")
	must(err)
	module := strings.TrimSuffix(reflect.TypeFor[fault.Error]().PkgPath(), "internal/fault")
	found := sourceCodes{map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]map[string]bool{}}
	sinks := map[string]sink{module + "internal/fault.New": {code: 1}}
	for known := 0; known != len(sinks); {
		known = len(sinks)
		for _, p := range loaded {
			c := codeFinder{p, strings.TrimPrefix(p.PkgPath, module), sinks, found}
			for _, f := range p.Syntax {
				c.file(f)
			}
		}
	}
	return found
})

// sink is a function that takes a code for fault.New.
type sink struct {
	code, kind int    // positions among the parameters
	always     string // the kind of all its errors; "" when it is a parameter, too
}

// codeFinder finds the codes in one package.
type codeFinder struct {
	*packages.Package
	dir   string
	sinks map[string]sink
	found sourceCodes
}

func (c codeFinder) file(f *ast.File) {
	for _, d := range f.Decls {
		var in *types.Func
		if fn, is := d.(*ast.FuncDecl); is {
			in = c.TypesInfo.Defs[fn.Name].(*types.Func)
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				c.call(n, in)
			case *ast.CompositeLit:
				c.literal(n)
			}
			return true
		})
	}
}

// call looks at a call in a function, or in a variable's value where in is nil.
func (c codeFinder) call(call *ast.CallExpr, in *types.Func) {
	callee, _ := typeutil.Callee(c.TypesInfo, call).(*types.Func)
	if callee == nil {
		return
	}
	to, is := c.sinks[callee.FullName()]
	if !is {
		return
	}
	code, kind, passed := call.Args[to.code], to.always, -1
	if kind == "" && to.kind >= 0 {
		kind, passed = c.constant(call.Args[to.kind]), c.parameter(call.Args[to.kind], in)
	}
	switch {
	case kind == "" && passed < 0 && c.dir != "internal/fault":
		panic(c.Fset.Position(call.Pos()).String() + ": a kind that is no constant")
	case c.constant(code) != "":
		add(c.found.given, c.dir, c.constant(code))
		add(c.found.kinds, c.constant(code), kind)
	case c.parameter(code, in) >= 0:
		c.sinks[in.FullName()] = sink{c.parameter(code, in), passed, kind}
	case c.dir != "internal/fault":
		panic(c.Fset.Position(call.Pos()).String() + ": a code that is no constant")
	}
}

// constant returns the value of an expression that is a constant text, or "".
func (c codeFinder) constant(e ast.Expr) string {
	if value := c.TypesInfo.Types[e].Value; value != nil && value.Kind() == constant.String {
		return constant.StringVal(value)
	}
	return ""
}

// parameter returns the position of an expression among the parameters of a function, or -1.
func (c codeFinder) parameter(e ast.Expr, of *types.Func) int {
	id, is := e.(*ast.Ident)
	if !is || of == nil {
		return -1
	}
	v, is := c.TypesInfo.Uses[id].(*types.Var)
	if !is {
		return -1
	}
	return slices.Index(slices.Collect(of.Signature().Params().Variables()), v)
}

// literal keeps the code of a field, and refuses errors that fault.New did not make: their codes are not seen here.
func (c codeFinder) literal(l *ast.CompositeLit) {
	switch t := c.TypesInfo.TypeOf(l); {
	case t == nil || len(l.Elts) == 0:
	case strings.HasSuffix(t.String(), "internal/fault.Error") && c.dir != "internal/fault" && c.dir != "internal/apiclient":
		panic(c.Fset.Position(l.Pos()).String() + ": a fault.Error made without fault.New")
	case strings.HasSuffix(t.String(), "internal/fault.Field"):
		for _, e := range l.Elts {
			pair, is := e.(*ast.KeyValueExpr)
			if !is || pair.Key.(*ast.Ident).Name != "Code" || c.constant(pair.Value) == "" {
				continue
			}
			file := c.dir + "/" + filepath.Base(c.Fset.Position(l.Pos()).Filename)
			add(c.found.inFields, file, c.constant(pair.Value))
		}
	}
}

func add(to map[string]map[string]bool, where, what string) {
	if to[where] == nil {
		to[where] = map[string]bool{}
	}
	to[where][what] = true
}
