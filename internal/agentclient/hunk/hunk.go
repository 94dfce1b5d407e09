// Package hunk prints the difference of two texts that differ in one place as a unified diff of one hunk.
package hunk

import (
	"fmt"
	"slices"
	"strings"
)

// around is how many unchanged lines a difference shows before and after what changes.
const around = 3

// Unified returns the difference of what a file was and is. A file that was not there, or is there no more, is
// /dev/null.
func Unified(file string, was bool, old []byte, is bool, made []byte) string {
	a, b := slices.Collect(strings.Lines(string(old))), slices.Collect(strings.Lines(string(made)))
	begin := 0
	for begin < min(len(a), len(b)) && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < min(len(a), len(b))-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	first, last := max(0, begin-around), min(end, around)
	aEnd, bEnd := len(a)-end, len(b)-end
	var d strings.Builder
	fmt.Fprintf(&d, "--- %s\n+++ %s\n@@ -%s +%s @@\n", named(file, was), named(file, is),
		span(first, aEnd+last), span(first, bEnd+last))
	writeLines(&d, " ", a[first:begin])
	writeLines(&d, "-", a[begin:aEnd])
	writeLines(&d, "+", b[begin:bEnd])
	writeLines(&d, " ", a[aEnd:aEnd+last])
	return d.String()
}

func named(file string, there bool) string {
	if !there {
		return "/dev/null"
	}
	return file
}

// span returns the lines from one to before another as a hunk names them.
func span(from, to int) string {
	if to == from {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(d *strings.Builder, mark string, lines []string) {
	for _, line := range lines {
		d.WriteString(mark + line)
		if !strings.HasSuffix(line, "\n") {
			d.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
