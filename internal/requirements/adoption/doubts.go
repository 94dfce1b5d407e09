package adoption

import (
	"bytes"
	"slices"
)

// Bare reports whether a file with a mark holds nothing that could implement anything: no line of code.
func Bare(content []byte) bool {
	return len(content) > 0 && !slices.ContainsFunc(bytes.Split(content, []byte("\n")), isCode)
}

// doubts says what of the evidence for a requirement a person should look at before anybody approves it: all of it can
// be made by hand.
func (w *way) doubts() (all []string) {
	if bare := len(w.has.Bare); bare > 0 && bare == len(w.has.Files) {
		all = append(all, "the files with its mark hold nothing but marks and comments")
	}
	if len(w.tested.cited) == 0 {
		return all
	}
	if len(w.has.Tests) == 0 {
		all = append(all, "the tests that the report names for it stand in no file")
	}
	shared := true
	for _, e := range w.tested.cited {
		shared = shared && len(w.Finder.In(e.Name)) > 1
	}
	if shared {
		all = append(all, "its tests name several requirements")
	}
	return all
}
