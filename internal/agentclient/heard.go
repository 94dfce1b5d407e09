package agentclient

import (
	"bytes"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/rules/boundary"
)

// Heard returns what the client makes of an answer before a tool. An error is an answer that it takes for a broken
// hook, on which most clients let the call through.
func (c *Client) Heard(a Answer) (boundary.Decision, error) {
	switch {
	case a.Exit == 2 && len(bytes.TrimSpace(a.Stderr)) == 0:
		return "", fmt.Errorf("exit code 2 without a reason on standard error")
	case a.Exit == 2 && c.NoExitCode:
		return "", fmt.Errorf("exit code 2, where it wants a decision as JSON: %.200s", a.Stderr)
	case a.Exit == 2:
		return boundary.Block, nil
	case a.Exit != 0:
		return "", fmt.Errorf("exit code %d: %.200s", a.Exit, a.Stderr)
	case len(bytes.TrimSpace(a.Stdout)) > 0:
		return heard(a.Stdout)
	case c.NoSilence && len(a.Stderr) == 0:
		return "", fmt.Errorf("silence, where it wants JSON")
	case len(a.Stderr) > 0:
		return boundary.Warn, nil
	}
	return boundary.Allow, nil
}

// verdict holds the members of all clients that decide on a call before a tool.
type verdict struct {
	Permission         string `json:"permission"`
	PermissionDecision string `json:"permissionDecision"`
	UserMessage        string `json:"user_message"`
	Specific           struct {
		PermissionDecision string `json:"permissionDecision"`
	} `json:"hookSpecificOutput"`
}

// heard returns what an answer on standard output says.
func heard(stdout []byte) (boundary.Decision, error) {
	var s verdict
	if err := jsonv2.Unmarshal(stdout, &s); err != nil {
		return "", fmt.Errorf("what it printed is no JSON that a client reads: %.200s", stdout)
	}
	for _, decision := range []string{s.Permission, s.PermissionDecision, s.Specific.PermissionDecision} {
		switch decision {
		case "deny":
			return boundary.Block, nil
		case "ask":
			return boundary.Ask, nil
		}
	}
	if s.PermissionDecision == "allow" || s.Specific.PermissionDecision == "allow" {
		return "", fmt.Errorf("it says allow, which passes over the person's own permission prompts")
	}
	if s.Permission == "allow" && s.UserMessage == "" {
		return boundary.Allow, nil
	}
	return boundary.Warn, nil
}
