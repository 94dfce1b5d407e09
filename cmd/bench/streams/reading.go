package streams

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Readers is the argument for which the program reads streams, as Read says.
const Readers = "readers-of-streams"

// lowest is the priority of the process that reads: what is measured comes first.
const lowest = 19

// Read opens streams, as its arguments say: the address of the service, and how many. They have the tokens on the first
// line of standard input in turns. For a further line "N" it answers when N events have come in all; with standard
// input it ends. It interprets nothing: an event ends with an empty line.
func Read(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("give an address, and a number of streams")
	}
	streams, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, lowest); err != nil {
		return err
	}
	return read(ctx, args[0], streams, os.Stdin, os.Stdout)
}

func read(ctx context.Context, addr string, streams int, in io.Reader, out io.Writer) error {
	orders := bufio.NewScanner(in)
	if !orders.Scan() {
		return errors.New("no tokens were given")
	}
	tokens := strings.Fields(orders.Text())
	all := &reading{ended: make(chan error, streams)}
	for i := range streams {
		if err := all.open(addr, tokens[i%len(tokens)]); err != nil {
			return err
		}
	}
	due := uint64(streams) // empty lines: each stream begins with a greeting
	for {
		if err := all.await(ctx, due); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, "there"); err != nil || !orders.Scan() {
			return errors.Join(err, orders.Err())
		}
		events, err := strconv.ParseUint(orders.Text(), 10, 64)
		if err != nil {
			return err
		}
		due = uint64(streams) + events
	}
}

// reading is all streams that are read.
type reading struct {
	came  atomic.Uint64 // empty lines
	ended chan error
	mu    sync.Mutex
	piece [256 << 10]byte // what was read last, of any stream
}

// open opens a stream.
func (r *reading) open(addr, token string) error {
	conn, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return err
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	const head = "GET /events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n"
	if _, err := fmt.Fprintf(conn, head, addr, token); err != nil {
		return err
	}
	go func() {
		r.ended <- r.follow(raw)
		_ = conn.Close()
	}()
	return nil
}

// follow counts what comes on one stream until it ends. It reads where the network says that there is something, into
// memory that all streams share.
func (r *reading) follow(raw syscall.RawConn) error {
	began, last := false, byte(0)
	for {
		n, failed := 0, error(nil)
		err := raw.Read(func(fd uintptr) bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			n, failed = syscall.Read(int(fd), r.piece[:])
			if n > 0 {
				failed = r.count(r.piece[:n], &began, &last)
			}
			return !errors.Is(failed, syscall.EAGAIN)
		})
		switch err := errors.Join(err, failed); {
		case err != nil:
			return err
		case n <= 0:
			return io.EOF
		}
	}
}

var (
	emptyLine = []byte("\n\n")
	success   = []byte("HTTP/1.1 200 ")
)

// count counts the empty lines of a piece; last is the byte before it.
func (r *reading) count(piece []byte, began *bool, last *byte) error {
	if !*began && !bytes.HasPrefix(piece, success) {
		return fmt.Errorf("no stream: %.100q", piece)
	}
	*began = true
	n := bytes.Count(piece, emptyLine)
	if *last == '\n' && piece[0] == '\n' {
		n++
	}
	*last = piece[len(piece)-1]
	r.came.Add(uint64(n))
	return nil
}

// patience is how long streams may take to be opened, and to have what was published.
const patience = 30 * time.Second

// await waits until so many empty lines have come.
func (r *reading) await(ctx context.Context, lines uint64) error {
	late := time.After(patience)
	for r.came.Load() < lines {
		select {
		case err := <-r.ended:
			return fmt.Errorf("a stream ended: %w", err)
		case <-late:
			return fmt.Errorf("%d of %d events came within %v", r.came.Load(), lines, patience)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}
