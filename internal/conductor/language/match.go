package language

import (
	"fmt"
	"orchestrator/internal/rules/planning"
	"time"
)

type reading struct {
	form       *form
	obligation planning.Obligation
}

// String returns how the form is said, and what was read.
func (r reading) String() string {
	return fmt.Sprintf("%s (%s)", shown(r.form.Say[0]), compact(r.obligation.Payload))
}

// misfit is a form whose words fit a sentence, and why a value does not.
type misfit struct {
	form *form
	why  string
}

// match returns every form that covers a sentence, or else the first that nearly does.
func match(sentence string, now time.Time) (found []reading, near misfit) {
	for _, c := range grammar() {
		slots, reason, fits := c.pattern.read(sentence)
		if !fits {
			continue
		}
		var payload map[string]any
		if reason == "" {
			payload, reason = c.form.payload(slots, now)
		}
		if reason == "" {
			found = append(found, reading{c.form, planning.Obligation{Type: c.form.Type, Payload: payload}})
		} else if near.why == "" {
			near = misfit{c.form, reason}
		}
	}
	return found, near
}
