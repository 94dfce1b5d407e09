package rest

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/internal/system/tracing"
)

// Inside calls the API of the same process, in the name of the request that came from outside.
type Inside struct {
	API  http.Handler
	From *http.Request
	ID   string // of that request
}

type insideKey struct{}

// With returns a context whose requests InContext sends to s.
func (s Inside) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, insideKey{}, s)
}

// InContext sends each request to the API that its context has from Inside.With.
type InContext struct{}

// Do sends a request. It is an error if the context has no API.
func (InContext) Do(r *http.Request) (*http.Response, error) {
	s, is := r.Context().Value(insideKey{}).(Inside)
	if !is {
		return nil, errors.New("the request is in the name of nobody")
	}
	return s.Do(r)
}

// Do calls the API in a goroutine of its own, which ends when the answer is written, or when the request from outside
// ends, whatever the protocol says of that.
func (s Inside) Do(r *http.Request) (*http.Response, error) {
	read, write := net.Pipe()
	w := &piped{header: http.Header{}, to: write, begun: make(chan struct{})}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(s.From.Context(), cancel)
	r = r.WithContext(ctx)
	go func() {
		defer cancel()
		defer stop()
		defer w.end()
		s.API.ServeHTTP(w, s.asked(r))
	}()
	select {
	case <-w.begun:
		return &http.Response{StatusCode: w.status, Header: w.sent, Body: pipedBody{read, w}, Request: r}, nil
	case <-r.Context().Done():
		return nil, errors.Join(r.Context().Err(), read.Close())
	}
}

// asked returns a call as a request that the server could have read.
func (s Inside) asked(r *http.Request) *http.Request {
	q := r.Clone(r.Context())
	q.Host, q.RemoteAddr, q.TLS = s.From.Host, s.From.RemoteAddr, s.From.TLS
	q.RequestURI = q.URL.RequestURI()
	q.Header["Authorization"] = s.From.Header["Authorization"]
	if s.From.Header["X-Request-Id"] != nil || tracing.Parse(q.Header.Get("Traceparent")) == "" {
		q.Header.Set("X-Request-Id", s.ID) // else the trace of the call names it
	}
	if q.Header["Traceparent"] == nil && s.From.Header["Traceparent"] != nil {
		q.Header["Traceparent"] = s.From.Header["Traceparent"]
	}
	return q
}

// piped is an answer whose body another goroutine reads while it is written.
type piped struct {
	header  http.Header
	to      net.Conn
	once    sync.Once
	begun   chan struct{}
	status  int         // good after begun
	sent    http.Header // good after begun
	aborted atomic.Bool
}

func (w *piped) Header() http.Header { return w.header }

func (w *piped) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, maps.Clone(w.header)
		close(w.begun)
	})
}

func (w *piped) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.to.Write(b)
}

// end closes the body. A handler that aborts its answer leaves it cut short.
func (w *piped) end() {
	if p := recover(); p != nil {
		w.aborted.Store(true)
		if p != http.ErrAbortHandler { //nolint:errorlint // the documented sentinel, compared as the server does
			panic(p)
		}
	}
	w.WriteHeader(http.StatusOK)
	_ = w.to.Close()
}

// Flush and the deadlines serve http.ResponseController.

func (w *piped) Flush()                              { w.WriteHeader(http.StatusOK) }
func (w *piped) SetWriteDeadline(at time.Time) error { return w.to.SetWriteDeadline(at) }
func (w *piped) SetReadDeadline(time.Time) error     { return nil }

// pipedBody is the body of an answer. One that was cut short ends with an error.
type pipedBody struct {
	net.Conn
	of *piped
}

func (b pipedBody) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if errors.Is(err, io.EOF) && b.of.aborted.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
