package main

import (
	"fmt"
	"io"
)

// reportDisplaced says what stood in the place of a file that was written; "" is nothing to speak of.
func reportDisplaced(notes io.Writer, path, displaced string) {
	if displaced != "" {
		fmt.Fprintf(notes, "%s was %s; it is replaced, and what it led to is as it was\n", printable(path),
			printable(displaced))
	}
}
