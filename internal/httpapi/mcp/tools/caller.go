package tools

import (
	"context"

	"orchestrator/internal/httpapi/mcp/rest"
	"orchestrator/internal/rules/lifecycle"
)

// Caller is who calls tools.
type Caller struct {
	API  rest.API
	Role lifecycle.Role

	// Report reads a test report that a path names; nil where the client's files are out of reach.
	Report func(ctx context.Context, path string) ([]byte, error)
}
