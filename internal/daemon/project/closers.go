package project

import (
	"errors"
	"slices"
)

// closers are the functions that close what is open, in the order in which it was opened; close calls them in reverse.
type closers []func() error

func (c *closers) add(closer func() error) { *c = append(*c, closer) }

// sure makes a closer of what cannot fail.
func sure(closer func()) func() error {
	return func() error {
		closer()
		return nil
	}
}

// close calls all closers, the last one first.
func (c closers) close() error {
	var errs []error
	for _, closer := range slices.Backward(c) {
		errs = append(errs, closer())
	}
	return errors.Join(errs...)
}
