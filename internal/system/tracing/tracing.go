// Package tracing carries the id of a trace (W3C Trace Context) from a request to what is done for it.
package tracing

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// variable is the environment variable by which a program is told its place in a trace, as OpenTelemetry names it.
const variable = "TRACEPARENT"

type key struct{}

// With returns a context for what is done in a trace; "" leaves it as it is.
func With(ctx context.Context, id string) context.Context {
	if id == "" {
		return ctx
	}
	return context.WithValue(ctx, key{}, id)
}

// ID returns the id of the trace that a context is of, or "".
func ID(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}

// Environment returns what tells a program its place in the trace of a context, as a span of its own; nothing where
// there is none.
func Environment(ctx context.Context) []string {
	id := ID(ctx)
	if id == "" {
		return nil
	}
	var span [8]byte
	_, _ = rand.Read(span[:]) // it never fails
	return []string{variable + "=00-" + id + "-" + hex.EncodeToString(span[:]) + "-01"}
}

// Parse returns the trace id of a traceparent: version-traceid-parentid-flags. A later version may have more parts; ff is
// none. It is "" where there is no well-formed one.
func Parse(traceparent string) string {
	parts := strings.Split(traceparent, "-")
	if len(parts) < 4 || !isHex(parts[0], 2) || parts[0] == "ff" || parts[0] == "00" && len(parts) > 4 ||
		!isHex(parts[1], 32) || !isHex(parts[2], 16) || !isHex(parts[3], 2) ||
		strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return parts[1]
}

// isHex reports whether a text is so many hexadecimal digits, in lower case as the standard has them.
func isHex(text string, digits int) bool {
	return len(text) == digits && strings.Trim(text, "0123456789abcdef") == ""
}
