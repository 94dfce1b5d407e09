package wire

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/convention"
	"orchestrator/internal/httpapi/inflight"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/secret"
)

// MaxBody is the most bytes a request body may have.
const MaxBody = 1 << 20

// MaxReport is the most bytes an attached test report may have.
const MaxReport = 8 << 20

// ReadBody reads a JSON body of at most so many bytes: media type, content coding, size.
func ReadBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if err := CheckCoding(w, r); err != nil {
		return nil, err
	}
	if err := checkMediaType(w, r); err != nil {
		return nil, err
	}
	return ReadBytes(w, r, most)
}

// ReadBytes reads a body of at most so many bytes.
func ReadBytes(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		return nil, tooLarge(most)
	}
	held := &CallOf(w).Held
	body, err := readHeld(r, most, held)
	if err != nil {
		return nil, problem.Unread(err)
	}
	return body, held.Work(r.Context())
}

// ReadUnqueried reads the body of a request that has no query.
func ReadUnqueried(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if _, err := Query(r); err != nil {
		return nil, err
	}
	return ReadBody(w, r, MaxBody)
}

// readHeld reads a body into memory that grows as its bytes arrive: what is promised and not sent takes none.
func readHeld(r *http.Request, most int64, held *inflight.Holding) ([]byte, error) {
	last := most + 1 // one byte more than there may be, to see the end
	if r.ContentLength >= 0 {
		last = r.ContentLength + 1
	}
	var body []byte
	for {
		if len(body) == cap(body) {
			room := min(max(2*int64(cap(body)), inflight.FirstRoom), last)
			if int64(len(body)) == last {
				return nil, tooLarge(most)
			}
			if err := held.Reserve(room - int64(cap(body))); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, room), body...)
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func tooLarge(most int64) *fault.Error {
	return fault.New(fault.TooLarge, "body_too_large", "a request body has at most %d bytes", most).
		WithFix("send less, and cite files instead of copying them")
}

// CheckCoding refuses a body with a content coding, and says in Accept-Encoding what is accepted.
func CheckCoding(w http.ResponseWriter, r *http.Request) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		w.Header().Set("Accept-Encoding", "identity")
		return fault.New(fault.MediaType, "content_encoding", "the content coding %q is not accepted", Clip(coding)).
			WithFix("send the body as it is, without Content-Encoding")
	}
	return nil
}

func checkMediaType(w http.ResponseWriter, r *http.Request) error {
	sent := r.Header.Get("Content-Type")
	mediaType, params, err := mime.ParseMediaType(sent)
	charset := params["charset"]
	if err != nil || mediaType != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		if r.Method == http.MethodPatch {
			w.Header().Set("Accept-Patch", "application/json")
		}
		return fault.New(fault.MediaType, "media_type", "the media type %q is not accepted", Clip(sent)).
			WithFix("send Content-Type: application/json, in UTF-8")
	}
	return nil
}

// Query reads the parameters, of which only the known ones may be there, once each. One whose name is given as
// name... may be there several times.
func Query(r *http.Request, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Malformed, "invalid_query", "the query is not percent-encoded right").
			WithFix("percent-encode every value once")
	}
	for name, v := range values {
		if slices.Contains(known, name+several) {
			continue
		}
		if !slices.Contains(known, name) {
			return nil, fault.New(fault.Malformed, "unknown_parameter", "this path has no parameter %q", Clip(name)).
				WithFix("%s", parametersOf(known))
		}
		if len(v) > 1 {
			return nil, Parameter(name, "it stands %d times", len(v)).WithFix("send it once")
		}
	}
	return values, nil
}

const several = "..."

func parametersOf(known []string) string {
	if len(known) == 0 {
		return "leave the query out"
	}
	return "use " + strings.ReplaceAll(strings.Join(known, ", "), several, "")
}

// Parameter returns the refusal of a query parameter; what is formatted says what is wrong with its value.
func Parameter(name, format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, "invalid_parameter", "the parameter %s cannot be used: "+format,
		append([]any{name}, args...)...)
}

// BoolParameter reads true or false; nil where the parameter is not given.
func BoolParameter(v url.Values, name string) (*bool, error) {
	switch v.Get(name) {
	case "true", "false":
		value := v.Get(name) == "true"
		return &value, nil
	case "":
		if !v.Has(name) {
			return nil, nil
		}
	}
	return nil, Parameter(name, "it is neither true nor false").WithFix("send %s=true or %s=false", name, name)
}

// NumberParameter reads a number from least to most; otherwise where the parameter is not given.
func NumberParameter(v url.Values, name string, otherwise, least, most uint64) (uint64, error) {
	if !v.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(v.Get(name), 10, 64)
	if err != nil || n < least || n > most {
		return 0, Parameter(name, "it is not a whole number from %d to %d", least, most).
			WithFix("send a number in that range, or leave it out for %d", otherwise)
	}
	return n, nil
}

// IfMatch reads the entity tags of If-Match (RFC 9110, section 13.1.1): strong ones without their quotes;
// weak ones and a quoted asterisk as they are, so that they never match.
func IfMatch(r *http.Request) ([]string, error) {
	if len(r.Header["If-Match"]) == 0 {
		return nil, nil
	}
	header := strings.Join(r.Header["If-Match"], ",")
	var tags []string
	for part := range strings.SplitSeq(header, ",") {
		part = strings.TrimSpace(part)
		switch {
		case part == "*" || part == `"*"` || strings.HasPrefix(part, `W/"`) && strings.HasSuffix(part, `"`):
			tags = append(tags, part)
		case len(part) >= 2 && part[0] == '"' && part[len(part)-1] == '"' && len(part) < 64:
			revision, _, _ := strings.Cut(part[1:len(part)-1], ".") // what comes after it is of what is proposed
			tags = append(tags, revision)
		default:
			return nil, fault.New(fault.Malformed, "invalid_if_match", "If-Match is not a list of entity tags").
				WithFix(`send the ETag of the requirement as it was given, quotes included: If-Match: "3"`)
		}
		if len(tags) > 16 || len(part) > 64 {
			return nil, fault.New(fault.Malformed, "invalid_if_match", "If-Match is too long").
				WithFix("send one entity tag")
		}
	}
	return tags, nil
}

// IdempotencyKey reads the header: 1 to 255 visible ASCII characters.
func IdempotencyKey(r *http.Request) (string, error) {
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) == 0 {
		return "", nil
	}
	visible := func(c rune) bool { return c > ' ' && c < 0x7f }
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > 255 ||
		strings.IndexFunc(keys[0], func(c rune) bool { return !visible(c) }) >= 0 {
		return "", fault.New(fault.Malformed, "invalid_idempotency_key",
			"Idempotency-Key is not 1 to 255 visible ASCII characters").
			WithFix("send one key that no other request of yours uses, such as a UUID")
	}
	return keys[0], nil
}

// Clip returns the start of what a client sent, for an error that quotes it.
func Clip(s string) string { return fault.Clip(secret.Mask(s), 64) }

// Misshapen refuses a body that is JSON of another shape.
func Misshapen(err error, fix string) error {
	f := fault.As(err)
	if f == nil {
		return err
	}
	return fault.New(fault.Invalid, "schema_violation", "the body does not have the expected shape").
		WithFields(f.Fields...).
		WithFix("%s", fix)
}

// PathTo returns the path of a request with other parameters: that of the next page, which the answer links to.
func PathTo(w http.ResponseWriter, r *http.Request, values url.Values) *string {
	next := r.URL.EscapedPath() + "?" + values.Encode()
	w.Header()["Link"] = []string{convention.NextLink(next)}
	return &next
}
