package runner

import (
	"io"
	"os"
	"time"

	"orchestrator/internal/system/outbound"
)

// tail reads a pipe to its end and keeps the last bytes of it.
type tail struct {
	from *os.File
	kept []byte
	done chan struct{}
}

// listen takes over a pipe and closes it in the end.
func listen(from *os.File) *tail {
	t := &tail{from: from, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		_, _ = io.Copy(t, from) // it ends with the last writer or at the deadline that wait sets
		_ = from.Close()
	}()
	return t
}

// Write keeps at most twice what is wanted, so that bytes are moved seldom.
func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if len(t.kept) > 2*lastBytes {
		t.kept = t.kept[:copy(t.kept, t.kept[len(t.kept)-lastBytes:])]
	}
	return len(b), nil
}

// wait returns when everything was read, at the given time at the latest.
func (t *tail) wait(until time.Time) {
	_ = t.from.SetReadDeadline(until) // closed already: then it is done
	<-t.done
}

// text returns what was kept, once wait has returned: at most 64 KiB of whole characters.
func (t *tail) text() string {
	s := outbound.Readable(string(t.kept[max(0, len(t.kept)-lastBytes):]))
	for i := range s {
		if len(s)-i <= maxStderr {
			return s[i:]
		}
	}
	return ""
}
