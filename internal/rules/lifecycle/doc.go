// Package lifecycle decides whether an actor may make a change to a requirement now, and what the
// requirement is afterwards.
//
// It is pure: no I/O, no clock, no randomness. The rules are data in the order of the specification:
// Statuses (section 5), the transition table (section 6), the field rights (section 4) and, beside the
// table, the gates. Workflow.Apply walks them in one fixed order and returns the next requirement or one
// refusal; Workflow.Next asks the same functions what an actor may do now.
//
// Order of refusals: field not this role's (403), sealed, retired or not in the table (409) or not this
// role's row (403), schema (422), gates (409), evidence (422). The first class that refuses wins; within
// a class everything that is wrong is reported at once.
package lifecycle
