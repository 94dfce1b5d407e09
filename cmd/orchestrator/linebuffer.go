package main

import (
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Lines wait at most flushEvery, and as long as they fit into flushBytes.
const (
	flushEvery = 100 * time.Millisecond
	flushBytes = 32 << 10
)

// lineBuffer writes log lines in groups: a system call for each line costs a busy server a tenth of its
// throughput. A line of level warn or above is written at once, with all that wait before it. What a killed
// process had not written is lost; the audit log never depends on it.
type lineBuffer struct {
	out io.Writer

	mu      sync.Mutex
	waiting []byte
	timer   *time.Timer // runs while lines wait
}

// Write makes lineBuffer an io.Writer.
func (b *lineBuffer) Write(line []byte) (int, error) { return b.WriteLevel(zerolog.NoLevel, line) }

// WriteLevel makes lineBuffer a zerolog.LevelWriter.
func (b *lineBuffer) WriteLevel(level zerolog.Level, line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, line...)
	if level >= zerolog.WarnLevel || len(b.waiting) >= flushBytes {
		return len(line), b.flush()
	}
	if b.timer == nil {
		// a log that cannot be written has nowhere to say so
		b.timer = time.AfterFunc(flushEvery, func() { _ = b.Flush() })
	}
	return len(line), nil
}

// Flush writes what waits.
func (b *lineBuffer) Flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.flush()
}

func (b *lineBuffer) flush() error {
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
	if len(b.waiting) == 0 {
		return nil
	}
	_, err := b.out.Write(b.waiting)
	b.waiting = b.waiting[:0]
	return err
}
