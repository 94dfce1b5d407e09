package boundary

import "slices"

// Mode is the phase of the boundary.
type Mode string

// The phases, in the order in which a project goes through them.
const (
	Off      Mode = "off"      // nothing is judged and nothing is recorded
	Validate Mode = "validate" // everything is judged and recorded, and nothing is blocked
	Confirm  Mode = "confirm"  // a person decides on violations; where the client cannot ask they are blocked
	Enforce  Mode = "enforce"  // violations are blocked
)

// Modes returns the modes in the order of the phases.
func Modes() []Mode { return []Mode{Off, Validate, Confirm, Enforce} }

// Blocks reports whether a call may be kept from running in this mode: in confirm as well, by the person who is asked
// or where nobody can be.
func (m Mode) Blocks() bool { return m == Confirm || m == Enforce }

// stricter returns the stricter of two modes.
func stricter(a, b Mode) Mode {
	if slices.Index(Modes(), b) > slices.Index(Modes(), a) {
		return b
	}
	return a
}
