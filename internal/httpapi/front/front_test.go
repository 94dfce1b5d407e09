package front_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/front"
	"orchestrator/internal/rules/lifecycle"
)

// Verifies: ORC-130
func TestTheFrontPageIsShortForEverybody(t *testing.T) {
	long := strings.Repeat("\U0001d400", 64)
	callers := []front.Caller{{}, {Refused: "the token expired at 2026-01-02T03:04:05Z"}}
	for _, role := range lifecycle.Roles() {
		callers = append(callers, front.Caller{Name: long, Role: string(role)})
	}
	for _, c := range callers {
		text := string(front.Text(c))
		body, err := front.JSON(c)
		require.NoError(t, err)
		require.LessOrEqual(t, len(text), front.MaxBytes, text)
		require.LessOrEqual(t, len(body), front.MaxBytes, "%s", body)
		for _, part := range []string{"GET /next", "PATCH", "test-report", "what should I do next?", "/openapi.json", c.Refused, c.Name} {
			require.Contains(t, text, part)
		}
		require.Equal(t, c.Role != "viewer", strings.Contains(text, "curl -X PATCH"), "%s", text)
	}
}

func TestTheFrontPageForPrograms(t *testing.T) {
	var page struct {
		Caller *struct {
			Name string `json:"name"`
		} `json:"caller"`
		Token   string `json:"token"`
		Example *struct {
			Body map[string]any `json:"body"`
		} `json:"example"`
	}
	read := func(c front.Caller) {
		body, err := front.JSON(c)
		require.NoError(t, err)
		page.Caller, page.Example = nil, nil
		require.NoError(t, json.Unmarshal(body, &page))
	}
	read(front.Caller{})
	require.Nil(t, page.Caller)
	require.Equal(t, "planned", page.Example.Body["status"])
	read(front.Caller{Name: "ann", Role: "coder"})
	require.Equal(t, "ann", page.Caller.Name)
	require.Contains(t, page.Example.Body, "implementation")
	require.Contains(t, page.Token, "role coder")
	read(front.Caller{Name: "vic", Role: "viewer"})
	require.Nil(t, page.Example)
}
