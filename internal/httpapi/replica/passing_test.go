package replica

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/store"
)

// duty is one of which a test says who has it.
type duty struct {
	mu     sync.Mutex
	on     bool
	holder string
	err    error
	takes  time.Duration // to say so
	asked  atomic.Int64
}

func (d *duty) set(on bool, holder string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on, d.holder, d.err = on, holder, err
}

func (d *duty) OnDuty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.on
}

func (d *duty) Enter(ctx context.Context) (under context.Context, leave func(), err error) {
	if !d.OnDuty() {
		return nil, nil, errors.New("another is")
	}
	return store.Under(ctx, store.Lease{Name: "duty", Fence: 7}), func() {}, nil
}

func (d *duty) Holder(context.Context) (string, error) {
	d.asked.Add(1)
	time.Sleep(d.takes)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.holder, d.err
}

const alone = "/drive" // a route of the replica on duty

// front starts a replica that is not on duty, and would answer 200 itself.
func front(t *testing.T, d *duty, log *sharedLog, change ...func(*Config)) *httptest.Server {
	t.Helper()
	c := &Config{Name: "front", Log: log, Duty: d}
	for _, f := range change {
		f(c)
	}
	routeOf := func(r *http.Request) string { return r.URL.Path }
	refuse := func(w http.ResponseWriter, _ *http.Request, err error) {
		p := problem.Of(err, "id")
		w.Header().Set("Retry-After", p.RetrySeconds())
		w.Header().Set("Code", string(p.Code))
		w.WriteHeader(p.Status)
		_, _ = io.WriteString(w, p.Detail+". "+p.Fix)
	}
	serve := c.OnDuty(log, routeOf, refuse)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, under := store.LeaseOf(r.Context())
		fmt.Fprintf(w, "here, under the lease: %v", under)
	}))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "id")
		w.Header().Set("Ratelimit", "front")
		serve.ServeHTTP(&wire.Recorder{ResponseWriter: w, Call: wire.Call{ID: "id"}}, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// behind starts the replica on duty.
func behind(t *testing.T, serve http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func send(t *testing.T, method, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(t, err)
	read, err := io.ReadAll(answer.Body)
	require.NoError(t, errors.Join(err, answer.Body.Close()))
	return answer, string(read)
}

// Verifies: ORC-357
func TestWhatIsServedHere(t *testing.T) {
	d := &duty{on: true}
	s := front(t, d, newLog(1))
	_, body := send(t, "POST", s.URL+alone, "")
	require.Equal(t, "here, under the lease: true", body, "the replica on duty serves it, with the lease")
	d.set(false, "", nil)
	_, body = send(t, "POST", s.URL+"/requirements/{id}", "")
	require.Equal(t, "here, under the lease: false", body, "every replica takes changes")
	_, body = send(t, "GET", s.URL+alone, "")
	require.Equal(t, "here, under the lease: false", body, "only the method of the table is passed on")
	require.Zero(t, d.asked.Load())
}

// Verifies: ORC-358
func TestARequestIsPassedOnAsItCame(t *testing.T) {
	got := make(chan *http.Request, 1)
	s := behind(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		got <- r
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		w.Header().Set("Ratelimit", "behind")
		w.Header().Set("ETag", `"7"`)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "from behind")
	})
	to := front(t, &duty{holder: s.URL}, newLog(1))
	answer, body := send(t, "POST", to.URL+alone+"?plan=true&%zz", `{"max_steps":1}`, "Authorization", "Bearer t",
		"Idempotency-Key", "k", "Cookie", "orchestrator_session=s", "Sec-Fetch-Site", "same-origin", "Origin", to.URL,
		"X-Forwarded-For", "192.0.2.7", "Expect", "100-continue", LeastSize, "1", "Content-Type", "application/json")
	require.Equal(t, http.StatusTeapot, answer.StatusCode)
	require.Equal(t, "from behind", body)
	require.Equal(t, []string{"id"}, answer.Header["X-Request-Id"])
	require.Equal(t, []string{"front"}, answer.Header["Ratelimit"], "the limit of the replica that was asked")
	require.Equal(t, `"7"`, answer.Header.Get("ETag"))

	r := <-got
	sent, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Equal(t, `{"max_steps":1}`, string(sent))
	require.Equal(t, "POST "+alone+"?plan=true&%zz", r.Method+" "+r.RequestURI)
	require.Equal(t, strings.TrimPrefix(s.URL, "http://"), r.Host)
	for name, want := range map[string]string{
		"Authorization": "Bearer t", "Idempotency-Key": "k", "Content-Type": "application/json",
		Forwarded: "front", "X-Request-Id": "id", "X-Forwarded-For": "192.0.2.7, 127.0.0.1",
		"Cookie": "", "Sec-Fetch-Site": "", "Origin": "", "Expect": "", LeastSize: "",
	} {
		require.Equal(t, want, r.Header.Get(name), name)
	}
}

