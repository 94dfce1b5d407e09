package output

import (
	"fmt"
	"io"
)

// Renamed returns a function that says to whom a command shows another requirement than the one that was named.
func Renamed(notes io.Writer) func(from, to string) {
	return func(from, to string) { fmt.Fprintf(notes, "%s was renamed to %s\n", Printable(from), Printable(to)) }
}
