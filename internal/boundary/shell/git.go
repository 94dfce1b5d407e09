package shell

import (
	"slices"
	"strings"

	"orchestrator/internal/boundary/shell/toolchain"
)

// gitOptions stand before the subcommand; -C is followed, and what may run a program ends the reading.
const gitOptions = "C: c: --git-dir: --work-tree: --namespace: --super-prefix: --exec-path= --config-env: " +
	"--attr-source: --paginate --no-pager p P --bare --no-replace-objects --literal-pathspecs --glob-pathspecs " +
	"--noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --html-path --man-path " +
	"--info-path --version --help v h"

// gitRow is a subcommand of git.
type gitRow struct {
	does gitDoes
	opts string
}

type gitDoes int

const (
	gitReads   gitDoes = iota
	gitChanges         // the repository, but no working file
	gitWrites          // working files, which it need not name
	gitNames           // the working files that it names
	gitLists           // it reads without operands, and changes the repository with them
)

// Options of all that show differences.
const gitDiff = " --output:> --ext-diff! O: S: G: U: --open-files-in-pager!"

var gitRows = table[gitRow]{
	{"add", gitRow{gitChanges, "e@ --edit@ p i"}},
	{"am", gitRow{gitWrites, ""}},
	{"annotate", gitRow{gitReads, ""}},
	{"apply", gitRow{gitWrites, "--stat. --numstat. --summary. --check. v --verbose q --quiet p: R --reverse " +
		"--cached --index 3 --3way --whitespace: --ignore-whitespace --recount --include: --exclude: --directory:"}},
	{"archive", gitRow{gitReads, "o:> --output:> --exec:! --remote: l --list v --verbose 0 1 2 3 4 5 6 7 8 9 " +
		"--format: --prefix: --worktree-attributes"}},
	{"blame", gitRow{gitReads, ""}},
	{"branch", gitRow{gitLists,
		"--contains: --no-contains: --merged= --no-merged= --points-at: --sort: --format: a r v --list% l% " +
			"--show-current d: D: m M c C u: --edit-description"}},
	{"bundle", gitRow{gitWrites, ""}},
	{"cat-file", gitRow{gitReads, "--textconv! --filters!"}},
	{"check-attr", gitRow{gitReads, ""}},
	{"check-ignore", gitRow{gitReads, ""}},
	{"checkout", gitRow{gitNames, "b: B: --orphan:"}},
	{"checkout-index", gitRow{gitWrites, ""}},
	{"cherry", gitRow{gitReads, ""}},
	{"cherry-pick", gitRow{gitWrites, ""}},
	{"clean", gitRow{gitWrites, "n. --dry-run. d f x X --force q --quiet e: --exclude:"}},
	{"clone", gitRow{gitWrites, ""}},
	{"commit", gitRow{gitChanges, ""}},
	{"commit-tree", gitRow{gitChanges, ""}},
	{"count-objects", gitRow{gitReads, ""}},
	{"describe", gitRow{gitReads, ""}},
	{"diff", gitRow{gitReads, gitDiff}},
	{"diff-files", gitRow{gitReads, gitDiff}},
	{"diff-index", gitRow{gitReads, gitDiff}},
	{"diff-tree", gitRow{gitReads, gitDiff}},
	{"fetch", gitRow{gitChanges, "--upload-pack:!"}},
	{"filter-branch", gitRow{gitWrites, ""}},
	{"filter-repo", gitRow{gitWrites, ""}},
	{"for-each-ref", gitRow{gitReads, ""}},
	{"format-patch", gitRow{gitWrites, "--stdout. 0 1 2 3 4 5 6 7 8 9 k s N n v: --signoff --subject-prefix:"}},
	{"fsck", gitRow{gitReads, "--lost-found@"}},
	{"gc", gitRow{gitChanges, ""}},
	{"grep", gitRow{gitReads, "O=! --open-files-in-pager=! e: f: A: B: C: m:"}},
	{"hash-object", gitRow{gitChanges, ""}},
	{"help", gitRow{gitReads, "w! --web!"}},
	{"init", gitRow{gitWrites, ""}},
	{"lfs", gitRow{gitWrites, ""}},
	{"log", gitRow{gitReads, gitDiff}},
	{"ls-files", gitRow{gitReads, ""}},
	{"ls-remote", gitRow{gitReads, "--upload-pack:! --exec:! h --heads --branches t --tags --refs q --quiet " +
		"--exit-code --get-url --symref --sort:"}},
	{"ls-tree", gitRow{gitReads, ""}},
	{"maintenance", gitRow{gitChanges, ""}},
	{"merge", gitRow{gitWrites, ""}},
	{"merge-base", gitRow{gitReads, ""}},
	{"merge-file", gitRow{gitWrites, "p. --stdout. q L:"}},
	{"mergetool", gitRow{gitWrites, ""}},
	{"mv", gitRow{gitNames, "n. --dry-run. f --force k v --verbose"}},
	{"name-rev", gitRow{gitReads, ""}},
	{"notes", gitRow{gitChanges, ""}},
	{"pack-refs", gitRow{gitChanges, ""}},
	{"prune", gitRow{gitChanges, ""}},
	{"pull", gitRow{gitWrites, "--upload-pack:!"}},
	{"push", gitRow{gitChanges, "--receive-pack:! --exec:!"}},
	{"range-diff", gitRow{gitReads, gitDiff}},
	{"read-tree", gitRow{gitWrites, ""}},
	{"rebase", gitRow{gitWrites, "x:! --exec:!"}},
	{"repack", gitRow{gitChanges, ""}},
	{"replace", gitRow{gitChanges, ""}},
	{"rerere", gitRow{gitChanges, ""}},
	{"reset", gitRow{gitWrites, ""}},
	{"restore", gitRow{gitNames, "s: --source:"}},
	{"rev-list", gitRow{gitReads, ""}},
	{"rev-parse", gitRow{gitReads, ""}},
	{"revert", gitRow{gitWrites, ""}},
	{"rm", gitRow{gitNames, "n. --dry-run. f --force r q --quiet --cached --ignore-unmatch"}},
	{"shortlog", gitRow{gitReads, ""}},
	{"show", gitRow{gitReads, gitDiff}},
	{"show-ref", gitRow{gitReads, ""}},
	{"sparse-checkout", gitRow{gitWrites, ""}},
	{"stage", gitRow{gitChanges, "e@"}},
	{"status", gitRow{gitReads, ""}},
	{"switch", gitRow{gitWrites, ""}},
	{"symbolic-ref", gitRow{gitChanges, ""}},
	{"tag", gitRow{gitLists, "--contains: --no-contains: --merged= --points-at: --sort: --format: n= l% --list% " +
		"d: a s m: F: f v"}},
	{"update-index", gitRow{gitChanges, ""}},
	{"update-ref", gitRow{gitChanges, ""}},
	{"var", gitRow{gitReads, ""}},
	{"verify-commit", gitRow{gitReads, ""}},
	{"version", gitRow{gitReads, ""}},
	{"whatchanged", gitRow{gitReads, gitDiff}},
	{"write-tree", gitRow{gitChanges, ""}},
}

