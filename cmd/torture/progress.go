package main

import (
	"fmt"
	"os"
)

// onTerminal is whether standard error is a terminal, where a line may be written over.
var onTerminal = func() bool {
	info, err := os.Stderr.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}()

// progress shows on a terminal how far a row is.
func progress(row string, runs, of int, c counts) {
	if onTerminal {
		fmt.Fprintf(os.Stderr, "\r\x1b[Ktorture: %s %d/%d, %d changes acknowledged, %d lost", row, runs, of,
			c.Acknowledged, c.Lost)
	}
}

// show writes a line in place of the progress.
func show(format string, args ...any) {
	if onTerminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	fmt.Fprintf(os.Stderr, "torture: "+format, args...)
}
