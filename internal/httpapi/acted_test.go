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
	"accept the text": func(h *harness) {
		h.patch("pm", move(lifecycle.Planned))
		h.write(strings.Replace(sample, "with name and password", "with a passkey", 1))
		require.Equal(h.t, http.StatusOK, h.do("pm", http.MethodPost, "/project/import", "").Status)
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
		require.True(t, changed, "%s is never done", form.Example)
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

// A changed text is accepted in words, with the reason: what was suspect is not any more. Without the reason it is asked
// for, and the answer is a text.
//
// Verifies: ORC-297
func TestATextIsAcceptedInWords(t *testing.T) {
	for _, answered := range []bool{false, true} {
		h := newHarness(t)
		stateFor["accept the text"](h)
		stored := h.do("pm", http.MethodGet, "/requirements/REQ-001", "").json(t)
		require.Equal(t, true, stored["suspect"])
		sentence := "accept the text " + stored["fingerprint"].(string) + " of REQ-001"
		if !answered {
			trace := h.ask("pm", sentence+" because the work still fits")
			require.Equal(t, planning.OutResolved, trace.Status)
		} else {
			trace := h.ask("pm", sentence)
			require.Equal(t, planning.OutClarify, trace.Status)
			require.Equal(t, "what is to be noted, such as why a changed text is accepted?", trace.Obligations[0].Emitted[0].Obligation.Payload["question"])
			path, body := "/obligations/"+trace.ID+"/answers", `{"obligation":"o1","value":"the work still fits"}`
			first := h.expect(200, "", "pm", http.MethodPost, path, body)
			require.Equal(t, "resolved", first.json(t)["status"], first.json(t))
			require.Equal(t, first.Body, h.expect(200, "", "pm", http.MethodPost, path, body).Body, "the same answer again")
			h.expect(409, "answered", "pm", http.MethodPost, path, `{"obligation":"o1","value":"it does not"}`)
		}
		stored = h.do("pm", http.MethodGet, "/requirements/REQ-001", "").json(t)
		require.Equal(t, false, stored["suspect"])
		require.Equal(t, "the work still fits", stored["pm_notes"].([]any)[0].(map[string]any)["text"])
	}
}

// A move that lacks its reason is refused with the sentence to say, to whoever spoke. One that was sent as an obligation
// is asked why, and the answer may be a text: the service adds what shows it.
//
// Verifies: ORC-297
func TestAReasonIsSaidInWords(t *testing.T) {
	h := newHarness(t)
	refused := h.expect(422, "justification_required", "pm", http.MethodPost, "/requests", utter("Defer REQ-001.")).json(t)
	require.Equal(t, "say why: Defer REQ-001 because <why>", refused["fix"])
	several := h.do("pm", http.MethodPost, "/requests", utter("what is 2+2; defer REQ-001")).json(t)
	refusal := several["obligations"].([]any)[1].(map[string]any)["refusal"].(map[string]any)
	require.Equal(t, "say why: set REQ-001 to deferred because <why>", refusal["fix"])
	plain := h.expect(422, "justification_required", "pm", http.MethodPost, "/obligations",
		`{"obligations":[{"type":"ACHIEVE","payload":{"kind":"requirement.status","id":"REQ-001","status":"deferred"}}]}`).json(t)
	require.Contains(t, plain["fix"], `"justification":`, "who sends JSON is told in JSON")

	trace := h.conduct("pm", `{"obligations":[{"type":"ACHIEVE","payload":{"kind":"requirement.status","id":"REQ-001"}}]}`)
	require.Contains(t, trace.Obligations[0].Emitted[0].Obligation.Payload["question"], "why is the status to change")
	path := "/obligations/" + trace.ID + "/answers"
	body := `{"slot":"justification","value":"it can wait for spring"}`
	h.expect(200, "", "pm", http.MethodPost, path, body)
	h.expect(200, "", "pm", http.MethodPost, path, body)
	done := h.expect(200, "", "pm", http.MethodPost, path, `{"slot":"status","value":"deferred"}`).json(t)
	require.Equal(t, "resolved", done["status"], done)
	history := h.do("pm", http.MethodGet, "/requirements/REQ-001", "").json(t)["history"].([]any)
	justification := history[len(history)-1].(map[string]any)["justification"].(map[string]any)
	require.Equal(t, "it can wait for spring", justification["reason"])
	require.NotEmpty(t, justification["evidence"])
}
