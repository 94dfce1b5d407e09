package httpapi

import (
	"net/http"
	"net/url"

	"orchestrator/internal/fault"
)

// requirementID decodes the path's id once. What makes an id is checked where it is used.
func requirementID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if r.URL.RawPath == "" {
		return id, nil // decoded by the server
	}
	decoded, err := url.PathUnescape(id)
	if err != nil {
		return "", fault.New(fault.Malformed, "invalid_id", "the path is not percent-encoded right").
			WithFix("percent-encode the id once, in UTF-8")
	}
	return decoded, nil
}
