package layout_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	gopackages "golang.org/x/tools/go/packages"
)

// commands returns the packages of the commands, typed.
func commands(t *testing.T) (all []*gopackages.Package) {
	t.Helper()
	for _, p := range typedPackages(t) {
		if isWithin(p.PkgPath, module+"/cmd/orchestrator") {
			all = append(all, p)
		}
	}
	require.Greater(t, len(all), 4, "the packages of the commands are not seen")
	return all
}

// TestCommandsCallAndPrint: what a command runs is short, whether it is written in its place, has a name or is a
// method, and so is each function of the commands that it calls, and that these call.
func TestCommandsCallAndPrint(t *testing.T) {
	bodies, homes := map[types.Object]*ast.FuncDecl{}, map[types.Object]*gopackages.Package{}
	for _, p := range commands(t) {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				if d, is := d.(*ast.FuncDecl); is {
					o := p.TypesInfo.Defs[d.Name]
					bodies[o], homes[o] = d, p
				}
			}
		}
	}
	runs := 0
	seen := map[types.Object]bool{}
	var follow func(*gopackages.Package, ast.Node)
	follow = func(p *gopackages.Package, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, is := n.(*ast.Ident)
			if !is {
				return true
			}
			o := p.TypesInfo.Uses[id]
			if body := bodies[o]; body != nil && !seen[o] {
				seen[o] = true
				follow(homes[o], body)
			}
			return true
		})
	}
	for _, p := range commands(t) {
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if run := whatRuns(n); run != nil {
					runs++
					follow(p, run)
					require.LessOrEqual(t, linesOf(p, run), maxRun, "%s", p.Fset.Position(run.Pos()))
				}
				return true
			})
		}
	}
	require.Greater(t, runs, 20, "commands are not seen")
	require.Greater(t, len(seen), 120, "what commands call is not seen")
	for o := range seen {
		require.LessOrEqual(t, linesOf(homes[o], bodies[o]), maxRun, "%s, which a command calls", o.Name())
	}
}

// whatRuns returns what a command of cobra is to run, where a node sets it.
func whatRuns(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, is := n.Key.(*ast.Ident); is && key.Name == "RunE" {
			return n.Value
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if field, is := left.(*ast.SelectorExpr); is && field.Sel.Name == "RunE" && len(n.Lhs) == len(n.Rhs) {
				return n.Rhs[i]
			}
		}
	}
	return nil
}

func linesOf(p *gopackages.Package, n ast.Node) int {
	return p.Fset.Position(n.End()).Line - p.Fset.Position(n.Pos()).Line + 1
}

// TestCommandsDecideNothing: no command compares with a constant of the product, such as a status, an outcome or a
// kind, and none makes a Conflict, which is a finding about a project: whoever knows the constant answers the question,
// and whoever finds something makes its error. The code of an error may be asked for, to give it an exit code; names of
// folders are no states.
func TestCommandsDecideNothing(t *testing.T) {
	seen := 0
	for _, p := range commands(t) {
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is {
					if c, is := p.TypesInfo.Uses[id].(*types.Const); is && ownedBy(c, "internal/fault") {
						seen++
						require.NotEqual(t, "Conflict", c.Name(), "%s makes a finding", p.Fset.Position(n.Pos()))
					}
				}
				for _, e := range comparedOperands(n) {
					c := constantOf(p.TypesInfo, e)
					require.False(t, c != nil && ownedBy(c, "internal/") && !ownedBy(c, "internal/datadir"),
						"%s compares with %v", p.Fset.Position(n.Pos()), c)
				}
				return true
			})
		}
	}
	require.Greater(t, seen, 10, "errors are not seen")
}

// comparedOperands returns the operands of a comparison, and the cases of a switch.
func comparedOperands(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	}
	return nil
}

// constantOf returns the constant that an expression is, that it indexes with or that it converts, or nil.
func constantOf(info *types.Info, e ast.Expr) (found *types.Const) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr: // it is looked at for itself
			return false
		case *ast.CallExpr: // of its arguments, only what a conversion converts is compared
			return info.Types[n.Fun].IsType()
		case *ast.Ident:
			if c, is := info.Uses[n].(*types.Const); is {
				found = c
			}
		}
		return found == nil
	})
	return found
}

// ownedBy reports whether a constant is one of the module's packages under a path.
func ownedBy(c *types.Const, path string) bool {
	return c.Pkg() != nil && strings.HasPrefix(c.Pkg().Path(), module+"/"+path)
}
