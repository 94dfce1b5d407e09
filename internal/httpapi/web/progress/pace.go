package progress

import (
	"math"
	"time"

	"orchestrator/internal/httpapi/web/words"
)

// pace is how fast requirements became done lately.
type pace struct {
	Total, Tested, Done int
	Gained              int // that became done in the window, less those that were opened again
	Days                int // that the window has
	Age                 int // days since the first
}

// The window in which the pace is measured, and how many days a project must have for it to mean anything.
const (
	window     = 28
	leastForIt = 7
)

const dayLayout = "2006-01-02"

// paceOf measures the pace on days, of which some may be left out.
func paceOf(days []day) (p pace) {
	if len(days) == 0 {
		return p
	}
	last := days[len(days)-1]
	p.Total, p.Tested, p.Done = last.Total, last.Tested, last.Done
	p.Age = apart(days[0], last) + 1
	p.Days, p.Gained = p.Age, last.Done // before the first day nothing was done
	for _, d := range days {
		if n := apart(d, last); n >= window {
			p.Days, p.Gained = n, last.Done-d.Done
		}
	}
	return p
}

// apart returns how many days lie between two.
func apart(from, to day) int {
	a, errA := time.Parse(dayLayout, from.Day)
	b, errB := time.Parse(dayLayout, to.Day)
	if errA != nil || errB != nil {
		return 0
	}
	return int(b.Sub(a) / (24 * time.Hour))
}

// open says the pace, and what it means for those that are not done.
func (p pace) open() string {
	left := p.Total - p.Done
	rest := "the other " + words.Counted(left, "takes", "take")
	if p.Done == 0 {
		rest = words.Plural(left, "it takes", "all "+words.Count(left)+" take")
	}
	switch {
	case p.Total == 0:
		return "There are no requirements yet."
	case left == 0:
		return words.Plural(p.Total, "The one requirement is", "All "+words.Count(p.Total)+" are") + " done."
	case p.Age < leastForIt:
		return words.Upper(words.SomeOf(p.Done, p.Total)) + " done after " + days(p.Age) +
			". It is too early to say how long " + rest + "."
	case p.Gained <= 0:
		return "Nothing became done in " + days(p.Days) + "; " + words.Counted(left, "is", "are") + " open."
	}
	return words.Upper(words.Count(p.Gained)) + " became done in " + days(p.Days) + "; at this pace " + rest +
		" about " + about(float64(left)*float64(p.Days)/float64(p.Gained)) + "."
}

func (p pace) lead() string {
	if p.Total == 0 {
		return "What is shown here begins with the first import."
	}
	return words.Upper(words.SomeOf(p.Done, p.Total)) + " done, and " + words.Count(p.Tested) +
		words.Plural(p.Tested, " has", " have") + " passed the tests."
}

// days returns a number of days as a sentence has it, in weeks where that comes out even.
func days(n int) string {
	if n >= 14 && n%7 == 0 {
		return words.Count(n/7) + " weeks"
	}
	return words.Counted(n, "day", "days")
}

// about returns a long time roughly: in days up to two weeks, in weeks up to ten, in months up to two years.
func about(d float64) string {
	in := func(unit float64, one, many string) string {
		n := max(1, int(math.Round(d/unit)))
		return words.Counted(n, one, many)
	}
	const week, month, year = 7.0, 30.44, 365.25
	switch {
	case d < 2*week:
		return in(1, "day", "days")
	case d < 10*week:
		return in(week, "week", "weeks")
	case d < 2*year:
		return in(month, "month", "months")
	}
	return in(year, "year", "years")
}
