package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"orchestrator/internal/daemon"

	"github.com/stretchr/testify/require"
)

// A client that trickles its header is cut off when ReadTimeout is over, however lively it seems; others do
// not notice.
//
// Verifies: ORC-053
func TestSlowHeaderIsCutOff(t *testing.T) {
	t.Parallel()
	p := startServer(t, newProject(t))
	conn, err := net.Dial("tcp", p.addr)
	require.NoError(t, err)
	defer conn.Close()
	began := time.Now()
	require.NoError(t, conn.SetDeadline(began.Add(patience)))
	_, err = fmt.Fprintf(conn, "GET /livez HTTP/1.1\r\nHost: %s\r\nX-Slow: ", p.addr)
	require.NoError(t, err)
	trickled := make(chan struct{})
	go func() {
		defer close(trickled)
		for tick := range time.Tick(200 * time.Millisecond) {
			if _, err := io.WriteString(conn, "x"); err != nil || tick.Sub(began) > patience {
				return
			}
		}
	}()
	got, err := p.call(request{method: "GET", path: "/livez"})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, got.status)

	answer, _ := io.ReadAll(conn) // returns when the server closes the connection, or the deadline is over
	took := time.Since(began)
	require.NotContains(t, string(answer), " 200 ")
	require.Greater(t, took, daemon.ReadTimeout-time.Second)
	require.Less(t, took, patience)
	<-trickled
	require.NoError(t, p.stop(0))
}

// A client that does not send the rest of its body is told so, and its change is not applied.
//
// Verifies: ORC-053
func TestSlowBodyIsRefused(t *testing.T) {
	t.Parallel()
	dir := newProject(t)
	p := startServer(t, dir)
	body := note("never sent whole")
	began := time.Now()
	conn, r := halfPatch(t, p, len(body))
	_, err := io.WriteString(conn, body[:len(body)-1])
	require.NoError(t, err)

	res, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	problem, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	took := time.Since(began)
	require.Equal(t, http.StatusRequestTimeout, res.StatusCode)
	require.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
	require.Contains(t, string(problem), `"code":"body_timeout"`)
	require.True(t, res.Close, "the connection is of no more use")
	require.Greater(t, took, daemon.ReadTimeout-time.Second)
	require.Less(t, took, patience)

	require.Empty(t, notes(t, p, "REQ-001"))
	require.NoError(t, p.stop(0))
	requireInOrder(t, dir)
}

// What is not HTTP, or too much of it, is refused or cut off. None of it is a defect, and none of it disturbs
// anybody else.
func TestGarbageIsRefused(t *testing.T) {
	t.Parallel()
	p := startServer(t, newProject(t))
	get := "GET /livez HTTP/1.1\r\nHost: " + p.addr + "\r\n"
	for _, c := range []struct {
		name, sent string
		statuses   []int // of the answers, until the connection is closed
	}{
		{"two requests at once", get + "\r\n" + get + "Connection: close\r\n\r\n", []int{200, 200}},
		{"a request, then garbage", get + "\r\n" + "\x00\x01garbage\r\n\r\n", []int{200, 400}},
		{"garbage", "\x16\x03\x01garbage\r\n\r\n", []int{400}},
		{"a header that is too large", get + "X-Large: " + strings.Repeat("x", 3*daemon.MaxHeader) + "\r\n\r\n", []int{431}},
		{"too many headers", get + strings.Repeat("X-Many: 1\r\n", daemon.MaxHeader/4) + "\r\n", []int{431}},
		{"a path that is too long", "GET /" + strings.Repeat("x", 3*daemon.MaxHeader) + " HTTP/1.1\r\nHost: " + p.addr + "\r\n\r\n", []int{431}},
		{"no host", "GET /livez HTTP/1.1\r\n\r\n", []int{400}},
		{"two hosts", get + "Host: evil.example\r\n\r\n", []int{400}},
		{"a foreign target", "GET http://evil.example/livez HTTP/1.1\r\nHost: " + p.addr + "\r\nConnection: close\r\n\r\n", []int{421}},
		{"two lengths", "PATCH /requirements/REQ-001 HTTP/1.1\r\nHost: " + p.addr + "\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", []int{400}},
		{"a length that is none", "PATCH /requirements/REQ-001 HTTP/1.1\r\nHost: " + p.addr + "\r\nContent-Length: -1\r\n\r\n", []int{400}},
		{"an unknown coding", "PATCH /requirements/REQ-001 HTTP/1.1\r\nHost: " + p.addr + "\r\nTransfer-Encoding: gzip\r\n\r\n", []int{501}},
		{"a NUL in a header", get + "X-Nul: \x00\r\n\r\n", []int{400}},
		{"another protocol", "GET /livez HTTP/9.9\r\nHost: " + p.addr + "\r\n\r\n", []int{505}},
		{"an unknown method", "BREW /livez HTTP/1.1\r\nHost: " + p.addr + "\r\nConnection: close\r\n\r\n", []int{405}},
		{"a path out of the tree", "GET /../../etc/passwd HTTP/1.1\r\nHost: " + p.addr + "\r\nConnection: close\r\n\r\n", []int{404}},
		{"a path that is not encoded right", "GET /requirements/%zz HTTP/1.1\r\nHost: " + p.addr + "\r\n\r\n", []int{400}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.statuses, exchange(t, p, c.sent))
			got, err := p.call(request{method: "GET", path: "/livez"})
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, got.status)
		})
	}
	conn, err := tls.Dial("tcp", p.addr, nil)
	if err == nil {
		_ = conn.Close()
	}
	require.Error(t, err, "the service does not speak TLS, and says so")
	require.NoError(t, p.stop(0))
}

// exchange sends bytes and returns the statuses of all answers.
func exchange(t *testing.T, p *process, sent string) (statuses []int) {
	conn, err := net.Dial("tcp", p.addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	go func() { _, _ = io.WriteString(conn, sent) }() // the server may close before it has read all of it
	for r := bufio.NewReader(conn); ; {
		if _, err := r.Peek(1); err != nil {
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the server neither answered nor closed the connection")
			return statuses
		}
		res, err := http.ReadResponse(r, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		statuses = append(statuses, res.StatusCode)
	}
}
