package httpapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// What a decision rests on is recorded as it was shown: lines that moved, where they stand now.
//
// Verifies: ORC-332
func TestAPageRestsOnTheLinesThatItShows(t *testing.T) {
	var c clone
	h := newHarness(t, inRepository(t, &c, map[string]string{"plan.md": "a plan\n",
		"a.go": "package a\n\nfunc A() { right() }\n"}))
	h.patch("pm", move(lifecycle.Planned))
	h.patch("pm", move(lifecycle.DesignInProgress))
	h.patch("architect", `{"design_spec":{"summary":"a form"}}`)
	h.patch("pm", move(lifecycle.DesignReady))
	h.patch("pm", move(lifecycle.ImplementationInProgress))
	h.patch("coder", `{"implementation":{"summary":"done","files":[{"path":"a.go","lines":"3"}]}}`)
	b := h.browse().signIn("pm")
	seen := b.visit("/ui/requirements/REQ-001", nil).form("move implemented")
	seen.Set("text", "I looked at it")

	c.write("a.go", "package a\n\nvar wrong = 1\n\nfunc A() { right() }\n", time.Now())
	c.commit("second")
	require.Equal(t, 303, b.visit("/ui/requirements/REQ-001", seen).status, b.page)
	log := string(h.do("pm", "GET", "/requirements/REQ-001/history?limit=1", "").Body)
	require.Contains(t, log, `"evidence":[{"kind":"file","path":"a.go","lines":"5"}]`)
}
