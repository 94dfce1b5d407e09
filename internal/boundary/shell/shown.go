package shell

import (
	"path"
	"slices"
	"strings"

	"orchestrator/internal/boundary/shell/lists"
	"orchestrator/internal/boundary/shell/toolchain"
)

// What a command may show or copy is told generously: every word that may name a file counts, unless the program is
// known to show no content. Which of the files are secret is not known here, but for what a search may find.

// show notes which files a program may show, by its words.
func (w *walker) show(c *call) {
	if toolchain.ShowsVariables(c.name) {
		showVariables(w, toolchain.Variables(c.name, texts(c.args)))
	}
	if !c.plain && (lists.Wraps(c.name) || c.name == "env" || c.name == "xargs") {
		return // the command within is looked at for itself
	}
	switch c.name {
	case "find", "gfind":
		w.findFiles(c)
		return
	case "fd", "fdfind":
		w.fdFiles(c)
	}
	if c.silent() {
		w.listed = w.namedBy(w.listed, c)
		return
	}
	w.shown = w.namedBy(w.shown, c)
	w.pours = w.pours || slices.ContainsFunc(c.args, func(a arg) bool { return !a.known && a.text == "" })
	for _, folder := range copies(c) {
		w.shown = append(w.shown, Target{Path: w.scope.inDir(folder), Known: true, Tree: true})
	}
}

// showVariables notes which variables of the environment a program may show.
func showVariables(w *walker, names []string) {
	for _, name := range names {
		if name == "$" || strings.HasPrefix(name[1:], toolchain.TokenVariable) {
			w.shown = append(w.shown, Target{Path: name, Known: true})
		}
	}
}

// silent reports whether a program shows nothing of what is in the files that it is given.
func (c *call) silent() bool {
	if c.name != "git" {
		return lists.Contentless(c.name)
	}
	for i := 0; i < len(c.args); i++ {
		switch a := c.args[i]; {
		case a.text == "-C", a.text == "-c":
			i++
		case !strings.HasPrefix(a.text, "-"):
			return a.known && lists.ContentlessGit(a.text)
		}
	}
	return true
}

// namedBy adds the files that the words of a call may name.
func (w *walker) namedBy(files []Target, c *call) []Target {
	pattern := lists.Searches(c.name) && !slices.ContainsFunc(c.args,
		func(a arg) bool { return a.text == "-e" || a.text == "-f" })
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		name := ""
		if strings.HasPrefix(a.text, "-") {
			name, _, _ = strings.Cut(a.text, "=")
		}
		switch {
		case lists.Leaves(name), c.name == "orchestrator" && name == "--data":
			if name == a.text {
				i++
			}
		case pattern && !strings.HasPrefix(a.text, "-"):
			pattern = false
		default:
			files = mayHold(w, files, a.wildcards())
		}
	}
	return files
}

// mostMarks is after how many marks of a word a path may begin, besides the last one.
const mostMarks = 32

// mayHold adds the files that a word may be or hold: HEAD:path, @path, name=path, and -xpath. Slashes may go either
// way.
func mayHold(w *walker, files []Target, word string) []Target {
	if strings.IndexByte(word, '\\') >= 0 {
		word = strings.ReplaceAll(word, `\`, "/")
	}
	hold := func(path string) {
		if !lists.Only(path, "./") {
			files = w.mayShow(files, path)
		}
	}
	if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		hold(word[2:])
	} else if word != "" && word[0] != '-' {
		hold(word)
	}
	last := len(word) - 1
	for last >= 0 && !isMark(word[last]) {
		last--
	}
	for i, marks := 0, 0; i <= last && i < len(word)-1; i++ {
		if isMark(word[i]) && (marks < mostMarks || i == last) {
			hold(word[i+1:])
			marks++
		}
	}
	return files
}

func isMark(c byte) bool { return c == ':' || c == '@' || c == '=' }

// copies returns the folders that a call copies or searches with all that is in them, of those that hold the one it
// runs in.
func copies(c *call) []string {
	if c.name == "git" {
		return gitCopies(c)
	}
	switch c.name {
	case "7z", "bsdtar", "cp", "diff", "gcp", "gtar", "rsync", "scp", "tar", "zip":
	default:
		return nil
	}
	words := texts(c.args)
	extracts := len(c.args) > 0 && strings.Contains(c.args[0].text, "x") && c.name != "cp" && c.name != "diff"
	if extracts || toolchain.LeavesOut(c.name, words, ".orchestrator") {
		return nil
	}
	return foldersAbove(c.args[:len(c.args)-toolchain.Destination(c.name, words)])
}

// above returns the folder that a word names, if it is . or one above it.
func above(a arg) string {
	folder := path.Clean(a.text)
	if !a.known || a.text == "" || strings.Trim(folder, "./") != "" || folder == "/" {
		return ""
	}
	return folder
}

// foldersAbove returns the folders that words name, and that may be . or one above it.
func foldersAbove(args []arg) (all []string) {
	for _, a := range args {
		if folder := above(a); folder != "" {
			all = append(all, folder)
		} else if a.known && a.text != "" && (a.text[0] == '/' || a.text[0] == '~') {
			all = append(all, a.text)
		}
	}
	return all
}

// gitCopies returns the folders of which git stores or searches also what it ignores.
func gitCopies(c *call) []string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(c.args, func(a arg) bool { return slices.Contains(names, a.text) })
	}
	switch {
	case has("add", "stage"):
		return toolchain.Ignored(texts(c.args))
	case has("--no-index") && has("diff"):
	case !has("grep") || !(has("--no-index") && !has("--exclude-standard") || has("--untracked") &&
		has("--no-exclude-standard")):
		return nil
	case len(foldersAbove(c.args)) == 0 && c.operandsOfGrep() < 2:
		return []string{"."}
	}
	return foldersAbove(c.args)
}

// operandsOfGrep counts the pattern of git grep, and the files after it.
func (c *call) operandsOfGrep() (n int) {
	start := slices.IndexFunc(c.args, func(a arg) bool { return a.text == "grep" })
	for _, a := range c.args[start+1:] {
		if !strings.HasPrefix(a.text, "-") {
			n++
		}
	}
	return n
}

// inDir returns a folder seen from that of the scope.
func (s *scope) inDir(folder string) string {
	switch {
	case folder == "." && s.dir != "":
		return s.dir
	case folder[0] == '/', folder[0] == '~':
		return folder
	}
	return join(s.dir, folder)
}

// showRest adds what shows itself only when the whole command has been looked at: files that one program lists and
// another one is fed, and paths within code.
func (w *walker) showRest() {
	if w.pours {
		w.shown = append(w.shown, w.listed...)
	}
	if !slices.ContainsFunc(w.parts, func(p Part) bool { return p.Class == Ambiguous && !p.Unknown }) {
		return
	}
	for path := range strings.FieldsFuncSeq(w.text.String(),
		func(r rune) bool { return strings.ContainsRune(" \t\n\"'`()[]{}<>,;|&=", r) }) {
		if strings.Contains(path, ".orchestrator") {
			w.shown = append(w.shown, Target{Path: path, Known: true})
		}
	}
}
