package language

import (
	"fmt"
	"strings"

	"orchestrator/internal/rules/planning"
)

// sayForgotten takes {ended}: how many facts were ended; what they say is in the payload.
func sayForgotten(o planning.Obligation, r Result) string {
	if say(r["ended"]) == "" {
		return ""
	}
	return filled("I have forgotten: %s, %s, %s.", o.Payload["subject"], o.Payload["predicate"], o.Payload["object"])
}

// sayHeld takes {facts, total}: objects with subject, predicate, object, owner, scope and, unless this run stated it,
// since.
func sayHeld(o planning.Obligation, r Result) string {
	facts, ok := rows(r["facts"])
	total := say(r["total"])
	switch {
	case !ok || total == "":
		return ""
	case len(facts) == 0:
		return "I know nothing" + filled(" about %s", o.Payload["subject"]) + "."
	}
	lines := make([]string, 0, len(facts))
	for _, f := range facts {
		line := filled("- %s, %s, %s (of %s", f["subject"], f["predicate"], f["object"], f["owner"])
		if f["scope"] == "own" {
			line += ", who alone sees it"
		}
		if source, is := f["source"].(map[string]any); is {
			line += filled(", by the word of %s alone", source["words"])
		}
		lines = append(lines, line+filled(", since %s", f["since"])+")")
	}
	if total != fmt.Sprint(len(facts)) {
		lines = append(lines, "There are "+total+" in all.")
	}
	return strings.Join(lines, "\n")
}
