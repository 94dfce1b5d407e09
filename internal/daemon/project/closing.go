package project

import (
	"errors"
	"slices"
)

// closing is what has to be closed, in the order in which it was opened.
type closing []func() error

func (c *closing) add(closer func() error) { *c = append(*c, closer) }

func (c closing) close() error {
	var errs []error
	for _, closer := range slices.Backward(c) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}
