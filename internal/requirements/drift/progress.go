package drift

import (
	"sync/atomic"

	"orchestrator/internal/requirements/reqdoc"
)

// Progress says how far an import is, to others while it goes on. A nil Progress says nothing.
type Progress struct {
	documents, requirements step
}

// step counts what is done of something.
type step struct{ done, total atomic.Int64 }

func (s *step) set(done, total int) {
	s.total.Store(int64(total))
	s.done.Store(int64(done))
}

// Of returns the options of a reading that notes how many of all documents were read.
func (p *Progress) Of(reading reqdoc.Options) reqdoc.Options {
	if p != nil {
		reading.OnRead = p.documents.set
	}
	return reading
}

// stored notes that so many of all requirements were written in the transaction.
func (p *Progress) stored(done, total int) {
	if p != nil {
		p.requirements.set(done, total)
	}
}

// Far returns how much is done of what the import is at: nothing of nothing before it begins.
func (p *Progress) Far() (done, total int, what string) {
	at, what := &p.requirements, "requirements stored"
	if at.total.Load() == 0 {
		at, what = &p.documents, "documents read"
	}
	return int(at.done.Load()), int(at.total.Load()), what
}
