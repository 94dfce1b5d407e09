package problem

import (
	"errors"
	"os"

	"orchestrator/internal/fault"
)

// Unread returns the error of a body that could not be read to its end. Whoever reads it may have refused it.
func Unread(err error) error {
	refused := fault.As(err)
	switch {
	case refused != nil:
		return refused
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(fault.Timeout, "body_timeout", "the request body did not arrive in time").
			WithFix("send it without pauses")
	}
	return fault.New(fault.Malformed, "body_incomplete", "the request body could not be read to its end").
		WithFix("send it again").Because(err)
}
