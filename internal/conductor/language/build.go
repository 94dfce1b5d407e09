package language

import (
	"time"

	"orchestrator/internal/conductor/language/days"
	"orchestrator/internal/conductor/language/reasons"
	"orchestrator/internal/rules/lifecycle"
)

// Held is the status that a requirement had before it was blocked or deferred, as words name it. The service puts the
// status in its place.
const Held = "held_from"

// justified makes the justification of a change of status, which has evidence besides the reason: a file, and lines of
// it.
func justified(slots map[string]any, _ time.Time) (map[string]any, string) {
	members := map[string]any{"id": slots["id"], "status": slots["status"]}
	reason, given := slots["reason"].(string)
	if !given {
		return members, ""
	}
	members["justification"] = reasons.Justification(reason)
	return members, ""
}

// movedTo makes a change of status.
func movedTo(status string) func(map[string]any, time.Time) (map[string]any, string) {
	return func(slots map[string]any, now time.Time) (map[string]any, string) {
		slots["status"] = status
		return justified(slots, now)
	}
}

// decided makes the decision of PM on a requirement.
func decided(decision string) func(map[string]any, time.Time) (map[string]any, string) {
	return func(slots map[string]any, _ time.Time) (map[string]any, string) {
		one := map[string]any{"decision": decision}
		if reason, said := slots["reason"]; said {
			one["text"] = reason
		}
		return map[string]any{"id": slots["id"], "approvals": []any{one}}, ""
	}
}

// noted makes a note of PM.
func noted(slots map[string]any, _ time.Time) (map[string]any, string) {
	text, _ := slots["text"].(string)
	return map[string]any{"id": slots["id"], lifecycle.FieldPMNotes: reasons.Notes(text)}, ""
}

// accepted makes the acceptance of a text, with a note that says why where a reason is given.
func accepted(slots map[string]any, _ time.Time) (map[string]any, string) {
	if reason, said := slots["reason"].(string); said {
		slots[lifecycle.FieldPMNotes] = reasons.Notes(reason)
		delete(slots, "reason")
	}
	return slots, ""
}

// deviating makes a deviation from a requirement.
func deviating(slots map[string]any, _ time.Time) (map[string]any, string) {
	one := map[string]any{"id": slots["deviation"], "text": slots["text"]}
	return map[string]any{"id": slots["id"], "deviations": []any{one}}, ""
}

// settledDeviation resolves a deviation.
func settledDeviation(slots map[string]any, _ time.Time) (map[string]any, string) {
	one := map[string]any{"id": slots["deviation"],
		"resolution": map[string]any{"outcome": slots["outcome"], "text": slots["text"]}}
	return map[string]any{"id": slots["id"], "deviations": []any{one}}, ""
}

// believed makes the question whether a requirement is in a status.
func believed(slots map[string]any, _ time.Time) (map[string]any, string) {
	is, named := slots["status"]
	if !named {
		is = string(lifecycle.Done)
	}
	return map[string]any{"id": slots["id"], "is": is}, ""
}

// deeds makes the question who did something to a requirement; where no verb says what, who asked for changes.
func deeds(slots map[string]any, _ time.Time) (map[string]any, string) {
	if slots["did"] == nil {
		slots["did"] = string(lifecycle.NeedsChanges)
	}
	return slots, ""
}

// factsOf makes facts about a person; their predicates are the filters of query.people.
func factsOf(slots map[string]any, _ time.Time) (map[string]any, string) {
	facts := []any{}
	for _, predicate := range []string{"relation", "city"} {
		if object, said := slots[predicate]; said {
			facts = append(facts, map[string]any{"subject": slots["who"], "predicate": predicate, "object": object})
		}
	}
	return map[string]any{"facts": facts}, ""
}

// factEnded names the one fact that a sentence has.
func factEnded(slots map[string]any, now time.Time) (map[string]any, string) {
	members, why := factsOf(slots, now)
	facts, _ := members["facts"].([]any)
	one, _ := facts[0].(map[string]any)
	return one, why
}

// requirementFilters joins a status that stands before the word "requirements" with the clauses behind it.
func requirementFilters(slots map[string]any, _ time.Time) (map[string]any, string) {
	filters, _ := slots["filters"].(map[string]any)
	if filters == nil {
		filters = map[string]any{}
	}
	if status, said := slots["status"]; said {
		if _, twice := filters["status"]; twice {
			return nil, "it names two statuses"
		}
		filters["status"] = status
	}
	return map[string]any{"filters": filters}, ""
}

// counted makes the question how many requirements there are.
func counted(slots map[string]any, now time.Time) (map[string]any, string) {
	members, why := requirementFilters(slots, now)
	if why != "" {
		return nil, why
	}
	members["count"] = true
	return members, ""
}

// refusedWithin makes the question what was refused, within days of a zone. The days become times here, so that the
// same obligation means the same on any other day.
func refusedWithin(slots map[string]any, now time.Time) (map[string]any, string) {
	members := map[string]any{}
	for _, name := range []string{"id", "actor"} {
		if value, said := slots[name]; said {
			members[name] = value
		}
	}
	zone, why := days.Zone(slots["zone"])
	if why != "" {
		return nil, why
	}
	until := now
	if day, said := slots["day"].(string); said {
		from := days.Start(day, now.In(zone))
		members["since"] = from.UTC().Format(time.RFC3339)
		if next := from.AddDate(0, 0, 1); next.Before(now) {
			until = next
		}
	}
	if day, said := slots["since"].(string); said {
		members["since"] = days.Start(day, now.In(zone)).UTC().Format(time.RFC3339)
	}
	members["until"] = until.UTC().Format(time.RFC3339Nano)
	return members, ""
}
