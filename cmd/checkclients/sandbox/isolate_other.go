//go:build !linux

package sandbox

import (
	"context"
	"errors"
)

var errLinux = errors.New("clients are checked on Linux alone: it takes a network namespace")

// Isolated reports whether this process is in a namespace that Isolate made.
func Isolated() bool { return false }

// Isolate fails: there are no network namespaces here.
func Isolate(context.Context, []string) (int, error) { return 1, errLinux }

// LoopbackUp fails: there are no network namespaces here.
func LoopbackUp() error { return errLinux }
