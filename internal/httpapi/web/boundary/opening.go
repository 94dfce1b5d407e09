package boundary

import (
	"time"

	"orchestrator/internal/boundary/report"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/rules/boundary/reviewing"
)

// open says the mode, since when it is in force, and what is missing to enforce; of a boundary that is enforced, what
// is to be looked at.
func open(r report.Readiness, d data, now time.Time) string {
	text := words.Upper(string(r.Mode))
	if !r.Since.IsZero() {
		text += " for " + words.For(now.Sub(r.Since))
	}
	return text + ". " + rest(r, d)
}

func rest(r report.Readiness, d data) string {
	if r.Mode == boundary.Enforce {
		due := 0
		for _, one := range r.Reviews {
			if one.State == reviewing.Due {
				due++
			}
		}
		if due == 0 {
			return "No review is due."
		}
		return words.Upper(words.Counted(due, "review is", "reviews are")) + " due."
	}
	all := len(d.Checks)
	text := "All " + words.Count(all) + " conditions to enforce are met."
	if d.Unmet > 0 {
		text = words.Upper(words.Count(d.Unmet)) + " of " + words.Count(all) + " conditions to enforce " +
			words.Plural(d.Unmet, "is", "are") + " missing."
	}
	if n := len(d.Raised); n > 0 {
		text += " " + words.Upper(words.Counted(n, "red flag is", "red flags are")) + " raised."
	}
	return text
}

// meanings say what each mode does, in the words of the documents.
var meanings = map[boundary.Mode]string{
	boundary.Off:      "Nothing is judged or recorded.",
	boundary.Validate: "Violations are recorded, and the session is warned; nothing is blocked.",
	boundary.Confirm: "The person at the client decides on violations; where the client cannot ask they are blocked, " +
		"and so is what no session may do.",
	boundary.Enforce: "Violations are blocked before the tool runs, and so is what cannot be judged.",
}

// lead says what the mode does, and why it was switched to.
func lead(r report.Readiness) string {
	text := meanings[r.Mode]
	if r.By != "" {
		text += " Switched by " + r.By
		if r.Reason != "" {
			text += ": " + r.Reason
		}
		text += "."
	}
	return text
}
