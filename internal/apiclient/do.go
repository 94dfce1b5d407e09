package apiclient

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// mediaOfAnswers are those that the API gives to requests of Do.
var mediaOfAnswers = []string{"application/json", "application/problem+json", "text/event-stream"}

// Do sends a request, with the token, to its path on the server, and returns the answer of the service, be it a refusal.
// It waits as long as the context of the request lasts. The caller closes the body. An answer of another kind of server
// is an error.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	if c.own != "" && !Runs(c.own) {
		return nil, c.notRunning()
	}
	path := r.URL.RequestURI()
	if !strings.HasPrefix(path, "/") { // after @ it would lead to another server
		return nil, c.Stranger("there is no such path")
	}
	to, err := http.NewRequestWithContext(r.Context(), r.Method, c.base+path, r.Body) //nolint:gosec // of our server
	if err != nil {
		return nil, err
	}
	to.Header, to.ContentLength, to.GetBody = r.Header.Clone(), r.ContentLength, r.GetBody
	if c.token != "" {
		to.Header.Set("Authorization", "Bearer "+c.token)
	}
	to.Header.Set("User-Agent", c.agent)
	endless := *c.http
	endless.Timeout = 0
	resp, err := endless.Do(to) //nolint:gosec // of our server
	if err != nil {
		return nil, c.unreachable(err)
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	bare := resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified
	if !bare && !slices.Contains(mediaOfAnswers, media) {
		_ = resp.Body.Close()
		return nil, c.Stranger(resp.Status)
	}
	return resp, nil
}
