package conductor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
)

// Agents lets tools act in a role of the project.
type Agents interface {
	// Admit lets an agent into the project until a moment at the latest: by a token of a role, which Dismiss revokes.
	// Where a requirement is named, the token changes nothing else. All tokens of a run claim as one.
	Admit(name, role, requirement, run string, until time.Time) (Access, error)
}

// Access gives an agent access to the service.
type Access struct {
	URL     string // without a slash at its end
	Token   string // its text, which is on no record
	ID      string // tells the token from others in the log, and proves nothing
	Dismiss func() error
}

// Work leads a requirement on: an obligation, and the role that it is for.
type Work struct {
	Role       string // whose work it is
	Obligation planning.Obligation
	Needs      []string // what is to be supplied; none where it is a move
}

// Matches reports whether an obligation is to do this work. Moves are told apart by the status that they lead to.
func (d Work) Matches(o planning.Obligation) bool {
	return d.Obligation.Kind() == o.Kind() &&
		(o.Kind() != planning.KindStatus || d.Obligation.Payload["status"] == o.Payload["status"])
}

// tokenGrace bounds how long a token outlives the time-out of its run; it is revoked when the run ends.
const tokenGrace = time.Minute

// admit lets an agent in for one run, and writes its prompt.
func (r *run) admit(ctx context.Context, c planning.Contract, asked externalCall,
	limit time.Duration) (Access, string, error) {
	requirement := ""
	if changesRequirement(asked.Obligation) {
		requirement, _ = asked.Obligation.Payload["id"].(string)
	}
	access, err := r.Agents.Admit(c.Name, c.Role, requirement, r.request.ID, r.Clock().Add(limit+tokenGrace))
	if err != nil {
		return Access{}, "", err
	}
	prompt, err := r.Project.Prompt(ctx, Briefing{Role: c.Role, Agent: c.Name, URL: access.URL,
		Obligation: asked.Obligation})
	if err != nil {
		return Access{}, "", errors.Join(err, access.Dismiss())
	}
	what := fmt.Sprintf("%s as %s by the token %s, with the prompt sha256:%s", c.Name, c.Role, access.ID,
		ledger.Digest([]byte(prompt)))
	r.enqueue(func(w *state.Writer) error {
		return w.Event(state.Event{ID: strings.TrimPrefix(asked.Run, r.request.ID+"/") + "/agent",
			Kind: "agent.admitted", What: what})
	})
	return access, prompt, nil
}

// act runs an agent, which is in the project for as long as it runs.
func (r *run) act(ctx context.Context, c planning.Contract, asked externalCall,
	limit time.Duration) (result map[string]any, err error) {
	access, prompt, err := r.admit(ctx, c, asked, limit)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, access.Dismiss()) }()
	asked.Prompt = prompt
	switch c.Implementation.Means {
	case planning.HTTP:
		asked.Orchestrator = &endpoint{access.URL, access.Token}
	case planning.MCP:
		asked.Inputs = maps.Clone(asked.Inputs)
		asked.Inputs["prompt"] = prompt
	}
	raw, err := r.runExternal(ctx, c.Implementation, limit, asked,
		[]string{planning.EnvURL + "=" + access.URL, planning.EnvToken + "=" + access.Token})
	if err != nil {
		return nil, err
	}
	mask := func(text string) string {
		return secret.Mask(strings.ReplaceAll(text, access.Token, "<"+planning.EnvToken+">"))
	}
	if c.Implementation.Stdin == planning.StdinPrompt {
		return agentText(raw, mask), nil
	}
	return parseResult(raw, mask)
}

// Briefing describes the work that an agent's prompt is about.
type Briefing struct {
	Role, Agent string
	URL         string // of the service
	Obligation  planning.Obligation
}

// endpoint tells an agent that is called by HTTP how to reach the service. Programs have it in their environment.
type endpoint struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// lastWords returns the end of what an agent said, to stand after what it did not do; "" if it said nothing as text.
func lastWords(result map[string]any) string {
	text, _ := result["text"].(string)
	if text == "" {
		return ""
	}
	const most = 300
	if cut := len(text) - most; cut > 0 {
		text = "…" + strings.ToValidUTF8(text[cut:], "")
	}
	return "; it said: " + strings.Join(strings.Fields(text), " ")
}

// maxAgentText bounds what is kept of an agent's answer, in bytes: its end.
const maxAgentText = 16 << 10

// agentText returns what an agent answered as text.
func agentText(raw []byte, mask func(string) string) map[string]any {
	text := mask(string(raw)) // before it is cut, so that no half of a secret is left
	text = strings.ToValidUTF8(text[max(0, len(text)-maxAgentText):], "")
	text = strings.Map(func(c rune) rune {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return -1
		}
		return c
	}, text)
	return map[string]any{"text": strings.TrimSpace(text)}
}
