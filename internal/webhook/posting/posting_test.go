package posting_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/outbound"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/posting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	key     = strings.Repeat("k", 32)
	message = posting.Message{ID: "msg_1", At: time.Unix(1700000000, 5), Body: []byte(`{"kind":"requirement.changed"}`)}
)

// post sends the message to a receiver.
func post(t *testing.T, receiver http.HandlerFunc) posting.Outcome {
	t.Helper()
	server := httptest.NewServer(receiver)
	defer server.Close()
	return posting.Sender{Agent: "orchestrator/test"}.Post(t.Context(), hook.Hook{Name: "ops", URL: server.URL + "/in?key=hidden"},
		hook.Secrets{[]byte(key)}, message)
}

// The receiver checks as the specification says.
//
// Verifies: ORC-322
func TestAReceiverCanCheckAMessage(t *testing.T) {
	o := post(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(r.Header.Get("webhook-id") + "." + r.Header.Get("webhook-timestamp") + "." + string(body)))
		switch {
		case err != nil, r.Method != http.MethodPost, r.URL.Path != "/in", r.URL.Query().Get("key") != "hidden",
			r.Header.Get("Content-Type") != "application/json", r.Header.Get("User-Agent") != "orchestrator/test",
			r.Header.Get("webhook-timestamp") != "1700000000", string(body) != string(message.Body),
			r.Header.Get("webhook-signature") != "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)):
			http.Error(w, "no", http.StatusUnauthorized)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	require.NoError(t, o.Err)
	require.Equal(t, http.StatusNoContent, o.Status)
	require.Positive(t, o.Took)
}

// Verifies: ORC-321, ORC-323
func TestWhatOneTryComesTo(t *testing.T) {
	var led atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
	defer elsewhere.Close()
	status := func(code int, header, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header, value)
			w.WriteHeader(code)
			_, _ = w.Write([]byte("said \x1b[31m" + strings.Repeat("so ", 1000)))
		}
	}
	for name, c := range map[string]struct {
		receiver http.HandlerFunc
		status   int
		wait     time.Duration
		says     string
	}{
		"200":                {status(200, "X", ""), 200, 0, ""},
		"299":                {status(299, "X", ""), 299, 0, ""},
		"500":                {status(500, "X", ""), 500, 0, "answered 500 Internal Server Error: said [31mso so"},
		"410":                {status(410, "X", ""), 410, 0, "410 Gone"},
		"429, with a time":   {status(429, "Retry-After", "120"), 429, 2 * time.Minute, "429"},
		"429, with a year":   {status(429, "Retry-After", "31536000"), 429, 24 * time.Hour, "429"},
		"503, with a date":   {status(503, "Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"), 503, 0, "503"},
		"to metadata":        {status(307, "Location", "http://169.254.169.254/latest/"), 307, 0, "redirects are not followed"},
		"to a server nearby": {status(302, "Location", elsewhere.URL), 302, 0, "redirects are not followed"},
		"100 MB": {func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
			t.Error("somebody reads all of it")
		}, 200, 0, ""},
		"100 MB of refusal": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			for range 100 {
				if _, err := w.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
			t.Error("somebody reads all of it")
		}, 400, 0, "400 Bad Request"},
		"headers without end": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		}, 0, 0, "did not answer"},
		"another protocol": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil { // and it never closes the connection
				_, _ = conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"))
				t.Cleanup(func() { _ = conn.Close() })
			}
		}, 101, 0, "answered 101"},
		"reset": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			}
		}, 0, 0, "did not answer"},
	} {
		o := post(t, c.receiver)
		require.Equal(t, c.status, o.Status, name)
		require.Equal(t, c.wait, o.Wait, name)
		require.Equal(t, c.status == 410, o.Gone(), name)
		if c.says == "" {
			require.NoError(t, o.Err, name)
			continue
		}
		require.True(t, fault.Is(o.Err, posting.CodeFailed), name)
		require.ErrorContains(t, o.Err, c.says, name)
		require.NotContains(t, o.Err.Error(), "hidden", name)
		require.Less(t, len(o.Err.Error()), 400, name)
		require.NotContains(t, o.Err.Error(), "\x1b", name)
	}
	require.Zero(t, led.Load())
}

