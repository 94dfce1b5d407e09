// Package marked edits the part of a text that stands between two marks, and leaves all else as it is, byte for byte.
// The parts are this program's; the texts are files of the user, such as those with instructions for agents.
package marked

import (
	"strings"

	"orchestrator/internal/fault"
)

// CodeMarks is the code of a text whose marks do not enclose one part.
const CodeMarks fault.Code = "section_marks"

// Part is what stands between two marks, each in a line of its own.
type Part struct {
	Begin string // the mark that is written
	Known string // what the mark begins with in every version
	End   string
	Fix   string // what to do where the marks are broken
}

// The parts. Boundary stands in Guide, so none of its marks contains one of the other's.
var (
	Guide = Part{
		Begin: "<!-- orchestrator:begin - orchestrator init replaces what stands between these marks -->",
		Known: "<!-- orchestrator:begin",
		End:   "<!-- orchestrator:end -->",
		Fix:   "remove the marks, and orchestrator init writes the section anew",
	}
	Boundary = Part{
		Begin: "<!-- orchestrator:boundary - orchestrator boundary replaces what stands up to its end -->",
		Known: "<!-- orchestrator:boundary -",
		End:   "<!-- orchestrator:boundary-end -->",
		Fix:   "remove the marks, and orchestrator boundary install writes the part anew",
	}
)

// Whole returns the part with its marks, as it is written. The text ends in a newline, or is empty.
func (p Part) Whole(text string) string { return p.Begin + "\n" + text + p.End + "\n" }

// Has reports whether a text has the part, or what is left of one.
func (p Part) Has(has string) bool { return strings.Contains(has, p.Known) }

// Text returns what stands between the marks of the text of a file, with newlines alone; "" where there is no part.
func (p Part) Text(file, has string) (string, error) {
	begin, end, err := p.find(file, has)
	if err != nil || begin < 0 {
		return "", err
	}
	inside := has[begin : end-len(p.End)]
	_, inside, _ = strings.Cut(inside, "\n") // the mark's line
	return strings.ReplaceAll(inside, "\r\n", "\n"), nil
}

// Put returns the text of a file with the part in it: in the place of the one that it has, or at its end. The part
// takes over how lines end.
func (p Part) Put(file, has, text string) (string, error) {
	newline := newlineOf(has)
	whole := strings.ReplaceAll(p.Whole(text), "\n", newline)
	begin, end, err := p.find(file, has)
	switch {
	case err != nil:
		return "", err
	case begin >= 0:
		return has[:begin] + strings.TrimSuffix(whole, newline) + has[end:], nil
	case has == "":
		return whole, nil
	}
	return has + newline + whole, nil // where has ends without a newline, no empty line tells Cut so
}

// Cut returns the text of a file without the part, and without what Put sets before it: an empty line, or the end of a
// line that had none.
func (p Part) Cut(file, has string) (string, error) {
	begin, end, err := p.find(file, has)
	if err != nil || begin < 0 {
		return has, err
	}
	newline := newlineOf(has)
	before, after := has[:begin], strings.TrimPrefix(has[end:], newline)
	if strings.HasSuffix(before, newline+newline) || after == "" {
		before = strings.TrimSuffix(before, newline)
	}
	return before + after, nil
}

// find returns where the part begins, and where its end mark ends; -1 where there is none.
func (p Part) find(file, has string) (begin, end int, err error) {
	begin, end = strings.Index(has, p.Known), strings.Index(has, p.End)
	switch begins, ends := strings.Count(has, p.Known), strings.Count(has, p.End); {
	case begins == 0 && ends == 0:
		return -1, -1, nil
	case begins == 1 && ends == 1 && begin < end:
		return begin, end + len(p.End), nil
	}
	return -1, -1, fault.New(fault.Invalid, CodeMarks, "the marks %s and %s in %s do not enclose one section", p.Begin,
		p.End, file).WithFix("%s", p.Fix)
}

func newlineOf(has string) string {
	if first := strings.IndexByte(has, '\n'); first > 0 && has[first-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
