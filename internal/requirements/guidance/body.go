package guidance

import (
	"fmt"
	"slices"
	"strconv"

	"orchestrator/internal/rules/lifecycle"
)

// Body is a change request to copy. What stands in angle brackets is to be replaced.
type Body struct {
	Status            lifecycle.Status            `json:"status,omitempty"`
	Justification     *lifecycle.Justification    `json:"justification,omitempty"`
	AcceptFingerprint string                      `json:"accept_fingerprint,omitempty"`
	PMNotes           []lifecycle.NewNote         `json:"pm_notes,omitempty"`
	Deviations        []lifecycle.DeviationChange `json:"deviations,omitempty"`
	Approvals         []lifecycle.NewApproval     `json:"approvals,omitempty"`
	DesignSpec        *Design                     `json:"design_spec,omitempty"`
	Implementation    *Implementation             `json:"implementation,omitempty"`
	Test              *lifecycle.TestRecord       `json:"test,omitempty"`
}

// Design is a design_spec as an example shows it.
type Design struct {
	Summary    string      `json:"summary"`
	Components []Component `json:"components,omitempty"`
	Interfaces []string    `json:"interfaces,omitempty"`
	Decisions  []string    `json:"decisions,omitempty"`
	Risks      []string    `json:"risks,omitempty"`
	Files      []File      `json:"files,omitempty"`
}

// Component is a part of what is designed.
type Component struct {
	Name           string `json:"name"`
	Responsibility string `json:"responsibility"`
}

// Implementation is an implementation as an example shows it.
type Implementation struct {
	Summary string   `json:"summary"`
	Files   []File   `json:"files"`
	Commits []string `json:"commits,omitempty"`
	Notes   string   `json:"notes,omitempty"`
}

// File is a file that an implementation names.
type File struct {
	Path  string `json:"path"`
	Lines string `json:"lines,omitempty"`
}

// What an example has to be filled with.
const (
	because = "<why>"
	aPath   = "<path of a file in the repository>"
	aTest   = "<name of a test>"
	aReport = "<path of the report, or sha256:… of one that was attached>"
)

// maxCited bounds the pieces of evidence in an example.
const maxCited = 2

// place is a requirement, and what examples for it depend on besides.
type place struct {
	lifecycle.Requirement
	Around
}

// ofField returns an example for one member of a change request; nil where none would be accepted by itself.
func (p place) ofField(field string) *Body {
	switch field {
	case lifecycle.FieldPMNotes:
		return &Body{PMNotes: []lifecycle.NewNote{{Text: "<a remark>"}}}
	case lifecycle.FieldDeviations:
		if open := p.OpenDeviation(); open != "" {
			return &Body{Deviations: []lifecycle.DeviationChange{resolution(open)}}
		}
		return &Body{Deviations: []lifecycle.DeviationChange{{ID: p.freeDeviation(), Text: "<what departs from the text>"}}}
	case lifecycle.FieldApprovals:
		return &Body{Approvals: approval()}
	case lifecycle.FieldAcceptFingerprint:
		if p.Suspect {
			return &Body{AcceptFingerprint: p.Fingerprint, PMNotes: []lifecycle.NewNote{{Text: "<why the new text is accepted>"}}}
		}
	case lifecycle.FieldDesignSpec:
		return &Body{DesignSpec: &Design{Summary: "<what is to be built, and how>"}}
	case lifecycle.FieldImplementation:
		return &Body{Implementation: &Implementation{Summary: "<what was built>", Files: p.files()}}
	case lifecycle.FieldTest:
		return &Body{Test: p.test(lifecycle.ResultPass)}
	}
	return nil
}

func resolution(id string) lifecycle.DeviationChange {
	return lifecycle.DeviationChange{ID: id, Resolution: &lifecycle.NewResolution{Outcome: "accepted", Text: because}}
}

func approval() []lifecycle.NewApproval {
	return []lifecycle.NewApproval{{Decision: lifecycle.Approved, Text: because}}
}

// freeDeviation returns an id that no deviation has.
func (p place) freeDeviation() string {
	for n := 1; ; n++ {
		id := "D-" + strconv.Itoa(n)
		if !slices.ContainsFunc(p.Deviations, func(d lifecycle.Deviation) bool { return d.ID == id }) {
			return id
		}
	}
}

// files returns the files that the implementation names already, or one to fill in.
func (p place) files() (files []File) {
	for _, e := range p.ImplementationEvidence {
		if e.Kind == lifecycle.EvidenceFile && len(files) < maxCited {
			files = append(files, File{Path: e.Path, Lines: e.Lines})
		}
	}
	if files == nil {
		files = []File{{Path: aPath}}
	}
	return files
}

