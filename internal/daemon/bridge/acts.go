package bridge

import (
	"context"
	"slices"

	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/rules/lifecycle"
)

// The parts of the work, as words name them.
const (
	theDesign         = "design"
	theImplementation = "implementation"
	theTestRecord     = "test record"
)

// doing is what somebody may have done to a requirement: a decision, work on a part, moves.
type doing struct {
	decision string
	part     string
	moves    []lifecycle.Status
}

// doings are those with a name of their own; any other name is that of a status.
var doings = map[string]doing{
	lifecycle.Approved: {decision: lifecycle.Approved},
	lifecycle.Rejected: {decision: lifecycle.Rejected},
	"designed":         {part: theDesign, moves: []lifecycle.Status{lifecycle.DesignReady}},
	"implemented":      {part: theImplementation, moves: []lifecycle.Status{lifecycle.Implemented}},
	"tested":           {part: theTestRecord, moves: []lifecycle.Status{lifecycle.TestedPass, lifecycle.TestedFail}},
}

// Acts implements builtin.Project.
//
// Implements: ORC-296
func (p *Project) Acts(_ context.Context, id, did string) (a builtin.Acts, err error) {
	req, err := p.service.Stored(id)
	if err != nil {
		return a, err
	}
	of, named := doings[did]
	if !named {
		of.moves = []lifecycle.Status{lifecycle.Status(did)}
	}
	a = builtin.Acts{ID: req.ID, Status: req.Status, Did: did,
		Acts: slices.Concat(decisionsOn(req, of.decision), workOn(req, of.part), movesOf(req, of.moves))}
	slices.SortStableFunc(a.Acts, func(one, other builtin.Act) int { return one.At.Compare(other.At) })
	return a, nil
}

// decisionsOn returns the decisions of one kind.
func decisionsOn(req lifecycle.Requirement, decision string) (all []builtin.Act) {
	for _, a := range req.Approvals {
		if a.Decision == decision {
			one := actOf(decision, a.Stamp)
			one.Why, one.Counts = a.Text, slices.Contains(req.Standing(), a)
			all = append(all, one)
		}
	}
	return all
}

// workOn returns who was the last to write, or to clear, a part of the work.
func workOn(req lifecycle.Requirement, part string) []builtin.Act {
	var stamp lifecycle.Stamp
	var stands bool
	switch part {
	case theDesign:
		stamp, stands = req.Stamps.DesignSpec, req.DesignSpec != nil
	case theImplementation:
		stamp, stands = req.Stamps.Implementation, req.Implementation != nil
	case theTestRecord:
		stamp, stands = req.Stamps.Test, req.Test != nil
	}
	if stamp.Revision == 0 {
		return nil
	}
	one := actOf("wrote", stamp)
	if one.Part = part; !stands {
		one.What = "cleared"
	}
	return []builtin.Act{one}
}

// movesOf returns the moves to statuses.
func movesOf(req lifecycle.Requirement, to []lifecycle.Status) (all []builtin.Act) {
	for _, m := range req.History {
		if slices.Contains(to, m.To) {
			one := actOf("moved", m.Stamp)
			one.To, one.Why = m.To, m.Justification.Reason
			all = append(all, one)
		}
	}
	return all
}

func actOf(what string, s lifecycle.Stamp) builtin.Act {
	return builtin.Act{What: what, By: s.By, Role: string(s.Role), At: s.At}
}
