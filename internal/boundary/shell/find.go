package shell

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// secretFile is a file, or a folder, below the root of a search that nothing may show.
type secretFile struct {
	path   string
	folder bool
}

var secretFiles = []secretFile{
	{".orchestrator", true},
	{".orchestrator/tokens", true},
	{".orchestrator/tokens/pm.token", false},
	{".orchestrator/tokens/viewer.token", false},
	{".orchestrator/webhooks", true}, {".orchestrator/webhooks/x.secret", false}, // which stands for all of them
	{".orchestrator/tokens.json", false}, {".orchestrator/webhooks.json", false},
	{".orchestrator/audit.key", false},
	{".orchestrator/witness.key", false},
	{".orchestrator/state.db", false}, {".orchestrator/state.db.wal", false},
}

// together looks at commands of which one may be fed what another one finds.
func (w *walker) together(look func()) {
	pours, before := w.pours, len(w.trees)
	w.pours = false
	look()
	if w.pours {
		w.shown = append(w.shown, w.trees[before:]...)
	}
	w.pours = w.pours || pours
}

// findFiles notes what find finds.
func (w *walker) findFiles(c *call) {
	start := slices.IndexFunc(c.args, func(a arg) bool {
		return a.text != "" && strings.Contains("-(!", a.text[:1]) &&
			!findLinks.has(a.text)
	})
	if start < 0 {
		start = len(c.args)
	}
	roots := slices.DeleteFunc(slices.Clone(c.args[:start]), func(a arg) bool { return findLinks.has(a.text) })
	if len(roots) == 0 {
		roots = []arg{literal(".")}
	}
	for i, root := range roots {
		s := search{root: root, args: c.args[start:]}
		if i < mostRoots && !s.findsSecret() {
			w.listed = mayHold(w, w.listed, root.wildcards())
			continue
		}
		w.searchTree(root)
		slices.Sort(s.names)
		for _, name := range slices.Compact(s.names) {
			if !root.known || strings.Trim(root.text, "./") == "" {
				w.listed = w.mayShow(w.listed, unknownText+"/"+name)
			}
		}
	}
}

// mostRoots is for how many roots the expression is evaluated: one of any more may hold a secret.
const mostRoots = 16

// findLinks are the options of find that stand before its roots.
var findLinks = names{"-H", "-L", "-P"}

// searchTree notes that all below a folder may be found.
func (w *walker) searchTree(root arg) {
	for _, t := range mayName(w, nil, root.wildcards()) {
		w.listed = append(w.listed, slices.DeleteFunc([]Target{t},
			func(t Target) bool { return strings.Trim(root.text, "./") == "" && w.scope.where() == "" })...)
		t.Tree = !strings.Contains(t.Path, "*")
		w.trees = append(w.trees, t)
	}
}

// truth is whether a test of find may hold, and whether it may fail.
type truth struct{ holds, fails bool }

var (
	always = truth{holds: true}
	never  = truth{fails: true}
	maybe  = truth{true, true}
)

// search evaluates the expression of find for one file.
type search struct {
	root    arg
	args    []arg
	at      int
	file    secretFile
	names   []string // the patterns that secrets were found by
	passage          // of the file through the expression
}

// passage is what becomes of one file.
type passage struct {
	named         []string // the patterns of names that held
	may, must     bool     // whether it may, and must, come to this place of the expression
	pruned        bool     // find does not go into this folder
	actions, acts bool     // whether there is any action, and whether one may be done with the file
}

// findsSecret reports whether an expression may hold for a secret.
func (s *search) findsSecret() (found bool) {
	pruned := ""
	for _, f := range secretFiles {
		if pruned != "" && strings.HasPrefix(f.path, pruned+"/") {
			continue
		}
		s.at, s.file, s.passage = 0, f, passage{may: true, must: true}
		holds := s.alternatives().holds
		for s.at < len(s.args) { // after a comma, or a parenthesis too many
			s.at++
			holds = s.alternatives().holds || holds
		}
		if s.actions {
			holds = s.acts
		}
		if holds && (len(s.named) > 0 || !f.folder) {
			found = true
			s.names = append(s.names, s.named...)
		}
		if s.pruned && f.folder {
			pruned = f.path
		}
	}
	return found
}

func (s *search) next() string {
	if s.at >= len(s.args) {
		return ""
	}
	s.at++
	return s.args[s.at-1].text
}

func (s *search) peek() string {
	if s.at >= len(s.args) {
		return ""
	}
	return s.args[s.at].text
}

func (s *search) alternatives() truth {
	may, must := s.may, s.must
	v := s.conjunction()
	for s.peek() == "-o" || s.peek() == "-or" {
		s.at++
		s.may, s.must = may && v.fails, must && v == never
		other := s.conjunction()
		v = truth{v.holds || other.holds, v.fails && other.fails}
	}
	s.may, s.must = may, must
	return v
}