func TestAReceiverThatHangs(t *testing.T) {
	free := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-free }))
	defer server.Close()
	defer close(free)
	h := hook.Hook{Name: "ops", URL: server.URL}
	o := posting.Sender{Patience: 50 * time.Millisecond}.Post(t.Context(), h, hook.Secrets{[]byte(key)}, message)
	require.ErrorContains(t, o.Err, "did not answer within 50ms")

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	o = posting.Sender{Patience: time.Hour}.Post(ctx, h, hook.Secrets{[]byte(key)}, message)
	require.Error(t, o.Err, "the end of the service ends a try")
}

// Verifies: ORC-321
func TestWhomAHookLeadsTo(t *testing.T) {
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	for _, c := range []struct {
		url     string
		allow   []string
		refused string
	}{
		{"http://127.0.0.1:" + port, nil, ""},
		{"http://localhost:" + port, nil, ""},
		{"http://hooks.example.com:" + port, nil, "127.0.0.1:" + port + " is loopback"},
		{"http://hooks.example.com:" + port, []string{"127.0.0.1:" + port}, "127.0.0.1:" + port + " is loopback"},
		{"http://169.254.169.254/latest", []string{"169.254.169.254:80"}, "is a metadata address"},
		{"http://[fe80::1]/", nil, "is link-local"},
		{"http://0.0.0.0:" + port, nil, "is unspecified"},
	} {
		o := posting.Sender{Dial: outbound.Dialling{Resolver: always(t, "127.0.0.1")}, Patience: time.Minute}.Post(t.Context(),
			hook.Hook{URL: c.url, Allow: c.allow}, hook.Secrets{[]byte(key)}, message)
		if c.refused == "" {
			require.NoError(t, o.Err, c.url)
			continue
		}
		require.True(t, fault.Is(o.Err, outbound.CodeRefused), "%s: %v", c.url, o.Err)
		require.ErrorContains(t, o.Err, c.refused)
		require.Contains(t, fault.As(o.Err).Fix, "--allow-address")
		byDigits := !strings.Contains(c.url, "example.com")
		require.Equal(t, byDigits, posting.Check(hook.Hook{URL: c.url, Allow: c.allow}) != nil, "it is known before")
	}
	require.EqualValues(t, 2, reached.Load())
}

// A name may lead to a private address only if the very address is named.
//
// Verifies: ORC-321
func TestAPrivateAddressHasToBeNamed(t *testing.T) {
	for _, c := range []struct {
		allow []string
		code  fault.Code
	}{{nil, outbound.CodeRefused}, {[]string{"10.255.255.1:81"}, outbound.CodeRefused}, {[]string{"10.255.255.1:80"}, posting.CodeFailed}} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		sender := posting.Sender{Dial: outbound.Dialling{Resolver: always(t, "10.255.255.1")}}
		o := sender.Post(ctx, hook.Hook{URL: "http://hooks.example.com", Allow: c.allow}, hook.Secrets{[]byte(key)}, message)
		cancel()
		require.True(t, fault.Is(o.Err, c.code), "%v: %v", c.allow, o.Err)
	}
}

// always is a resolver by which every name leads to one address.
func always(t *testing.T, address string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buffer := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			end := 12
			for end < n && buffer[end] != 0 { // over the name, label by label
				end += int(buffer[end]) + 1
			}
			end += 5 // its end, type and class
			answer := append([]byte{buffer[0], buffer[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, buffer[12:end]...)
			if buffer[end-3] == 1 { // A
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				answer = append(answer, net.ParseIP(address).To4()...)
			}
			_, _ = conn.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}
