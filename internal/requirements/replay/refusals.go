package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/record"
)

// pastRefusals are the refusals that stand in the log one by one.
type pastRefusals struct {
	all   []pastRefusal // in the order of the log
	kinds map[actorsKind]uint32
	names map[string]string // of actors, requests and codes: one copy of each, since there may be many kinds
	sums  map[sumOf]bool    // what was accounted for in sum
}

// sumOf names a sum by the first record that it adds to, and by who has counted.
type sumOf struct {
	first   uint64
	replica string
}

type pastRefusal struct {
	seq  uint64
	at   int64 // Unix time in microseconds
	kind uint32
}

// actorsKind is what makes two refusals equal. A refused change does not say by which route it came.
type actorsKind struct {
	actor audit.Actor
	record.RefusalKind
}

// noteRefusal remembers a refusal for the sum that may follow.
func (r *Replay) noteRefusal(rec audit.Record, request string, refusal *fault.Error) error {
	if (refusal == nil) != (rec.Kind == record.KindChanged) {
		return fmt.Errorf("its kind does not say whether it was refused")
	}
	if refusal == nil {
		return nil
	}
	kind := actorsKind{rec.Actor, record.RefusalKind{Request: request, Code: refusal.Code}}
	if one := r.states.byID[rec.Subject]; one != nil {
		kind.Subject = one.id
	}
	r.refusals.note(rec, kind)
	return nil
}

// note remembers a record for the sum that may follow.
func (p *pastRefusals) note(rec audit.Record, kind actorsKind) {
	n, known := p.kinds[kind]
	if !known {
		n = p.add(kind)
	}
	p.all = append(p.all, pastRefusal{rec.Seq, rec.At.UnixMicro(), n})
}

// add gives a new kind its number.
func (p *pastRefusals) add(kind actorsKind) uint32 {
	if p.kinds == nil {
		p.kinds, p.names = map[actorsKind]uint32{}, map[string]string{}
	}
	for _, name := range []*string{&kind.actor.Name, &kind.actor.Role, &kind.Request, (*string)(&kind.Code)} {
		if known, found := p.names[*name]; found {
			*name = known
		} else {
			p.names[*name] = *name
		}
	}
	n := uint32(len(p.kinds))
	p.kinds[kind] = n
	return n
}

// refusalsFolded holds a sum against the refusals that it adds to: enough of them are on record one by one, they are
// equal, and they and all that were counted fall in one minute, which has one sum of each process that counted.
func (r *Replay) refusalsFolded(rec audit.Record, data record.RefusalsFolded) error {
	switch {
	case rec.Actor != ledger.System():
		return fmt.Errorf("%q folded refusals, which the service does by itself", rec.Actor.Name)
	case data.Count == 0:
		return fmt.Errorf("it counts no refusal")
	case len(data.Recorded) < record.RecordedEach || !ascending(data.Recorded):
		return fmt.Errorf("it does not name %d records of refusals in their order", record.RecordedEach)
	case r.refusals.sums[sumOf{data.Recorded[0], data.Replica}]:
		return fmt.Errorf("the refusals since record %d are accounted for already", data.Recorded[0])
	case data.To.Before(data.From) || data.To.Sub(data.From) >= record.FoldWindow:
		return fmt.Errorf("the refusals from %s to %s are not those of one minute", data.From, data.To)
	}
	kinds := r.refusals.kindsOf(rec.Subject, data)
	for i, seq := range data.Recorded {
		one, found := r.refusals.find(seq)
		passed := time.UnixMicro(one.at).Sub(data.From)
		switch {
		case !found:
			return fmt.Errorf("record %d is no refusal", seq)
		case !kinds[one.kind]:
			return fmt.Errorf("record %d is a refusal of another kind", seq)
		case passed <= -record.FoldWindow || passed < 0 && data.Replica == "" || passed >= record.FoldWindow ||
			i == 0 && passed != 0:
			return fmt.Errorf("record %d is not of the minute from %s on", seq, data.From)
		}
	}
	if r.refusals.sums == nil {
		r.refusals.sums = map[sumOf]bool{}
	}
	r.refusals.sums[sumOf{data.Recorded[0], data.Replica}] = true
	return nil
}

func ascending(numbers []uint64) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			return false
		}
	}
	return true
}

func (p *pastRefusals) find(seq uint64) (pastRefusal, bool) {
	i, found := slices.BinarySearchFunc(p.all, seq,
		func(one pastRefusal, seq uint64) int { return cmp.Compare(one.seq, seq) })
	if !found {
		return pastRefusal{}, false
	}
	return p.all[i], true
}

// kindsOf returns those that a sum may add to; all of the actor's when it has no code.
func (p *pastRefusals) kindsOf(subject string, data record.RefusalsFolded) map[uint32]bool {
	fit := map[uint32]bool{}
	if data.Code != "" {
		for _, request := range []string{data.Request, ""} {
			kind := record.RefusalKind{Request: request, Subject: subject, Code: data.Code}
			if n, known := p.kinds[actorsKind{data.Actor, kind}]; known {
				fit[n] = true
			}
		}
		return fit
	}
	for kind, n := range p.kinds {
		if kind.actor == data.Actor {
			fit[n] = true
		}
	}
	return fit
}
