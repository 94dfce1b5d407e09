package requirements

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
)

// pastRefusals are the refusals that stand in the log one by one.
type pastRefusals struct {
	all   []pastRefusal // in the order of the log
	kinds map[actorsKind]uint32
	names map[string]string // of actors, requests and codes: one copy of each, since there may be many kinds
	sums  map[uint64]bool   // the first records of those that were accounted for in sum
}

type pastRefusal struct {
	seq  uint64
	at   int64 // Unix time in microseconds
	kind uint32
}

// actorsKind is what makes two refusals equal. A refused change does not say by which route it came.
type actorsKind struct {
	actor audit.Actor
	refusalKind
}

// noteRefusal remembers a refusal for the sum that may follow.
func (f *fold) noteRefusal(record audit.Record, request string, refusal *fault.Error) error {
	if (refusal == nil) != (record.Kind == kindChanged) {
		return fmt.Errorf("its kind does not say whether it was refused")
	}
	if refusal == nil {
		return nil
	}
	kind := actorsKind{record.Actor, refusalKind{Request: request, Code: string(refusal.Code)}}
	if one := f.states.byID[record.Subject]; one != nil {
		kind.Subject = one.id
	}
	p := &f.refusals
	n, known := p.kinds[kind]
	if !known {
		n = p.add(kind)
	}
	p.all = append(p.all, pastRefusal{record.Seq, record.At.UnixMicro(), n})
	return nil
}

// add gives a new kind its number.
func (p *pastRefusals) add(kind actorsKind) uint32 {
	if p.kinds == nil {
		p.kinds, p.names = map[actorsKind]uint32{}, map[string]string{}
	}
	for _, name := range []*string{&kind.actor.Name, &kind.actor.Role, &kind.Request, &kind.Code} {
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
// equal, and they and all that were counted fall in one minute, which has one sum.
func (f *fold) refusalsFolded(record audit.Record, data refusalsFolded) error {
	switch {
	case record.Actor != ledger.System():
		return fmt.Errorf("%q folded refusals, which the service does by itself", record.Actor.Name)
	case data.Count == 0:
		return fmt.Errorf("it counts no refusal")
	case len(data.Recorded) < recordedEach || !ascending(data.Recorded):
		return fmt.Errorf("it does not name %d records of refusals in their order", recordedEach)
	case f.refusals.sums[data.Recorded[0]]:
		return fmt.Errorf("the refusals since record %d are accounted for already", data.Recorded[0])
	case data.To.Before(data.From) || data.To.Sub(data.From) >= foldWindow:
		return fmt.Errorf("the refusals from %s to %s are not those of one minute", data.From, data.To)
	}
	kinds := f.refusals.kindsOf(record.Subject, data)
	for i, seq := range data.Recorded {
		one, found := f.refusals.find(seq)
		passed := time.UnixMicro(one.at).Sub(data.From)
		switch {
		case !found:
			return fmt.Errorf("record %d is no refusal", seq)
		case !kinds[one.kind]:
			return fmt.Errorf("record %d is a refusal of another kind", seq)
		case passed < 0 || passed >= foldWindow || i == 0 && passed != 0:
			return fmt.Errorf("record %d is not of the minute from %s on", seq, data.From)
		}
	}
	if f.refusals.sums == nil {
		f.refusals.sums = map[uint64]bool{}
	}
	f.refusals.sums[data.Recorded[0]] = true
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

// kindsOf are those that a sum may add to; all of the actor's when it has no code.
func (p *pastRefusals) kindsOf(subject string, data refusalsFolded) map[uint32]bool {
	fit := map[uint32]bool{}
	if data.Code != "" {
		for _, request := range []string{data.Request, ""} {
			if n, known := p.kinds[actorsKind{data.Actor, refusalKind{request, subject, data.Code}}]; known {
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
