package runner

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wire carries the messages over the pipes of a program that we have started, so that the library starts none, and
// looks at what passes.
type wire struct {
	from *os.File
	to   io.WriteCloser
	left int64       // bytes that may still come
	over atomic.Bool // more came

	mu      sync.Mutex
	inner   mcp.Connection
	call    jsonrpc.ID      // of the call of the tool
	message json.RawMessage // the result of that
}

var errOver = errors.New("the server wrote too much")

// Connect makes the connection of the library over the pipes.
func (w *wire) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := (&mcp.IOTransport{Reader: counted{w}, Writer: w.to, MaxLineLength: -1}).Connect(ctx)
	if err != nil {
		return nil, err
	}
	w.inner = inner
	return watched{Connection: inner, wire: w}, nil
}

// close ends the goroutine that the library reads in.
func (w *wire) close() {
	if w.inner != nil {
		_ = w.inner.Close()
	}
}

func (w *wire) answer() json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.message
}

// counted stops at the cap.
type counted struct{ *wire }

func (c counted) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	if c.left -= int64(n); c.left < 0 {
		c.over.Store(true)
		return 0, errOver
	}
	return n, err
}

// Close ends a read that is under way. The pipe stays: without it the server would die of writing, and that would look
// like its own fault.
func (c counted) Close() error { return c.from.SetReadDeadline(time.Now()) }

// watched keeps the result of the call as the server wrote it.
type watched struct {
	mcp.Connection
	wire *wire
}

func (c watched) Write(ctx context.Context, message jsonrpc.Message) error {
	if request, ok := message.(*jsonrpc.Request); ok && request.Method == "tools/call" {
		c.wire.mu.Lock()
		c.wire.call = request.ID
		c.wire.mu.Unlock()
	}
	return c.Connection.Write(ctx, message)
}

func (c watched) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if response, ok := message.(*jsonrpc.Response); ok && err == nil {
		c.wire.mu.Lock()
		if c.wire.call.IsValid() && response.ID == c.wire.call {
			c.wire.message = response.Result
		}
		c.wire.mu.Unlock()
	}
	return message, err
}

// bidFarewell closes the program's input and gives it a moment to end by itself.
func (p *process) bidFarewell(ctx context.Context) {
	_ = p.stdin.Close()
	enough := time.NewTimer(goodbye)
	defer enough.Stop()
	select {
	case <-p.exited:
	case <-enough.C:
	case <-ctx.Done():
	}
}
