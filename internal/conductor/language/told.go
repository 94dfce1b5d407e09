package language

import (
	"strings"

	"orchestrator/internal/rules/planning"
)

// Told renders what was brought about, or checked, as Out renders an answer; "" for the kinds that have no words of
// their own, and for a result that lacks what they need.
//
// Implements: ORC-264
func Told(o planning.Obligation, result Result) string {
	if say, found := templateOf(o); found && !o.Type.Answers() {
		return printable(say(o, result))
	}
	return ""
}

// sayMoved takes {id, status, was?}: REQ-7 is planned now (was not_started).
func sayMoved(_ planning.Obligation, r Result) string {
	text := filled("%s is %s now", r["id"], r["status"])
	if text == "" {
		return ""
	}
	if was := say(r["was"]); was != say(r["status"]) {
		text += filled(" (was %s)", r["was"])
	}
	return text + "."
}

// sayDecided takes {id, status}, and says the decision of the payload.
func sayDecided(o planning.Obligation, r Result) string {
	decisions, _ := rows(o.Payload["approvals"])
	if len(decisions) == 0 {
		return ""
	}
	return filled("%s is %s now; its status is %s.", r["id"], decisions[len(decisions)-1]["decision"], r["status"])
}

// sayKept takes {id, status}.
func sayKept(what string) template {
	return func(_ planning.Obligation, r Result) string {
		return filled("The "+what+"; its status is %s.", r["id"], r["status"])
	}
}

// sayConfirmed takes {confirmed}: how many answers were evaluated again.
func sayConfirmed(_ planning.Obligation, r Result) string {
	if say(r["confirmed"]) == "1" {
		return "The answer was evaluated again, and is confirmed."
	}
	return filled("All %s answers were evaluated again, and are confirmed.", r["confirmed"])
}

// sayHistory takes {id, status, moves}: objects with from, to, by, role, at and reason.
func sayHistory(_ planning.Obligation, r Result) string {
	moves, ok := rows(r["moves"])
	head := filled("%s is %s", r["id"], r["status"])
	switch {
	case !ok || head == "":
		return ""
	case len(moves) == 0:
		return head + ", and was never moved."
	}
	lines := []string{head + ". Its moves:"}
	for _, m := range moves {
		line := filled("- %s: from %s to %s, by %s (%s)", m["at"], m["from"], m["to"], m["by"], m["role"])
		if line == "" {
			return ""
		}
		lines = append(lines, line+filled("; why: %s", m["reason"]))
	}
	return strings.Join(lines, "\n")
}

// sayRefusals takes {refusals, more?}: objects with at, by, role, times, record, and id, code and detail where there
// are such.
func sayRefusals(o planning.Obligation, r Result) string {
	all, ok := rows(r["refusals"])
	if !ok {
		return ""
	}
	about := filled(" for %s", o.Payload["id"]) + filled(" of %s", o.Payload["actor"]) +
		filled(" from %s", o.Payload["since"]) + filled(" until %s", o.Payload["until"])
	if len(all) == 0 {
		return "Nothing was refused" + about + "."
	}
	lines := []string{"What was refused" + about + ", newest first:"}
	for _, row := range all {
		line := filled("- %s, %s (%s)", row["at"], row["by"], row["role"])
		if line == "" {
			return ""
		}
		line += filled(", on %s", row["id"]) + filled(": %s", row["code"]) + filled(": %s", row["detail"])
		if times := say(row["times"]); times != "1" {
			line += filled(" (%s times)", row["times"])
		}
		lines = append(lines, line+filled("; record %s of the log", row["record"]))
	}
	if r["more"] == true {
		lines = append(lines, "There are more.")
	}
	return strings.Join(lines, "\n")
}
