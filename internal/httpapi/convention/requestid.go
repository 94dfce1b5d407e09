// Package convention reads and writes the headers that HTTP services share: ids of requests, preferences of media
// types, limits, links. It keeps nothing but the quotas of addresses.
package convention

import (
	"strings"

	"orchestrator/internal/secret"
	"orchestrator/internal/system/tracing"
)

// maxRequestID is the most bytes of an id that a client chooses: it stands in every line of the log and in records.
const maxRequestID = 128

// RequestID returns the id that a client gave its request: X-Request-Id, or else the trace id of traceparent (W3C Trace
// Context). It is "" where there is none that is well-formed, or where it looks like a secret: it is kept in the log.
//
// An id has the characters of UUIDs, of trace ids, of base64 and of paths. None of them ends a line, a header, a URN or
// a word of a shell.
func RequestID(given, traceparent []string) string {
	if len(given) == 1 && len(given[0]) <= maxRequestID && given[0] != "" && !strings.ContainsFunc(given[0], unsafe) &&
		len(secret.Find(given[0])) == 0 {
		return given[0]
	}
	if len(traceparent) == 1 {
		return tracing.Parse(traceparent[0])
	}
	return ""
}

func unsafe(c rune) bool {
	alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return !alphanumeric && !strings.ContainsRune("._-~:/+=", c)
}
