package lifecycle

import "orchestrator/internal/fault"

// Share is how much of a requirement one role may fill through one field, so that none can lock out another. The
// weight is the JSON of a design or an implementation and the bytes of all other text, with a constant for each entry.
type Share struct {
	Role  Role   `json:"role"`
	Field string `json:"field"` // status stands for the justifications of moves
	Bytes int    `json:"bytes"`

	weight func(Requirement, Role) int
}

// shares are what a requirement takes in all. JSON needs at most six bytes for one byte of text, so that no
// requirement comes near to the largest value of a store.
var shares = []Share{
	{PM, FieldStatus, 1 << 20, weightOfMoves},
	{PM, FieldPMNotes, 1 << 20, weightOfNotes},
	{PM, FieldDeviations, 512 << 10, weightOfDeviations},
	{PM, FieldApprovals, 512 << 10, weightOfApprovals},
	{Architect, FieldDesignSpec, 1 << 20, weightOfDesign},
	{Coder, FieldImplementation, 2 << 20, weightOfImplementation},
	{Tester, FieldTest, 512 << 10, weightOfTest},
	{Tester, FieldStatus, 256 << 10, weightOfMoves},
}

// Shares lists the shares of all roles.
func Shares() []Share { return append([]Share(nil), shares...) }

const (
	weightOfEntry = 256 // a stamp and names of members
	weightOfFound = 512 // what is found of one piece of evidence

	// smallMove is what a justification may weigh when less than a quarter of the share is left: moves go on.
	smallMove = 4 << 10
)

// checkShares keeps what a change adds to within its role's share.
func checkShares(next Requirement, role Role, c Change) error {
	if c.Rules == Rules1 {
		return nil
	}
	for _, s := range shares {
		if s.Role != role || !c.writes(s.Field) {
			continue
		}
		limit, weight := s.Bytes, s.weight(next, role)
		if s.Field == FieldStatus && next.History[len(next.History)-1].weight() > smallMove {
			limit -= s.Bytes / 4
		}
		if weight > limit {
			return fault.New(fault.Invalid, "requirement_full",
				"%s of %s would hold %d bytes by role %s; at most %d are kept",
				s.Field, next.ID, weight, role, limit).
				WithFields(fault.Field{Pointer: "/" + s.Field, Code: "share_full",
					Detail: "it takes more than this role's share"}).
				WithFix("send less, and cite files instead of copying them; GET /workflow lists the shares of all roles")
		}
	}
	return nil
}

// writes reports whether the change writes the part of a field.
func (c Change) writes(field string) bool {
	switch field {
	case FieldStatus:
		return c.Status != ""
	case FieldPMNotes:
		return len(c.PMNotes) > 0
	case FieldDeviations:
		return len(c.Deviations) > 0
	case FieldApprovals:
		return len(c.Approvals) > 0
	case FieldDesignSpec:
		return c.DesignSpec != nil
	case FieldImplementation:
		return c.Implementation != nil
	}
	return c.Test.Sent
}

func weightOfMoves(r Requirement, by Role) (sum int) {
	for _, h := range r.History {
		if h.Role == by {
			sum += h.weight()
		}
	}
	return sum
}

func (h HistoryEntry) weight() int {
	return weightOfEntry + len(h.Justification.Reason) + weightOfEvidence(h.Justification.Evidence)
}

func weightOfNotes(r Requirement, _ Role) (sum int) {
	for _, n := range r.PMNotes {
		sum += weightOfEntry + len(n.Text)
	}
	return sum
}

func weightOfDeviations(r Requirement, _ Role) (sum int) {
	for _, d := range r.Deviations {
		sum += weightOfEntry + len(d.ID) + len(d.Text)
		if d.Resolution != nil {
			sum += weightOfEntry + len(d.Resolution.Text)
		}
	}
	return sum
}

func weightOfApprovals(r Requirement, _ Role) (sum int) {
	for _, a := range r.Approvals {
		sum += weightOfEntry + len(a.Text)
	}
	return sum
}

func weightOfDesign(r Requirement, _ Role) int { return len(r.DesignSpec) }

func weightOfImplementation(r Requirement, _ Role) int {
	return len(r.Implementation) + weightOfEvidence(r.ImplementationEvidence)
}

func weightOfTest(r Requirement, _ Role) int {
	if r.Test == nil {
		return 0
	}
	return len(r.Test.Plan) + len(r.Test.Notes) + weightOfEvidence(r.Test.Evidence)
}

func weightOfEvidence(list []Evidence) (sum int) {
	for _, e := range list {
		sum += weightOfEntry + len(e.Path) + len(e.Lines) + len(e.Commit) + len(e.Name) + len(e.Report)
		if e.Found != nil {
			sum += weightOfFound
		}
	}
	return sum
}
