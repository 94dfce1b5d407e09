package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"orchestrator/internal/boundary/shell/lists"
)

// walker goes through the tree of a command and gathers its parts.
type walker struct {
	parts   []Part
	current []arg // of the program that is looked at, itself first
	text    strings.Builder
	scope   scope
	depth   int      // commands within commands
	nested  int      // code within strings
	budget  int      // bytes that variables and braces may still become
	quiet   bool     // words are evaluated again: what is in them has been looked at
	fed     bool     // standard input comes from this command: a pipe, a here-document
	given   bool     // a program that a variable names gets its files from the one that calls it
	shown   []Target // files whose content may be shown or copied
	listed  []Target // files that a program names and does not show
	trees   []Target // folders below which a program finds files
	pours   bool     // a program shows files that are not known here
	blind   bool     // variables behave in ways that are not followed
	dotglob bool     // a wildcard at the beginning of a name stands for a dot too
	braces  bool     // a word may have braces

	args   []arg // room for what a command needs many of; see lists.Carve
	names  []string
	paths  strings.Builder // room for the text of paths, which are parts of it
	room   [3][64]byte     // for a word; see builder
	calls  [2]call         // for the programs that are looked at, each within the one before
	inside int             // how many there are
	within bool            // a word is put together in room
}

// doubt adds what cannot be told, and no policy can vouch for.
func (w *walker) doubt(why string) { w.add(Part{Class: Ambiguous, Why: why}) }

// code reads the text of a command, or of one within it.
func (w *walker) code(src string) {
	if len(src) > maxCommand {
		w.note(src)
		w.doubt("a command of more than 64 KiB is not read")
		return
	}
	if w.nested >= maxReparse {
		w.note(src)
		w.doubt("code within code within code is not read that deep")
		return
	}
	if strings.Count(src, "(") > maxParens && lists.Opened(src) > maxParens {
		w.note(src)
		w.doubt("commands within commands are not read that deep")
		return
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil {
		w.note(strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(src))
		w.doubt("the command cannot be parsed")
		return
	}
	w.braces = w.braces || strings.IndexByte(src, '{') >= 0
	w.nested++
	w.stmts(file.Stmts)
	w.nested--
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *walker) stmt(s *syntax.Stmt) {
	if w.depth >= maxDepth {
		w.doubt("commands within commands are not read that deep")
		return
	}
	w.depth++
	start, fed := w.scope, w.fed
	if len(s.Redirs) > 0 {
		w.together(func() { w.redirected(s) })
	} else if s.Cmd != nil {
		w.command(s.Cmd)
	}
	if w.fed = fed; s.Background || s.Coprocess {
		w.scope = start
	} else if s.Negated && w.scope.dir != start.dir {
		w.scope.lost = true // what follows && runs only where the cd failed
	}
	w.depth--
}

func (w *walker) redirected(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		w.redirect(r)
	}
	if s.Cmd != nil {
		w.command(s.Cmd)
	}
}

// redirections are those that write.
var redirections = []syntax.RedirOperator{
	syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.AppClob, syntax.RdrAll, syntax.AppAll,
	syntax.RdrAllClob, syntax.AppAllClob, syntax.DplOut,
}

func (w *walker) redirect(r *syntax.Redirect) {
	if r.Hdoc != nil {
		w.fed = true
		w.word(r.Word)
		w.body(r.Hdoc)
		return
	}
	to := w.word(r.Word)
	if r.Op == syntax.RdrIn {
		w.pours = w.pours || !to.known && to.text == ""
		w.shown = w.mayShow(w.shown, to.wildcards())
	}
	if !slices.Contains(redirections, r.Op) {
		w.fed = w.fed || r.Op == syntax.WordHdoc || r.Op == syntax.RdrIn
		return
	}
	if r.Op == syntax.DplOut && to.known && strings.Trim(to.text, "0123456789-") == "" {
		return
	}
	if targets := harm([]Target{w.scope.target(to)}); targets != nil {
		w.add(Part{Class: Writes, Targets: targets, Why: r.Op.String() + " writes a file"})
	}
}

// body looks into a here-document. Quotes mean nothing in it.
func (w *walker) body(doc *syntax.Word) {
	for _, part := range doc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			w.note(strings.TrimSuffix(lit.Value, "\n"))
		} else {
			w.assemble([]syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{part}}})
		}
	}
}

func (w *walker) command(cmd syntax.Command) {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		w.call(cmd)
	case *syntax.Block:
		w.stmts(cmd.Stmts)
	case *syntax.Subshell:
		w.apart(func() { w.stmts(cmd.Stmts) })
	case *syntax.BinaryCmd:
		w.binary(cmd)
	case *syntax.IfClause:
		w.stmts(cmd.Cond)
		w.branch(func() { w.stmts(cmd.Then) })
		if cmd.Else != nil {
			w.branch(func() { w.command(cmd.Else) })
		}
	case *syntax.WhileClause:
		w.loop(cmd, func() { w.stmts(cmd.Cond); w.stmts(cmd.Do) })
	case *syntax.ForClause:
		w.together(func() { w.forEach(cmd) })
	case *syntax.CaseClause:
		w.word(cmd.Word)
		for _, item := range cmd.Items {
			for _, pattern := range item.Patterns {
				w.word(pattern)
			}
			w.branch(func() { w.stmts(item.Stmts) })
		}
	case *syntax.FuncDecl:
		w.declare(cmd)
	case *syntax.DeclClause:
		w.assignments(cmd)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			w.stmt(cmd.Stmt)
		}
	case *syntax.CoprocClause:
		w.apart(func() { w.stmt(cmd.Stmt) })
	default: // ((…)), [[…]], let
		w.inner(cmd)
	}
}

