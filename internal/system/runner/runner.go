// Package runner runs what is not ours: outside programs, HTTP calls, and tools of MCP servers.
//
// It knows nothing of obligations or contracts: bytes go in, bytes come out, within a time and a size, and nothing of
// the run is left behind. What a run may reach is declared by its caller, and everything else is refused. There is no
// shell anywhere.
package runner

import (
	"context"
	"errors"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/outbound"
)

// The codes of tools that could not be run at all.
const (
	CodeMissing     fault.Code = "tool_missing"      // there is no such program
	CodeUndeclared  fault.Code = "tool_undeclared"   // it cannot be run as it is declared
	CodePinMismatch fault.Code = "tool_pin_mismatch" // it is not the program that its contract pins
	CodeNotStarted  fault.Code = "tool_not_started"  // the system did not start it
	CodeUnreachable fault.Code = "tool_unreachable"  // its server did not answer
)

const (
	defaultTimeout = 30 * time.Second
	defaultOutput  = 1 << 20 // bytes
	maxStderr      = 64 << 10
	quoted         = 500 // bytes of a program's or server's own words in an error
)

// Result is what a run gave. It is filled as far as it is known beside an error too.
type Result struct {
	Stdout []byte        // of an HTTP run the body; of an MCP run one JSON value
	Stderr string        // the last 64 KiB, without control characters other than line ends and tabs
	Exit   int           // exit code, -1 if it was killed or never ran; of an HTTP run the status, 0 without an answer
	Took   time.Duration // until nothing of it was left
}

// within returns the bound on the time of a run: most, or the default; never longer than ctx.
func within(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if most <= 0 {
		most = defaultTimeout
	}
	return context.WithTimeout(ctx, most)
}

// atMost returns a declared cap in bytes, or the default.
func atMost(declared int64) int64 {
	if declared <= 0 {
		return defaultOutput
	}
	return declared
}

// ended returns why a context ended. What the caller stopped is not the tool's fault, and has a code of its own.
func ended(ctx context.Context, what string, began time.Time) error {
	took := time.Since(began).Round(time.Millisecond)
	if errors.Is(ctx.Err(), context.Canceled) {
		return fault.New(fault.Unavailable, "tool_cancelled", "%s was stopped after %s, because its caller went away",
			what, took).
			WithFix("ask again; whether it had an effect is not known").Because(ctx.Err())
	}
	return fault.New(fault.Unavailable, "tool_timeout", "%s was not done after %s, and was killed", what, took).
		WithFix("raise timeout_ms in its contract, or make it faster; whether it had an effect is not known").
		Because(ctx.Err())
}

func tooLarge(what string, most int64) error {
	return fault.New(fault.TooLarge, "tool_output_too_large", "%s answered more than %d bytes, and was stopped",
		what, most).
		WithFix("make it answer less: its result alone on standard output, everything else on standard error")
}

// head returns the first words of a program or server, fit for one line of an error.
func head(text string) string {
	return fault.Clip(strings.Join(strings.Fields(outbound.Readable(text)), " "), quoted)
}

// end returns the last words, likewise.
func end(text string) string {
	text = strings.Join(strings.Fields(outbound.Readable(text)), " ")
	if len(text) <= quoted {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-quoted:], "")
}
