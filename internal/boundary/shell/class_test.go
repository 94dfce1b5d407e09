package shell

// Class returns Writes if any part writes, else Ambiguous if any is, else Produces if any does, else Reads.
func (r Reading) Class() Class {
	class := Reads
	for _, p := range r.Parts {
		switch p.Class {
		case Writes:
			return Writes
		case Ambiguous:
			class = Ambiguous
		case Produces:
			if class == Reads {
				class = Produces
			}
		}
	}
	return class
}
