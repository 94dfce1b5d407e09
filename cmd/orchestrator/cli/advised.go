package cli

import (
	"errors"
	"fmt"
	"os"

	"orchestrator/cmd/orchestrator/output"
)

// Advised is an error with what a person can type next, a line each.
type Advised struct {
	Err   error
	Lines []string
}

func (a Advised) Error() string { return a.Err.Error() }

func (a Advised) Unwrap() error { return a.Err }

// printAdvice writes what can be typed next.
func printAdvice(err error) {
	var a Advised
	if errors.As(err, &a) {
		for _, line := range a.Lines {
			fmt.Fprintln(os.Stderr, "  "+output.Printable(line))
		}
	}
}
