// Package convention reads and writes the headers that HTTP services share: ids of requests, preferences of media
// types, limits, links. It keeps nothing but the quotas of addresses.
package convention

import (
	"strings"

	"orchestrator/internal/secret"
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
		return traceID(traceparent[0])
	}
	return ""
}

func unsafe(c rune) bool {
	alphanumeric := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	return !alphanumeric && !strings.ContainsRune("._-~:/+=", c)
}

// traceID returns the trace id of version-traceid-parentid-flags. A later version may have more parts; ff is none.
func traceID(traceparent string) string {
	parts := strings.Split(traceparent, "-")
	if len(parts) < 4 || !hex(parts[0], 2) || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 ||
		!hex(parts[1], 32) || !hex(parts[2], 16) || !hex(parts[3], 2) ||
		strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}

// hex reports whether a text is so many hexadecimal digits, in lower case as the standard has them.
func hex(text string, digits int) bool {
	return len(text) == digits && strings.Trim(text, "0123456789abcdef") == ""
}
