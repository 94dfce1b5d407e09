package language

import (
	"cmp"
	"strings"

	"orchestrator/internal/rules/planning"
)

// sayScheduled takes {id, first, every?, until?}.
func sayScheduled(_ planning.Obligation, r Result) string {
	text := filled("Scheduled for %s", r["first"])
	if text == "" {
		return ""
	}
	text += filled(", and every %s from then on", r["every"]) + filled(" until %s", r["until"])
	return text + filled(". The schedule is %s.", r["id"])
}

// sayTools takes {capability, tools, nearest, asked}: objects with name, source, and why_not where the caller may not
// have it run; count, by and last of those who asked in vain.
func sayTools(_ planning.Obligation, r Result) string {
	tools, ok := rows(r["tools"])
	asked, is := r["asked"].(map[string]any)
	if !ok || !is {
		return ""
	}
	lines := []string{filled("No tool satisfies %s.", r["capability"])}
	if len(tools) > 0 {
		lines = []string{filled("These satisfy %s, in the order in which they are tried:", r["capability"])}
	}
	for _, t := range tools {
		lines = append(lines, filled("- %s (%s)", t["name"], t["source"])+filled(", but not for you: %s", t["why_not"]))
	}
	if near := filled("Spelled alike: %s.", r["nearest"]); near != "" {
		lines = append(lines, near)
	}
	if count := say(asked["count"]); count != "0" {
		times := filled("%s times", asked["count"])
		if count == "1" {
			times = "once"
		}
		lines = append(lines, "Asked for in vain before: "+times+filled(", by %s", asked["by"])+
			filled(", last on %s", asked["last"])+".")
	}
	return strings.Join(lines, "\n")
}

// sayReasons takes {about, reasons}: texts.
func sayReasons(_ planning.Obligation, r Result) string {
	all, _ := r["reasons"].([]any)
	head := filled("What is on record about %s:", r["about"])
	if len(all) == 0 || head == "" {
		return ""
	}
	lines := []string{head}
	for _, reason := range all {
		lines = append(lines, "- "+say(reason))
	}
	return strings.Join(lines, "\n")
}

// sayActs takes {id, status, did, acts}: objects with what, by, role, at, and part, to, why and counts where there are
// such.
func sayActs(_ planning.Obligation, r Result) string {
	acts, ok := rows(r["acts"])
	if !ok {
		return ""
	}
	if len(acts) == 0 {
		return filled("It is not on record that %s was ever %s: it is %s.", r["id"], r["did"], r["status"])
	}
	lines := make([]string, len(acts))
	for i, act := range acts {
		object := cmp.Or(filled("the %s of %s", act["part"], r["id"]), filled("%s to %s", r["id"], act["to"]), say(r["id"]))
		lines[i] = filled("%s (%s) %s %s on %s", act["by"], act["role"], act["what"], object, act["at"])
		if lines[i] == "" {
			return ""
		}
		lines[i] += filled("; why: %s", act["why"])
		if act["counts"] == false {
			lines[i] += "; it does not count any more"
		}
		lines[i] = sentence(lines[i])
	}
	return strings.Join(lines, "\n")
}
