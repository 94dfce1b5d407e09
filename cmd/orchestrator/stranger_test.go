package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// stranger is a server that is no service, and notes the tokens that it is sent.
type stranger struct {
	server *httptest.Server

	mu    sync.Mutex
	heard []string
}

// listen: listener starts a stranger, and sets $STRANGER to its HOST:PORT.
func (s *script) listen([]string) error {
	other := &stranger{}
	other.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		other.mu.Lock()
		defer other.mu.Unlock()
		if token := r.Header.Get("Authorization"); token != "" {
			other.heard = append(other.heard, token)
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	s.ts.Defer(other.server.Close)
	s.stranger = other
	s.ts.Setenv("STRANGER", strings.TrimPrefix(other.server.URL, "http://"))
	return nil
}

// overheard: heard prints the tokens that the stranger was sent since it was asked last, or nothing.
func (s *script) overheard([]string) error {
	s.stranger.mu.Lock()
	defer s.stranger.mu.Unlock()
	if len(s.stranger.heard) == 0 {
		fmt.Fprintln(s.ts.Stdout(), "nothing")
	}
	for _, token := range s.stranger.heard {
		fmt.Fprintln(s.ts.Stdout(), token)
	}
	s.stranger.heard = nil
	return nil
}
