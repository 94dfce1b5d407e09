package testreport

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

const (
	maxSubtests  = 16       // levels of subtests
	maxTAPSuites = 64 << 20 // bytes of all names of suites together
)

// tapReader follows a TAP stream line by line.
type tapReader struct {
	line   int
	levels []*tapLevel // the stream, and the subtests that are open
	points []tapPoint
	took   time.Duration // the whole
	yaml   string        // the indentation of the diagnostics that are open
	opened int           // the line where they begin; 0 when none are open
	bailed bool
}

// tapLevel is the stream itself, or the subtests of one test.
type tapLevel struct {
	around *tapLevel
	name   string // of the test; known once its own line comes, after its subtests
	suite  *string
	plan   int // how many tests are planned; -1 until it is known
	points int
	passed int
	failed int
	wrong  string // the first thing that is wrong with it
}

// tapPoint is a test; its suite is known once the lines of all tests around it have been read.
type tapPoint struct {
	in           *tapLevel
	name, result string
	took         time.Duration
	defect       bool // it stands for what is wrong with the level
}

// readTAP reads TAP 14, and 13. Subtests are indented by four spaces, and belong to the test on the line after them:
// that one passes only if one of them does. A plan that is missing or not kept, numbers out of order, and "Bail out!"
// are failed cases of their own. A test that is TODO proves nothing, and counts as skipped; one that fails and says
// SKIP has failed.
func readTAP(b []byte) (*reading, error) {
	r := &tapReader{levels: []*tapLevel{{plan: -1}}}
	for text := range bytes.Lines(b) {
		r.line++
		if err := r.take(strings.TrimRight(string(text), "\r\n")); err != nil {
			return nil, err
		}
		if len(r.points) > MaxCases {
			return nil, tooManyCases()
		}
		if r.bailed {
			break
		}
	}
	if r.opened > 0 {
		return nil, unreadable(TAP, r.opened, "diagnostics begin here, and do not end")
	}
	if !r.bailed {
		r.leave(0)
		r.check(r.levels[0])
	}
	return r.cases()
}

func (r *tapReader) take(text string) error {
	content := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(content)]
	if content == "" {
		return nil
	}
	if r.opened > 0 {
		switch {
		case !strings.HasPrefix(indent, r.yaml):
			return unreadable(TAP, r.opened, "diagnostics begin here, and do not end before line %d", r.line)
		case indent == r.yaml:
			r.diagnostic(strings.TrimSpace(content))
		}
		return nil
	}
	if len(indent)%4 == 2 && strings.TrimSpace(content) == "---" {
		r.yaml, r.opened = indent, r.line
		return nil
	}
	depth := len(indent) / 4
	if len(indent)%4 != 0 {
		return nil
	}
	return r.takeAt(depth, content)
}

// diagnostic reads a line of the diagnostics of the last test: how long it took, or their end.
func (r *tapReader) diagnostic(content string) {
	if content == "..." {
		r.opened = 0
	}
	if took, ok := strings.CutPrefix(content, "duration_ms:"); ok && len(r.points) > 0 {
		r.points[len(r.points)-1].took = readDuration(took, time.Millisecond)
	}
}

// takeAt reads a line that is indented by whole levels. What is no line of TAP is output of the tests.
func (r *tapReader) takeAt(depth int, content string) error {
	if reason, ok := strings.CutPrefix(content, "Bail out!"); ok {
		r.bailed = true
		r.add(r.levels[0], strings.TrimSpace("Bail out! "+strings.TrimSpace(reason)), Fail)
		return nil
	}
	if version, ok := strings.CutPrefix(content, "TAP version "); ok && depth == 0 {
		if v := strings.TrimSpace(version); v != "13" && v != "14" {
			return unreadable(TAP, r.line, "this is TAP version %q", clip(v)).WithFix("write TAP 14 or TAP 13")
		}
		if top := r.levels[0]; top.points > 0 || top.plan >= 0 {
			return unreadable(TAP, r.line, "a second stream begins here").WithFix("give one TAP stream at a time")
		}
		return nil
	}
	if took, ok := strings.CutPrefix(content, "# duration_ms "); ok && depth == 0 {
		r.took = readDuration(took, time.Millisecond)
		return nil
	}
	plan, isPlan := planOf(content)
	point, isPoint := pointOf(content)
	if !isPlan && !isPoint {
		return nil
	}
	if depth > maxSubtests {
		return unreadable(TAP, r.line, "there are subtests in more than %d levels", maxSubtests)
	}
	for len(r.levels) <= depth {
		r.levels = append(r.levels, &tapLevel{around: r.levels[len(r.levels)-1], plan: -1})
	}
	if isPlan {
		r.leave(depth)
		if level := r.levels[depth]; level.plan >= 0 {
			return unreadable(TAP, r.line, "this is a second plan").WithFix("give one TAP stream at a time")
		}
		r.levels[depth].plan = plan
		return nil
	}
	r.point(depth, point)
	return nil
}

