package apiclient

import (
	"context"
	"fmt"
	"net/http"

	"orchestrator/internal/fault"
)

// Ready returns nil if work should be sent to the service, and why not if not.
func (c *Client) Ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", c.agent)
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusServiceUnavailable:
		return fault.New(fault.Unavailable, "not_ready", "the service at %s is not ready", c.name).
			WithFix("GET /readyz?verbose says why")
	}
	return c.Stranger(fmt.Sprintf("GET /readyz is answered %s", resp.Status))
}
