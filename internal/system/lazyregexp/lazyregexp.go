// Package lazyregexp compiles regular expressions when they are first used. Every command and the hook start with the
// package variables of the whole program, and most of them match nothing.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles expression on its first call, and returns the same Regexp on every call. It
// panics if the expression cannot be compiled, as regexp.MustCompile does.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
