package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/system/outbound"
)

// answering is a server on the loopback, and the call that reaches it.
func answering(t *testing.T, handler http.HandlerFunc) HTTP {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return HTTP{URL: server.URL + "/x", AllowLoopback: true, Timeout: time.Minute}
}

func answerJSON(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, text)
}

func TestACall(t *testing.T) {
	h := answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept") != "application/json" || r.Header.Get("X-Key") != "k" {
			w.WriteHeader(http.StatusTeapot)
		}
		answerJSON(w, `{"got":`+string(body)+`}`)
	})
	h.Header = map[string]string{"X-Key": "k", "Content-Type": "text/plain", "Accept": "*/*"}
	r, err := h.Run(t.Context(), []byte(`{"a":1}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"got":{"a":1}}`, string(r.Stdout))
	require.Equal(t, 200, r.Exit)
	require.Positive(t, r.Took)
}

// The body of an answer 101 is the connection itself, which the end of the call does not close.
func TestAnotherProtocolIsNoAnswer(t *testing.T) {
	h := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			t.Cleanup(func() { _ = conn.Close() })
		}
	})
	_, err := h.Run(t.Context(), nil)
	require.ErrorContains(t, err, "answered 101 Switching Protocols")
}

func TestAnEmptyAnswerNeedsNoType(t *testing.T) {
	h := answering(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	h.Method = http.MethodDelete
	r, err := h.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, r.Stdout)
	require.Equal(t, 204, r.Exit)
}

func TestNoProxyIsTakenFromTheEnvironment(t *testing.T) {
	proxy := answering(t, func(w http.ResponseWriter, r *http.Request) { answerJSON(w, `"proxy"`) })
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("ALL_PROXY", proxy.URL)
	require.Nil(t, HTTP{}.transport(nil).Proxy) // the library reads the environment once for all, so that a call alone shows nothing
	r, err := answering(t, func(w http.ResponseWriter, r *http.Request) { answerJSON(w, `"server"`) }).Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, `"server"`, string(r.Stdout))
}

func TestWhatAServerMayNotAnswer(t *testing.T) {
	long := strings.Repeat("because ", 100)
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		code    string
		detail  string
	}{
		"500": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, "\x1b[31m"+long)
		}, "tool_status", "500 Internal Server Error: [31mbecause because"},
		"404":  {http.NotFound, "tool_status", "404 Not Found: 404 page not found"},
		"304":  {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) }, "tool_status", "304"},
		"HTML": {func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<html>") }, "tool_answer_not_json", "text/html"},
		"no type": {func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "1")
		}, "tool_answer_not_json", ""},
		"too much": {func(w http.ResponseWriter, r *http.Request) {
			answerJSON(w, strings.Repeat(" ", 1<<20)+"1")
		}, "tool_output_too_large", "1048576"},
		"a bomb": {bomb, "tool_output_too_large", "1048576"},
		"a large error": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(500)
			bomb(w, r)
		}, "tool_status", "500"},
		"endless headers": {func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "tool_unreachable", ""},
		"a broken body": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "9")
			answerJSON(w, "1")
		}, "tool_unreachable", ""},
		"hanging up": {func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "tool_unreachable", ""},
		"an unknown gzip": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			answerJSON(w, "1")
		}, "tool_unreachable", ""},
		"redirect to ftp":  {redirect("ftp://127.0.0.1/"), "redirect_refused", ""},
		"redirect nowhere": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(302) }, "tool_status", "302"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := answering(t, c.handler).Run(t.Context(), nil)
			f := refusal(t, err, c.code)
			require.Contains(t, f.Detail, c.detail)
			require.LessOrEqual(t, len(f.Detail), 600)
			require.NotContains(t, f.Detail, "\x1b")
			require.Empty(t, r.Stdout)
		})
	}
}

// unpacked is how much a bomb amounts to, of less than 2 MiB.
const unpacked = 1000 << 20

// packed is 1 MiB of zeros; a thousand of them one after the other are one answer.
var packed = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	return b.Bytes()
})

func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	_ = explode(w)
}

func explode(w io.Writer) error {
	for range unpacked >> 20 {
		if _, err := w.Write(packed()); err != nil {
			return err
		}
	}
	return nil
}

// A bomb is unpacked up to the cap, and no further: neither memory nor what is read of it goes by what it amounts to.
func TestABombIsNotUnpacked(t *testing.T) {
	h := answering(t, bomb)
	for _, most := range []int64{0, 3 << 20} {
		h.MaxBody = most
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := h.Run(t.Context(), nil)
		runtime.ReadMemStats(&after)
		refusal(t, err, "tool_output_too_large")
		require.Empty(t, r.Stdout)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10*atMost(most)))
	}
	require.Less(t, len(packed())*(unpacked>>20), 2<<20)
}

// A thousand bombs in one answer are more than lies in the buffers between: who reads on would read all of them.
func TestABombIsNotReadToItsEnd(t *testing.T) {
	const bombs = 1000
	sent := make(chan int, 1)
	h := answering(t, func(w http.ResponseWriter, r *http.Request) {
		bomb(w, r)
		n := 1
		for n < bombs && explode(w) == nil {
			n++
		}
		sent <- n
	})
	_, err := h.Run(t.Context(), nil)
	refusal(t, err, "tool_output_too_large")
	require.Less(t, <-sent, bombs/10)
}

