package traces

import (
	"net/http"
	"slices"
	"strings"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/rules/lifecycle"
)

// asked is the form in which the conductor is asked in plain words.
type asked struct {
	Key      string
	Typed    string
	Panel    *page.Panel
	Tried    string // what a run came to that left nothing behind
	Examples []string
	Rest     []string
	IsViewer bool
}

// mostExamples is how many sentences are shown at once.
const mostExamples = 8

func askedOf(v *page.Visit) asked {
	a := asked{Key: page.NewKey(), Tried: v.Tried, IsViewer: v.Is(lifecycle.Viewer)}
	if v.Form.Get("act") == "ask" {
		a.Typed, a.Panel = v.Form.Get("utterance"), page.NewPanel(v.Refused)
		if a.Panel != nil && a.Panel.Unknown() {
			a.Key = v.Form.Get("key") // the same again is carried out once
		}
	}
	var all struct {
		Forms []struct {
			Example string   `json:"example"`
			Roles   []string `json:"roles"`
		} `json:"forms"`
	}
	if v.API.Get("/forms", nil, &all) != nil {
		return a
	}
	for _, f := range all.Forms {
		if slices.Contains(f.Roles, v.Who.Role) {
			a.Examples = append(a.Examples, f.Example)
		}
	}
	at := min(mostExamples, len(a.Examples))
	a.Examples, a.Rest = a.Examples[:at], a.Examples[at:]
	return a
}

// request is the body of POST /requests.
type request struct {
	Utterance string `json:"utterance"`
	Key       string `json:"idempotency_key,omitempty"`
}

// askFor asks in plain words. A run of a viewer is not kept, so that its answer is all there is to show.
func askFor(v *page.Visit) (page.Outcome, error) {
	got, err := v.API.Change(http.MethodPost, "/requests",
		request{strings.TrimSpace(v.Form.Get("utterance")), v.Form.Get("key")})
	if err != nil {
		return page.Outcome{}, err
	}
	var t trace
	if err := got.Fill(&t); err != nil {
		return page.Outcome{}, err
	}
	if v.Is(lifecycle.Viewer) {
		return page.Outcome{Tried: true, Said: t.inShort()}, nil
	}
	said := "You asked, and it " + outcomeSays(t.Status) + "."
	return page.Outcome{Said: page.Recorded(said, got), To: page.To("traces", t.ID)}, nil
}

// inShort returns what a run came to as text.
func (t trace) inShort() string {
	var all []string
	for _, a := range t.Answers {
		all = append(all, a.Text)
	}
	for _, o := range t.Obligations {
		if o.Status != resolved && o.Why != "" {
			all = append(all, o.Of.Name()+" was not met: "+o.Why+".")
		}
	}
	if len(all) == 0 {
		return "It " + outcomeSays(t.Status) + "."
	}
	return strings.Join(all, "\n")
}
