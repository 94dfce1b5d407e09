package output

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Bar is a line at the end of a terminal that says how much of something is done. The zero value shows nothing.
type Bar struct {
	out   io.Writer
	width func() int // of the terminal, in columns
	shown bool
}

func NewBar(notes io.Writer) *Bar {
	f, ok := notes.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &Bar{}
	}
	return &Bar{out: f, width: func() int {
		columns, _, err := term.GetSize(int(f.Fd()))
		if err != nil || columns < 2 {
			return 80
		}
		return columns
	}}
}

// IsSeen reports whether the bar is on a terminal.
func (b *Bar) IsSeen() bool { return b.out != nil }

// Draw shows the bar, with what there is so much of. It is cut to one line, as no more than that can be taken away.
func (b *Bar) Draw(done, total int, what string) {
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

// Follow draws the bar again and again, as far tells how much is done, until stop is called, which clears it. What does
// not take long shows nothing.
func (b *Bar) Follow(far func() (done, total int, what string)) (stop func()) {
	if b.out == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(progressEvery)
		defer ticks.Stop()
		for begin := time.Now(); ; {
			select {
			case <-done:
				b.Clear()
				return
			case now := <-ticks.C:
				if now.Sub(begin) >= progressAfter {
					b.Draw(far())
				}
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// Clear takes the bar away, so that a line can stand in its place.
func (b *Bar) Clear() {
	if b.shown {
		fmt.Fprint(b.out, "\r\x1b[K")
		b.shown = false
	}
}
