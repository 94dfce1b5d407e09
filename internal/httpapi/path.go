package httpapi

import (
	"net/http"
	"net/url"
	"orchestrator/internal/fault"

	"github.com/go-chi/chi/v5"
)

// requirementID decodes the path's id once. What makes an id is checked where it is used.
func requirementID(r *http.Request) (string, error) {
	decoded, err := pathParam(r, "id")
	if err != nil {
		return "", fault.New(fault.Malformed, "invalid_id", "the path is not percent-encoded right").
			WithFix("percent-encode the id once, in UTF-8")
	}
	return decoded, nil
}

// pathParam returns a parameter of the path, decoded once.
func pathParam(r *http.Request, name string) (string, error) {
	value := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return value, nil // decoded by the server
	}
	return url.PathUnescape(value)
}
