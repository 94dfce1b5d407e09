// Package presence tells which requirements the documents had, and when, as the records of imports and renamings have
// it.
//
// A requirement is in the documents from the record of the import that brings it to that of the import that retires it,
// and again from the one that brings it back. Whoever joins a retired requirement with the one that has its text under
// another id gives the id that life; the requirement that had the id until then is none any more, and what was counted
// of days before stays. Time does not go back: a record that is older than the one before it counts as just as old.
package presence

import (
	"maps"
	"time"

	"orchestrator/internal/rules/renaming"
)

// Life is since when there is a requirement, and when it was in no document.
type Life struct {
	Added time.Time
	Gaps  []Gap // the oldest first
}

// Gap is a time in no document. Without an end it lasts.
type Gap struct{ From, To time.Time }

// Total is how many requirements are in the documents from a moment on.
type Total struct {
	At    time.Time
	Count int
}

// Presence is what the log tells as far as it was read. The zero value has read nothing. It must not be used by two at
// a time.
type Presence struct {
	read   int // imports
	last   time.Time
	lives  map[string]Life // by the id that each has now
	absent int             // of them, that are in no document
	totals []Total
}

// Of returns the life of a requirement.
func (p *Presence) Of(id string) Life { return p.lives[id] }

// Totals returns how many requirements the documents had, the oldest first. What it returns must not be changed.
func (p *Presence) Totals() []Total { return p.totals }

// imported is what a record of an import says of presence.
type imported struct {
	Defined []struct {
		ID string `json:"id"`
	} `json:"defined"` // that are new, changed, or back
	Retired []string `json:"retired"`
}

// renamed is what a record of a renaming says of presence.
type renamed struct {
	Renames []renaming.Pair `json:"renames"`
	Qualify string          `json:"qualify"` // another form of all ids, which brings nothing back
}

// begin takes the time of a record.
func (p *Presence) begin(at time.Time) {
	if p.lives == nil {
		p.lives = map[string]Life{}
	}
	if at.After(p.last) {
		p.last = at
	}
}

func (p *Presence) imported(at time.Time, data imported) {
	p.begin(at)
	for _, def := range data.Defined {
		life, known := p.lives[def.ID]
		if !known {
			p.lives[def.ID] = Life{Added: p.last}
		} else {
			p.lives[def.ID] = p.back(life)
		}
	}
	for _, id := range data.Retired {
		life := p.lives[id]
		life.Gaps = append(life.Gaps, Gap{From: p.last})
		p.lives[id] = life
		p.absent++
	}
	p.totals = append(p.totals, Total{p.last, len(p.lives) - p.absent})
}

// renamed moves lives to other ids, all at once, as an id may be one's new and another's old one.
func (p *Presence) renamed(at time.Time, data renamed) {
	p.begin(at)
	moved := make(map[string]Life, len(data.Renames))
	for _, pair := range data.Renames {
		life := p.lives[pair.From]
		if data.Qualify == "" {
			life = p.back(life)
		}
		moved[pair.To] = life
		delete(p.lives, pair.From)
	}
	maps.Copy(p.lives, moved)
	p.totals = append(p.totals, Total{p.last, len(p.lives) - p.absent})
}

func (l Life) absent() bool { return len(l.Gaps) > 0 && l.Gaps[len(l.Gaps)-1].To.IsZero() }

// back ends the gap of a life, if it is in one.
func (p *Presence) back(life Life) Life {
	if !life.absent() {
		return life
	}
	life.Gaps[len(life.Gaps)-1].To = p.last
	p.absent--
	return life
}
