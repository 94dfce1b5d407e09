package language

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"orchestrator/internal/rules/planning"
)

// sayMath takes {value, decimal?}: the exact value, and digits of a fraction that ends nowhere.
func sayMath(o planning.Obligation, r Result) string {
	text := filled("%s = %s", o.Payload["expr"], r["value"])
	if decimal := say(r["decimal"]); text != "" && decimal != "" && decimal != say(r["value"]) {
		text += " (about " + decimal + ")"
	}
	return text
}

// sayCount takes {value}.
func sayCount(o planning.Obligation, r Result) string {
	times := "times"
	if say(r["value"]) == "1" {
		times = "time"
	}
	return filled("%q has the letter %q %s "+times+".", o.Payload["text"], o.Payload["letter"], r["value"])
}

// sayPeople takes {values}: names.
func sayPeople(o planning.Obligation, r Result) string {
	filters := listed(o.Payload["filters"])
	if filters != "" {
		filters = " (" + filters + ")"
	}
	people, ok := texts(r["values"])
	switch {
	case !ok:
		return ""
	case len(people) == 0:
		return "I know of nobody" + filters + "."
	}
	return "I know of these" + filters + ": " + strings.Join(people, ", ") + "."
}

// texts returns the texts of a list; ok is false if it is not a list, or has something else.
func texts(v any) (all []string, ok bool) {
	list, ok := v.([]any)
	for _, each := range list {
		text, isText := each.(string)
		if !isText {
			return nil, false
		}
		all = append(all, say(text))
	}
	return all, ok
}

// sayRequirements takes {requirements, next?}: objects with id and status, and title, why, waiting_for where there are
// such. A next that is not null says that there are more.
func sayRequirements(o planning.Obligation, r Result) string {
	all, ok := rows(r["requirements"])
	if !ok {
		return ""
	}
	filters := listed(o.Payload["filters"])
	if filters == "" {
		filters = "any"
	}
	if o.Payload["count"] == true {
		return filled("Requirements (%s): %s.", filters, r["total"])
	}
	if len(all) == 0 {
		return "There are no such requirements (" + filters + ")."
	}
	lines := []string{fmt.Sprintf("Requirements (%s): %d.", filters, len(all))}
	for _, row := range all {
		line := requirementLine(row)
		if line == "" {
			return ""
		}
		lines = append(lines, "- "+line)
	}
	if say(r["next"]) != "" {
		lines = append(lines, "There are more.")
	}
	return strings.Join(lines, "\n")
}

// requirementLine renders "REQ-7 is blocked (Log in); why: REQ-1 is late; waits for pm".
func requirementLine(row map[string]any) string {
	line := filled("%s is %s", row["id"], row["status"])
	if line == "" {
		return ""
	}
	for _, part := range []struct{ format, member string }{
		{" (%s)", "title"}, {"; why: %s", "why"}, {"; waits for %s", "waiting_for"},
	} {
		line += filled(part.format, row[part.member])
	}
	for _, flag := range []string{"suspect", "stale", "retired"} {
		if row[flag] == true {
			line += "; " + flag
		}
	}
	return line
}

// sayRequirement takes the members of requirementLine. Who asks whether it is in a status is told yes or no.
func sayRequirement(o planning.Obligation, r Result) string {
	line := requirementLine(r)
	switch is := o.Payload["is"]; {
	case line == "" || is == nil:
	case say(is) == say(r["status"]):
		line = "Yes: " + line
	default:
		line = "No: " + line
	}
	return sentence(line)
}

// sayNext takes {steps, next?}: objects with id, and role, do, lacks where there are such; or else texts. A next that
// is not null says that there are more.
func sayNext(_ planning.Obligation, r Result) string {
	steps, ok := r["steps"].([]any)
	if !ok {
		return ""
	}
	if len(steps) == 0 {
		return sayWaiting(r)
	}
	lines := []string{"What is next:"}
	for _, step := range steps {
		text, isText := step.(string)
		if row, isRow := step.(map[string]any); isRow {
			text = filled("%s", row["id"]) + filled(", %s", row["role"]) + filled(": %s", row["do"]) +
				filled(" (lacks %s)", row["lacks"])
		} else if !isText {
			return ""
		}
		lines = append(lines, "- "+text)
	}
	if say(r["next"]) != "" {
		lines = append(lines, "There are more.")
	}
	return strings.Join(lines, "\n")
}