// apart looks at what runs in a shell of its own: nothing that it assigns, and no cd, comes back.
func (w *walker) apart(look func()) {
	start := w.scope
	look()
	w.scope = start
}

// branch looks at what may run or not.
func (w *walker) branch(look func()) {
	start := w.scope
	look()
	w.scope.merge(start)
}

func (w *walker) binary(cmd *syntax.BinaryCmd) {
	start, fed := w.scope, w.fed
	switch cmd.Op {
	case syntax.AndStmt:
		first := cmd
		for left := cmd; left != nil; left = conjunction(left) {
			first = left
		}
		w.stmt(first.X)
		w.branch(func() { conjoined(w, cmd) })
	case syntax.OrStmt:
		w.stmt(cmd.X)
		left := w.scope
		if left.dir != start.dir {
			w.scope.lost = true // the cd may be what failed
		}
		before := w.scope
		w.branch(func() { w.stmt(cmd.Y) })
		if w.scope.dir == before.dir && w.scope.lost == before.lost {
			w.scope.dir, w.scope.lost = left.dir, left.lost
		}
	default: // pipes
		w.together(func() {
			w.apart(func() { w.stmt(cmd.X) })
			w.fed = true
			w.apart(func() { w.stmt(cmd.Y) })
			w.fed = fed
		})
	}
}

// conjunction returns the && on the left of another one, if there is one: what && joins is reached only when all before
// it have done their work.
func conjunction(cmd *syntax.BinaryCmd) *syntax.BinaryCmd {
	left, ok := cmd.X.Cmd.(*syntax.BinaryCmd)
	if ok && left.Op == syntax.AndStmt && !cmd.X.Negated && len(cmd.X.Redirs) == 0 {
		return left
	}
	return nil
}

// conjoined looks at all that && joins but the first.
func conjoined(w *walker, cmd *syntax.BinaryCmd) {
	if left := conjunction(cmd); left != nil {
		conjoined(w, left)
	}
	w.stmt(cmd.Y)
}

func (w *walker) forEach(cmd *syntax.ForClause) {
	item := arg{loose: true}
	name := ""
	if iter, ok := cmd.Loop.(*syntax.WordIter); ok {
		name = iter.Name.Value
		item.loose = !iter.InPos.IsValid()
		items := w.words(iter.Items)
		if len(items) == 1 {
			item.pattern = items[0].wildcards()
		}
		for _, a := range items {
			if a.text != "" {
				w.listed = w.mayShow(w.listed, a.wildcards())
			}
			if a.loose || strings.HasPrefix(a.text, "-") || strings.ContainsAny(a.text, " \t\n") {
				item.loose = true
			}
		}
	} else {
		w.inner(cmd.Loop)
	}
	w.environment(name, arg{})
	w.loop(cmd, func() {
		w.scope.bind(name, item)
		w.stmts(cmd.Do)
	})
}

// loop looks at what may run many times: what it changes at its end is unknown at its beginning.
func (w *walker) loop(node syntax.Node, look func()) {
	w.branch(func() {
		w.unsettle(node)
		look()
	})
}

func (w *walker) unsettle(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DeclClause:
			if exports(n) {
				w.scope.altered = &n.Variant.Value
			}
		case *syntax.Word:
			return n.Lit() == "" // there is nothing in a literal
		case *syntax.Assign:
			if n.Name != nil {
				w.scope.bind(n.Name.Value, arg{loose: true})
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				break
			}
			program := n.Args[0].Lit()
			own := program == "" || w.scope.function(program)
			w.scope.lost = w.scope.lost || own || lists.Moves(program)
			if w.scope.does(program).alters {
				w.scope.altered = new(program)
			}
			if own || lists.Assigns(program) {
				w.scope.forget()
			}
		}
		return true
	})
}

// declare looks into a function where it is declared; nobody knows from where it will be called.
func (w *walker) declare(f *syntax.FuncDecl) {
	var does doing
	before := len(w.parts)
	w.apart(func() {
		w.scope = scope{lost: true}
		w.scope.forget()
		w.stmt(f.Body)
		does.alters = w.scope.altered != nil
	})
	for _, p := range w.parts[before:] {
		does.vouched = does.vouched || p.Unknown || p.Class == Produces
	}
	if f.Name != nil {
		w.scope.bind(f.Name.Value+"()", arg{})
		w.scope.vars.doing = does
	}
}

// inner looks at all words and commands that a node holds, however deep; what they assign is forgotten.
func (w *walker) inner(node syntax.Node) {
	if w.quiet {
		return
	}
	first := true
	syntax.Walk(node, func(n syntax.Node) bool {
		whole := first
		first = false
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.apart(func() { w.stmts(n.Stmts) })
			return false
		case *syntax.ProcSubst:
			w.apart(func() { w.stmts(n.Stmts) })
			return false
		case *syntax.Word:
			if whole { // a word with braces, before it is spread
				return true
			}
			w.word(n)
			return false
		case *syntax.BinaryArithm, *syntax.UnaryArithm:
			w.assigned(n)
		case *syntax.ParamExp:
			w.expansion(n)
		}
		return true
	})
}

// assigned forgets variables where arithmetic may assign one.
func (w *walker) assigned(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.BinaryArithm:
		if strings.HasSuffix(n.Op.String(), "=") {
			w.scope.forget()
		}
	case *syntax.UnaryArithm:
		if n.Op == syntax.Inc || n.Op == syntax.Dec {
			w.scope.forget()
		}
	}
}

// expansion notes what ${…} does besides reading its variable.
func (w *walker) expansion(p *syntax.ParamExp) {
	if p.Exp == nil {
		return
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		w.scope.forget()
	case syntax.OtherParamOps:
		w.doubt("${…@…} may run what a variable holds")
	}
}
