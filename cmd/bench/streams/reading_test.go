package streams

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Events are counted wherever the network divides what is sent, and what is no stream is said.
func TestEventsAreCounted(t *testing.T) {
	const sent = "HTTP/1.1 200 OK\r\n\r\n" + "retry: 1\n\nid: 1\ndata: x\n\n" + "id: 2\ndata: y\n\n"
	for cut := len(success); cut < len(sent); cut++ {
		var all reading
		began, last := false, byte(0)
		require.NoError(t, all.count([]byte(sent[:cut]), &began, &last))
		require.NoError(t, all.count([]byte(sent[cut:]), &began, &last))
		require.EqualValues(t, 3, all.came.Load(), "cut at %d", cut)
	}
	began, last := false, byte(0)
	require.ErrorContains(t, new(reading).count([]byte("HTTP/1.1 429 Too Many Requests"), &began, &last), "429")
}

func TestReadersWaitForAllEvents(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	more := make(chan struct{})
	web := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "retry: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		<-more
		fmt.Fprintf(w, "data: %s\n\ndata: y\n\n", r.Header.Get("Authorization"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})}
	go func() { _ = web.Serve(listener) }()
	defer web.Close()
	orders, in := io.Pipe()
	out, answers := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- read(t.Context(), listener.Addr().String(), 3, orders, answers) }()
	said := bufio.NewScanner(out)
	fmt.Fprintln(in, "one two")
	require.True(t, said.Scan())
	fmt.Fprintln(in, "6")
	answered := make(chan bool, 1)
	go func() { answered <- said.Scan() }()
	select {
	case <-answered:
		require.Fail(t, "the events were not sent yet")
	case <-time.After(50 * time.Millisecond):
	}
	close(more)
	require.True(t, <-answered)
	require.NoError(t, in.Close())
	require.NoError(t, <-ended)
}
