package apiclient

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"orchestrator/internal/fault"
)

// RenamedError is the answer to a request about an id that its requirement has no longer. Nothing was done.
type RenamedError struct {
	Refusal  *fault.Error // its fix is written for whoever sends requests
	From, To string
}

// Error returns what the service says.
func (e RenamedError) Error() string { return e.Refusal.Error() }

// Unwrap makes the refusal a target for errors.As.
func (e RenamedError) Unwrap() error { return e.Refusal }

// ByID asks something about the requirement with an id. Where the service has no such requirement, and exactly one
// whose short form it is, it asks once more with the whole id. Nothing was done before: the service had not found it.
// An id that the requirement has no longer is a RenamedError.
func ByID[T any](id string, ask func(id string) (T, error)) (T, error) {
	answer, err := ask(id)
	f := fault.As(err)
	switch {
	case f == nil || f.Kind != fault.NotFound:
	case len(f.IDs) == 1 && f.IDs[0] != id:
		return ask(f.IDs[0])
	case f.RenamedTo != "" && len(f.IDs) == 0:
		return answer, RenamedError{f, id, f.RenamedTo}
	}
	return answer, err
}

// Shared refuses an id that is the short form of other requirements, too: nobody who types it can be sure which one it
// is. The service knows such a one by ./ID as well. What cannot be told passes.
func Shared(ctx context.Context, c *Client, id string) error {
	if strings.Contains(id, "/") {
		return nil
	}
	_, err := c.Send(ctx, Request{Method: http.MethodGet, Path: "/requirements/" + url.PathEscape("./"+id)})
	if f := fault.As(err); f == nil || f.Kind != fault.NotFound || !slices.Equal(f.IDs, []string{id}) {
		return nil //nolint:nilerr // what cannot be told passes
	}
	return fault.New(fault.Conflict, "id_ambiguous", "%s is the id of a requirement, and the short form of another",
		id).WithFix("type ./%s for the one whose document is in no folder, or the whole id of the other: "+
		"orchestrator list has both", id)
}

// Reading asks as ByID does, for what only reads: it follows an id to the requirement that had it, and says so to told.
func Reading[T any](id string, told func(from, to string), ask func(id string) (T, error)) (T, error) {
	answer, err := ByID(id, ask)
	if moved := (RenamedError{}); errors.As(err, &moved) {
		told(id, moved.To)
		return ask(moved.To)
	}
	return answer, err
}

// Meant returns the id that an id stands for, given the error of asking for it. It leaves an unknown one as it is:
// whoever is asked with it says what is wrong with it.
func Meant(id string, err error) (string, error) {
	f := fault.As(err)
	switch {
	case f == nil || f.Kind != fault.NotFound:
		return id, err
	case len(f.IDs) == 1:
		return f.IDs[0], nil
	case len(f.IDs) > 1:
		return id, err
	}
	return id, nil
}