func TestTheCapIsExact(t *testing.T) {
	h := answering(t, func(w http.ResponseWriter, r *http.Request) { answerJSON(w, "12345") })
	h.MaxBody = 5
	_, err := h.Run(t.Context(), nil)
	require.NoError(t, err)
	h.MaxBody = 4
	_, err = h.Run(t.Context(), nil)
	refusal(t, err, "tool_output_too_large")
}

func TestSlowServers(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"never answers": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"trickles": func(w http.ResponseWriter, r *http.Request) {
			answerJSON(w, "[")
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		},
		"goes in circles": func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(150 * time.Millisecond)
			http.Redirect(w, r, "/again", http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := answering(t, handler)
			h.Timeout = 200 * time.Millisecond
			r, err := h.Run(t.Context(), nil)
			refusal(t, err, "tool_timeout")
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Less(t, r.Took, longest)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := HTTP{URL: "http://127.0.0.1:1", AllowLoopback: true}.Run(ctx, nil)
	refusal(t, err, "tool_cancelled")
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}

func hostOf(t *testing.T, h HTTP) string {
	t.Helper()
	u, err := url.Parse(h.URL)
	require.NoError(t, err)
	return u.Host
}

func TestRedirects(t *testing.T) {
	var reached atomic.Int64
	other := answering(t, func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		answerJSON(w, strconv.Quote(r.Header.Get("X-Key")+r.Header.Get("Authorization")+r.Header.Get("Referer")))
	})
	h := answering(t, redirect(other.URL))
	h.Header = map[string]string{"X-Key": "secret", "Authorization": "secret"}
	_, err := h.Run(t.Context(), []byte("{}"))
	require.Contains(t, refusal(t, err, "redirect_refused").Detail, hostOf(t, other))
	require.Zero(t, reached.Load())

	h.Hosts = []string{hostOf(t, other)}
	r, err := h.Run(t.Context(), []byte("{}"))
	require.NoError(t, err)
	require.Equal(t, `""`, string(r.Stdout), "another host gets no credentials")

	for _, to := range []string{"http://169.254.169.254/latest/meta-data/", "http://localhost:1/", "//[::1]:9/"} {
		h := answering(t, redirect(to))
		_, err := h.Run(t.Context(), nil)
		refusal(t, err, "redirect_refused")
		u, _ := url.Parse("http:" + strings.TrimPrefix(to, "http:"))
		h.Hosts, h.AllowLoopback = []string{outbound.HostPort(u)}, true
		if u.Hostname() == "169.254.169.254" {
			_, err = h.Run(t.Context(), nil)
			refusal(t, err, "host_refused")
		}
	}
}

func TestAtMostThreeHops(t *testing.T) {
	h := answering(t, func(w http.ResponseWriter, r *http.Request) {
		left, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if left > 0 {
			http.Redirect(w, r, "/"+strconv.Itoa(left-1), http.StatusFound)
			return
		}
		answerJSON(w, "1")
	})
	h.URL = strings.TrimSuffix(h.URL, "x") + "3"
	_, err := h.Run(t.Context(), nil)
	require.NoError(t, err)
	h.URL = strings.TrimSuffix(h.URL, "3") + "4"
	_, err = h.Run(t.Context(), nil)
	refusal(t, err, "redirect_refused")
}

func TestTLS(t *testing.T) {
	serve := func(most uint16, handler http.HandlerFunc) HTTP {
		server := httptest.NewUnstartedServer(handler)
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: most}
		server.Config.ErrorLog = nil
		server.StartTLS()
		t.Cleanup(server.Close)
		pool := x509.NewCertPool()
		pool.AddCert(server.Certificate())
		return HTTP{URL: server.URL, AllowLoopback: true, roots: &tls.Config{RootCAs: pool}}
	}
	one := func(w http.ResponseWriter, r *http.Request) { answerJSON(w, "1") }
	for version, good := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		_, err := serve(version, one).Run(t.Context(), nil)
		require.Equal(t, good, err == nil, "%v", err)
	}
	h := serve(tls.VersionTLS13, one)
	h.roots = nil
	_, err := h.Run(t.Context(), nil)
	require.Contains(t, refusal(t, err, "tool_unreachable").Detail, "certificate")

	plain := answering(t, one)
	h = serve(tls.VersionTLS13, redirect(plain.URL))
	h.Hosts = []string{hostOf(t, plain)}
	_, err = h.Run(t.Context(), nil)
	require.Contains(t, refusal(t, err, "redirect_refused").Detail, "plain text")
}

func TestCallsThatCannotBeMade(t *testing.T) {
	for name, h := range map[string]HTTP{
		"no URL":       {},
		"file":         {URL: "file:///etc/passwd"},
		"no host":      {URL: "http:///x"},
		"password":     {URL: "http://a:b@example.com"},
		"bad URL":      {URL: "http://a b"},
		"bad method":   {URL: "http://example.com", Method: "A B"},
		"no port":      {URL: "http://example.com", Hosts: []string{"example.com"}},
		"port 0":       {URL: "http://example.com", Hosts: []string{"example.com:0"}},
		"port too big": {URL: "http://example.com", Hosts: []string{"example.com:65536"}},
		"no name":      {URL: "http://example.com", Hosts: []string{":80"}},
	} {
		_, err := h.Run(t.Context(), nil)
		require.NotNil(t, refusal(t, err, "tool_undeclared"), name)
	}
}

func TestCallsLeaveNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answerJSON(w, "1") }))
	for range 50 {
		_, err := HTTP{URL: server.URL, AllowLoopback: true}.Run(t.Context(), nil)
		require.NoError(t, err)
	}
	server.Close()
	goleak.VerifyNone(t)
}
