package live_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/live"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
)

const kind = "test.grown"

// service is the handlers over a log of their own, on a loopback port.
type service struct {
	t        *testing.T
	ledger   *ledger.Ledger
	handlers *live.Handlers
	server   *httptest.Server
}

func start(t *testing.T, c live.Config) *service {
	t.Helper()
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	c.Ledger, c.Kinds = l, []string{kind, ledger.KindCreated}
	c.Allowed = func(http.ResponseWriter, *http.Request) error { return nil }
	s := &service{t: t, ledger: l, handlers: live.New(c)}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.handlers.Events(w, r); err != nil {
			f := fault.As(err)
			http.Error(w, fmt.Sprintf("%s after %s: %s", f.Code, f.RetryAfter, f.Detail), http.StatusTeapot)
		}
	}))
	s.server.Config.ReadTimeout, s.server.Config.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond
	s.server.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			_ = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
		}
	}
	s.server.Start()
	t.Cleanup(s.server.Close)
	return s
}

func (s *service) grow(n, bytes int) {
	s.t.Helper()
	for range n {
		require.NoError(s.t, s.ledger.Update(s.t.Context(), func(tx *ledger.Tx) error {
			return tx.Append(ledger.Event{Kind: kind, Actor: audit.Actor{Name: "ann", Role: "pm"},
				Data: map[string]string{"text": strings.Repeat("x", bytes)}})
		}))
	}
}

// connect opens a stream without a client that would read ahead.
func (s *service) connect(query string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(s.t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
	require.NoError(s.t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = fmt.Fprintf(conn, "GET /events?%s HTTP/1.1\r\nHost: x\r\n\r\n", query)
	require.NoError(s.t, err)
	return conn
}

// refusal asks for a stream, and returns what is said in its place.
func (s *service) refusal() string {
	s.t.Helper()
	answer, err := http.Get(s.server.URL)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	require.Equal(s.t, http.StatusTeapot, answer.StatusCode)
	said, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return strings.TrimSpace(string(said))
}

// lines reads until a line of the stream has been there so many times, and returns all of them.
func lines(t *testing.T, from *http.Response, until string, times int) (all []string) {
	t.Helper()
	in := bufio.NewScanner(from.Body)
	for in.Scan() {
		if all = append(all, in.Text()); in.Text() == until {
			if times--; times == 0 {
				return all
			}
		}
	}
	require.FailNow(t, "the stream has ended", "%v %v", all, in.Err())
	return nil
}

// A stream outlasts the server's limits of requests, and shows that it is alive.
func TestASilentStreamHasAPulse(t *testing.T) {
	s := start(t, live.Config{Pulse: 50 * time.Millisecond})
	answer, err := http.Get(s.server.URL)
	require.NoError(t, err)
	defer answer.Body.Close()
	begun := time.Now()
	got := lines(t, answer, ":", 5)
	require.GreaterOrEqual(t, time.Since(begun), 4*50*time.Millisecond)
	require.Equal(t, []string{"retry: 2000", "", ":", "", ":", "", ":", "", ":", "", ":"}, got)
}

// What the filters passed over is not asked for again: the pulse has the id of the last record.
func TestAPulseTellsHowFarTheStreamIs(t *testing.T) {
	s := start(t, live.Config{Pulse: 50 * time.Millisecond})
	answer, err := http.Get(s.server.URL + "?kind=" + ledger.KindCreated)
	require.NoError(t, err)
	defer answer.Body.Close()
	s.grow(10, 1)
	got := lines(t, answer, fmt.Sprintf("id: %d", s.ledger.Head().Size-1), 1)
	require.NotContains(t, strings.Join(got, "\n"), "data:")
	require.Equal(t, ":", got[len(got)-2])
}

// Who does not read is dropped, and holds up nobody who writes or reads.
//
// Verifies: ORC-302
func TestASlowReaderIsDropped(t *testing.T) {
	s := start(t, live.Config{Patience: 300 * time.Millisecond})
	from := s.ledger.Head().Size
	s.connect(fmt.Sprintf("since=%d", from))
	fast, err := http.Get(fmt.Sprintf("%s?since=%d", s.server.URL, from))
	require.NoError(t, err)
	defer fast.Body.Close()
	const records = 300
	read := make(chan []string, 1)
	go func() { read <- lines(t, fast, fmt.Sprintf("id: %d", from+records-1), 1) }()
	s.grow(records, 50_000) // 15 MB, more than any buffer between the two takes
	require.Len(t, <-read, 2+4*(records-1)+1)
	require.Eventually(t, func() bool { return s.handlers.Figures().Dropped == 1 }, time.Minute, 10*time.Millisecond)
	require.Equal(t, 1, s.handlers.Figures().Open)
}

// A reader that hangs takes the memory of a piece, however much it has not read.
//
// Verifies: ORC-302
func TestTheMemoryOfAReaderIsBounded(t *testing.T) {
	s := start(t, live.Config{Patience: time.Minute})
	from := s.ledger.Head().Size
	s.grow(400, 50_000) // 20 MB
	before := inUse()
	const readers = 40
	for range readers {
		s.connect(fmt.Sprintf("since=%d", from))
	}
	require.Eventually(t, func() bool { return s.handlers.Figures().Open == readers }, time.Minute, 10*time.Millisecond)
	sent := uint64(0)
	require.Eventually(t, func() bool { // none is sent any more: all hang
		was := sent
		sent = s.handlers.Figures().Sent
		time.Sleep(200 * time.Millisecond)
		return sent > 0 && sent == was && s.handlers.Figures().Sent == sent
	}, time.Minute, 10*time.Millisecond)
	perReader := (inUse() - before) / readers
	t.Logf("%d bytes a reader that hangs", perReader)
	require.Less(t, perReader, int64(512<<10))
}

// Verifies: ORC-303
func TestStreamsOfAllTokensAreLimited(t *testing.T) {
	s := start(t, live.Config{Most: 3})
	open := make([]*http.Response, 3)
	for i := range open {
		var err error
		open[i], err = http.Get(s.server.URL)
		require.NoError(t, err)
		defer open[i].Body.Close()
		require.Equal(t, http.StatusOK, open[i].StatusCode)
	}
	const full = "too_many_streams after 5s: the service has 3 streams and waits open, which is the most"
	require.Equal(t, full, s.refusal())
	require.NoError(t, open[0].Body.Close())
	require.Eventually(t, func() bool { return s.handlers.Figures().Open == 2 }, time.Minute, time.Millisecond)
	again, err := http.Get(s.server.URL)
	require.NoError(t, err)
	defer again.Body.Close()
	require.Equal(t, http.StatusOK, again.StatusCode)
}

// A service that names no limit has the one that docs/events.md names.
func TestTheLimitOfAllStreamsIsTheDocumentedOne(t *testing.T) {
	require.Equal(t, 2048, start(t, live.Config{}).handlers.Most)
}

func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