// gitVerb names verbs, each between spaces.
type gitVerb struct{ reads, changes string }

// gitVerbs are subcommands with verbs of their own: which verbs read, which change the repository alone. All others
// write.
var gitVerbs = table[gitVerb]{
	{"bisect", gitVerb{" log view ", ""}},
	{"config", gitVerb{" --get --get-all --get-regexp --list -l get list --get-urlmatch ", ""}},
	{"reflog", gitVerb{" show exists ", " expire delete "}},
	{"remote", gitVerb{" -v show get-url --verbose ", " add remove rm rename set-url set-head set-branches prune " +
		"update "}},
	{"stash", gitVerb{" list show ", " drop clear store create "}},
	{"submodule", gitVerb{" status summary ", ""}},
	{"worktree", gitVerb{" list ", " lock unlock prune "}},
}

// git looks at the options before the subcommand, then at the subcommand.
func git(c *call) {
	p, rest := c.lead(gitOptions)
	front := c.args[:len(c.args)-len(rest)]
	c.args = rest
	switch {
	case p.loose || len(rest) > 0 && !rest[0].known:
		c.ambiguous("which subcommand of git runs cannot be told")
		return
	case len(rest) == 0:
		if len(front) > 0 && front[0].text != "--version" && front[0].text != "--help" &&
			front[0].text != "--exec-path" {
			c.ambiguous("which subcommand of git runs cannot be told")
			return
		}
		c.reads()
		return
	}
	if why := gitDoubt(front); why != "" {
		c.ambiguous(why)
		return
	}
	start := c.w.scope
	for i, a := range front {
		switch {
		case a.text == "-C" && i+1 < len(front):
			c.w.scope.enter(front[i+1])
		case strings.HasPrefix(a.text, "-C"):
			c.w.scope.enter(arg{text: a.text[2:], known: a.known})
		case strings.HasPrefix(a.text, "--work-tree"), strings.HasPrefix(a.text, "--git-dir"):
			c.w.scope.lost = true
		}
	}
	c.gitSubcommand(rest[0].text)
	c.w.scope.dir, c.w.scope.lost = start.dir, start.lost
}

// gitDoubt returns what the options before the subcommand may make git run.
func gitDoubt(front []arg) string {
	for i, a := range front {
		set, ok := a, false
		switch {
		case strings.HasPrefix(a.text, "--exec-path"), strings.HasPrefix(a.text, "--config-env"):
			return "git " + a.text + " may run anything"
		case strings.HasPrefix(a.text, "--") && !find(gitOptions,
			a.text[:len(a.text)-len(strings.TrimLeft(a.text, "-abcdefghijklmnopqrstuvwxyz"))]).found:
			return "git " + a.text + " is not known"
		case a.text == "-c" && i+1 < len(front):
			set, ok = front[i+1], true
		case strings.HasPrefix(a.text, "-c"):
			set.text, ok = a.text[2:], true
		}
		if ok && !(set.known && toolchain.SafeSetting(set.text)) {
			return "git -c " + set.text + " may run anything"
		}
	}
	return ""
}