func (s *search) conjunction() truth {
	v := always
	for s.at < len(s.args) {
		switch s.peek() {
		case "-o", "-or", ")", ",":
			return v
		}
		other := s.test()
		v = truth{v.holds && other.holds, v.fails || other.fails}
		s.may, s.must = s.may && v.holds, s.must && v == always
	}
	return v
}

// test evaluates one test, or one action, and what belongs to it.
func (s *search) test() truth {
	switch name := s.next(); name {
	case "!", "-not":
		v := maybe
		if s.at < len(s.args) {
			v = s.test()
		}
		return truth{v.fails, v.holds}
	case "(":
		v := s.alternatives()
		s.at++
		return v
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
		return s.nameTest(strings.Replace(strings.TrimPrefix(name, "-"), "iname", "name", 1))
	case "-type":
		return holding((s.next() == "d") == s.file.folder)
	case "-maxdepth":
		most, err := strconv.Atoi(s.next())
		return holding(err != nil || strings.Count(s.file.path, "/") < most)
	case "-exec", "-execdir", "-ok", "-okdir":
		s.act()
		for s.at < len(s.args) {
			if end := s.next(); end == ";" || end == "+" {
				break
			}
		}
		return always
	case "-prune":
		s.pruned = s.pruned || s.must
		return always
	case "-print", "-print0":
		s.act()
		return always
	}
	if next := s.peek(); next != "" && !strings.ContainsAny(next[:1], "-!(),") {
		s.at++ // its value
	}
	return maybe
}

// act notes an action.
func (s *search) act() {
	s.actions = true
	s.acts = s.acts || s.may
}

func holding(is bool) truth { return truth{is, !is} }

// nameTest evaluates a test of the name, or of the path.
func (s *search) nameTest(kind string) truth {
	if s.at >= len(s.args) || !s.args[s.at].known {
		s.at++
		return maybe
	}
	pattern := s.next()
	here := s.root.known && strings.Trim(s.root.text, "./") == "" && !strings.Contains(s.root.text, "..")
	name, holds := strings.TrimSuffix(s.root.text, "/")+"/"+s.file.path, false
	switch {
	case kind == "name":
		glob, end := strings.ToLower(string(widen(nil, pattern))), path.Ext(name)
		holds, _ = path.Match(glob, path.Base(name))
		holds = holds || (end == ".token" || end == ".secret") && strings.HasSuffix(glob, end)
	case !here:
		return maybe
	case strings.HasSuffix(kind, "regex"):
		whole, err := regexp.Compile("^(?i:" + strings.NewReplacer(`\(`, "(", `\)`, ")", `\|`, "|").
			Replace(pattern) + ")$")
		holds = err != nil || whole.MatchString(name)
	default:
		flat := strings.NewReplacer("/", "\x01")
		holds, _ = path.Match(flat.Replace(strings.ToLower(string(widen(nil, pattern)))), flat.Replace(name))
	}
	if holds {
		s.named = append(s.named, path.Base(pattern))
	}
	return holding(holds)
}

// fdFiles notes what fd finds: nothing hidden, and nothing that git ignores, unless it is told to.
func (w *walker) fdFiles(c *call) {
	options := *c
	if end := slices.IndexFunc(c.args, func(a arg) bool { return fdRuns.has(a.text) }); end >= 0 {
		options.args = c.args[:end]
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(options.args, func(a arg) bool { return slices.Contains(names, a.text) })
	}
	if !has("-u", "-uu", "--unrestricted", "-HI", "-IH") && !(has("-H", "--hidden") && has("-I", "--no-ignore")) {
		return
	}
	p := options.parse("e:% E: t: d: S: c: j: --extension:% --exclude: --type: --max-depth: --size: --color: " +
		"--threads:")
	var patterns []string
	for _, extension := range p.programs {
		patterns = append(patterns, regexp.QuoteMeta("."+extension.text)+"$")
	}
	if len(p.operands) > 0 {
		patterns = append(patterns, p.operands[0].text)
	}
	if slices.ContainsFunc(secretFiles, func(f secretFile) bool { return matchAll(patterns, path.Base(f.path)) }) {
		w.searchTree(literal("."))
	}
}

var fdRuns = names{"--exec", "--exec-batch", "-X", "-x"}

// matchAll reports whether a name may match all of some regular expressions.
func matchAll(patterns []string, name string) bool {
	return !slices.ContainsFunc(patterns, func(p string) bool {
		expression, err := regexp.Compile("(?i)" + p)
		return err == nil && !expression.MatchString(name)
	})
}
