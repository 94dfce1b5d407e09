package days

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/system/lazyregexp"
)

// The texts of a period, a time of the day, and a moment.
const (
	PeriodText = `(?:[0-9]{1,4} )?(?:minutes?|hours?|days?|weeks?)`
	ClockText  = `[0-2]?[0-9]:[0-5][0-9]`
	MomentText = `[0-9]{4}-[0-9]{2}-[0-9]{2}t[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:z|[-+][0-9]{2}:[0-9]{2})`
)

// units are how many minutes the words for periods have.
var units = map[string]int{"minute": 1, "hour": 60, "day": 24 * 60, "week": 7 * 24 * 60}

// ReadPeriod takes a period such as "10 minutes" or "day", and writes it as a duration.
func ReadPeriod(s string) (any, string) {
	words := strings.Fields(strings.ToLower(s))
	n := 1
	if len(words) == 2 {
		n, _ = strconv.Atoi(words[0])
	}
	minutes := n * units[strings.TrimSuffix(words[len(words)-1], "s")]
	switch {
	case minutes == 0:
		return nil, fmt.Sprintf("%q is no time at all", s)
	case minutes%60 == 0:
		return fmt.Sprintf("%dh", minutes/60), ""
	}
	return fmt.Sprintf("%dm", minutes), ""
}

// ReadClock takes a time of the day.
func ReadClock(s string) (any, string) {
	if _, err := time.Parse("15:04", s); err != nil {
		return nil, fmt.Sprintf("%q is not a time of the day; write it as 09:00", s)
	}
	return s, ""
}

// ReadMoment takes a moment, and writes it as RFC 3339 has it.
func ReadMoment(s string) (any, string) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, strings.ToUpper(s)); err == nil {
			return at.UTC().Format(time.RFC3339), ""
		}
	}
	return nil, fmt.Sprintf("%q is not a moment; write it as 2026-12-01T09:00Z", s)
}

// Next returns when it is a time of the day in UTC next, as RFC 3339 has it.
func Next(clock string, now time.Time) string {
	of, _ := time.Parse("15:04", clock) // which was read
	next := Start(today, now.UTC()).Add(time.Duration(of.Hour())*time.Hour + time.Duration(of.Minute())*time.Minute)
	if !next.After(now) {
		next = next.AddDate(0, 0, 1)
	}
	return next.Format(time.RFC3339)
}

// schedules matches what says when something is to be done.
var schedules = lazyregexp.New(`(?i)(?:^|[ ,;:])(?:every|at [0-9]|each) ?`)

// Schedules reports whether a sentence says itself when it is to be done.
func Schedules(sentence string) bool { return schedules().MatchString(sentence) }
