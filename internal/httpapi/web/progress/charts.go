package progress

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

// burnUp is how many requirements there were, were tested and were done, by day.
type burnUp struct {
	Says string
	Rows []dayRow // the newest first
	Step string   // how far apart they are
}

type dayRow struct {
	day
	At time.Time
}

func burnUpOf(f figures, p pace) (b burnUp) {
	for _, d := range slices.Backward(f.Days) {
		at, err := time.Parse(dayLayout, d.Day)
		if err == nil {
			b.Rows = append(b.Rows, dayRow{d, at})
		}
	}
	if f.StepDays > 1 {
		b.Step = "Every " + strconv.Itoa(f.StepDays) + " days."
	}
	if len(f.Days) == 0 {
		return b
	}
	first := f.Days[0]
	switch grown := p.Total - first.Total; {
	case grown > 0:
		b.Says = "Since the first day " + words.Counted(grown, "was", "were") + " added."
	case grown < 0:
		b.Says = "Since the first day " + words.Counted(-grown, "was", "were") + " taken out."
	default:
		b.Says = "As many are asked for as on the first day."
	}
	waits := p.Tested - p.Done
	b.Says += " " + words.Upper(words.Count(waits)) + words.Plural(waits, " is", " are") + " tested and not signed."
	return b
}

// stays is how long requirements stay in each status.
type stays struct {
	Unit string
	Says string
	Rows []stay
}

// stay is how long requirements stay in one status.
type stay struct {
	Status      lifecycle.Status
	Now, Stays  int
	Median, P90 length // of those that ended
}

// length is how long something took: as the chart has it, and as people read it.
type length struct {
	Value string
	Text  string
	Known bool
}

// unit is what times are counted in.
type unit struct {
	name    string
	seconds float64
}

// unitFor returns the largest unit of which the longest time has two or more.
func unitFor(longest int64) unit {
	for _, u := range []unit{{"days", 86400}, {"hours", 3600}, {"minutes", 60}} {
		if float64(longest) >= 2*u.seconds {
			return u
		}
	}
	return unit{"seconds", 1}
}

func (u unit) length(seconds *int64) length {
	if seconds == nil {
		return length{}
	}
	value := float64(*seconds) / u.seconds
	digits := 1
	if u.seconds == 1 || value >= 100 {
		digits = 0
	}
	return length{strconv.FormatFloat(value, 'f', 3, 64), strconv.FormatFloat(value, 'f', digits, 64), true}
}

func staysOf(f figures) (s stays) {
	longest := int64(0)
	var slowest *inStatus
	for i, one := range f.InStatus {
		if one.P90 != nil {
			longest = max(longest, *one.P90)
		}
		if one.Median != nil && (slowest == nil || *one.Median > *slowest.Median) {
			slowest = &f.InStatus[i]
		}
	}
	u := unitFor(longest)
	s.Unit = u.name
	for _, one := range f.InStatus {
		if one.Now > 0 || one.Stays > 0 {
			s.Rows = append(s.Rows, stay{one.Status, one.Now, one.Stays, u.length(one.Median), u.length(one.P90)})
		}
	}
	switch {
	case slowest == nil:
		s.Says = "Nothing has moved on yet."
		return s
	case *slowest.Median == 0:
		s.Says = "In every status half of them stay for less than a second."
		return s
	}
	s.Says = "Longest they stay in " + words.Status(string(slowest.Status)) + ": half of them for " +
		lasting(*slowest.Median) + " or more, one in ten for " +
		lasting(*slowest.P90) + "."
	return s
}

// cycle is how long those took that are done.
type cycle struct {
	Unit     string
	Says     string
	Rows     []took // the newest first
	Finished int
}

// took is how long one requirement took.
type took struct {
	ID   string
	Done time.Time
	Took length
}

// Href returns the address of the requirement.
func (t took) Href() string { return page.To("requirements", t.ID) }

func cycleOf(f figures) (c cycle) {
	c.Finished = f.Cycle.Finished
	if len(f.Cycle.Newest) == 0 || f.Cycle.Median == nil {
		c.Says = "None is done yet."
		return c
	}
	slowest := slices.MaxFunc(f.Cycle.Newest, func(a, b finished) int { return cmp.Compare(a.Seconds, b.Seconds) })
	u := unitFor(slowest.Seconds)
	c.Unit = u.name
	for _, one := range slices.Backward(f.Cycle.Newest) {
		c.Rows = append(c.Rows, took{one.ID, one.Done, u.length(&one.Seconds)})
	}
	c.Says = "From its beginning to done half of them took " + lasting(*f.Cycle.Median)
	if *f.Cycle.Median > 0 {
		c.Says += " or less"
	}
	if len(f.Cycle.Newest) > 1 {
		c.Says += "; the slowest, " + slowest.ID + ", " + lasting(slowest.Seconds)
	}
	c.Says += "."
	return c
}

// refusals are how often actors were refused, by code.
type refusals struct {
	Says   string
	Actors []refused // the most often refused first
	Rows   []codeRow // the most frequent first
}

// codeRow is how often actors were refused with one code.
type codeRow struct {
	Code   fault.Code
	All    int
	Counts []int // by actor, as the columns have it
}

// refusalsOf crosses actors and codes. What an actor was refused is more than the sum of its codes where attempts were
// folded.
func refusalsOf(all []refused) (r refusals) {
	rows, total := map[fault.Code]*codeRow{}, 0
	r.Actors = slices.DeleteFunc(slices.Clone(all), func(a refused) bool { return a.Refused == 0 })
	for i, a := range r.Actors {
		total += a.Refused
		for _, c := range a.Codes {
			if rows[c.Code] == nil {
				rows[c.Code] = &codeRow{Code: c.Code, Counts: make([]int, len(r.Actors))}
			}
			rows[c.Code].Counts[i] = c.Count
			rows[c.Code].All += c.Count
		}
	}
	for _, row := range rows {
		r.Rows = append(r.Rows, *row)
	}
	slices.SortFunc(r.Rows, func(a, b codeRow) int { return cmp.Or(b.All-a.All, cmp.Compare(a.Code, b.Code)) })
	r.Says = saysRefused(r, total)
	return r
}

func saysRefused(r refusals, total int) string {
	if len(r.Actors) == 0 {
		return "Nobody was refused."
	}
	most := slices.MaxFunc(r.Actors, func(a, b refused) int { return a.Refused - b.Refused })
	text := words.Upper(words.Counted(total, "attempt was", "attempts were")) + " refused"
	if len(r.Actors) > 1 {
		text += ", " + words.Count(most.Refused) + " of " + most.Name
	}
	if len(r.Rows) > 1 {
		text += "; the most frequent code is " + string(r.Rows[0].Code)
	}
	return text + "."
}

// saysStuck says how many are stuck, and which for longest.
func saysStuck(f figures, now time.Time) string {
	if len(f.Stuck) == 0 {
		return "Nothing is stuck."
	}
	first := f.Stuck[0]
	return words.Upper(words.Count(f.AllStuck)) + words.Plural(f.AllStuck, " is", " are") + " stuck; " + first.ID +
		" for longest, for " + words.For(now.Sub(first.Since)) + "."
}

// lasting returns how long something took as a sentence has it.
func lasting(seconds int64) string { return words.For(time.Duration(seconds) * time.Second) }
