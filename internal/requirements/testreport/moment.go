package testreport

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/system/lazyregexp"
)

// moment is a point in time as a report writes it; the zero moment is none.
type moment struct {
	at    time.Time     // in UTC; without a zone, the local time as if it were UTC
	local bool          // it has no zone that is known
	width time.Duration // how long what was written lasts: a day, for a date
}

// The places that are furthest from UTC: at one moment they have local times that are 26 hours apart.
const (
	mostBehind = 12 * time.Hour
	mostAhead  = 14 * time.Hour
)

// The first and the last year in which a report can say that a test ran.
const (
	firstYear = 1980
	lastYear  = 9998
)

const compact = "20060102150405"

// layouts are the ways in which tools write a time, without fraction and zone.
var layouts = []string{
	"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T 15:04:05", "2006-01-02T15:04", "20060102T150405", compact,
	"2006/01/02 15:04:05",
	"2 Jan 2006 15:04:05", "2-Jan-2006 15:04:05", "Mon, 2 Jan 2006 15:04:05", // toUTCString and toGMTString
	"Mon Jan _2 15:04:05 2006", "Mon Jan _2 2006 15:04:05", // asctime, and toString of JavaScript
	time.DateOnly,
}

// unset are the times that tools write when they know none: what is empty or zero, and the zero value of their
// language.
var unset = []string{"", "0", "tbd", "0001-01-01T00:00:00", "0001-01-01T00:00:00Z"}

// readMoment reads a time. What is no time is an error, so that no report gets rid of its age by a slip of the pen.
func readMoment(text string) (moment, error) {
	text = strings.TrimSpace(text)
	for _, none := range unset {
		if strings.EqualFold(text, none) {
			return moment{}, nil
		}
	}
	m, ok := readRFC3339(text)
	if !ok {
		m, ok = readEpoch(text)
	}
	if !ok {
		m, ok = readDate(text)
	}
	if !ok || m.at.Year() < firstYear || m.at.Year() > lastYear {
		return moment{}, fmt.Errorf("%q is not a time at which a test can have run", clip(text))
	}
	return m, nil
}

// readRFC3339 reads a time in UTC as most tools write it; it is there for speed.
func readRFC3339(text string) (moment, bool) {
	if !strings.HasSuffix(text, "Z") {
		return moment{}, false
	}
	at, err := time.ParseInLocation(time.RFC3339, text, time.UTC)
	return moment{at: at}, err == nil
}

// readEpoch reads a number that counts from 1970. Its size tells the unit: as seconds, all years from 1973 to 5138 are
// below the smallest milliseconds, and so on. A number of 14 digits is a date without separators.
func readEpoch(text string) (moment, bool) {
	n, ok := readNumber(text)
	date := len(text) == len(compact) && strings.Trim(text, "0123456789") == ""
	if !ok || n < 0 || n >= math.MaxInt64 || date {
		return moment{}, false
	}
	unit := time.Second
	for limit := 1e11; n >= limit && unit > 1; limit *= 1000 {
		unit /= 1000
	}
	whole, part := math.Modf(n)
	perSecond := int64(time.Second / unit)
	at := time.Unix(int64(whole)/perSecond, int64(whole)%perSecond*int64(unit)+int64(part*float64(unit)))
	return moment{at: at.UTC()}, true
}

// zones finds the zone at the end of a time: an offset, the name of one, or both, and what JavaScript and Java add.
var zones = lazyregexp.New(`^(.*?\d)\s*(?:((?i:Z|UTC|GMT))|[A-Z]{2,5})?\s*(?:([+-]\d\d):?(\d\d)?(?: [A-Z]{2,5})?)?` +
	`(?:\s*\([^()]*\)|\[[\w/+-]+\])?$`)

// inside finds the name of a zone before the year, where date(1) writes it.
var inside = lazyregexp.New(`^(\w+ \w+ +\d+ \d\d:\d\d:\d\d) ([A-Z]{2,5}) (\d{4})$`)

