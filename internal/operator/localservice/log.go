package localservice

import (
	"context"
	"errors"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

// maxTail is the most of its log that is read of a start that failed, and shownLines how many lines of it are shown
// where it ends without an error.
const (
	maxTail    = 8 << 10
	shownLines = 5
)

// Failure returns what the last start in the background of a data folder said when it failed, or "".
func Failure(ctx context.Context, data datadir.Dir) string {
	if said := lastError(tail(ctx, data, 0)); said != nil {
		return said.Detail
	}
	return ""
}

// tail returns the end of the log, of what was written after its first bytes.
func tail(ctx context.Context, data datadir.Dir, begin int64) []string {
	said, _ := tree.ReadFile(ctx, LogFile(data), 2*logLimit) // without a log nothing is known
	said = said[min(begin, int64(len(said))):]
	return strings.Split(strings.TrimSpace(string(said[max(0, len(said)-maxTail):])), "\n")
}

// lastError returns the error that the program printed at the end of its log, or nil where there is none, or a later
// start went on.
func lastError(lines []string) *fault.Error {
	for i := len(lines) - 1; i >= 0; i-- {
		if detail, is := strings.CutPrefix(lines[i], "orchestrator: "); is {
			return printed(detail, lines[i+1:])
		}
		if !strings.HasPrefix(lines[i], "  ") { // what follows an error is indented
			return nil
		}
	}
	return nil
}

// printed makes an error of what was printed of it.
func printed(detail string, lines []string) *fault.Error {
	f := fault.New(fault.Unavailable, CodeStart, "%s", detail)
	var more []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if fix, is := strings.CutPrefix(line, "fix: "); is {
			f = f.WithFix("%s", fix)
		} else {
			more = append(more, strings.TrimPrefix(line, "cause: "))
		}
	}
	if len(more) > 0 {
		f = f.Because(errors.New(strings.Join(more, "; ")))
	}
	return f
}

// failed makes the error of a service that ended before it was ready, of what it said last.
func failed(ctx context.Context, data datadir.Dir, begin int64) error {
	lines := tail(ctx, data, begin)
	if said := lastError(lines); said != nil {
		said.Detail = "the service did not start: " + said.Detail
		return said
	}
	last := strings.Join(lines[max(0, len(lines)-shownLines):], "; ")
	return fault.New(fault.Unavailable, CodeStart, "the service ended before it was ready").
		WithFix("orchestrator serve starts it in this terminal, where all is shown that it says").
		Because(errors.New(last))
}
