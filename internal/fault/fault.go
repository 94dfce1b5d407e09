// Package fault holds the one error type of the product.
//
// Every error that an agent can meet says what kind it is (a target for errors.Is), which rule it comes from (Code, a
// target for Is), what happened (Detail) and what to do next (Fix). The HTTP service maps Kind to a status code and
// writes the rest as an RFC 9457 problem; nothing else turns errors into answers.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the class of an error. It is itself an error, so errors.Is(err, fault.NotFound) works.
type Kind string

// The kinds, in the order in which a request meets them.
const (
	Malformed           Kind = "malformed"            // the bytes cannot be read as what they claim to be
	TooLarge            Kind = "too_large"            // more bytes than the limit
	Timeout             Kind = "timeout"              // the client did not send its request in time
	NotAcceptable       Kind = "not_acceptable"       // no media type that the client takes
	MediaType           Kind = "media_type"           // a media type or content coding that is not accepted
	Misdirected         Kind = "misdirected"          // a Host that this server does not answer for
	Unauthenticated     Kind = "unauthenticated"      // no token, or one that is unknown, expired or revoked
	RateLimited         Kind = "rate_limited"         // too many requests of one token
	NotFound            Kind = "not_found"            // nothing has this name
	Method              Kind = "method"               // the resource exists, the method does not
	NeedsCondition      Kind = "needs_condition"      // If-Match is required and missing
	Stale               Kind = "stale"                // If-Match names another revision
	Forbidden           Kind = "forbidden"            // not this role's to do
	Conflict            Kind = "conflict"             // not allowed in the current state
	Gone                Kind = "gone"                 // it was there, and its time is over
	Invalid             Kind = "invalid"              // well-formed, but against the schema or without evidence
	Unavailable         Kind = "unavailable"          // the service cannot answer now; the outcome may be unknown
	InsufficientStorage Kind = "insufficient_storage" // the disk is full; nothing was changed
	Internal            Kind = "internal"             // a defect of the service
)

// Kinds lists every kind, so that a test can hold a map over them to be complete.
func Kinds() []Kind {
	return []Kind{
		Malformed, TooLarge, Timeout, NotAcceptable, MediaType, Misdirected, Unauthenticated, RateLimited, NotFound,
		Method,
		NeedsCondition, Stale, Forbidden, Conflict, Gone, Invalid, Unavailable, InsufficientStorage, Internal,
	}
}

// Error makes a Kind a target for errors.Is.
func (k Kind) Error() string { return string(k) }

// Code is the stable name of the rule that an error comes from, in lower_snake_case. Those that clients meet are
// documented in api/openapi.yaml. A code that the program decides by is a constant of the package that gives it.
type Code string

// Field points at one part of a request and says what is wrong with it.
type Field struct {
	Pointer string `json:"pointer"`        // RFC 6901; "" is the whole body
	Code    Code   `json:"code,omitempty"` // of a rule, or the keyword of a schema
	Detail  string `json:"detail"`
	Fix     string `json:"fix,omitempty"`

	Example JSON `json:"example,omitzero"` // a request that would be right here; in answers alone, never in a record
}

// JSON is a JSON value in its text.
type JSON string

// MarshalJSON writes the text.
func (j JSON) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// UnmarshalJSON keeps the text.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = JSON(text)
	return nil
}

// Current is the state that refused a change.
type Current struct {
	Status   string `json:"status"`
	Revision uint64 `json:"revision"`
}

// Move is one status change that is possible from the current state, and the role that may make it.
type Move struct {
	To string `json:"to"`
	By string `json:"by"`
}

