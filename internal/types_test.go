package layout_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	gopackages "golang.org/x/tools/go/packages"
)

// typed loads the packages of the module with their syntax and types.
var typed = sync.OnceValues(func() ([]*gopackages.Package, error) {
	return gopackages.Load(&gopackages.Config{Mode: gopackages.LoadSyntax, Dir: ".."}, "./...")
})

func typedPackages(t *testing.T) []*gopackages.Package {
	t.Helper()
	all, err := typed()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, p := range all {
		require.Empty(t, p.Errors, p.PkgPath)
	}
	return all
}

// TestNoCodeIsComparedWithALiteral: a code that is renamed where it is given would be missed, silently, wherever it is
// compared as a text.
func TestNoCodeIsComparedWithALiteral(t *testing.T) {
	var found []string
	for _, p := range typedPackages(t) {
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				for _, e := range compared(p.TypesInfo, n) {
					literal, is := ast.Unparen(e).(*ast.BasicLit)
					if is && literal.Value != `""` && isCode(p.TypesInfo.TypeOf(e)) {
						found = append(found, p.Fset.Position(e.Pos()).String()+" "+literal.Value)
					}
				}
				return true
			})
		}
	}
	require.Empty(t, found, "name these codes by a constant of the package that gives them")
}

// compared returns the expressions that a node compares: the sides of == and !=, the cases of a switch, and what is
// handed to fault.Is or stands in a list of codes.
func compared(info *types.Info, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.CallExpr:
		if called, is := n.Fun.(*ast.SelectorExpr); is && called.Sel.Name == "Is" {
			return n.Args
		}
	case *ast.CompositeLit:
		if list, is := info.TypeOf(n).Underlying().(*types.Slice); is && isCode(list.Elem()) {
			return n.Elts
		}
	}
	return nil
}

// isCode reports whether a type is fault.Code.
func isCode(t types.Type) bool {
	named, is := t.(*types.Named)
	return is && named.Obj().Name() == "Code" && strings.HasSuffix(named.Obj().Pkg().Path(), "internal/fault")
}

// mapsFor are the packages that hand maps of JSON on by their nature: contracts and tools carry values whose shape a
// schema gives, the condition language is evaluated over such values, and schemas are such values.
var mapsFor = []string{
	"internal/conductor/agreement", "internal/conductor/builtin", "internal/conductor/contract", "internal/conductor/evaluating",
	"internal/conductor/outside", "internal/conductor/tools", "internal/conductor/trace", "schemas",
}

// mapsStill are the fields elsewhere that hold one: values whose shape the contract of a tool gives. The list only
// shrinks.
var mapsStill = map[string]bool{
	"(conductor.Answer).Result":           true,
	"(conductor.Run).Inputs":              true,
	"(conductor.Run).Result":              true,
	"(conductor/state.ToolRun).Inputs":    true,
	"(conductor/state.ToolRun).Result":    true,
	"(rules/planning.Contract).Produces":  true,
	"(rules/planning.Input).Schema":       true,
	"(rules/planning.Obligation).Payload": true,
}

// namedMaps are the types that are maps of such values under a name of their own.
var namedMaps = []string{"conductor/builtin.Parts", "conductor/language.Result", "conductor/state.Objects", "rules/planning.Inputs"}

// TestNamedMapsAreFew: a name alone does not say what is in a map either.
func TestNamedMapsAreFew(t *testing.T) {
	var found []string
	for _, p := range typedPackages(t) {
		for _, name := range p.Types.Scope().Names() {
			declared, is := p.Types.Scope().Lookup(name).(*types.TypeName)
			if is && declared.Exported() && !declared.IsAlias() && isBareMap(declared.Type().Underlying()) {
				found = append(found, strings.TrimPrefix(p.PkgPath, module+"/internal/")+"."+name)
			}
		}
	}
	slices.Sort(found)
	require.Equal(t, namedMaps, found)
}

// TestNoExportedMethodPassesABareMap: a map[string]any says nothing of what is in it.
func TestNoExportedMethodPassesABareMap(t *testing.T) {
	found := map[string]bool{}
	for _, p := range typedPackages(t) {
		path := strings.TrimPrefix(p.PkgPath, module+"/")
		if slices.Contains(mapsFor, path) {
			continue
		}
		for _, name := range slices.Concat(functionsWithMaps(p), membersWithMaps(p)) {
			found[strings.ReplaceAll(name, module+"/internal/", "")] = true
		}
	}
	require.Equal(t, mapsStill, found, "give it a type that says what is in it")
}

// functionsWithMaps returns the exported functions and methods of a package that pass a bare map.
func functionsWithMaps(p *gopackages.Package) (names []string) {
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is || !fn.Name.IsExported() {
				continue
			}
			if object := p.TypesInfo.Defs[fn.Name].(*types.Func); passesMap(object.Signature()) {
				names = append(names, object.FullName())
			}
		}
	}
	return names
}

// membersWithMaps returns the exported methods of interfaces, and the exported fields of structs, that pass a bare map,
// of the exported types of a package.
func membersWithMaps(p *gopackages.Package) (names []string) {
	for _, name := range p.Types.Scope().Names() {
		of, is := p.Types.Scope().Lookup(name).(*types.TypeName)
		if !is || !of.Exported() {
			continue
		}
		for _, member := range membersOf(of.Type().Underlying()) {
			if member.Exported() && passesMap(member.Type()) {
				names = append(names, "("+p.PkgPath+"."+name+")."+member.Name())
			}
		}
	}
	return names
}

// membersOf returns the methods of an interface, or the fields of a struct.
func membersOf(t types.Type) (members []types.Object) {
	switch t := t.(type) {
	case *types.Interface:
		for method := range t.ExplicitMethods() {
			members = append(members, method)
		}
	case *types.Struct:
		for field := range t.Fields() {
			members = append(members, field)
		}
	}
	return members
}

// passesMap reports whether a type is a bare map, or a function with one among its parameters and results.
func passesMap(t types.Type) bool {
	s, is := types.Unalias(t).(*types.Signature)
	if !is {
		return isBareMap(t)
	}
	for _, tuple := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range tuple.Variables() {
			if isBareMap(v.Type()) {
				return true
			}
		}
	}
	return false
}

// isBareMap reports whether a type is a map[string]any, or a pointer to one, or a list of some.
func isBareMap(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return isBareMap(t.Elem())
	case *types.Slice:
		return isBareMap(t.Elem())
	case *types.Map:
		if _, generic := t.Elem().(*types.TypeParam); generic {
			return false
		}
		value, is := t.Elem().Underlying().(*types.Interface)
		return is && value.Empty()
	}
	return false
}
