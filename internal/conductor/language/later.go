package language

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"orchestrator/internal/conductor/language/days"
	"orchestrator/internal/rules/planning"
)

// later are the forms that have a question asked at a time, or again and again. They are added to the others in init,
// since a sentence stands in them that is read by all forms.
var later = []form{{
	Say: []string{"every day at {clock} UTC {what:sentence}", "every {every:period} {what:sentence}",
		"at {at:moment} {what:sentence}"},
	Type: planning.Schedule, Build: scheduled,
	Examples: []string{"every day at 09:00 UTC project status", "every 10 minutes tell me what waits for me",
		"at 2026-12-01T09:00Z verify the log"},
}}

func init() { forms = append(forms, later...) }

// scheduled makes a schedule of a question. What acts is not scheduled in words, and neither is what names a day, since
// that would stay the same.
//
// Implements: ORC-261
func scheduled(slots map[string]any, now time.Time) (map[string]any, string) {
	sentence, _ := slots["what"].(string)
	o, understood := alone(sentence, now)
	another, _ := alone(sentence, now.Add(25*time.Hour))
	switch {
	case strings.HasPrefix(strings.ToLower(sentence), "at "):
		return nil, "a time of the day is said in UTC: every day at 09:00 UTC"
	case days.Schedules(sentence):
		return nil, "it says twice when"
	case !understood:
		return nil, fmt.Sprintf("what is to be asked then is not understood: %q; say it alone to see why", sentence)
	case !o.Type.Reads() || o.String() == "VERIFY(answers)":
		return nil, fmt.Sprintf("%s is not scheduled in words, but as JSON: only questions and checks are", o)
	case !reflect.DeepEqual(o, another):
		return nil, fmt.Sprintf("%q means a day, which would stay the same", sentence)
	}
	members := map[string]any{"obligations": []any{map[string]any{"type": string(o.Type), "payload": o.Payload}}}
	for _, name := range []string{"at", "every"} {
		if value, said := slots[name]; said {
			members[name] = value
		}
	}
	if clock, said := slots["clock"].(string); said {
		members["at"], members["every"] = days.Next(clock, now), "24h"
	}
	return members, ""
}

// alone reads a sentence that stands in another one, and says nothing of when.
func alone(sentence string, now time.Time) (o planning.Obligation, understood bool) {
	if days.Schedules(sentence) {
		return o, false
	}
	for _, reading := range readings(sentence) {
		if found, _ := match(reading, now); len(found) > 0 {
			return found[0].obligation, len(found) == 1
		}
	}
	return o, false
}
