package progress

import (
	"iter"
	"time"

	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// Rows keeps what progress is made of, so that the next time those requirements alone are read that changed. The zero
// value has nothing yet. It must not be used by two at a time.
type Rows struct {
	lines []*line
	ended durations
	pass  uint64 // the last one
}

// line is what one requirement adds. It is for one entry, and the same as long as that is.
type line struct {
	entry *projection.Entry
	since time.Time // it is in its status
	stays []stay    // that have ended
	marks []mark
	cycle *cycle  // nil unless it is done and in the documents
	stuck *reason // of why, once it was asked for
	pass  uint64  // that had it last
}

// cycle is the way of a requirement to done.
type cycle struct{ started, done time.Time }

func (c cycle) seconds() int64 { return seconds(c.started, c.done) }

// Of returns the progress of the requirements of a snapshot, each once, in the order of the documents.
//
// Implements: ORC-326
func (r *Rows) Of(in Input, entries iter.Seq[*projection.Entry]) Progress {
	r.update(in, entries)
	p := Progress{AsOf: in.AsOf, At: in.At, Refusals: review.Refusing(in.Actors)}
	p.Days, p.StepDays = daysOf(in, r.lines)
	p.InStatus = r.inStatus()
	p.Cycle = r.cycle()
	p.Stuck, p.AllStuck = r.stuck(in)
	return p
}

// update takes over what changed since the last time.
func (r *Rows) update(in Input, entries iter.Seq[*projection.Entry]) {
	r.pass++
	known, lines := lookup{kept: r.lines}, make([]*line, 0, len(r.lines))
	var come, gone change
	for e := range entries {
		l := known.at(len(lines), e.Summary.ID)
		if l == nil || l.entry != e {
			l = newLine(in, e)
			come.add(l)
		}
		l.pass = r.pass
		lines = append(lines, l)
	}
	for _, l := range r.lines {
		if l.pass != r.pass {
			gone.add(l)
		}
	}
	r.lines = lines
	r.ended.apply(come, gone)
}

// newLine reads a requirement.
func newLine(in Input, e *projection.Entry) *line {
	moves, life := e.Moves(), in.Present.Of(e.Summary.ID)
	l := &line{entry: e, since: life.Added, stays: make([]stay, 0, len(moves))}
	days := make([]moved, 0, len(moves))
	for _, move := range moves {
		from := l.since
		if move.At.After(from) {
			l.since = move.At
		}
		l.stays = append(l.stays, stay{placeOf(move.From), seconds(from, l.since)})
		days = append(days, moved{dayOf(l.since), move.To})
		if l.cycle == nil {
			l.cycle = &cycle{started: l.since}
		}
		l.cycle.done = l.since
	}
	l.marks = marksOf(days, life.Gaps)
	if e.Summary.Status != lifecycle.Done || e.Summary.Retired {
		l.cycle = nil
	}
	return l
}

// seconds returns how many whole seconds lie between two moments; none where the second is not the later one.
func seconds(from, to time.Time) int64 { return max(0, int64(to.Sub(from)/time.Second)) }

// lookup finds the kept line of a requirement.
type lookup struct {
	kept []*line
	byID map[string]*line // once they are in another order
}

// at returns the line of an id, which most have at the place that they had before; nil where there is none.
func (k *lookup) at(place int, id string) *line {
	if place < len(k.kept) && k.kept[place].entry.Summary.ID == id {
		return k.kept[place]
	}
	if k.byID == nil {
		k.byID = make(map[string]*line, len(k.kept))
		for _, l := range k.kept {
			k.byID[l.entry.Summary.ID] = l
		}
	}
	return k.byID[id]
}

// cycle says how long the requirements took that are done.
func (r *Rows) cycle() Cycle {
	c := Cycle{Newest: []Finished{}, Finished: len(r.ended.of[ofCycle]), Median: r.ended.rank(ofCycle, median)}
	newest := best[*line]{most: mostFinished, before: func(a, b *line) bool { return a.cycle.done.After(b.cycle.done) }}
	for _, l := range r.lines {
		if l.cycle != nil {
			newest.add(l)
		}
	}
	for i := len(newest.list) - 1; i >= 0; i-- {
		l := newest.list[i]
		c.Newest = append(c.Newest, Finished{ID: l.entry.Summary.ID, Title: l.entry.Summary.Title,
			Started: l.cycle.started, Done: l.cycle.done, Seconds: l.cycle.seconds()})
	}
	return c
}

// inStatus says of each status how many are in it, and how long others were.
func (r *Rows) inStatus() []InStatus {
	all := make([]InStatus, 0, ofCycle)
	for place, status := range lifecycle.Statuses() {
		all = append(all, InStatus{Status: status, Stays: len(r.ended.of[place]),
			Median: r.ended.rank(place, median), P90: r.ended.rank(place, p90), Limit: r.limit(status)})
	}
	for _, l := range r.lines {
		if s := l.entry.Summary; !s.Retired {
			all[placeOf(s.Status)].Now++
		}
	}
	return all
}