// point takes the line of a test, which may end the subtests of that test.
func (r *tapReader) point(depth int, p tapLine) {
	level := r.levels[depth]
	level.points++
	if p.number >= 0 && p.number != level.points {
		level.note("line %d is test %d, and comes as test %d", r.line, p.number, level.points)
	}
	name := p.name
	if name == "" {
		name = fmt.Sprintf("test %d", level.points)
	}
	result := p.result
	if len(r.levels) > depth+1 {
		r.leave(depth + 1)
		sub := r.levels[depth+1]
		sub.name = name
		r.check(sub)
		if result == Pass && sub.passed == 0 {
			result = Skip
			if sub.failed > 0 {
				result = Fail
			}
		}
		r.levels = r.levels[:depth+1]
	}
	r.add(level, name, result)
}

// leave ends the subtests below a level; the test that they belong to never came.
func (r *tapReader) leave(depth int) {
	for len(r.levels) > depth+1 {
		last := r.levels[len(r.levels)-1]
		r.levels = r.levels[:len(r.levels)-1]
		last.note("its subtests end before line %d without the line of the test itself", r.line+1)
		r.check(last)
	}
}

// check adds a failed case for what is wrong with a level that has ended.
func (r *tapReader) check(level *tapLevel) {
	switch {
	case level.wrong != "":
	case level.plan < 0:
		level.note("there is no plan, so tests may be missing")
	case level.plan != level.points:
		level.note("%d tests are planned, and %d are there", level.plan, level.points)
	}
	if level.wrong != "" {
		r.add(level, level.wrong, Fail)
		r.points[len(r.points)-1].defect = true
	}
}

func (l *tapLevel) note(format string, args ...any) {
	if l.wrong == "" {
		l.wrong = fmt.Sprintf(format, args...)
	}
}

func (r *tapReader) add(level *tapLevel, name, result string) {
	switch result {
	case Pass:
		level.passed++
	case Fail:
		level.failed++
	}
	r.points = append(r.points, tapPoint{in: level, name: name, result: result})
}

func (r *tapReader) cases() (*reading, error) {
	told := &reading{}
	total := 0
	for _, p := range r.points {
		suite, size := p.in.path()
		if total += size; total > maxTAPSuites {
			return nil, fault.New(fault.Invalid, "report_too_large",
				"the names of the suites have more than %d bytes together", maxTAPSuites).
				WithFix("give shorter names to tests with many subtests")
		}
		add := told.add
		if p.defect {
			add = told.addDefect
		}
		add(Case{Suite: suite, Name: p.name, Result: p.result}, timing{took: p.took})
	}
	if len(r.points) > 0 {
		told.addAround("", timing{took: r.took})
	}
	return told, nil
}

// path returns the names of the tests around a level, and how many bytes were needed for it now.
func (l *tapLevel) path() (path string, size int) {
	if l.around == nil {
		return "", 0
	}
	if l.suite == nil {
		path, size = l.around.path()
		if path != "" {
			path += separators[TAP]
		}
		path += l.name
		size += len(path)
		l.suite = &path
	}
	return *l.suite, size
}

// looksLikeTAP reports whether the first line that is no comment is a line of TAP.
func looksLikeTAP(b []byte) bool {
	for text := range bytes.Lines(b) {
		line := string(bytes.TrimSpace(text[:min(len(text), 100)]))
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.HasPrefix(line, "ok  \t") {
			return false // go test without -json
		}
		_, plan := planOf(line)
		_, point := pointOf(line)
		return plan || point || strings.HasPrefix(line, "TAP version ") || strings.HasPrefix(line, "Bail out!")
	}
	return false
}

// planOf reads "1..5", with or without a comment behind it.
func planOf(line string) (planned int, ok bool) {
	rest, ok := strings.CutPrefix(line, "1..")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, " ")
	planned, err := strconv.Atoi(number)
	return planned, err == nil && planned >= 0 && number[0] != '+'
}
