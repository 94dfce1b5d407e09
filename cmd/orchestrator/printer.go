package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

func sizeOf(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

type colour string

const (
	red    colour = "\x1b[31m"
	green  colour = "\x1b[32m"
	yellow colour = "\x1b[33m"
	plain  colour = "\x1b[0m"
)

// colourful reports whether out is a terminal whose owner wants colours.
func colourful(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// reportPrinter writes a report for people. What stands somewhere begins with file:line, which editors follow.
type reportPrinter struct {
	text   strings.Builder
	colour bool
}

func (p *reportPrinter) line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

func (p *reportPrinter) paint(c colour, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return string(c) + s + string(plain)
}

func at(path string, line int) string {
	switch {
	case path == "":
		return ""
	case line <= 0:
		return printable(path) + ": "
	}
	return fmt.Sprintf("%s:%d: ", printable(path), line)
}

// reportDisplaced writes what stood in the place of a file that was written; "" is nothing to speak of.
func reportDisplaced(notes io.Writer, path, displaced string) {
	if displaced != "" {
		fmt.Fprintf(notes, "%s was %s; it is replaced, and what it led to is as it was\n", printable(path),
			printable(displaced))
	}
}
