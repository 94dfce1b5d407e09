// Package asset serves the static files of the web page: its sheet, its marks and its scripts. Two of the scripts are
// others'; third-party/manifest.json says whose.
package asset

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"sync"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/fixed"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/system/lazyregexp"
)

//go:embed css/*.css *.svg page.js third-party
var embedded embed.FS

// folder is where the files are served.
const folder = "/ui/assets/"

const (
	sheet  = "sheet.css" // all of css/*.css in one
	script = "page.js"
)

// file is what is served under one name.
type file struct {
	answer *fixed.Answer
	digest string
}

// served has all files by name. They are read when the first is asked for.
var served = sync.OnceValue(func() map[string]file {
	all := map[string]file{sheet: fileOf(sheet, []byte(sheetOf(embedded)))}
	all[script] = fileOf(script, scriptOf(content(embedded, script)))
	for _, pattern := range []string{"*.svg", "third-party/*.js", "third-party/*.txt"} {
		for _, from := range matching(embedded, pattern) {
			all[path.Base(from)] = fileOf(from, content(embedded, from))
		}
	}
	return all
})

func fileOf(name string, body []byte) file {
	sum := sha256.Sum256(body)
	return file{fixed.New(mediaTypes[path.Ext(name)], body), hex.EncodeToString(sum[:4])}
}

var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// URL returns the address of a file, with the digest of its bytes, so that it may be kept for ever. It panics where
// there is no such file: name it in the program, never from a request.
func URL(name string) string {
	f, found := served()[name]
	if !found {
		panic("asset: there is no file " + name)
	}
	return folder + name + "?v=" + f.digest
}

var (
	keepForever = []string{"public, max-age=31536000, immutable"}
	askAgain    = []string{"public, no-cache"}
)

// Handler answers with the file that the last part of the path names. Whoever asks by the digest of its bytes may keep
// it for ever; whoever asks by another, or none, compares each time.
func Handler(w http.ResponseWriter, r *http.Request) error {
	query, err := wire.Query(r, "v")
	if err != nil {
		return err
	}
	f, found := served()[path.Base(r.URL.Path)]
	if !found {
		return fault.New(fault.NotFound, "unknown_path", "the web page has no such file").
			WithFix("load the page anew: it names the files that it has now")
	}
	keep := askAgain
	if query.Get("v") == f.digest {
		keep = keepForever
	}
	return f.answer.ServeKept(w, r, keep)
}

// first are the parts of the sheet that the others build upon.
var first = []string{"css/tokens.css", "css/base.css"}

var cssComment = lazyregexp.New(`(?s)/\*.*?\*/\s*`)

// sheetOf returns the sheet: all of css/*.css in one, without comments. Tokens and base come first, and the others in
// the order of their names.
func sheetOf(files fs.FS) string {
	parts := matching(files, "css/*.css")
	slices.SortStableFunc(parts, func(a, b string) int { return rank(a) - rank(b) })
	var all []byte
	for _, part := range parts {
		all = append(all, cssComment().ReplaceAll(content(files, part), nil)...)
	}
	return string(all)
}

var (
	scriptComment = lazyregexp.New(`(?m)^\s*(//.*\n)?`)
	openLine      = lazyregexp.New(`([{(\[,;])\n`)
)

// scriptOf returns a script without its indentation and its comments, which stand on lines of their own, and without
// the ends of lines where they mean nothing.
func scriptOf(source []byte) []byte {
	return openLine().ReplaceAll(scriptComment().ReplaceAll(source, nil), []byte("$1"))
}

// rank orders what comes first before all others.
func rank(part string) int {
	if at := slices.Index(first, part); at >= 0 {
		return at
	}
	return len(first)
}

func matching(files fs.FS, pattern string) []string {
	found, err := fs.Glob(files, pattern)
	if err != nil {
		panic(err) // the pattern is written wrong
	}
	return found
}

func content(files fs.FS, name string) []byte {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return body
}
