package lifecycle

import "orchestrator/internal/rules/actorname"

// Rules is a version of the rules. The record of a decision names the version that made it, and a replay decides by it.
type Rules int

const (
	// Rules1 compares names byte by byte and reports by their time, and has one limit for a requirement as a whole.
	Rules1 Rules = 1

	// Rules2 takes names that differ only in case or width for one person, orders attached reports by the numbers of
	// their records, and limits each role's share of a requirement.
	Rules2 Rules = 2

	// Rules3 takes as evidence only what the branch has, ties test reports to the code that they saw, and wants the
	// design to count until the end.
	Rules3 Rules = 3

	// Rules4 goes by the workflow that the log has in force, which a pm may switch, and leaves a requirement its revision
	// when a recheck finds something new of its evidence.
	Rules4 Rules = 4

	// LatestRules decide what is decided now.
	LatestRules = Rules4
)

// Known reports whether this program knows the version.
func (v Rules) Known() bool { return v >= Rules1 && v <= LatestRules }

// samePerson reports whether two names stand for one person.
func (v Rules) samePerson(a, b string) bool {
	return a == b || v != Rules1 && actorname.Fold(a) == actorname.Fold(b)
}
