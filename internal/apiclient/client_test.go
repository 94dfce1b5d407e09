package apiclient

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

const secret = "orc_s3cret"

func tokenFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// ask sends GET /thing?a=b to a server with this handler.
func ask(t *testing.T, handler http.HandlerFunc) (map[string]any, []byte, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := New(Options{Server: server.URL + "/base/", TokenFile: tokenFile(t, secret+"\n"), UserAgent: "orchestrator/test"})
	require.NoError(t, err)
	var v map[string]any
	raw, err := c.GetJSON(t.Context(), "/requirements/A%2FB/review", &v)
	return v, raw, err
}

func codeOf(t *testing.T, err error) string {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.NotEmpty(t, f.Fix)
	require.NotContains(t, err.Error(), secret)
	return string(f.Code)
}

func TestGet(t *testing.T) {
	v, raw, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "GET /base/requirements/A%2FB/review", r.Method+" "+r.URL.EscapedPath())
		require.Equal(t, "Bearer "+secret, r.Header.Get("Authorization"))
		require.Equal(t, "orchestrator/test", r.Header.Get("User-Agent"))
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte(`{"a":1}`))
	})
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(raw))
	require.Equal(t, map[string]any{"a": 1.0}, v)
}

func TestProblemsComeBackAsFaults(t *testing.T) {
	for status, kind := range map[int]fault.Kind{401: fault.Unauthenticated, 404: fault.NotFound, 429: fault.RateLimited, 418: fault.Internal} {
		_, _, err := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"code":"unknown_id","detail":"there is no REQ-9","fix":"did you mean REQ-8?","errors":[{"pointer":"/id","detail":"unknown"}]}`))
		})
		require.ErrorIs(t, err, kind)
		require.Equal(t, "unknown_id", codeOf(t, err))
		require.EqualError(t, err, "there is no REQ-9; /id: unknown (did you mean REQ-8?)")
	}
}

func TestStrangers(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"a page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<p>welcome`))
		},
		"another shape": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`[1]`))
		},
		"twice the same name": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"a":1,"a":2}`))
		},
		"an empty problem": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusBadGateway)
		},
		"a problem without code": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte(`{"detail":"no upstream"}`))
		},
		"JSON that is no success": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte(`{}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(t, handler)
			require.Equal(t, "unexpected_answer", codeOf(t, err))
		})
	}
}

// The token goes to the server that was named and to no other.
func TestRedirectsAreNotFollowed(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	t.Cleanup(other.Close)
	_, _, err := ask(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, http.StatusFound) })
	require.Equal(t, "unexpected_answer", codeOf(t, err))
	require.False(t, asked)
}

func TestNobodyAnswers(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	c, err := New(Options{Server: server.URL, TokenFile: tokenFile(t, secret)})
	require.NoError(t, err)
	_, err = c.GetJSON(t.Context(), "/project/review", new(any))
	require.Equal(t, string(CodeNotRunning), codeOf(t, err))

	_, _, err = ask(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(`{"a":`))
	})
	require.Equal(t, "server_unreachable", codeOf(t, err), "an answer that breaks off")
}

// A server that hangs, before it answers or in the middle of it, is not waited for longer than was said.
func TestAServerThatHangs(t *testing.T) {
	for name, begin := range map[string]string{"at once": "", "in the middle": `{"a":`} {
		over := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if begin != "" {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(begin))
				w.(http.Flusher).Flush()
			}
			select {
			case <-over:
			case <-r.Context().Done():
			}
		}))
		c, err := New(Options{Server: server.URL, TokenFile: tokenFile(t, secret), Timeout: 200 * time.Millisecond})
		require.NoError(t, err)
		begun := time.Now()
		_, err = c.GetJSON(t.Context(), "/project/review", new(any))
		require.Less(t, time.Since(begun), time.Minute, name)
		require.Equal(t, "server_timeout", codeOf(t, err), name)
		require.Contains(t, err.Error(), "within 200ms")
		require.Contains(t, err.Error(), "--timeout")
		close(over)
		server.Close()
	}
}

