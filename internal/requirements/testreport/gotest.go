package testreport

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// goEvent is one line of "go test -json".
type goEvent struct {
	Action     string
	Package    string
	Test       string
	ImportPath string // of what was built; with " [package.test]" behind it when that was for a test
}

// goReader collects the last word on each test, and on each package.
type goReader struct {
	cases    []Case // with the result "" while a test runs
	tests    map[goTest]int
	packages map[string]string // last action: start, pass, fail or skip
	names    []string          // of the packages, as they come up
	unbuilt  map[string]bool
}

type goTest struct{ pkg, name string }

// readGo reads the output of "go test -json". The last action of a test decides, and one that never ended has failed. A
// package that failed without a failed test, did not build or never ended is a failed case of the package's name.
// Benchmarks count only when the report gives them a result.
func readGo(b []byte) ([]Case, error) {
	r := goReader{tests: map[goTest]int{}, packages: map[string]string{}, unbuilt: map[string]bool{}}
	line := 0
	for text := range bytes.Lines(b) {
		line++
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		var e goEvent
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, unreadable(Go, line, "this is not one whole JSON object").Because(err).
				WithFix("give the standard output of go test -json alone, to its last line")
		}
		if e.Action == "" {
			return nil, unreadable(Go, line, "the object has no Action")
		}
		r.add(e)
		if len(r.cases)+len(r.names) > MaxCases {
			return nil, tooManyCases()
		}
	}
	return r.all(), nil
}

func (r *goReader) add(e goEvent) {
	switch e.Action {
	case "build-fail":
		pkg, _, _ := strings.Cut(e.ImportPath, " ")
		r.see(pkg, Fail)
		r.unbuilt[pkg] = true
		return
	case "build-output":
		return
	}
	if e.Test == "" {
		switch e.Action {
		case "start", Pass, Fail, Skip:
			r.see(e.Package, e.Action)
		default:
			r.see(e.Package, "")
		}
		return
	}
	r.see(e.Package, "")
	switch e.Action {
	case Pass, Fail, Skip:
		r.set(e, e.Action)
	case "run", "pause", "cont":
		r.set(e, "")
	}
}

// see notes the last action of a package; none when it is only mentioned.
func (r *goReader) see(pkg, action string) {
	before, known := r.packages[pkg]
	if !known {
		r.names = append(r.names, pkg)
	}
	if action == "" {
		action = before
	}
	r.packages[pkg] = action
}

func (r *goReader) set(e goEvent, result string) {
	key := goTest{e.Package, e.Test}
	at, known := r.tests[key]
	if !known {
		at = len(r.cases)
		r.tests[key] = at
		r.cases = append(r.cases, Case{Suite: e.Package, Name: e.Test})
	}
	r.cases[at].Result = result
}

// all returns the cases, once the last line has been read.
func (r *goReader) all() []Case {
	all := r.cases[:0]
	failed := map[string]bool{}
	for _, c := range r.cases {
		if c.Result == "" {
			if strings.HasPrefix(c.Name, "Benchmark") {
				continue // a benchmark that did well gets no result
			}
			c.Result = Fail
		}
		failed[c.Suite] = failed[c.Suite] || c.Result == Fail
		all = append(all, c)
	}
	for _, pkg := range r.names {
		action := r.packages[pkg]
		ended := action == Pass || action == Skip || action == Fail && failed[pkg]
		if ended && !r.unbuilt[pkg] {
			continue
		}
		if pkg == "" {
			pkg = "the package"
		}
		all = append(all, Case{Name: pkg, Result: Fail})
	}
	return all
}

// firstMember returns the first of these names that is a member of the first JSON value of b, or "".
func firstMember(b []byte, names ...string) string {
	d := jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return ""
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return ""
		}
		for _, want := range names {
			if name.String() == want {
				return want
			}
		}
		if d.SkipValue() != nil {
			return ""
		}
	}
	return ""
}
