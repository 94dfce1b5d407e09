package doctor

import (
	"context"
	"time"

	"orchestrator/internal/operator/webhooks"
)

// lookAtWebhooks finds webhooks that fail, and messages that were given up.
func (e *examination) lookAtWebhooks(ctx context.Context) {
	all, err := webhooks.List(ctx, e.Store.In(e.Data))
	if err != nil {
		e.fail("webhooks", Problem, err)
		return
	}
	sound := 0
	for _, one := range all {
		if one.Failing == nil && one.Letters == 0 && one.Unusable == "" {
			sound++
		}
		if one.Unusable != "" {
			e.say("webhooks", Problem, "", "%s: %s", one.Name, one.Unusable)
		}
		if one.Failing != nil {
			e.say("webhooks", Warning, e.orchestrator("webhook test "+one.Name), "%s fails since %s: %s", one.Name,
				one.Failing.Since.Format(time.RFC3339), one.Failing.Why)
		}
		if one.Letters > 0 {
			e.say("webhooks", Warning, e.orchestrator("webhook replay "+one.Name+" --dead"),
				"messages to %s that were given up: %d", one.Name, one.Letters)
		}
	}
	if sound > 0 {
		e.say("webhooks", OK, "", "in order: %d", sound)
	}
}
