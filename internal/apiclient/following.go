package apiclient

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
)

// following has each request served from a state that has what the client has changed before, whichever replica
// answers. A log that does not reach that size, as after a restore, is asked as it is from then on.
//
// Implements: ORC-355
type following struct {
	by   http.RoundTripper
	size atomic.Uint64 // of the log, in the newest receipt; 0 where there was none
}

// RoundTrip implements http.RoundTripper.
func (f *following) RoundTrip(r *http.Request) (*http.Response, error) {
	size := f.size.Load()
	if size > 0 {
		r = r.Clone(r.Context())
		r.Header.Set("If-Log-At-Least", strconv.FormatUint(size, 10))
	}
	answer, err := f.by.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if size > 0 && answer.StatusCode == http.StatusServiceUnavailable && isNotReached(answer) {
		f.size.CompareAndSwap(size, 0)
	}
	f.note(answer.Header.Get("Audit-Receipt"))
	return answer, nil
}

// isNotReached reports whether a problem is that the log has not the size that was named. Its body can be read again.
func isNotReached(answer *http.Response) bool {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxProblem))
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), answer.Body), answer.Body}
	var p struct {
		Code fault.Code `json:"code"`
	}
	return err == nil && jsonv2.Unmarshal(body, &p) == nil && p.Code == codeNotReached
}

// codeNotReached is the code of that problem.
const codeNotReached fault.Code = "log_not_reached"

// note remembers the size in a receipt, if it is the largest.
func (f *following) note(receipt string) {
	first, _, _ := strings.Cut(receipt, ",")
	text, is := strings.CutPrefix(first, "size=")
	size, err := strconv.ParseUint(text, 10, 63)
	if !is || err != nil {
		return
	}
	for known := f.size.Load(); known < size; known = f.size.Load() {
		if f.size.CompareAndSwap(known, size) {
			return
		}
	}
}
