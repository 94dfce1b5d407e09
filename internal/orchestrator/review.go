package orchestrator

import (
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// Review is what PM should look at in the project as a whole.
type Review struct {
	Import          ImportReview `json:"import"`
	Suspect         []string     `json:"suspect"` // the text changed after work began
	RetiredWithWork []Stranded   `json:"retired_with_work"`
	OpenDeviations  []string     `json:"open_deviations"` // requirements that have one
}

// ImportReview is how the last import went; before the first one it is ok.
type ImportReview struct {
	OK      bool           `json:"ok"`
	At      *time.Time     `json:"at,omitempty"`
	Problem *ImportProblem `json:"problem,omitempty"`
}

// ImportProblem is why nothing was imported.
type ImportProblem struct {
	Code   string        `json:"code"`
	Detail string        `json:"detail"`
	Fix    string        `json:"fix"`
	Errors []fault.Field `json:"errors"`
}

// Stranded is a retired requirement on which work had begun, and that PM has not deferred.
type Stranded struct {
	ID      string           `json:"id"`
	Status  lifecycle.Status `json:"status"`
	Strands []string         `json:"strands"`
}

// Review reads what PM should look at.
func (s *Service) Review() Review {
	review := Review{s.reviewImport(), []string{}, []Stranded{}, []string{}}
	for e := range s.current.Load().All() {
		if e.Summary.Suspect {
			review.Suspect = append(review.Suspect, e.Summary.ID)
		}
		if e.OpenDeviation {
			review.OpenDeviations = append(review.OpenDeviations, e.Summary.ID)
		}
		if !e.Summary.Retired {
			continue
		}
		if req := e.Requirement(); req.NeedsDeferral() {
			review.RetiredWithWork = append(review.RetiredWithWork, Stranded{req.ID, req.Status, req.Strands()})
		}
	}
	return review
}

func (s *Service) reviewImport() ImportReview {
	last := s.lastImport.Load()
	if last == nil {
		return ImportReview{OK: true}
	}
	at := last.at.UTC()
	return ImportReview{OK: last.err == nil, At: &at, Problem: problemOf(last.err)}
}

// problemOf shows of a failure what is meant for clients: no causes, and nothing of a defect.
func problemOf(err error) *ImportProblem {
	if err == nil {
		return nil
	}
	f := asFault(err)
	if f == nil || f.Kind == fault.Internal {
		f = fault.New(fault.Internal, "internal", "the import met a defect").WithFix("the log of the service says which; import again once it is mended")
	}
	return &ImportProblem{f.Code, f.Detail, f.Fix, append([]fault.Field{}, f.Fields...)}
}

// String is the problem in a few lines' worth of text, for health checks.
func (p *ImportProblem) String() string {
	text := p.Detail
	for i, f := range p.Errors {
		if i == fewErrors {
			text += "; and more, see GET /project/review"
			break
		}
		text += "; " + clipTo(f.Pointer, longestEdit) + ": " + clipTo(f.Detail, longestEdit)
	}
	if p.Fix != "" {
		text += " (" + p.Fix + ")"
	}
	return text
}

// fewErrors are shown by a health check.
const fewErrors = 3
