// Package days reads the days and time zones that a sentence names. It has no clock: the present day is given.
package days

import (
	"fmt"
	"strings"
	"time"

	"orchestrator/internal/system/lazyregexp"
)

// The days that are named by words.
const (
	today     = "today"
	yesterday = "yesterday"
)

// Read takes today, yesterday, or a date.
func Read(s string) (any, string) {
	day := strings.ToLower(s)
	if day == today || day == yesterday {
		return day, ""
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return nil, fmt.Sprintf("%q is not a day; write it as 2026-11-02", s)
	}
	return day, ""
}

// capitals are the letters that are large in the names of zones.
var capitals = lazyregexp.New(`(?:^|[/_-])[a-z]`)

// Start returns when a day begins in the zone of now.
func Start(day string, now time.Time) time.Time {
	of := now
	switch parsed, err := time.ParseInLocation(time.DateOnly, day, now.Location()); {
	case err == nil:
		of = parsed
	case day == yesterday:
		of = now.AddDate(0, 0, -1)
	}
	return time.Date(of.Year(), of.Month(), of.Day(), 0, 0, 0, 0, now.Location())
}

// continents begin the names of zones.
var continents = strings.Fields("Africa America Antarctica Asia Atlantic Australia Europe Indian Pacific")

// ReadZone takes the name of a zone. That of a city alone is refused with the zone that ends with it.
func ReadZone(s string) (any, string) {
	zone, why := Zone(s)
	if why == "" {
		return zone.String(), ""
	}
	for _, continent := range continents {
		if _, not := Zone(continent + "/" + strings.ReplaceAll(s, " ", "_")); not == "" {
			return nil, fmt.Sprintf("%q is not a time zone, but %s/%s is one", s, continent, strings.ReplaceAll(s, " ", "_"))
		}
	}
	return nil, why
}

// Zone returns the zone of a name or an offset; UTC where it is no text, or why it is none.
func Zone(slot any) (*time.Location, string) {
	name, named := slot.(string)
	if !named {
		return time.UTC, ""
	}
	if offset, err := time.Parse("-07:00", name); err == nil {
		_, seconds := offset.Zone()
		return time.FixedZone(name, seconds), ""
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone, err = time.LoadLocation(strings.ToUpper(name))
	}
	if err != nil {
		zone, err = time.LoadLocation(capitals().ReplaceAllStringFunc(strings.ToLower(name), strings.ToUpper))
	}
	if err != nil || zone == time.Local { // the machine's own, which is not said
		return nil, fmt.Sprintf("%q is not a time zone; write one such as Europe/Berlin or +02:00", name)
	}
	return zone, ""
}