// sayWaiting takes {for?, waiting?}: objects with for, count and first. It says whose turn it is, to who has nothing to do.
func sayWaiting(r Result) string {
	waiting, ok := rows(r["waiting"])
	if !ok && r["waiting"] != nil {
		return ""
	}
	nothing := "There is nothing to do now."
	if role := say(r["for"]); role != "" {
		nothing = "There is nothing to do for the " + role + " now."
	}
	var all []string
	for _, w := range waiting {
		one := filled("%s (%s: %s", w["for"], w["count"], w["first"])
		if one == "" {
			return ""
		}
		if ids, is := w["first"].([]any); is && say(w["count"]) != fmt.Sprint(len(ids)) {
			one += " and more"
		}
		all = append(all, one+")")
	}
	if len(all) == 0 {
		return nothing
	}
	return nothing + " Others have the turn: " + strings.Join(all, "; ") + "."
}

// sayMissing takes {id, status, missing, moves?}: objects with what, by and with.
func sayMissing(_ planning.Obligation, r Result) string {
	missing, ok := rows(r["missing"])
	head := filled("%s is %s", r["id"], r["status"])
	switch {
	case !ok || head == "":
		return ""
	case len(missing) == 0:
		return head + ", and nothing is missing."
	}
	lines := []string{head + ". Missing:"}
	switch moves := say(r["moves"]); moves {
	case "", "0":
	case "1":
		lines[0] = head + ", one move from done. Missing:"
	default:
		lines[0] = head + ", " + moves + " moves from done. Missing:"
	}
	for _, row := range missing {
		line := filled("- %s: %s, by the %s", row["what"], row["with"], row["by"])
		if line == "" {
			return ""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// sayProject takes {counts, total?}: how many requirements are in each status.
func sayProject(_ planning.Obligation, r Result) string {
	counts, ok := r["counts"].(map[string]any)
	if !ok {
		return ""
	}
	var all []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		if n := say(counts[status]); n != "0" {
			all = append(all, status+" "+n)
		}
	}
	if len(all) == 0 {
		return "The project has no requirements."
	}
	return "The requirements of the project" + filled(", %s in all", r["total"]) + ", by status: " +
		strings.Join(all, ", ") + "."
}

// sayChecked takes {ok, problems?}.
func sayChecked(what string) template {
	return func(o planning.Obligation, r Result) string {
		ok, isBool := r["ok"].(bool)
		of := filled(" of %s", o.Payload["id"])
		problems := say(r["problems"])
		switch {
		case !isBool || ok && problems != "":
			return "" // not what it says that it is: show all of it
		case ok:
			return what + of + " was checked and is in order."
		}
		return sentence(what + of + " is not in order" + strings.TrimSuffix(": "+problems, ": "))
	}
}

// sayFacts takes {asserted}: how many facts were taken over; they are those of the payload.
func sayFacts(o planning.Obligation, r Result) string {
	facts, ok := rows(o.Payload["facts"])
	if !ok || len(facts) == 0 || say(r["asserted"]) != fmt.Sprint(len(facts)) {
		return ""
	}
	var all []string
	for _, fact := range facts {
		text := filled("%s, %s, %s", fact["subject"], fact["predicate"], fact["object"])
		if text == "" {
			return ""
		}
		all = append(all, text)
	}
	return "I will remember: " + strings.Join(all, "; ") + "."
}

// sayTime takes {value, zone?}.
func sayTime(_ planning.Obligation, r Result) string {
	text := filled("It is %s", r["value"])
	if text == "" {
		return ""
	}
	return text + filled(" in %s", r["zone"]) + "."
}

// sayDeduced takes {holds, answers, count, proof}; a step of the proof is {step, fact, rule?, from?}.
func sayDeduced(_ planning.Obligation, r Result) string {
	holds, isBool := r["holds"].(bool)
	answers, ok := texts(r["answers"])
	steps, proved := rows(r["proof"])
	switch {
	case !isBool || !ok || !proved || holds != (len(answers) > 0):
		return ""
	case !holds:
		return "No: it does not follow from the facts and rules."
	}
	lines := []string{filled("Yes, %s in all: ", r["count"]) + strings.Join(answers, "; ") + "."}
	for _, step := range steps {
		line := filled("%s. %s", step["step"], step["fact"])
		if line == "" {
			return ""
		}
		lines = append(lines, line+filled(", of %s", step["from"])+filled(" by %s", step["rule"]))
	}
	return strings.Join(lines, "\n")
}