// A limit that is reached behind is told as it is there.
func TestTheLimitBehindIsTold(t *testing.T) {
	s := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Ratelimit", "behind")
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	answer, _ := send(t, "POST", front(t, &duty{holder: s.URL}, newLog(1)).URL+alone, "")
	require.Equal(t, http.StatusTooManyRequests, answer.StatusCode)
	require.Equal(t, []string{"behind"}, answer.Header["Ratelimit"])
	require.Equal(t, "3", answer.Header.Get("Retry-After"))
}

// What was done behind is published here before it is told: the next read here shows it.
//
// Verifies: ORC-358
func TestWhatWasDoneBehindIsPublishedHereFirst(t *testing.T) {
	s := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Audit-Receipt", "size=9, index=8, root=:x:")
	})
	log := newLog(7)
	to := front(t, &duty{holder: s.URL}, log)
	go func() {
		time.Sleep(20 * time.Millisecond)
		log.grow(1, nil)
		time.Sleep(20 * time.Millisecond)
		log.grow(1, nil)
	}()
	send(t, "POST", to.URL+alone, "")
	require.EqualValues(t, 9, log.Head().Size)
	begun := time.Now()
	log.mu.Lock()
	log.size = 7
	log.mu.Unlock()
	answer, _ := send(t, "POST", to.URL+alone, "")
	require.Equal(t, http.StatusOK, answer.StatusCode, "it is told all the same")
	require.GreaterOrEqual(t, time.Since(begun), reachTime)
}

// Verifies: ORC-358
func TestAnAnswerIsPassedBackAsItComes(t *testing.T) {
	more := make(chan struct{})
	s := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := range 3 {
			fmt.Fprintln(w, i)
			_ = http.NewResponseController(w).Flush()
			<-more
		}
	})
	answer, err := http.Post(front(t, &duty{holder: s.URL}, newLog(1)).URL+alone, "", nil)
	require.NoError(t, err)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for i := range 3 {
		require.True(t, lines.Scan())
		require.Equal(t, fmt.Sprint(i), lines.Text())
		more <- struct{}{}
	}
	require.False(t, lines.Scan())
	require.NoError(t, lines.Err())
}

// Verifies: ORC-358
func TestWhoHangsUpHangsUpBehind(t *testing.T) {
	begun, gone := make(chan struct{}), make(chan struct{})
	s := behind(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(gone)
	})
	ctx, hangUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", front(t, &duty{holder: s.URL}, newLog(1)).URL+alone, nil)
	require.NoError(t, err)
	go func() {
		<-begun
		hangUp()
	}()
	_, err = http.DefaultTransport.RoundTrip(r)
	require.ErrorIs(t, err, context.Canceled)
	select {
	case <-gone:
	case <-time.After(time.Minute):
		require.Fail(t, "the replica on duty goes on for nobody")
	}
}

// refused sends a request that is not carried out, and returns why.
func refused(t *testing.T, url string, headers ...string) (code, text string) {
	t.Helper()
	answer, body := send(t, "POST", url+alone, "", headers...)
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Equal(t, "1", answer.Header.Get("Retry-After"))
	return answer.Header.Get("Code"), body
}

// Verifies: ORC-357
func TestWithoutAReplicaOnDutyNothingIsDone(t *testing.T) {
	d := &duty{}
	to := front(t, d, newLog(1), func(c *Config) { c.URL = "https://lb.example.org" }).URL
	for _, c := range []struct {
		holder string
		err    error
		want   string
	}{
		{"https://lb.example.org", nil, "start each replica with an --advertise of its own"},
		{"", nil, "no replica is on duty"},
		{"", errors.New("no route to 10.0.0.7"), "it is not known which replica is on duty"},
		{"unix:/run/orchestrator.sock", nil, "answers at an address that others cannot reach"},
		{"http://", nil, "has no usable address"},
	} {
		time.Sleep(2 * fresh)
		d.set(false, c.holder, c.err)
		code, text := refused(t, to)
		require.Equal(t, "duty_vacant", code)
		require.Contains(t, text, c.want)
		require.Contains(t, text, "nothing was done")
		require.NotContains(t, text, "10.0.0.7")
	}
}

// Verifies: ORC-357
func TestARequestIsPassedOnOnce(t *testing.T) {
	d := &duty{}
	s := front(t, d, newLog(1))
	d.set(false, s.URL, nil) // it is said to be on duty, and does not know of it
	code, text := refused(t, s.URL)
	require.Equal(t, "duty_vacant", code)
	require.Contains(t, text, "the duty has passed to another replica")
	require.EqualValues(t, 1, d.asked.Load())
}

// Verifies: ORC-359
func TestWhatIsSaidOfARequestThatGotNoAnswer(t *testing.T) {
	cut := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		_ = conn.Close()
	})
	d := &duty{holder: cut.URL}
	to := front(t, d, newLog(1)).URL
	code, text := refused(t, to)
	require.Equal(t, "duty_unreachable", code)
	require.Contains(t, text, "whether the request was carried out is unknown")
	require.Contains(t, text, "Idempotency-Key")

	reset := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).SetLinger(0))
		_ = conn.Close()
	})
	time.Sleep(2 * fresh)
	d.set(false, reset.URL, nil)
	_, text = refused(t, to)
	require.Contains(t, text, "whether the request was carried out is unknown")

	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, nobody.Close())
	time.Sleep(2 * fresh)
	d.set(false, "http://"+nobody.Addr().String(), nil)
	code, text = refused(t, to)
	require.Equal(t, "duty_unreachable", code)
	require.Contains(t, text, "nothing was done")
}

