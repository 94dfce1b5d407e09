package language

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The days that are named by words.
const (
	today     = "today"
	yesterday = "yesterday"
)

// outcomes are how PM settles a deviation, by the words for it.
var outcomes = map[string]string{"accept": "accepted", "fix": "fixed", "reject": "rejected"}

func readDay(s string) (any, string) {
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
var capitals = regexp.MustCompile(`(?:^|[/_-])[a-z]`)

// startOf returns when a day begins in the zone of now.
func startOf(day string, now time.Time) time.Time {
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

// readZone takes the name of a zone. That of a city alone is refused with the zone that ends with it.
func readZone(s string) (any, string) {
	zone, why := zoneNamed(s)
	if why == "" {
		return zone.String(), ""
	}
	for _, continent := range continents {
		if _, not := zoneNamed(continent + "/" + strings.ReplaceAll(s, " ", "_")); not == "" {
			return nil, fmt.Sprintf("%q is not a time zone, but %s/%s is one", s, continent, strings.ReplaceAll(s, " ", "_"))
		}
	}
	return nil, why
}

// zoneNamed returns the zone that a slot names; UTC where it names none.
func zoneNamed(slot any) (*time.Location, string) {
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
		zone, err = time.LoadLocation(capitals.ReplaceAllStringFunc(strings.ToLower(name), strings.ToUpper))
	}
	if err != nil || zone == time.Local { // the machine's own, which is not said
		return nil, fmt.Sprintf("%q is not a time zone; write one such as Europe/Berlin or +02:00", name)
	}
	return zone, ""
}
