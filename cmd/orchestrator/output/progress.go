package output

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress is a line on a terminal that says how far a long command is.
type progress struct {
	out  io.Writer // nil where there is no terminal
	what string    // that is counted
	turn sync.Mutex
	next time.Time // when the line is due again
	long int       // its length
}

const (
	progressAfter = 700 * time.Millisecond
	progressEvery = 100 * time.Millisecond
)

func NewProgress(notes io.Writer, what string) *progress {
	f, ok := notes.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{out: f, what: what, next: time.Now().Add(progressAfter)}
}

// Update returns what is to be called at each step, or nil.
func (p *progress) Update() func(done, total int) { return p.Of(p.what) }

// Of returns what Update does, for something else that is counted on the same line.
func (p *progress) Of(what string) func(done, total int) {
	if p.out == nil {
		return nil
	}
	return func(done, total int) {
		if !p.turn.TryLock() {
			return
		}
		defer p.turn.Unlock()
		if now := time.Now(); now.After(p.next) {
			line := fmt.Sprintf("%-*s", p.long, fmt.Sprintf("%d of %d %s", done, total, what)) // over the line before
			p.next, p.long = now.Add(progressEvery), len(line)
			fmt.Fprint(p.out, "\r"+line)
		}
	}
}

// Clear leaves nothing of the line.
func (p *progress) Clear() {
	if p.long > 0 {
		fmt.Fprint(p.out, "\r"+strings.Repeat(" ", p.long)+"\r")
	}
}
