package testreport

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// goEvent is one line of "go test -json".
type goEvent struct {
	Action     string
	Package    string
	Test       string
	ImportPath string // of what was built; with " [package.test]" behind it when that was for a test
	Time       jsontext.Value
	Elapsed    jsontext.Value // in seconds
	timing     timing
}

// goReader collects the last word on each test, and on each package.
type goReader struct {
	cases    []goCase // with the result "" while a test runs
	tests    map[goTest]int
	packages map[string]goPackage
	names    []string // of the packages, as they come up
	unbuilt  map[string]bool
}

type goCase struct {
	Case
	timing timing // of its last action
}

type goPackage struct {
	action string // the last: start, pass, fail or skip
	timing timing // of it
}

type goTest struct{ pkg, name string }

// readGo reads the output of "go test -json". The last action of a test decides, and one that never ended has failed. A
// package that failed without a failed test, did not build or never ended is a failed case of the package's name.
// Benchmarks count only when the report gives them a result.
func readGo(b []byte) (*reading, error) {
	r := goReader{tests: map[goTest]int{}, packages: map[string]goPackage{}, unbuilt: map[string]bool{}}
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
		at, err := momentOf(e.Time)
		if err != nil {
			return nil, unreadable(Go, line, "its Time %s", err).WithFix(fixTime)
		}
		e.timing = timing{at: at, took: durationOf(e.Elapsed, time.Second), ran: at.ran(0)}
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
		r.see(pkg, Fail, e.timing)
		r.unbuilt[pkg] = true
		return
	case "build-output":
		return
	}
	if e.Test == "" {
		switch e.Action {
		case "start", Pass, Fail, Skip:
			r.see(e.Package, e.Action, e.timing)
		default:
			r.see(e.Package, "", timing{})
		}
		return
	}
	r.see(e.Package, "", timing{})
	switch e.Action {
	case Pass, Fail, Skip:
		r.set(e, e.Action)
	case "run", "pause", "cont":
		r.set(e, "")
	}
}

// see notes the last action of a package; none when it is only mentioned.
func (r *goReader) see(pkg, action string, t timing) {
	last, known := r.packages[pkg]
	if !known {
		r.names = append(r.names, pkg)
	}
	if action != "" {
		last = goPackage{action, t}
	}
	r.packages[pkg] = last
}

func (r *goReader) set(e goEvent, result string) {
	key := goTest{e.Package, e.Test}
	at, known := r.tests[key]
	if !known {
		at = len(r.cases)
		r.tests[key] = at
		r.cases = append(r.cases, goCase{Case: Case{Suite: e.Package, Name: e.Test}})
	}
	r.cases[at].Result, r.cases[at].timing = result, e.timing
}

// all returns what was read, once the last line has been.
func (r *goReader) all() *reading {
	all := &reading{}
	failed := map[string]bool{} // whether a test of the package has; of packages with tests
	for _, c := range r.cases {
		if c.Result == "" {
			if strings.HasPrefix(c.Name, "Benchmark") {
				continue // a benchmark that did well gets no result
			}
			c.Result = Fail
		}
		failed[c.Suite] = failed[c.Suite] || c.Result == Fail
		all.add(c.Case, c.timing)
	}
	for _, pkg := range r.names {
		action, timing := r.packages[pkg].action, r.packages[pkg].timing
		if _, tested := failed[pkg]; tested {
			all.addAround(pkg, timing)
		}
		ended := action == Pass || action == Skip || action == Fail && failed[pkg]
		if ended && !r.unbuilt[pkg] {
			continue
		}
		if pkg == "" {
			pkg = "the package"
		}
		all.add(Case{Name: pkg, Result: Fail}, timing)
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
