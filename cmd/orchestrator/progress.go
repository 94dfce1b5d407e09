package main

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

func newProgress(notes io.Writer, what string) *progress {
	f, ok := notes.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{out: f, what: what, next: time.Now().Add(progressAfter)}
}

// update is what is to be told of each step, or nil.
func (p *progress) update() func(done, total int) {
	if p.out == nil {
		return nil
	}
	return func(done, total int) {
		if !p.turn.TryLock() {
			return
		}
		defer p.turn.Unlock()
		if now := time.Now(); now.After(p.next) {
			line := fmt.Sprintf("%d of %d %s", done, total, p.what)
			p.next, p.long = now.Add(progressEvery), len(line)
			fmt.Fprint(p.out, "\r"+line)
		}
	}
}

// clear leaves nothing of the line.
func (p *progress) clear() {
	if p.long > 0 {
		fmt.Fprint(p.out, "\r"+strings.Repeat(" ", p.long)+"\r")
	}
}

// bar is a line at the end of a terminal that says how much of something is done. The zero value shows nothing.
type bar struct {
	out   io.Writer
	width func() int // of the terminal, in columns
	shown bool
}

func newBar(notes io.Writer) *bar {
	f, ok := notes.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	return &bar{out: f, width: func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil || columns < 2 {
			return 80
		}
		return columns
	}}
}

// draw shows the bar, with what there is so much of. It is cut to one line, as no more than that can be taken away.
func (b *bar) draw(done, total int, what string) {
	if b.out == nil || total == 0 {
		return
	}
	const wide = 24
	filled := min(max(done, 0)*wide/total, wide)
	line := []rune(fmt.Sprintf("[%s%s] %d of %d %s", strings.Repeat("=", filled), strings.Repeat(" ", wide-filled),
		done, total, what))
	fmt.Fprint(b.out, "\r\x1b[K"+string(line[:min(len(line), b.width()-1)]))
	b.shown = true
}

// clear takes the bar away, so that a line can stand in its place.
func (b *bar) clear() {
	if b.shown {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.shown = false
	}
}
