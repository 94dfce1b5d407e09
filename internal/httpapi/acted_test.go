package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/language"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// stateFor makes what a sentence that acts needs, by a word of it.
var stateFor = map[string]func(h *harness){
	"accept the deviation": func(h *harness) { h.patch("pm", `{"deviations":[{"id":"D-1","text":"slower"}]}`) },
	"reject REQ":           func(h *harness) { h.patch("pm", `{"approvals":[{"decision":"approved"}]}`) },
	"design_ready": func(h *harness) {
		h.patch("pm", move(lifecycle.Planned))
		h.patch("pm", move(lifecycle.DesignInProgress))
		h.patch("architect", `{"design_spec":{"summary":"a form"}}`)
	},
	"unblock": func(h *harness) {
		h.patch("pm", move(lifecycle.Planned))
		h.patch("pm", move(lifecycle.Blocked))
	},
}

// Every sentence that changes a requirement is resolved where the store has changed, and refused where it has not: an
// answer never says that what is stored has failed.
//
// Verifies: ORC-284
func TestEverySentenceThatActsSaysWhatTheStoreShows(t *testing.T) {
	for _, form := range language.Forms(time.Now()) {
		if form.Obligation.Type != planning.Achieve || !strings.HasPrefix(form.Obligation.Kind(), "requirement.") {
			continue
		}
		prepared := []func(*harness){func(*harness) {}}
		for word, prepare := range stateFor {
			if strings.Contains(form.Example, word) {
				prepared = append(prepared, prepare)
			}
		}
		changed := false
		for _, prepare := range prepared {
			h := newHarness(t, func(o *options) { o.Workflow = lifecycle.Rework })
			prepare(h)
			changed = h.actsAsStored(form.Example) || changed
		}
		if form.Obligation.Kind() != "requirement.accept_fingerprint" { // which takes a note, for which it has no words
			require.True(t, changed, "%s is never done", form.Example)
		}
	}
}

// actsAsStored says a sentence, holds that the answer is what the store shows, and reports whether it has changed.
func (h *harness) actsAsStored(example string) bool {
	h.t.Helper()
	stored := func() map[string]any { return h.do("pm", http.MethodGet, "/requirements/REQ-001", "").json(h.t) }
	before := stored()
	utterance := strings.ReplaceAll(example, "REQ-7", "REQ-001")
	if _, text, found := strings.Cut(utterance, "sha256:"); found {
		text, _, _ = strings.Cut(text, " ")
		utterance = strings.Replace(utterance, "sha256:"+text, before["fingerprint"].(string), 1)
	}
	sent := h.do("pm", http.MethodPost, "/requests", utter(utterance)).json(h.t)
	changed := before["revision"] != stored()["revision"]
	require.Equal(h.t, changed, sent["status"] == "resolved", "%s: %v", utterance, sent)
	if changed {
		require.Contains(h.t, answersOf(sent)[0]["text"], "REQ-001", utterance)
	}
	return changed
}
