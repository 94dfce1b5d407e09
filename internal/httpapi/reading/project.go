package reading

import (
	"net/http"

	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
)

// LastImport returns what shows what was read of the documents, and where they come from.
func LastImport(from *requirements.Reviews) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := wire.Query(r); err != nil {
			return err
		}
		return wire.WriteJSON(w, http.StatusOK, from.LastImport())
	}
}

// Progress returns what shows how the project gets on. Within a minute in which nothing is recorded the answer is the
// same.
func Progress(from *requirements.Reviews) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := wire.Query(r); err != nil {
			return err
		}
		all, err := from.Progress(r.Context())
		if err != nil {
			return err
		}
		return wire.WriteJSON(w, http.StatusOK, all)
	}
}
