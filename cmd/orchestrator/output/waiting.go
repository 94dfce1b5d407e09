package output

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// waiting is a line on a terminal that says what is waited for, and how long it takes so far.
type waiting struct {
	out   io.Writer // nil where there is no terminal
	what  string
	begin time.Time
	said  string
}

// NewWaiting returns a line about what somebody waits for, if notes is a terminal.
func NewWaiting(notes io.Writer, what string) *waiting {
	f, ok := notes.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &waiting{}
	}
	return &waiting{out: f, what: what, begin: time.Now()}
}

// Update writes the line once the wait is long, and again each second.
func (w *waiting) Update() {
	took := time.Since(w.begin)
	if w.out == nil || took < progressAfter {
		return
	}
	if line := fmt.Sprintf("%s: %d s", w.what, int(took.Seconds())); line != w.said {
		w.said = line
		fmt.Fprint(w.out, "\r"+line)
	}
}

// Clear leaves nothing of the line.
func (w *waiting) Clear() {
	if w.said != "" {
		fmt.Fprint(w.out, "\r"+strings.Repeat(" ", len(w.said))+"\r")
	}
}
