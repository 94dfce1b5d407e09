package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// heldBytes is what the service says that bodies take.
func (h *harness) heldBytes() int {
	h.t.Helper()
	const name = "\norchestrator_bodies_held_bytes "
	_, after, found := strings.Cut(string(h.do("", "GET", "/metrics", "").Body), name)
	require.True(h.t, found)
	text, _, _ := strings.Cut(after, "\n")
	held, err := strconv.ParseFloat(text, 64)
	require.NoError(h.t, err)
	return int(held)
}

// begin sends the head of a request that promises a body, and the beginning of the body.
func (h *harness) begin(who, method, path string, promised int, body string) net.Conn {
	h.t.Helper()
	conn, err := net.Dial("tcp", h.Server.Listener.Addr().String())
	require.NoError(h.t, err)
	h.t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, h.secrets[who], promised, body)
	require.NoError(h.t, err)
	return conn
}

// status reads the answer.
func status(t *testing.T, conn net.Conn) (int, string, http.Header) {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(body), answer.Header
}

func (h *harness) holds(bytes func(int) bool) {
	h.t.Helper()
	require.Eventually(h.t, func() bool { return bytes(h.heldBytes()) }, time.Minute, 5*time.Millisecond)
}

// TestABodyThatIsPromisedHoldsNothing: memory follows what arrives, and not what a head promises.
//
// Verifies: ORC-053
func TestABodyThatIsPromisedHoldsNothing(t *testing.T) {
	h := newHarness(t)
	const clients, sent = 200, 100
	var conns []net.Conn
	for range clients {
		conns = append(conns, h.begin("tester", "POST", one+"/test-report", 8<<20, strings.Repeat("x", sent)))
	}
	h.holds(func(held int) bool { return held >= clients*sent })
	require.LessOrEqual(t, h.heldBytes(), clients*4<<10)
	for _, conn := range conns {
		conn.Close()
	}
	h.holds(func(held int) bool { return held == 0 })
}

// TestBodiesInFlightAreBounded: one token holds its share and no more, all tokens together hold the whole and no more, small bodies
// of others are taken all the same, and everything is given back.
//
// Verifies: ORC-053
func TestBodiesInFlightAreBounded(t *testing.T) {
	h := newHarness(t)
	const large = 4 << 20
	half := strings.Repeat("x", large)
	var conns []net.Conn
	fill := func(who string) {
		for range 4 {
			conns = append(conns, h.begin(who, "POST", one+"/test-report", large+1, half))
		}
	}
	before := 0
	for n := range 4 { // a body of 4 MiB and a byte takes as much memory
		who := fmt.Sprintf("tester%d", n)
		h.addToken(who, lifecycle.Tester)
		for range 3 {
			conns = append(conns, h.begin(who, "POST", one+"/test-report", large+1, half))
		}
		before += 3 * large
		h.holds(func(held int) bool { return held >= before })
	}
	over := h.begin("tester0", "POST", one+"/test-report", 8<<20, strings.Repeat("x", 8<<20))
	code, body, header := status(t, over)
	require.Equal(t, 429, code, body)
	require.Contains(t, body, "bodies_in_flight")
	require.Contains(t, body, "this token")
	require.Equal(t, "1", header.Get("Retry-After"))

	fill("tester")
	h.holds(func(held int) bool { return held >= 60<<20 })
	size := h.Service.State().LogSize
	code, body, _ = status(t, h.begin("pm", "PATCH", one, 8<<20, ""))
	require.Equal(t, 413, code, body)
	h.addToken("tester5", lifecycle.Tester)
	code, body, _ = status(t, h.begin("tester5", "POST", one+"/test-report", 8<<20, strings.Repeat("x", 8<<20)))
	require.Equal(t, 429, code, body)
	require.Contains(t, body, "all that the service holds")
	require.LessOrEqual(t, h.heldBytes(), 65<<20)
	require.Equal(t, size+1, h.Service.State().LogSize, "only the 413 is on record: a limit decides nothing")
	h.expect(200, "", "pm", "PATCH", one, `{"pm_notes":[{"text":"small"}]}`)

	conns[0].Close()
	conns[1].Close() // the third of the token stays
	h.holds(func(held int) bool { return held <= 53<<20 })
	require.NotEqual(t, 429, h.do("tester0", "POST", one+"/test-report", half+half).Status, "a token has back what it gave back")

	for _, conn := range conns {
		conn.Close()
	}
	h.holds(func(held int) bool { return held == 0 })
	require.NotEqual(t, 429, h.do("tester0", "POST", one+"/test-report", half).Status)
}

// TestLargeBodiesOfOneTokenTakeTurns: many at once are all answered, and leave nothing held.
//
// Verifies: ORC-053
func TestLargeBodiesOfOneTokenTakeTurns(t *testing.T) {
	h := newHarness(t)
	body := `{"pm_notes":[` + strings.Repeat("1,", 15_000) + `1]}`
	var clients sync.WaitGroup
	codes := make([]int, 40)
	for i := range codes {
		clients.Go(func() { codes[i] = h.serve("pm", "PATCH", one, body).Code })
	}
	clients.Wait()
	for _, code := range codes {
		require.Contains(t, []int{422, 429}, code)
	}
	require.Zero(t, h.heldBytes())
}

// TestAClientReadsWhyItsUploadWasRefused: clients that send all before they read get the answer, and no reset connection.
func TestAClientReadsWhyItsUploadWasRefused(t *testing.T) {
	h := newHarness(t)
	upload := bytes.Repeat([]byte("x"), 24<<20)
	t.Run("Go", func(t *testing.T) {
		conn := h.begin("tester", "POST", one+"/test-report", len(upload), "")
		_, err := conn.Write(upload)
		require.NoError(t, err, "all of it is taken")
		code, _, _ := status(t, conn)
		require.Equal(t, 413, code)
	})
	t.Run("Python", func(t *testing.T) {
		python, err := exec.LookPath("python3")
		if err != nil {
			t.Skip("python3 is not there, so urllib is not tried")
		}
		const script = `
import sys, urllib.request, urllib.error
request = urllib.request.Request(sys.argv[1], data=b"x" * (24 << 20), method="POST", headers={"Authorization": "Bearer " + sys.argv[2]})
try:
    print(urllib.request.urlopen(request).status)
except urllib.error.HTTPError as e:
    print(e.code, e.read().decode())
`
		out, err := exec.CommandContext(t.Context(), python, "-c", script, h.Server.URL+one+"/test-report", h.secrets["tester"]).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "413 ")
		require.Contains(t, string(out), "body_too_large")
	})
}
