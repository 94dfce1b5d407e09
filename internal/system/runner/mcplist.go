package runner

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostPages is how many pages a list of tools may have.
const mostPages = 100

// Listing is what an MCP server offers.
type Listing struct {
	Tools  []string        // their names, in the order of the server
	Answer json.RawMessage // of the tool that was called
}

// List asks the server which tools it has, and calls Tool without arguments if it is among them. Bounds and errors are
// those of Run; a tool that fails is an error, too, with the names of the tools beside it.
func (m MCP) List(ctx context.Context) (Listing, Result, error) {
	var found Listing
	result, err := m.converse(ctx,
		func(ctx context.Context, session *mcp.ClientSession, w *wire) (json.RawMessage, error) {
			var err error
			if found.Tools, err = names(ctx, session); err != nil || !slices.Contains(found.Tools, m.Tool) {
				return nil, err
			}
			return m.callTool(ctx, session, w, nil)
		})
	found.Answer = result.Stdout
	return found, result, err
}

// names returns the names of all tools of a server.
func names(ctx context.Context, session *mcp.ClientSession) (all []string, err error) {
	params := &mcp.ListToolsParams{}
	for range mostPages {
		page, err := session.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		for _, tool := range page.Tools {
			all = append(all, tool.Name)
		}
		if page.NextCursor == "" {
			break
		}
		params.Cursor = page.NextCursor
	}
	return all, nil
}
