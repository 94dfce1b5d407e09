package httpapi

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/conductor"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
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

// retryWhenFull is how many seconds a client should wait for room on the disk, which a person has to make.
const retryWhenFull = "10"

// problem is RFC 9457, with what an agent needs to correct itself; schemas/problem.schema.json.
type problem struct {
	Type     string         `json:"type"`
	Title    string         `json:"title"`
	Status   int            `json:"status"`
	Detail   string         `json:"detail"`
	Instance string         `json:"instance"`
	Code     string         `json:"code"`
	Fix      string         `json:"fix,omitempty"`
	Errors   []fault.Field  `json:"errors,omitempty"`
	Current  *fault.Current `json:"current,omitempty"`
	Allowed  []fault.Move   `json:"allowed,omitzero"`

	// Of a run in which no tool was there for an obligation.
	Run     string              `json:"run,omitempty"`
	Missing []string            `json:"missing_capabilities,omitempty"`
	Emitted []conductor.Emitted `json:"emitted,omitempty"`
	Answers []conductor.Answer  `json:"answers,omitempty"` // to the others
}

// forClients keeps the details of a failure, such as paths, in the log. What the ledger says of itself, that nothing
// was applied for want of evidence or of room, and that nothing was run for want of a translation, is meant for
// clients.
func forClients(f *fault.Error) *fault.Error {
	if f.Public || f.Kind == fault.InsufficientStorage {
		return f
	}
	return f.WithDetail("the service cannot answer this; its log says why").
		WithFix("report it with the request id; whether a change happened is unknown: read the requirement, or " +
			"repeat the request with the same Idempotency-Key")
}

// writeProblem answers with an error. What is not a fault is a defect of the service: it is logged, and
// the client sees no more than that.
func (a *API) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	c := callOf(w)
	f := fault.As(err)
	gone := errors.Is(err, context.Canceled) && r.Context().Err() != nil
	switch {
	case f != nil:
	case gone:
		// for the log; nobody reads it
		f = fault.New(fault.Unavailable, "client_gone", "the client hung up before its answer")
	default:
		f = fault.New(fault.Internal, "internal", "the service met a defect")
	}
	var recorded requirements.OnRecord
	if errors.As(err, &recorded) {
		setReceipt(w, recorded.Receipt)
	}
	f = secret.Masked(f)
	status := statusOf[f.Kind]
	if !gone && status >= http.StatusInternalServerError {
		c.cause = err
		f = forClients(f)
	}
	c.code = string(f.Code)
	a.metrics.problems.WithLabelValues(c.code).Inc()
	p := problem{
		Type: "urn:orchestrator:problem:" + c.code, Title: http.StatusText(status), Status: status, Detail: f.Detail,
		Instance: "urn:request:" +
			c.id, Code: c.code, Fix: f.Fix, Errors: f.Fields, Current: f.Current, Allowed: f.Allowed,
	}
	if missing, is := errors.AsType[*missingCapabilities](err); is {
		p.Run, p.Missing, p.Emitted, p.Answers = missing.trace.ID, missing.trace.Missing, missing.emitted(),
			missing.trace.Answers
	}
	body, err := jsonv2.Marshal(p, jsonv2.Deterministic(true))
	if err != nil { // only a text that is not UTF-8 can do this
		body = []byte(
			`{"type":"urn:orchestrator:problem:internal","title":"Internal Server Error","status":500,` +
				`"detail":"the problem could not be written","instance":"urn:request:` + c.id + `","code":"internal"}`)
		status, c.cause = http.StatusInternalServerError, err
	}
	body = append(body, '\n')
	setProblemHeaders(w.Header(), f, status, len(body))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone; nothing is left to do for it
	if status == http.StatusRequestEntityTooLarge || f.Code == codeBodiesInFlight {
		a.discardRest(w, r)
	}
}

func setProblemHeaders(h http.Header, f *fault.Error, status, length int) {
	h.Del("ETag")
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(length))
	h.Set("Cache-Control", "no-store")
	switch {
	case f.RetryAfter > 0:
		h.Set("Retry-After", strconv.Itoa(wholeSeconds(f.RetryAfter)))
	case status == http.StatusInsufficientStorage:
		h.Set("Retry-After", retryWhenFull)
	}
	if status == http.StatusRequestTimeout || status == http.StatusRequestEntityTooLarge {
		h.Set("Connection", "close")
	}
}

func wholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// How much of a body that is refused for its size is read all the same, for how long, and of how many at once: a client
// that sends all of it before it reads the answer would otherwise see its connection reset, and no answer. Beyond that
// it does.
const (
	mostDiscarded  = 32 << 20
	longestDiscard = 5 * time.Second
	mostDiscards   = 4
)

// discardRest sends the answer, and reads what a client still sends. A client that waits to be told to send is told not
// to by the answer.
func (a *API) discardRest(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Header.Get("Expect") != "" {
		return
	}
	select {
	case a.bodies.discards <- struct{}{}:
		defer func() { <-a.bodies.discards }()
	default:
		return
	}
	control := http.NewResponseController(w)
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(longestDiscard)) != nil {
		return // the client is gone
	}
	_, _ = io.CopyN(io.Discard, r.Body, mostDiscarded)
}
