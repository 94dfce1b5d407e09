package language

import (
	"fmt"
	"reflect"
	"time"

	"orchestrator/internal/rules/planning"
)

// Say returns how to have an obligation done: by the sentence that the grammar reads as it, by an example of its form,
// or as JSON where no form makes it.
func Say(o planning.Obligation, now time.Time) string {
	if words, found := sayings[o.String()]; found {
		for _, sentence := range words(o.Payload) {
			read, _ := match(sentence, now)
			if len(read) == 1 && reflect.DeepEqual(read[0].obligation, o) {
				return "say: " + sentence
			}
		}
	}
	for i := range forms {
		if forms[i].name() == o.String() {
			return "say it as in: " + forms[i].Examples[0]
		}
	}
	return "send it as JSON: POST /obligations"
}

// sayings returns the sentences of which one may be read as an obligation.
var sayings = map[string]func(p map[string]any) []string{
	"ACHIEVE(status.name)": func(p map[string]any) []string { return eitherWay("my name is %s", p["value"]) },
	"ACHIEVE(ir.assert)":   sayingFacts,
	"ACHIEVE(ir.retract)": func(p map[string]any) []string {
		return append(eitherWay("forget that %s lives in %s", p["subject"], p["object"]),
			eitherWay("forget that %s is my %s", p["subject"], p["object"])...)
	},
	"ACHIEVE(requirement.status)": func(p map[string]any) []string {
		justification, _ := p["justification"].(map[string]any)
		return append(eitherWay("set %s to %s", p["id"], p["status"]),
			eitherWay("set %s to %s because %s", p["id"], p["status"], justification["reason"])...)
	},
	"ACHIEVE(requirement.signoff)": func(p map[string]any) (all []string) {
		for _, decision := range one(p["approvals"]) {
			verb := map[any]string{"approved": "approve", "rejected": "reject"}[decision["decision"]]
			all = append(all, eitherWay(verb+" %s", p["id"])...)
			all = append(all, eitherWay(verb+" %s because %s", p["id"], decision["text"])...)
		}
		return all
	},
	"ACHIEVE(requirement.pm_notes)": func(p map[string]any) (all []string) {
		for _, note := range one(p["pm_notes"]) {
			all = eitherWay("note on %s: %s", p["id"], note["text"])
		}
		return all
	},
	"ACHIEVE(requirement.deviations)": func(p map[string]any) (all []string) {
		for _, deviation := range one(p["deviations"]) {
			all = eitherWay("record the deviation %s of %s: %s", deviation["id"], p["id"], deviation["text"])
		}
		return all
	},
	"ACHIEVE(requirement.accept_fingerprint)": func(p map[string]any) []string {
		all := eitherWay("accept the text %s of %s", p["accept_fingerprint"], p["id"])
		for _, note := range one(p["pm_notes"]) {
			all = eitherWay("accept the text %s of %s because %s", p["accept_fingerprint"], p["id"], note["text"])
		}
		return all
	},
}

// one returns the only object of a list; nothing where there are others.
func one(list any) []map[string]any {
	if all, ok := rows(list); ok && len(all) == 1 {
		return all
	}
	return nil
}

func sayingFacts(p map[string]any) []string {
	facts, _ := rows(p["facts"])
	of := map[any]any{}
	for _, fact := range facts {
		of[fact["predicate"]] = fact["object"]
		of["who"] = fact["subject"]
	}
	return append(append(eitherWay("remember that %s lives in %s", of["who"], of["city"]),
		eitherWay("remember that %s is my %s", of["who"], of["relation"])...),
		eitherWay("remember that %s is my %s and lives in %s", of["who"], of["relation"], of["city"])...)
}

// eitherWay fills a sentence with values as they are, and with the last or the first of them in quotes; nothing where a
// value is no text.
func eitherWay(format string, values ...any) []string {
	plain := make([]any, len(values))
	for i, value := range values {
		text, is := value.(string)
		if !is {
			return nil
		}
		plain[i] = text
	}
	first, last := append([]any{}, plain...), append([]any{}, plain...)
	first[0] = fmt.Sprintf(`"%s"`, first[0])
	last[len(last)-1] = fmt.Sprintf(`"%s"`, last[len(last)-1])
	return []string{fmt.Sprintf(format, plain...), fmt.Sprintf(format, first...), fmt.Sprintf(format, last...)}
}