func (c *call) gitSubcommand(name string) {
	args := c.args
	c.args = args[1:]
	why := func() string { return "git " + name + " writes files" }
	row, known := gitRows.find(name)
	verbs, verbal := gitVerbs.find(name)
	p := c.parse(row.opts)
	c.args = args
	switch {
	case known && row.does != gitReads && (row.does != gitLists || !c.gitListing(p)) && produces(c):
	case asking.has(name) && (known && p.strange || slices.ContainsFunc(args[1:], mayBeTransport)):
		c.ambiguous("git " + name + " may run what an address or an option names")
	case (verbal || row.does == gitReads && known) && len(p.named) == 0 && c.gitOutput():
		c.writesOrReads(why(), Target{})
	case verbal:
		c.gitVerb(name, verbs.reads, verbs.changes)
	case !known:
		c.ambiguous("git " + name + " may be an alias")
	case p.runs != "":
		c.ambiguous("git " + name + strings.TrimPrefix(p.runs, "git"))
	case len(p.named) > 0 || p.elsewise:
		c.writesOrReads(why(), append(p.named, p.unnamedWhere(p.elsewise)...)...)
	case p.isDry():
		c.reads()
	case row.does == gitReads && p.loose && strings.ContainsAny(row.opts, optionMarks):
		c.ambiguous("a word that cannot be told may be an option of git that writes")
	case row.does == gitReads, row.does == gitLists && c.gitListing(p):
		c.reads()
	case row.does == gitChanges, row.does == gitLists:
		c.unknown("git " + name + " changes the repository")
	case row.does == gitNames:
		c.writesOrReads(why(), c.gitPaths(name, p)...)
		c.w.parts[len(c.w.parts)-1].Placed = c.w.parts[len(c.w.parts)-1].Targets
	default:
		c.writesOrReads(why(), Target{})
	}
}

// asking are the subcommands that read, and may ask a remote repository by its address.
var asking = names{"archive", "ls-remote", "remote", "submodule"}

func mayBeTransport(a arg) bool { return !a.known || toolchain.IsTransport(a.text) }

// gitOutput finds --output, which whatever goes through the log takes, documented or not.
func (c *call) gitOutput() bool {
	for _, a := range c.args[1:] {
		if strings.HasPrefix(a.text, "--ou") {
			return true
		}
	}
	return false
}

// gitListing reports whether git branch or git tag shows what there is.
func (c *call) gitListing(p parsed) bool {
	row, _ := gitRows.find(c.args[0].text)
	changing := "dDmMcCuafs"
	if c.args[0].text == "branch" {
		changing = "dDmMcCuf"
	}
	for _, a := range c.args[1:] {
		name, _, _ := strings.Cut(a.text, "=")
		long := strings.HasPrefix(name, "--")
		if long && find(row.opts, name) == (option{}) || name == "--edit-description" || !long && len(name) > 1 &&
			name[0] == '-' && strings.ContainsAny(name, changing) {
			return false
		}
	}
	return !p.loose && (len(p.operands) == 0 || len(p.programs) > 0)
}

// gitPaths returns the working files that checkout, restore, rm and mv name.
func (c *call) gitPaths(name string, p parsed) []Target {
	if name == "checkout" {
		for i, a := range c.args {
			if a.known && a.text == "--" && i+1 < len(c.args) {
				return c.targets(c.args[i+1:])
			}
		}
		return []Target{{}}
	}
	if len(p.operands) == 0 {
		return []Target{{}}
	}
	return c.targets(p.operands)
}

func (c *call) gitVerb(name, reads, changes string) {
	verb := arg{text: "", known: true}
	for _, a := range c.args[1:] {
		if verb = a; name != "remote" || !a.known || a.text != "-v" && a.text != "--verbose" {
			break
		}
	}
	word := " " + verb.text + " "
	switch {
	case !verb.known:
		c.ambiguous("what git " + name + " does cannot be told")
	case verb.text == "" && name != "stash", name == "config" && len(c.args) == 2 &&
		!strings.HasPrefix(verb.text, "-"), strings.Contains(reads, word):
		c.reads()
	case strings.Contains(changes, word):
		c.unknown("git " + name + " changes the repository")
	case name == "config":
		c.ambiguous("git config may make git run anything")
	case name == "bisect" && verb.text == "run":
		c.ambiguous("git bisect run may run anything")
	default:
		c.writesOrReads("git "+name+" writes files", Target{})
	}
}
