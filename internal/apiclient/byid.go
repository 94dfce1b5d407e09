package apiclient

import "orchestrator/internal/fault"

// ByID asks something about the requirement with an id. Where the service has no such requirement, and exactly one whose
// short form it is, it asks once more with the whole id. Nothing was done before: the service had not found it.
func ByID[T any](id string, ask func(id string) (T, error)) (T, error) {
	answer, err := ask(id)
	if f := fault.As(err); f != nil && f.Kind == fault.NotFound && len(f.IDs) == 1 && f.IDs[0] != id {
		return ask(f.IDs[0])
	}
	return answer, err
}
