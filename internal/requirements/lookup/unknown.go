package lookup

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/secret"
)

// MaxMeant is how many ids an error lists that an unknown one may stand for.
const MaxMeant = 10

// Unknown returns the error of an id that no requirement has. It names the present id of the requirement that had it,
// the id that was probably meant, those whose short form it is, or what keeps the text from being an id.
func Unknown(from *projection.Snapshot, id string) *fault.Error {
	err := fault.New(fault.NotFound, decision.CodeUnknown, "there is no requirement %q", decision.Quote(id))
	ids := from.Meant(id)
	if now, was := from.RenamedTo(id); was && slices.Contains(ids, now) {
		err.RenamedTo = now
		if e, _ := from.Find(now); qualify.Short(now, e.Summary.Path) != id {
			return renamed(err, id, now)
		}
	}
	if len(ids) > 0 {
		return shortForm(err, id, ids)
	}
	if near, ok := from.Like(id); ok {
		return err.WithFix("did you mean %s? Ids are compared letter by letter", near)
	}
	if why := fault.As(reqid.Valid(id)); why != nil {
		detail := why.Detail
		if len(secret.Find(id)) > 0 { // which is no longer known as one where it is quoted
			detail = "it looks like a secret"
		}
		return fault.New(fault.Malformed, "invalid_id", "the path does not hold a requirement id: %s", detail).
			WithFix("take the id from GET /requirements, percent-encoded once")
	}
	return err.WithFix("GET /requirements lists the ids; they are compared letter by letter")
}

// renamed adds to the error of an unknown id the one that the requirement has now.
func renamed(err *fault.Error, id, now string) *fault.Error {
	err.Detail = fmt.Sprintf("%s was renamed to %s", decision.Quote(id), now)
	return err.WithFix("use its present id, %s: /requirements/%s", now, url.PathEscape(now))
}

// shortForm adds to the error of an unknown id the whole ids whose short form it is.
func shortForm(err *fault.Error, id string, ids []string) *fault.Error {
	err.IDs = ids[:min(len(ids), MaxMeant)]
	if len(ids) == 1 {
		return err.WithFix("its whole id is %s: /requirements/%s", ids[0], url.PathEscape(ids[0]))
	}
	listed := strings.Join(err.IDs, ", ")
	if len(ids) > MaxMeant {
		listed += ", …"
	}
	err.Detail = fmt.Sprintf("%q is the short form of %d requirements: %s", decision.Quote(id), len(ids), listed)
	return err.WithFix("use the whole id, such as %s, percent-encoded once in a path", ids[0])
}
