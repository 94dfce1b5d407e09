package linear

// Asked is a request about one requirement.
type Asked struct {
	Requirement string
	Note        string // that is added; "" reads
	IfMatch     uint64 // the revision that the change is based on; 0 is any
}

// Told is what the answer says of the requirement.
type Told struct {
	Revision uint64
	Note     string // the last one; only a read tells it
	Refused  bool   // because of IfMatch
}

// Requirement is the state of one requirement.
type Requirement struct {
	Revision uint64
	Note     string // the last one
}

// Requirements returns the model of requirements to which clients add notes, at first all at the same revision.
func Requirements(first uint64) Model[Requirement, Asked, Told] {
	return Model[Requirement, Asked, Told]{
		Init:  Requirement{Revision: first},
		Step:  Requirement.step,
		Reads: func(in Asked) bool { return in.Note == "" },
		Part:  func(in Asked) string { return in.Requirement },
		Newer: Requirement.newer,
	}
}

func (r Requirement) newer(in Asked, out Told) Requirement {
	if out.Refused || out.Revision <= r.Revision {
		return r
	}
	if in.Note == "" {
		return Requirement{out.Revision, out.Note}
	}
	return Requirement{out.Revision, in.Note}
}

func (r Requirement) step(in Asked, out *Told) (Requirement, bool) {
	if in.Note == "" {
		return r, out != nil && !out.Refused && out.Revision == r.Revision && out.Note == r.Note
	}
	applies := in.IfMatch == 0 || in.IfMatch == r.Revision
	after := Requirement{r.Revision + 1, in.Note}
	switch {
	case out == nil && applies:
		return after, true
	case out == nil:
		return r, true
	case out.Refused:
		return r, !applies
	}
	return after, applies && out.Revision == after.Revision
}

// Growth is a request about the length of the log.
type Growth struct{ Appends bool }

// Size is the length of the log that an answer names: after the record of a change, or when it was read.
type Size uint64

// Log is the model of the length of a log to which anybody may append, whether or not it is in the history.
var Log = Model[Size, Growth, Size]{
	Reads: func(in Growth) bool { return !in.Appends },
	Step: func(was Size, in Growth, now *Size) (Size, bool) {
		switch {
		case now == nil:
			return was, true // counted when the next answer shows it
		case in.Appends:
			return *now, *now > was
		}
		return *now, *now >= was
	},
	Newer: func(was Size, _ Growth, now Size) Size { return max(was, now) },
}

// Cells is how many counters a Transaction can be about.
const Cells = 3

// Transaction is a request to a store: it reads some counters, and adds one to some of those.
type Transaction struct{ Reads, Adds [Cells]bool }

// Counters are the counters that a transaction has read, before it added to them.
type Counters [Cells]uint64

// Store is the model of a store with a few counters.
var Store = Model[Counters, Transaction, Counters]{
	Reads: func(in Transaction) bool { return in.Adds == [Cells]bool{} },
	Step: func(was Counters, in Transaction, read *Counters) (Counters, bool) {
		now := was
		for i := range was {
			if read != nil && in.Reads[i] && read[i] != was[i] {
				return was, false
			}
			if in.Adds[i] {
				now[i]++
			}
		}
		return now, true
	},
}