// An answer that breaks off does so for the client as well.
//
// Verifies: ORC-359
func TestHalfAnAnswerIsNotTakenForAWholeOne(t *testing.T) {
	s := behind(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	answer, err := http.Post(front(t, &duty{holder: s.URL}, newLog(1)).URL+alone, "", nil)
	require.NoError(t, err)
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	require.Equal(t, "half", string(read))
	require.Error(t, err)
}

// A replica that hangs and has lost its duty keeps nobody waiting.
//
// Verifies: ORC-359
func TestAReplicaThatLostItsDutyIsNotWaitedFor(t *testing.T) {
	begun := make(chan struct{})
	s := behind(t, func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	})
	d := &duty{holder: s.URL}
	to := front(t, d, newLog(1)).URL
	go func() {
		<-begun
		d.set(false, "http://127.0.0.1:1", nil)
	}()
	code, text := refused(t, to)
	require.Equal(t, "duty_unreachable", code)
	require.Contains(t, text, "is unknown")
}

func TestAClientThatIsGoneIsNotToldOfTheReplica(t *testing.T) {
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	err := (&passing{}).failed(gone, &sentBody{}, gone.Err())
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, fault.As(err))
}

// What is wrong with a body is told as it is where the request is served.
func TestABodyThatCannotBeReadIsTheClientsFault(t *testing.T) {
	s := behind(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) })
	to := front(t, &duty{holder: s.URL}, newLog(1))
	conn, err := net.Dial("tcp", to.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n", alone)
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, "body_incomplete", answer.Header.Get("Code"))
	require.Equal(t, http.StatusBadRequest, answer.StatusCode)
}

// Many requests at once ask once who is on duty.
func TestManyRequestsAskOnceWhoIsOnDuty(t *testing.T) {
	d := &duty{holder: "http://a", takes: 20 * time.Millisecond}
	var s seen
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			url, err := s.holder(t.Context(), d, time.Minute)
			require.NoError(t, err)
			require.Equal(t, "http://a", url)
		})
	}
	all.Wait()
	require.EqualValues(t, 1, d.asked.Load())
	d.set(false, "http://b", nil)
	time.Sleep(2 * time.Millisecond)
	url, err := s.holder(t.Context(), d, time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, "http://b", url)
}

// Verifies: ORC-359
func TestWhatIsSaidOfWorkThatLostTheDuty(t *testing.T) {
	other := errors.New("other")
	require.Equal(t, other, Told(t.Context(), other))
	require.NoError(t, Told(t.Context(), nil))
	require.True(t, fault.Is(Told(t.Context(), fmt.Errorf("it was not committed: %w", store.ErrFenced)), "duty_lost"))
	work, end := context.WithCancelCause(t.Context())
	end(store.ErrFenced)
	require.True(t, fault.Is(Told(work, work.Err()), "duty_lost"))
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	require.ErrorIs(t, Told(gone, gone.Err()), context.Canceled)
	require.Nil(t, fault.As(Told(gone, gone.Err())))
}

// What a database says of itself is for the log; clients are told codes that they can look up.
//
// Verifies: ORC-356
func TestWhatTheDatabaseSaysIsForTheLog(t *testing.T) {
	for code, kind := range map[fault.Code]fault.Kind{
		"store_statement": fault.Unavailable, "store_rights": fault.Unavailable, "store_unreachable": fault.Unavailable,
		"store_full": fault.InsufficientStorage,
	} {
		said := fault.New(kind, code, "db.example.org:5432/shop: no").After(7 * time.Second)
		told := fault.As(Told(t.Context(), said))
		require.Equal(t, kind == fault.InsufficientStorage, told.Code == "disk_full", code)
		require.Equal(t, kind == fault.Unavailable, told.Code == "store_unreachable", code)
		require.NotContains(t, told.Detail+told.Fix, "example.org")
		require.ErrorIs(t, told, error(said), "the log has it")
		if kind == fault.Unavailable {
			require.Equal(t, 7*time.Second, told.RetryAfter)
		}
	}
	for _, as := range []error{
		fault.New(fault.Conflict, "gate_unmet", "no"), fault.New(fault.Internal, "store_of_nobody", "no"),
		unasked(), fault.New(fault.Unavailable, "ledger_failed", "no").ForClients(),
	} {
		require.Equal(t, as, Told(t.Context(), as))
	}
}

// unasked is what is said of a read that could not ask.
func unasked() error {
	log := newLog(1)
	log.cut = errors.New("cut")
	return (&Config{Log: log}).Latest(context.Background(), true)
}
