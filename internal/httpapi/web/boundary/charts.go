package boundary

import (
	"slices"
	"strconv"
	"time"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/httpapi/web/words"
)

// days are the violations of each day.
type days struct {
	Says string
	Rows []dayRow // the newest first
}

type dayRow struct {
	Day                   string
	At                    time.Time
	Decisions, Violations int
}

// mostDays is how many days are shown.
const mostDays = 400

// daysOf returns all days from the first with a decision to the last: those between them had none.
func daysOf(all []report.DayCount) (d days) {
	counts := map[string]report.DayCount{}
	violations := 0
	for _, one := range all {
		counts[one.Day] = one
		violations += one.Violations
	}
	if len(all) == 0 {
		return days{Says: "No call was judged in this time."}
	}
	first, errFirst := time.Parse(time.DateOnly, all[0].Day)
	last, errLast := time.Parse(time.DateOnly, all[len(all)-1].Day)
	if errFirst != nil || errLast != nil {
		return days{Says: "The days cannot be read."}
	}
	for at := last; !at.Before(first) && len(d.Rows) < mostDays; at = at.AddDate(0, 0, -1) {
		name := at.Format(time.DateOnly)
		d.Rows = append(d.Rows, dayRow{name, at, counts[name].Decisions, counts[name].Violations})
	}
	d.Says = words.Upper(words.Counted(violations, "violation", "violations")) + " on " +
		words.Counted(len(all), "day", "days") + " with judged calls"
	most := slices.MaxFunc(all, func(a, b report.DayCount) int { return a.Violations - b.Violations })
	if len(all) > 1 && most.Violations > 0 {
		d.Says += "; the most, " + words.Count(most.Violations) + ", on " + mustDay(most.Day)
	}
	d.Says += "."
	return d
}

func mustDay(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.Format("2 January")
}

// bars are counts of violations, each with a bar.
type bars struct {
	Name, Of string
	Rows     []bar
}

type bar struct {
	Name  string
	Count int
	Note  string
	Width string // in percent of the longest
}

// barsOf returns the violations by session, file, tool and rule.
func barsOf(r report.Report) []bars {
	sessions := bars{Name: "By session", Of: "Session"}
	for _, s := range r.Sessions {
		sessions.Rows = append(sessions.Rows, bar{Name: s.Session, Count: s.Violations,
			Note: s.Client + ", " + words.Number(s.Decisions) + words.Plural(s.Decisions, " call", " calls")})
	}
	all := []bars{sessions, countsOf("By file", "File", r.Files), countsOf("By tool", "Tool", r.Tools),
		countsOf("By rule", "Rule", r.Rules)}
	all = slices.DeleteFunc(all, func(b bars) bool { return len(b.Rows) == 0 })
	for _, b := range all {
		longest := 1
		for _, row := range b.Rows {
			longest = max(longest, row.Count)
		}
		for i := range b.Rows {
			b.Rows[i].Width = strconv.FormatFloat(100*float64(b.Rows[i].Count)/float64(longest), 'f', 1, 64)
		}
	}
	return all
}

func countsOf(name, of string, counts []report.Count) bars {
	b := bars{Name: name, Of: of}
	for _, c := range counts {
		b.Rows = append(b.Rows, bar{Name: c.Name, Count: c.Count})
	}
	return b
}
