package cli

import (
	"errors"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
)

// Exit codes of all commands but the hook, whose codes are those of its clients.
const (
	ExitDone        = 0
	ExitFailed      = 1 // refused, failed, or found what the command looks for
	ExitUsage       = 2 // the command line, the environment or the settings are wrong
	ExitUnreachable = 3 // no service answers
)

// ExitError is an error with an exit code of its own.
type ExitError struct {
	Err  error
	Code int
}

func (e ExitError) Error() string { return e.Err.Error() }

func (e ExitError) Unwrap() error { return e.Err }

// Found makes an error what a command found: exit code 1.
func Found(err error) error {
	if err == nil {
		return nil
	}
	return ExitError{err, ExitFailed}
}

// codeEnvironment is the code of a variable that cannot be used.
const codeEnvironment fault.Code = "environment"

// ExitCode returns the code with which a command ends that returned an error.
func ExitCode(err error) int {
	own := ExitError{}
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &own) && own.Code != ExitUsage:
		return own.Code
	case apiclient.Unanswered(err):
		return ExitUnreachable
	case errors.As(err, &own), apiclient.Misused(err),
		fault.Is(err, fault.CodeUsage, codeEnvironment, config.CodeSettings):
		return ExitUsage
	}
	return ExitFailed
}