// test returns a test record. Where reports are read, the service counts the results in them.
func (p place) test(result string) *lifecycle.TestRecord {
	record := &lifecycle.TestRecord{Plan: "<what is tested, and how>",
		Evidence: []lifecycle.Evidence{{Kind: lifecycle.EvidenceTest, Name: aTest, Result: result, Report: aReport}}}
	if !p.Workflow.Looks() {
		record.Results = &lifecycle.Results{Passed: 1}
		if result == lifecycle.ResultFail {
			record.Results = &lifecycle.Results{Failed: 1}
		}
	}
	return record
}

// ofMove returns an example for a move, with what its own role can supply in the same request.
func (p place) ofMove(to lifecycle.Status, by lifecycle.Role, lacks []lifecycle.Lack) *Body {
	b := &Body{Status: to, Justification: p.justification(to)}
	for _, l := range lacks {
		if l.By != by {
			continue
		}
		switch l.Gate {
		case lifecycle.GateApproval, lifecycle.GateIndependence:
			b.Approvals = approval()
		case lifecycle.GateAcceptance:
			b.AcceptFingerprint, b.Approvals = p.Fingerprint, approval()
		case lifecycle.GateDeviations:
			b.Deviations = p.resolutions()
		default: // a tester's move lacks nothing but a test record
			result := lifecycle.ResultPass
			if to == lifecycle.TestedFail {
				result = lifecycle.ResultFail
			}
			b.Test = p.test(result)
		}
	}
	return b
}

func (p place) justification(to lifecycle.Status) *lifecycle.Justification {
	return &lifecycle.Justification{Reason: because, Evidence: p.evidenceFor(to)}
}

func (p place) resolutions() (all []lifecycle.DeviationChange) {
	for _, d := range p.Deviations {
		if d.Resolution == nil {
			all = append(all, resolution(d.ID))
		}
	}
	return all
}

// ofLack returns an example that supplies what a gate asks for.
func (p place) ofLack(l lifecycle.Lack) *Body { return p.ofField(fieldOf(l)) }

// fieldOf returns the member of a change request that supplies what a gate asks for.
func fieldOf(l lifecycle.Lack) string {
	switch l.By {
	case lifecycle.Architect:
		return lifecycle.FieldDesignSpec
	case lifecycle.Coder:
		return lifecycle.FieldImplementation
	case lifecycle.Tester:
		return lifecycle.FieldTest
	}
	switch l.Gate {
	case lifecycle.GateAcceptance:
		return lifecycle.FieldAcceptFingerprint
	case lifecycle.GateDeviations:
		return lifecycle.FieldDeviations
	}
	return lifecycle.FieldApprovals
}

// evidenceFor returns what there is to justify a move: the tests, the files of the implementation, or the text of the
// requirement.
func (p place) evidenceFor(to lifecycle.Status) []lifecycle.Evidence {
	var given []lifecycle.Evidence
	switch {
	case to == lifecycle.TestedPass || to == lifecycle.TestedFail:
		if given = p.standing(testPointer, p.tests()); len(given) == 0 {
			result := lifecycle.ResultPass
			if to == lifecycle.TestedFail {
				result = lifecycle.ResultFail
			}
			return []lifecycle.Evidence{{Kind: lifecycle.EvidenceTest, Name: aTest, Result: result, Report: aReport}}
		}
	case to == lifecycle.Done || p.Status == lifecycle.TestedFail:
		given = p.standing(testPointer, p.tests())
	case to == lifecycle.Implemented || to == lifecycle.TestInProgress:
		given = p.standing(implementationPointer, p.ImplementationEvidence)
	}
	if len(given) == 0 {
		return []lifecycle.Evidence{{Kind: lifecycle.EvidenceFile, Path: p.cited(p.Source.Path),
			Lines: fmt.Sprintf("%d-%d", p.Source.Line, p.Source.EndLine)}}
	}
	return given
}

func (p place) tests() []lifecycle.Evidence {
	if p.Requirement.Test == nil {
		return nil
	}
	return p.Requirement.Test.Evidence
}

// The places of evidence in a requirement, to which an index is added.
const (
	testPointer           = "test/evidence"
	implementationPointer = "implementation_evidence"
)

// standing returns some of the evidence at a place, as a change cites it. What is stale may be refused, and is left
// out.
func (p place) standing(under string, of []lifecycle.Evidence) (cited []lifecycle.Evidence) {
	for i, e := range of {
		at := lifecycle.PointerTo(under, i)
		stale := slices.ContainsFunc(p.Stale, func(s lifecycle.Stale) bool { return s.Pointer == at })
		if e.Found = nil; !stale && len(cited) < maxCited {
			cited = append(cited, e)
		}
	}
	return cited
}