func readDate(text string) (moment, bool) {
	text = inside().ReplaceAllString(text, "$1 $3 $2")
	if at, ok := readLayouts(text); ok { // the day of a date could pass for an offset
		at.local = true
		return at, true
	}
	z := zones().FindStringSubmatch(text)
	if z == nil {
		return moment{}, false
	}
	m, ok := readLayouts(text[:len(z[1])])
	if !ok || m.width > 0 {
		return moment{}, false
	}
	if z[3] == "" {
		m.local = z[2] == "" // abbreviations of other zones have several meanings
		return m, true
	}
	offset, ok := readOffset(z[3], z[4])
	m.at = m.at.Add(-offset)
	return m, ok
}

func readLayouts(text string) (moment, bool) {
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			m := moment{at: at}
			if layout == time.DateOnly {
				m.width = 24 * time.Hour
			}
			return m, true
		}
	}
	return moment{}, false
}

// readOffset reads "+05" and "30".
func readOffset(hours, minutes string) (time.Duration, bool) {
	h, _ := strconv.Atoi(hours[1:])
	m, _ := strconv.Atoi(minutes)
	offset := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if hours[0] == '-' {
		offset = -offset
	}
	return offset, -mostBehind <= offset && offset <= mostAhead && m < 60
}

// append writes a moment behind b, so that equal ones are equal, however the report writes them.
func (m moment) append(b []byte) []byte {
	switch {
	case m.at.IsZero():
		return append(b, "never"...)
	case m.local:
		b = append(strconv.AppendInt(append(b, "local "...), int64(m.width), 10), ' ')
	}
	b = append(strconv.AppendInt(b, m.at.Unix(), 10), '.')
	return strconv.AppendInt(b, int64(m.at.Nanosecond()), 10)
}

// ran returns when something ended that began at m and took so long. Tools differ in whether they write its begin or
// its end, so that it ended in between.
func (m moment) ran(took time.Duration) Ran {
	if m.at.IsZero() {
		return Ran{}
	}
	if took > longest {
		took = 0
	}
	r := Ran{m.at, m.at.Add(m.width + took)}
	if m.local {
		r = Ran{r.Earliest.Add(-mostAhead), r.Latest.Add(mostBehind)}
	}
	return Ran{r.Earliest.Truncate(time.Second), r.Latest.Truncate(time.Second)}
}

// longest is how long a run can take: what is longer is a mistake, and makes no old report younger.
const longest = 48 * time.Hour

// readDuration reads how long something took, in a unit. What is no such number counts as 0: it proves nothing, and a
// report without it is not refused either.
func readDuration(text string, unit time.Duration) time.Duration {
	text = strings.TrimSpace(text)
	if whole, part, ok := strings.Cut(text, ","); ok && !strings.ContainsAny(part, ",.") {
		text = whole + "." + part // of "1,234" this is the smaller meaning
	}
	n, ok := readNumber(strings.ReplaceAll(text, ",", ""))
	if n *= float64(unit); !ok || n < 0 || n > float64(math.MaxInt64/2) {
		return 0
	}
	return time.Duration(math.Round(n))
}

// readNumber reads a decimal number.
func readNumber(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

const fixTime = "write times as in 2006-01-02T15:04:05Z, as the test tool does when it knows them"

// momentOf reads a time in JSON: a string, or a number since 1970.
func momentOf(v jsontext.Value) (moment, error) {
	switch v.Kind() {
	case 0, 'n':
		return moment{}, nil
	case '0':
		return readMoment(string(v))
	case '"':
		var text string
		if err := json.Unmarshal(v, &text); err == nil {
			return readMoment(text)
		}
	}
	return moment{}, errors.New("is no time")
}

// durationOf reads a duration in JSON.
func durationOf(v jsontext.Value, unit time.Duration) time.Duration {
	if v.Kind() != '0' {
		return 0
	}
	return readDuration(string(v), unit)
}
