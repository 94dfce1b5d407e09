package claiming

import (
	"slices"
	"time"

	"orchestrator/internal/rules/lifecycle"
)

// Mark is a claim as it is shown beside its requirement.
type Mark struct {
	Field string          `json:"field"`
	By    lifecycle.Actor `json:"by"`
	Until time.Time       `json:"until"`
	Yours bool            `json:"yours"` // it is of whom it is shown to
}

// Marks returns claims as they are shown to a holder; nil for none.
func Marks(claims []Claim, holder string) (marks []Mark) {
	for _, c := range claims {
		marks = append(marks, Mark{c.Field, c.By, c.Until, c.Holder == holder})
	}
	return marks
}

// MarkOf returns the claim on the field of a role as it is shown to a holder; nil where there is none.
func MarkOf(claims []Claim, role lifecycle.Role, holder string) *Mark {
	i := slices.IndexFunc(claims, func(c Claim) bool { return c.Field == FieldOf(role) })
	if i < 0 {
		return nil
	}
	return &Marks(claims[i:i+1], holder)[0]
}
