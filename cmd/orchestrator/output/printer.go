package output

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

func Size(bytes int64) string {
	if bytes < 1e6 {
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

type Colour string

const (
	Red    Colour = "\x1b[31m"
	Green  Colour = "\x1b[32m"
	Yellow Colour = "\x1b[33m"
	Plain  Colour = "\x1b[0m"
)

// Colourful reports whether out is a terminal whose owner wants colours.
func Colourful(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Printer writes a report for people. What stands somewhere begins with file:line, which editors follow.
type Printer struct {
	text   strings.Builder
	colour bool
}

// NewPrinter returns a printer of an empty report, with or without colours.
func NewPrinter(colour bool) *Printer { return &Printer{colour: colour} }

// String returns the report so far.
func (p *Printer) String() string { return p.text.String() }

// Line adds a line to the report.
func (p *Printer) Line(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// Paint returns s in a colour, if the report has colours.
func (p *Printer) Paint(c Colour, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return string(c) + s + string(Plain)
}

func At(path string, line int) string {
	switch {
	case path == "":
		return ""
	case line <= 0:
		return Printable(path) + ": "
	}
	return fmt.Sprintf("%s:%d: ", Printable(path), line)
}

// Displaced writes what stood in the place of a file that was written; "" is nothing to speak of.
func Displaced(notes io.Writer, path, displaced string) {
	if displaced != "" {
		fmt.Fprintf(notes, "%s was %s; it is replaced, and what it led to is as it was\n", Printable(path),
			Printable(displaced))
	}
}
