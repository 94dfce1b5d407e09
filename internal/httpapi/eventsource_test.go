package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// message is an event as the WHATWG HTML standard dispatches it.
type message struct{ ID, Type, Data string }

// eventSource interprets an event stream by the rules of the WHATWG HTML standard, section 9.2.6, and of nothing else.
type eventSource struct {
	lastEventID, idBuffer, typeBuffer string
	data                              strings.Builder
	retry                             string
	comments                          int
}

// line interprets one line. It returns a message where the line dispatches one.
func (e *eventSource) line(line string) (m message, dispatched bool) {
	field, value, colon := strings.Cut(line, ":")
	switch {
	case line == "":
		return e.dispatch()
	case colon && field == "":
		e.comments++
		return m, false
	}
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "event":
		e.typeBuffer = value
	case "data":
		e.data.WriteString(value + "\n")
	case "id":
		if !strings.Contains(value, "\x00") {
			e.idBuffer = value
		}
	case "retry":
		if value != "" && strings.Trim(value, "0123456789") == "" {
			e.retry = value
		}
	}
	return m, false
}

func (e *eventSource) dispatch() (m message, dispatched bool) {
	e.lastEventID = e.idBuffer
	data := e.data.String()
	e.data.Reset()
	kind := e.typeBuffer
	e.typeBuffer = ""
	if data == "" {
		return m, false
	}
	if kind == "" {
		kind = "message"
	}
	return message{e.lastEventID, kind, strings.TrimSuffix(data, "\n")}, true
}

// splitLines splits at LF, CR and CRLF, as the standard does.
func splitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0:
		return 0, nil, nil // what has no end is not interpreted
	case data[i] == '\r' && i+1 == len(data) && !atEOF:
		return 0, nil, nil
	case data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n':
		return i + 2, data[:i], nil
	}
	return i + 1, data[:i], nil
}

// subscriber is a client that follows the log.
type subscriber struct {
	t        *testing.T
	h        *harness
	answer   *http.Response
	leave    context.CancelFunc
	messages chan message // closed at the end of the stream
	source   eventSource  // to be read when messages is closed
	raw      bytes.Buffer
}

// follow opens a stream. Its head is held against the contract when it is closed.
func (h *harness) follow(who, path string, headers ...string) *subscriber {
	h.t.Helper()
	ctx, leave := context.WithCancel(h.t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.Server.URL+path, http.NoBody)
	require.NoError(h.t, err)
	req.Header.Set("Authorization", "Bearer "+h.secrets[who])
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(h.t, err)
	f := &subscriber{t: h.t, h: h, answer: answer, leave: leave, messages: make(chan message, 10_000)}
	if answer.StatusCode != http.StatusOK {
		leave()
		require.Equal(h.t, http.StatusOK, answer.StatusCode)
	}
	h.t.Cleanup(f.close)
	go f.read()
	return f
}

func (f *subscriber) read() {
	defer close(f.messages)
	lines := bufio.NewScanner(io.TeeReader(f.answer.Body, &f.raw))
	lines.Buffer(nil, 1<<20)
	lines.Split(splitLines)
	for lines.Scan() {
		if m, is := f.source.line(lines.Text()); is {
			f.messages <- m
		}
	}
	_ = f.answer.Body.Close()
}

// close leaves, and waits for the end.
func (f *subscriber) close() {
	f.leave()
	for range f.messages {
	}
	r := response{f.answer.StatusCode, f.answer.Header, f.raw.Bytes()}
	require.NoError(f.t, theContract().check(f.h.seen, "/events", http.MethodGet, r))
}

// next returns the next message.
func (f *subscriber) next() message {
	f.t.Helper()
	select {
	case m, open := <-f.messages:
		require.True(f.t, open, "the stream has ended")
		return m
	case <-time.After(time.Minute):
		require.FailNow(f.t, "no event came")
		return message{}
	}
}

// ended waits for the end of the stream.
func (f *subscriber) ended() {
	f.t.Helper()
	select {
	case m, open := <-f.messages:
		require.False(f.t, open, "an event came: %v", m)
	case <-time.After(time.Minute):
		require.FailNow(f.t, "the stream goes on")
	}
}
