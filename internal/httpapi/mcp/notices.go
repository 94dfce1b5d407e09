package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"orchestrator/internal/httpapi/mcp/rest"
)

// settle is how long a notice waits for others of the same resource.
const settle = 100 * time.Millisecond

// Between two attempts to follow the log, a client that stays waits this long, and at most so long.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// maxLine is the most bytes of a line of the stream: a record, and the name of the line.
const maxLine = 1 << 20

// notices tell a client of changes to the resources that it follows. They come from the stream of events of the API,
// which is open while anything is followed.
type notices struct {
	resources
	to    *mcp.Server
	stays bool            // the client has one connection for as long as it runs
	life  context.Context //nolint:containedctx // of the server, which is longer than that of any request

	next uint64 // number of the record that comes next; 0 for the next to come

	mu       sync.Mutex
	begun    bool
	session  *mcp.ServerSession
	followed map[string]bool // by URI
	due      map[string]bool // by URI, what is told next
}

// subscribe begins to follow a resource. What changes after it returns is told.
func (n *notices) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	if n.follows(req.Params.URI) {
		return nil
	}
	if _, err := n.body(ctx, req.Params.Meta, req.Params.URI); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.begun {
		stream, err := n.open(req.Params.Meta)
		if err != nil {
			return err
		}
		n.begun, n.session = true, req.Session
		go n.follow(stream)
	}
	n.followed[req.Params.URI] = true
	return nil
}

func (n *notices) follows(uri string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.followed[uri]
}

func (n *notices) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.followed, req.Params.URI)
	return nil
}

// errNoStream is the end of attempts to follow: the service does not let this client.
var errNoStream = errors.New("the service does not let this client follow the log")

// open opens the stream: from the record on that comes next, or from the next to come. A log that ends before that is
// another one, of which everything is new.
func (n *notices) open(meta mcp.Meta) (io.ReadCloser, error) {
	c := rest.Call{Method: http.MethodGet, Path: "/events", Header: http.Header{"Accept": {"text/event-stream"}}}
	if n.next > 0 {
		c.Query = url.Values{"since": {strconv.FormatUint(n.next, 10)}}
	}
	resp, err := n.API.Open(n.life, meta, c)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	got, err := rest.Read(resp)
	switch {
	case err != nil:
		return nil, err
	case got.Status == http.StatusNotFound && n.next > 0:
		n.next = 0
		n.tellAll()
	case got.Status == http.StatusUnauthorized, got.Status == http.StatusForbidden:
		return nil, errNoStream
	}
	return nil, refusedAs(got)
}

// follow tells of what a stream brings. Where the stream ends, a client that stays has it opened again; any other is
// let go of, and may come again.
func (n *notices) follow(stream io.ReadCloser) {
	pause := firstPause
	for err := error(nil); !errors.Is(err, errNoStream); {
		if stream != nil && n.take(stream) {
			pause = firstPause
		}
		if !n.stays {
			_ = n.session.Close()
			return
		}
		select {
		case <-n.life.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, lastPause)
		stream, err = n.open(nil)
	}
}

// take tells of all that a stream brings until it ends, and reports whether it brought anything.
func (n *notices) take(stream io.ReadCloser) (brought bool) {
	defer stream.Close()
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(": "))
		if string(name) == "id" {
			if number, err := strconv.ParseUint(string(value), 10, 63); err == nil {
				n.next = number + 1
			}
		}
		if string(name) == "data" {
			n.tell(value)
		}
		brought = true
	}
	return brought
}

// changed is a record, as far as notices need it.
type changed struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
}

// decides reports whether a record is of a decision that may have changed what resources show.
func (c changed) decides() bool {
	if slices.Contains([]string{"requirement.refused", "requirement.unchanged", "requirement.claimed",
		"requirement.released"}, c.Kind) {
		return false
	}
	family, _, _ := strings.Cut(c.Kind, ".")
	return slices.Contains([]string{"requirement", "requirements", "workflow", "evidence", "branch", "log"}, family)
}

// tell notes what a record has changed.
func (n *notices) tell(record []byte) {
	var c changed
	if rest.Unmarshal(record, &c) != nil || !c.decides() {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for uri := range n.followed {
		if c.touches(uri) {
			n.note(uri)
		}
	}
}

// touches reports whether a record may have changed a resource. What is about no requirement may be about all.
func (c changed) touches(uri string) bool {
	return uri == uriStatus || c.Subject == "" || uri != uriWorkflow && idOf(uri) == c.Subject
}

// tellAll notes that anything may have changed.
func (n *notices) tellAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for uri := range n.followed {
		n.note(uri)
	}
}

// note has a resource told of soon, together with what else changes until then.
func (n *notices) note(uri string) {
	if n.due[uri] = true; len(n.due) == 1 {
		time.AfterFunc(settle, n.send)
	}
}

// send tells of all that is due.
func (n *notices) send() {
	n.mu.Lock()
	due := n.due
	n.due = map[string]bool{}
	n.mu.Unlock()
	for uri := range due {
		if n.life.Err() == nil {
			_ = n.to.ResourceUpdated(n.life, &mcp.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}
