package progress

import (
	"slices"
	"time"

	"orchestrator/internal/requirements/presence"
	"orchestrator/internal/rules/lifecycle"
)

// mark is a day at whose end a requirement counts otherwise than at that of the day before.
type mark struct {
	day          int
	tested, done int8 // 1 when it counts as such from then on, -1 when no longer, else 0
}

// moved is the day on which a requirement came into a status.
type moved struct {
	day int
	to  lifecycle.Status
}

const aDay = 24 * 60 * 60 // seconds

// dayOf returns the number of the day of a moment.
func dayOf(at time.Time) int {
	sec := at.Unix()
	day := sec / aDay
	if sec%aDay < 0 {
		day--
	}
	return int(day)
}

// marksOf returns the marks of a requirement, given its moves and when no document had it.
func marksOf(moves []moved, gaps []presence.Gap) (marks []mark) {
	var days []int
	for _, m := range moves {
		days = append(days, m.day)
	}
	for _, g := range gaps {
		days = append(days, dayOf(g.From))
		if !g.To.IsZero() {
			days = append(days, dayOf(g.To))
		}
	}
	slices.Sort(days)
	var tested, done int8
	for _, day := range slices.Compact(days) {
		t, d := countedAt(day, moves, gaps)
		if t != tested || d != done {
			marks = append(marks, mark{day, t - tested, d - done})
			tested, done = t, d
		}
	}
	return marks
}

// countedAt returns how a requirement counts at the end of a day.
func countedAt(day int, moves []moved, gaps []presence.Gap) (tested, done int8) {
	for _, g := range gaps {
		if dayOf(g.From) <= day && (g.To.IsZero() || day < dayOf(g.To)) {
			return 0, 0
		}
	}
	status := lifecycle.NotStarted
	for _, m := range moves {
		if m.day <= day {
			status = m.to
		}
	}
	switch status {
	case lifecycle.Done:
		return 1, 1
	case lifecycle.TestedPass:
		return 1, 0
	}
	return 0, 0
}

// daysOf returns the days from the first import to today, and how far they are apart. What happened after today, by a
// clock that has been wrong, counts as of today.
//
// Implements: ORC-327
func daysOf(in Input, lines []*line) (days []Day, step int) {
	totals := in.Present.Totals()
	if len(totals) == 0 {
		return []Day{}, 1
	}
	first := dayOf(totals[0].At)
	all := make([]Day, max(1, dayOf(in.At)-first+1))
	at := func(day int) *Day { return &all[min(max(0, day-first), len(all)-1)] }
	for _, l := range lines {
		for _, m := range l.marks {
			d := at(m.day)
			d.Tested, d.Done = d.Tested+int(m.tested), d.Done+int(m.done)
		}
	}
	before := 0
	for _, t := range totals {
		at(dayOf(t.At)).Total += t.Count - before
		before = t.Count
	}
	for i := range all[1:] {
		from, to := all[i], &all[i+1]
		to.Total, to.Tested, to.Done = to.Total+from.Total, to.Tested+from.Tested, to.Done+from.Done
	}
	return everyFew(all, first)
}

// everyFew returns so few of the days that they can be shown, the last one among them.
func everyFew(all []Day, first int) (days []Day, step int) {
	step = (len(all) + mostDays - 1) / mostDays
	for i := (len(all) - 1) % step; i < len(all); i += step {
		day := all[i]
		day.Day = time.Unix(int64(first+i)*aDay, 0).UTC().Format(time.DateOnly)
		days = append(days, day)
	}
	return days, step
}
