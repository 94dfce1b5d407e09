// Package problem turns an error into what callers see of it: an RFC 9457 problem without secrets, and without the
// details of a failure that are for the log alone. It knows no HTTP request and writes nothing.
package problem

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/catalogue"
	"orchestrator/internal/secret"
)

// statusOf is the only map from kind to HTTP status.
var statusOf = map[fault.Kind]int{
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.Method:          http.StatusMethodNotAllowed,
	fault.NotAcceptable:   http.StatusNotAcceptable,
	fault.Timeout:         http.StatusRequestTimeout,
	fault.Conflict:        http.StatusConflict,
	fault.Gone:            http.StatusGone,
	fault.Stale:           http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.MediaType:       http.StatusUnsupportedMediaType,
	fault.Misdirected:     http.StatusMisdirectedRequest,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.NeedsCondition:  http.StatusPreconditionRequired,
	fault.RateLimited:     http.StatusTooManyRequests,
	fault.Internal:        http.StatusInternalServerError,
	fault.Unavailable:     http.StatusServiceUnavailable,

	fault.InsufficientStorage: http.StatusInsufficientStorage,
}

// Problem is an error as a client sees it; schemas/problem.schema.json.
type Problem struct {
	Type     string     `json:"type"`
	Title    string     `json:"title"`
	Status   int        `json:"status"`
	Detail   string     `json:"detail"`
	Instance string     `json:"instance,omitempty"`
	Code     fault.Code `json:"code"`
	Fix      string     `json:"fix,omitempty"`

	Retryable bool `json:"retryable"` // the same request may succeed later, unchanged

	Errors  []fault.Field  `json:"errors,omitempty"`
	Current *fault.Current `json:"current,omitempty"`
	Allowed []fault.Move   `json:"allowed,omitzero"`
	IDs     []string       `json:"ids,omitempty"`

	RenamedTo string `json:"renamed_to,omitempty"`

	RetryAfter time.Duration `json:"-"` // when the request may be tried again; 0 says nothing
}

// RetrySeconds returns when the request may be tried again, as the header Retry-After has it; "" says nothing.
func (p Problem) RetrySeconds() string {
	if p.RetryAfter <= 0 {
		return ""
	}
	return strconv.Itoa(WholeSeconds(p.RetryAfter))
}

// WholeSeconds returns how many seconds are at least as long as a time.
func WholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// retryWhenFull is how long a client should wait for room on the disk, which a person has to make.
const retryWhenFull = 10 * time.Second

// Of returns an error as the problem of a request, which id names. An error that is no fault is a defect, and nothing
// more is said of it.
func Of(err error, id string) Problem {
	f := fault.As(err)
	if f == nil {
		f = fault.New(fault.Internal, "internal", "the service met a defect")
	}
	whole := *f
	whole.Fields = f.Shown()
	f = secret.Masked(&whole)
	status := statusOf[f.Kind]
	p := Problem{
		Type: catalogue.Path(f.Code), Title: http.StatusText(status), Status: status,
		Instance: instance(id), Code: f.Code, Retryable: catalogue.Retryable(f.Code) && !f.Final, RetryAfter: f.RetryAfter,
	}
	if status == http.StatusInsufficientStorage && p.RetryAfter == 0 {
		p.RetryAfter = retryWhenFull
	}
	f = forClients(f, status)
	p.Detail, p.Fix, p.Errors, p.Current, p.Allowed = f.Detail, f.Fix, f.Fields, f.Current, f.Allowed
	p.IDs, p.RenamedTo = f.IDs, f.RenamedTo
	return p
}

// instance names a request. A refusal within a trace has none: the same run is told alike each time.
func instance(id string) string {
	if id == "" {
		return ""
	}
	return "urn:request:" + id
}

// forClients keeps the details of a failure, such as paths, in the log, unless they are meant for clients: what the
// ledger says of itself, or that nothing was applied for want of room, of evidence or of a translation.
func forClients(f *fault.Error, status int) *fault.Error {
	if status < http.StatusInternalServerError || f.Public || f.Kind == fault.InsufficientStorage {
		return f
	}
	return f.WithDetail("the service cannot answer this; its log says why").
		WithFix("report it with the request id; whether a change happened is unknown: read the requirement, or " +
			"repeat the request with the same Idempotency-Key")
}
