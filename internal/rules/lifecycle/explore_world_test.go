package lifecycle

import (
	"slices"
	"time"
)

// world is what the exploration knows of the repository, and the rules learn only from who looks. The files of the
// implementation have one of two contents, since the rules compare each commit with the tip alone: the tip moves from one
// content to the other, and back.
type world struct {
	tip     byte   // the content of the files at the tip, 'A' or 'B'
	commits byte   // how many were named so far
	history uint64 // the commits in the history of the branch, by their numbers
	gone    bool   // the branch cannot be read
	lost    bool   // the report of the present tests was overwritten by another run
}

// situation is a requirement and the world around it.
type situation struct {
	req   Requirement
	world world
}

// Names in evidence; a commit is named by its number and its content.
const (
	codeFile  = "code.go"  // a file of the implementation
	notesFile = "notes.md" // what justifications cite; it never changes
	green     = "TestGreen"
	red       = "TestRed" // in its report, another test failed
)

func other(content byte) byte { return 'A' + 'B' - content }

// commit names a new commit with a content of the files, in the history of the branch or beside it.
func (w *world) commit(content byte, inHistory bool) string {
	w.commits++
	w.history &^= 1 << w.commits
	if inHistory {
		w.history |= 1 << w.commits
	}
	return string([]byte{'0' + w.commits, content})
}

func (w world) has(commit string) bool { return w.history>>(commit[0]-'0')&1 == 1 }

// look finds what evidence names, as the service would. A file has the content that stands in Lines.
func (w world) look(e Evidence, at time.Time) *Found {
	switch e.Kind {
	case EvidenceFile:
		return &Found{In: InBranch, Blob: e.Lines, SHA256: e.Lines}
	case EvidenceCommit:
		return &Found{In: InCommit, Commit: e.Commit}
	}
	counts := &Results{Run: 1, Passed: 1}
	if e.Name == red {
		counts = &Results{Run: 2, Passed: 1, Failed: 1}
	}
	if e.Report == "old" {
		at = at.AddDate(-1, 0, 0)
	}
	return &Found{In: InWorktree, SHA256: "report", Commit: e.ReportCommit, Modified: at, Counts: counts}
}

// against returns why evidence that was found does not count, or "", by the contract of the looker. Tests are tied to
// the files of the implementation where code says so.
func (w world) against(e Evidence, code bool) string {
	switch {
	case w.gone:
		return Unknown
	case e.Kind == EvidenceFile && e.Path == codeFile && e.Found.Blob != string(w.tip):
		return Uncommitted
	case e.Kind == EvidenceFile:
		return ""
	case e.Kind == EvidenceTest && w.lost:
		return ReportChanged
	case !w.has(e.Found.Commit):
		return Elsewhere
	case e.Kind == EvidenceTest && code && e.Found.Commit[1] != w.tip:
		return CodeChanged
	}
	return ""
}

// standing looks again at all that the requirement cites. What is done stands for what was tested.
func (w world) standing(req Requirement) map[string]string {
	found := map[string]string{}
	code := len(req.ImplementationEvidence) > 0 && req.Status != Done
	for c := range req.cited(lastMove(req.History)) {
		if reason := w.against(c.Evidence, code); reason != "" {
			found[c.Pointer] = reason
		}
	}
	return found
}

// recheck is standing as the service hands it to the rules.
func (w world) recheck(req Requirement, at time.Time) Recheck {
	found := Recheck{Revision: req.Revision, Rechecks: req.Rechecks}
	standing := w.standing(req)
	for c := range req.cited(lastMove(req.History)) {
		if reason := standing[c.Pointer]; reason != "" {
			found.Stale = append(found.Stale, Stale{c.Part, c.Pointer, reason, reason, at})
		}
	}
	return found
}

// looked is what the service finds of a change before it is decided.
func (s situation) looked(c Change, at time.Time) *Looked {
	looked := &Looked{}
	code := len(s.req.ImplementationEvidence) > 0
	for _, claim := range c.Claims() {
		finding := Finding{Pointer: claim.Pointer, Found: s.world.look(claim.Evidence, at)}
		claim.Found = finding.Found
		if reason := s.world.against(claim.Evidence, code); reason != "" {
			finding.Against = &Against{reason, reason}
		}
		looked.Findings = append(looked.Findings, finding)
	}
	if LatestRules.LookAgain(c.Status) {
		found := s.world.recheck(s.req, at)
		looked.Recheck = &found
	}
	return looked
}

// event is something that happens without a request.
type event struct {
	name  string
	helps bool // to get on: a way to done may need it
	rare  bool // it is left to the broad exploration
	does  func(*situation, time.Time) bool
}

// The two texts of the requirement. As with the code, the rules compare each part with the present one alone.
func textOf(fingerprint string) Definition {
	return Definition{ID: "REQ-1", Title: "t", Kind: "requirement", Fingerprint: fingerprint, Text: fingerprint,
		Source: Source{Path: "R.md", Line: 1, Priority: "P1"}}
}

func otherText(fingerprint string) string {
	if fingerprint == "one" {
		return "two"
	}
	return "one"
}

// imports returns an event that reads the document with what edit makes of the definition.
func imports(name string, helps bool, edit func(*Definition)) event {
	return event{name, helps, false, func(s *situation, at time.Time) bool {
		def := s.req.Definition
		edit(&def)
		var drift Drift
		s.req, drift = Define(&s.req, def, at, LatestRules)
		return drift != Unchanged
	}}
}

func events() []event {
	return []event{
		imports("import the same text", true, func(*Definition) {}),
		imports("import the text at another line", false, func(d *Definition) { d.Source.Line = 3 - d.Source.Line }),
		imports("import another text", false, func(d *Definition) {
			*d = textOf(otherText(d.Fingerprint))
		}),
		imports("import another priority", false, func(d *Definition) {
			d.Source.Priority = map[string]string{"P1": "P2", "P2": "P1"}[d.Source.Priority]
		}),
		{"remove the text", false, true, func(s *situation, _ time.Time) bool {
			var drift Drift
			s.req, drift = Retire(s.req)
			return drift != Unchanged
		}},
		{"recheck", true, false, func(s *situation, at time.Time) (news bool) {
			s.req, news = s.req.Rechecked(s.world.recheck(s.req, at), LatestRules)
			return news
		}},
		{"commit a change of the code", true, false, func(s *situation, _ time.Time) bool {
			s.world.tip = other(s.world.tip)
			return true
		}},
		{"merge all branches", true, false, func(s *situation, _ time.Time) bool {
			s.world.history = 1<<(s.world.commits+1) - 1
			return true
		}},
		{"rewrite the history of the branch", false, false, func(s *situation, _ time.Time) bool {
			s.world.history = 0
			return true
		}},
		{"lose the branch, or have it back", true, true, func(s *situation, _ time.Time) bool {
			s.world.gone = !s.world.gone
			return true
		}},
		{"overwrite the report", false, true, func(s *situation, _ time.Time) bool {
			news := s.req.Test != nil && !s.world.lost
			s.world.lost = true
			return news
		}},
	}
}

// person is who stands behind a name: cody has a token for PM that spells it otherwise.
func person(name string) string {
	if name == "Cody" {
		return "cody"
	}
	return name
}

// hasBegun reports whether a requirement is in a status, or was when it was blocked or deferred.
func (r Requirement) hasBegun(statuses ...Status) bool {
	return slices.Contains(statuses, r.Status) || r.HeldFrom != "" && slices.Contains(statuses, r.HeldFrom)
}
