package gitrepo

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/git"
	"orchestrator/internal/system/lazyregexp"
)

// batch reads objects through one "git cat-file --batch" that is kept open: a line with an id goes in, a line with id,
// type and size comes out, then the content and a line feed. Only full hexadecimal ids go in. One caller talks to the
// process at a time; whoever leaves in the middle of an answer ends the process, so that nobody reads the rest of it.
type batch struct {
	git    *command
	turn   Turn
	open   *process // nil when none runs
	closed bool
}

var fullID = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)

// Short returns an id as people read it.
func Short(id string) string { return id[:min(len(id), 10)] }

func newBatch(g *command) *batch { return &batch{git: g, turn: NewTurn()} }

// newborn is how long a process that misses an object is believed: the repository may be replaced under an older one.
const newborn = time.Second

// object returns the content of a blob, tree or commit of at most most bytes. A missing object is fault.NotFound, a
// larger one fault.TooLarge. A process that has died is started again once, and so is one that misses the object unless
// it is newborn.
func (b *batch) object(ctx context.Context, id, kind string, most int64) ([]byte, error) {
	if !fullID().MatchString(id) {
		return nil, fault.New(fault.NotFound, "object_missing", "%q is no id of an object", id)
	}
	ctx, cancel := context.WithTimeout(ctx, b.git.timeout)
	defer cancel()
	if err := b.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer b.turn.Give()
	for {
		fresh := b.open == nil
		if err := b.start(); err != nil {
			return nil, err
		}
		content, err := b.ask(ctx, id, kind, most)
		if err == nil || errors.Is(err, fault.NotFound) && time.Since(b.open.began) < newborn {
			return content, err
		}
		b.end()
		if fresh || ctx.Err() != nil || errors.Is(err, fault.TooLarge) {
			return nil, err
		}
	}
}

// ask sends one request, and kills the process where ctx ends before the answer has.
func (b *batch) ask(ctx context.Context, id, kind string, most int64) ([]byte, error) {
	p, killed := b.open, make(chan struct{})
	stop := context.AfterFunc(ctx, func() { p.kill(); close(killed) })
	content, err := p.exchange(id, kind, most)
	if !stop() {
		<-killed
		return nil, b.git.late(ctx, "cat-file")
	}
	return content, err
}

func (b *batch) start() error {
	if b.closed {
		return fault.New(fault.Unavailable, CodeFailed, "the repository is closed")
	}
	if b.open != nil {
		return nil
	}
	p, err := startProcess(b.git.prepare(context.Background(), "cat-file", "--batch"))
	b.open = p
	return err
}

func (b *batch) end() {
	if b.open != nil {
		b.open.kill()
		_ = b.open.cmd.Wait() // it was killed: how it ended says nothing
		b.open = nil
	}
}

func (b *batch) close() error {
	if err := b.turn.Take(context.Background()); err != nil {
		return err
	}
	defer b.turn.Give()
	b.closed = true
	b.end()
	return nil
}

// process is a running cat-file.
type process struct {
	began time.Time
	cmd   *git.Process
	in    io.WriteCloser
	out   io.ReadCloser
	buf   *bufio.Reader
}

func startProcess(cmd *git.Process) (*process, error) {
	p := &process{cmd: cmd, began: time.Now()}
	var err error
	if p.in, err = cmd.StdinPipe(); err == nil {
		if p.out, err = cmd.StdoutPipe(); err == nil {
			err = cmd.Start()
		}
	}
	if err != nil {
		return nil, fault.New(fault.Unavailable, CodeFailed, "git cat-file does not start: %s", reasonOf(err)).Because(err)
	}
	p.buf = bufio.NewReader(p.out)
	return p, nil
}

// kill ends the process, its children, and any read that waits for either.
func (p *process) kill() {
	_ = p.cmd.Cancel()
	_ = p.in.Close()
	_ = p.out.Close()
}

func (p *process) exchange(id, kind string, most int64) ([]byte, error) {
	if _, err := io.WriteString(p.in, id+"\n"); err != nil {
		return nil, fault.New(fault.Unavailable, CodeFailed, "git cat-file has ended").Because(err)
	}
	header, err := p.buf.ReadSlice('\n')
	if err != nil {
		return nil, fault.New(fault.Unavailable, CodeFailed, "git cat-file has ended").Because(err)
	}
	size, err := sizeOf(string(header), id, kind)
	switch {
	case err != nil:
		return nil, err
	case size > most:
		return nil, fault.New(fault.TooLarge, "object_too_large", "it has %d bytes, and at most %d are read", size, most)
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(p.buf, content); err != nil || content[size] != '\n' {
		return nil, fault.New(fault.Unavailable, CodeFailed, "git cat-file broke its answer off").Because(err)
	}
	return content[:size:size], nil
}

// sizeOf reads the header of the answer for the object id.
func sizeOf(header, id, kind string) (int64, error) {
	part := strings.Fields(header)
	if len(part) == 2 && part[0] == id && part[1] == "missing" {
		return 0, fault.New(fault.NotFound, "object_missing", "object %s is not in this repository", Short(id))
	}
	if len(part) == 3 && part[0] == id && part[1] == kind {
		if size, err := strconv.ParseInt(part[2], 10, 64); err == nil && size >= 0 {
			return size, nil
		}
	}
	return 0, fault.New(fault.Unavailable, CodeFailed, "git cat-file answered something else than the %s %s", kind, Short(id))
}