func TestWrongOptions(t *testing.T) {
	good := tokenFile(t, secret)
	for _, server := range []string{"", "localhost\x00", "me:" + secret + "@a:1", "a:1/b", "ftp://a", "http://", "http://me:" + secret + "@a", "http://a?token=x", "http://a#b", "http://a b"} {
		_, err := New(Options{Server: server, TokenFile: good})
		require.Equal(t, "server_url", codeOf(t, err), server)
	}
	for _, content := range []string{"", " \n", secret + "\nsecond", "a\x00b", strings.Repeat("a", maxToken+1)} {
		_, err := New(Options{Server: "http://a", TokenFile: tokenFile(t, content)})
		require.Equal(t, "token_file", codeOf(t, err))
	}
	_, err := New(Options{Server: "http://a", TokenFile: filepath.Join(t.TempDir(), "none")})
	require.Equal(t, "token_file", codeOf(t, err))
	_, err = New(Options{Server: "http://a", TokenFile: good, Timeout: -1})
	require.Equal(t, "usage", codeOf(t, err))
}

func TestItWaitsWhenItAsksTooOften(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("at last"))
	}))
	defer server.Close()
	c, err := New(Options{Server: server.URL, TokenFile: tokenFile(t, secret)})
	require.NoError(t, err)
	body, err := c.Get(t.Context(), "/audit/checkpoint", "text/plain")
	require.NoError(t, err)
	require.Equal(t, "at last", string(body))
	require.EqualValues(t, 2, asked.Load())

	asked.Store(0)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = c.Get(ctx, "/audit/checkpoint", "text/plain")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A server that asks to wait before each answer cannot keep a command busy for hours: answers in between earn it nothing.
func TestAllWaitingIsBounded(t *testing.T) {
	var asked atomic.Int32
	retry := "1"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1)%2 == 1 {
			w.Header().Set("Retry-After", retry)
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
	}))
	defer server.Close()
	newClient := func() *Client {
		c, err := New(Options{Server: server.URL, TokenFile: tokenFile(t, secret)})
		require.NoError(t, err)
		require.Equal(t, 10*time.Minute, c.mostWaiting)
		return c
	}
	c := newClient()
	c.mostWaiting = time.Second
	_, err := c.Get(t.Context(), "/", "text/plain")
	require.NoError(t, err)
	_, err = c.Get(t.Context(), "/", "text/plain")
	require.Equal(t, string(CodeSlow), codeOf(t, err))
	require.ErrorContains(t, err, "more than 1s")
	require.EqualValues(t, 3, asked.Load(), "it does not wait when it may not")

	asked.Store(0)
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = c.Get(limited, "/", "text/plain")
	require.NoError(t, err, "a deadline is the bound where there is one")

	asked.Store(0)
	c, retry = newClient(), "60"
	c.mostWaiting = time.Minute - 1
	_, err = c.Get(t.Context(), "/", "text/plain")
	require.Equal(t, string(CodeSlow), codeOf(t, err))
}

func TestAnswersAreBounded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte(strings.Repeat("x", 1024+len(r.URL.RawQuery))))
	}))
	defer server.Close()
	c, err := New(Options{Server: server.URL, TokenFile: tokenFile(t, secret), MaxAnswer: 1024})
	require.NoError(t, err)
	_, err = c.Get(t.Context(), "/", "text/plain")
	require.NoError(t, err)
	_, err = c.Get(t.Context(), "/?x", "text/plain")
	require.Equal(t, string(CodeTooLarge), codeOf(t, err))
	require.ErrorContains(t, err, "/?x has more than 1 KiB")
	_, err = c.GetAtMost(t.Context(), "/", "text/plain", 1023)
	require.Equal(t, string(CodeTooLarge), codeOf(t, err))
	_, err = c.GetAtMost(t.Context(), "/?x", "text/plain", 4096)
	require.Equal(t, string(CodeTooLarge), codeOf(t, err), "the smaller of the two limits holds")
}