// Error is a refusal or failure. The zero value of an optional member means that it does not apply.
type Error struct {
	Kind    Kind     `json:"kind"`
	Code    Code     `json:"code"`
	Detail  string   `json:"detail"` // what happened, for this request
	Fix     string   `json:"fix,omitempty"`
	Fields  []Field  `json:"fields,omitempty"`
	Current *Current `json:"current,omitempty"`
	Allowed []Move   `json:"allowed,omitempty"`
	IDs     []string `json:"ids,omitempty"` // of an unknown id: those whose short form it is, sorted
	cause   error

	RenamedTo string `json:"renamed_to,omitempty"` // of an unknown id: the one that the requirement has now

	Examples   []JSON        `json:"-"` // those of Fields, where the fields are kept without them
	RetryAfter time.Duration `json:"-"` // when it may be tried again; 0 says nothing
	Final      bool          `json:"-"` // the same request, unchanged, is refused so again, whatever its code says
	Public     bool          `json:"-"` // of a failure: Detail and Fix are meant for clients, not for the log alone
}

// CodeUsage is the code of a command line that cannot be used; no client of the service meets it.
const CodeUsage Code = "usage"

// As returns the first *Error in an error's tree, or nil.
func As(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}

// Is reports whether the first *Error in an error's tree has one of some codes.
func Is(err error, codes ...Code) bool {
	e := As(err)
	return e != nil && slices.Contains(codes, e.Code)
}

// New makes an error of a kind. Code is the stable name of the rule; the rest formats Detail.
func New(kind Kind, code Code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Misuse makes the error of a command line that cannot be used.
func Misuse(format string, args ...any) *Error { return New(Invalid, CodeUsage, format, args...) }

// WithFix adds what the caller should do next.
func (e *Error) WithFix(format string, args ...any) *Error {
	e.Fix = fmt.Sprintf(format, args...)
	return e
}

// After adds when the same may be tried again.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

// ForClients marks a failure as one that clients may read as it is; the details of other failures stay in the log.
func (e *Error) ForClients() *Error {
	e.Public = true
	return e
}

// WithFields points at the parts of the request that are wrong. What a client chose to send is cut, so that
// an answer never grows with it.
func (e *Error) WithFields(fields ...Field) *Error {
	for _, f := range fields {
		f.Pointer, f.Detail = Clip(f.Pointer, maxPointer), Clip(f.Detail, maxDetail)
		e.Fields = append(e.Fields, f)
	}
	return e
}

const (
	maxPointer = 256
	maxDetail  = 400
)

// ToKeep returns a copy whose fields have no examples: it can be put on record. The examples are beside them, for
// Shown.
func (e *Error) ToKeep() *Error {
	kept := *e
	kept.Fields, kept.Examples = slices.Clone(e.Fields), make([]JSON, len(e.Fields))
	for i := range kept.Fields {
		kept.Examples[i], kept.Fields[i].Example = kept.Fields[i].Example, ""
	}
	return &kept
}

// Shown returns the fields with their examples.
func (e *Error) Shown() []Field {
	all := slices.Clone(e.Fields)
	for i, example := range e.Examples {
		all[i].Example = example
	}
	return all
}

// PointerToken returns the name of a member as a part of the JSON Pointer of a Field (RFC 6901, section 3).
func PointerToken(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// Count returns a number with its noun, as in "1 line" and "2 lines".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Clip returns the first bytes of a text, at most so many, in whole characters; "…" stands for what is cut off.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// WithDetail returns a copy of the kind and code with another detail, and nothing else of the error.
func (e *Error) WithDetail(format string, args ...any) *Error {
	return New(e.Kind, e.Code, format, args...)
}

// Because keeps the underlying error for logs and errors.Is; it is never shown to a client.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Error returns the one-line form, for logs and terminals.
func (e *Error) Error() string {
	s := e.Detail
	for _, f := range e.Fields {
		s += "; "
		if f.Pointer != "" {
			s += f.Pointer + ": "
		}
		s += f.Detail
	}
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	if e.Fix != "" {
		s += " (" + e.Fix + ")"
	}
	return s
}

// Unwrap makes both the kind and the cause targets for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}

// Cause returns the underlying error, or nil.
func (e *Error) Cause() error { return e.cause }
