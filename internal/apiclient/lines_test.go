package apiclient

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

const typeLines = "application/x-ndjson"

// asking is a client of a server with this handler; an answer has to begin within the time, which is a minute where it is 0.
func asking(t *testing.T, within time.Duration, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a server learns that nobody reads when it has read all itself
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	c, err := New(Options{Server: server.URL, TokenFile: tokenFile(t, secret), UserAgent: "orchestrator/test", Timeout: within})
	require.NoError(t, err)
	return c
}

// lines asks for lines, and keeps them.
func lines(c *Client) (got []string, err error) {
	err = c.PostLines(context.Background(), "/drive?x=1", typeLines, []byte(`{"a":1}`), func(line []byte) error {
		got = append(got, string(line))
		return nil
	})
	return got, err
}

func answered(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", typeLines)
		_, _ = io.WriteString(w, text)
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine-1)
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"none": {"", nil}, "one": {"{}\n", []string{"{}"}}, "more": {"1\n2\n3\n", []string{"1", "2", "3"}}, "an empty one": {"1\n\n3\n", []string{"1", "", "3"}},
		"another end": {"1\r\n2\r\n", []string{"1", "2"}}, "the longest": {"1\n" + long + "\n3\n", []string{"1", long, "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(asking(t, 0, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || string(body) != `{"a":1}` {
					t.Errorf("the body is %q, %v", body, err)
				}
				for name, want := range map[string]string{
					"Content-Type": "application/json", "Authorization": "Bearer " + secret, "Accept": typeLines + ", application/problem+json", "User-Agent": "orchestrator/test",
				} {
					if got := r.Header.Get(name); got != want {
						t.Errorf("%s is %q", name, got)
					}
				}
				if got := r.Method + " " + r.URL.String(); got != "POST /drive?x=1" {
					t.Error(got)
				}
				answered(c.answer)(w, r)
			}))
			require.NoError(t, err)
			require.Equal(t, len(c.want), len(got))
			for i, want := range c.want {
				require.True(t, want == got[i], "line %d of %d bytes", i, len(got[i]))
			}
		})
	}
}

// TestLinesComeBeforeTheEnd: the server waits for each to be seen, once for longer than an answer may take to begin. On
// a slow machine that takes longer.
func TestLinesComeBeforeTheEnd(t *testing.T) {
	for within := 500 * time.Millisecond; ; within *= 2 {
		count, err := linesOneByOne(t, within)
		if count == 0 && within < time.Minute {
			require.Equal(t, "server_timeout", codeOf(t, err))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 3, count)
		return
	}
}

func linesOneByOne(t *testing.T, within time.Duration) (count int, err error) {
	seen := make(chan string, 1)
	c := asking(t, within, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", typeLines)
		for _, line := range []string{"1", "2", "3"} {
			_, _ = io.WriteString(w, line+"\n")
			w.(http.Flusher).Flush()
			select {
			case got := <-seen:
				if got != line {
					t.Errorf("it saw %q, not %q", got, line)
				}
			case <-r.Context().Done():
				return
			case <-time.After(time.Minute):
				t.Errorf("%s was not seen", line)
				return
			}
			if line == "1" {
				time.Sleep(within)
			}
		}
	})
	err = c.PostLines(t.Context(), "/", typeLines, nil, func(line []byte) error {
		count++
		seen <- string(line)
		return nil
	})
	return count, err
}

func TestAnErrorOfEachEndsIt(t *testing.T) {
	left := make(chan struct{})
	c := asking(t, 0, func(w http.ResponseWriter, r *http.Request) {
		answered("1\n2\n3\n")(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	mine, count := errors.New("the disk is full"), 0
	err := c.PostLines(t.Context(), "/", typeLines, []byte("{}"), func([]byte) error {
		if count++; count == 2 {
			return mine
		}
		return nil
	})
	require.Same(t, mine, err)
	require.Equal(t, 2, count)
	select {
	case <-left:
	case <-time.After(time.Minute):
		t.Fatal("the server was not told that nobody reads")
	}
}

// TestAnswersThatAreNoLines: nothing of them is handed over.
func TestAnswersThatAreNoLines(t *testing.T) {
	answer := func(status int, media, retry, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			if retry != "" {
				w.Header().Set("Retry-After", retry)
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	const problem = "application/problem+json"
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		kind    fault.Kind
		code    string
		says    string
	}{
		"a problem":             {answer(403, problem, "", `{"code":"drive_forbidden","detail":"a viewer changes nothing","fix":"use another"}`), fault.Forbidden, "drive_forbidden", "a viewer changes nothing (use another)"},
		"a problem with fields": {answer(400, problem, "", `{"code":"invalid_drive","detail":"no","fix":"x","errors":[{"pointer":"/parallel","detail":"maximum"}]}`), fault.Malformed, "invalid_drive", "/parallel: maximum"},
		"too often":             {answer(429, problem, "7", `{"code":"rate_limited"}`), fault.RateLimited, "rate_limited", "send it again in 7s"},
		"too often, no time":    {answer(429, problem, "", `{"code":"rate_limited","detail":"too many","fix":"wait"}`), fault.RateLimited, "rate_limited", "too many"},
		"JSON":                  {answer(200, "application/json", "", "{}\n"), fault.Unavailable, "unexpected_answer", `200 OK ("application/json")`},
		"a page":                {answer(200, "text/html", "", "<p>\n"), fault.Unavailable, "unexpected_answer", "text/html"},
		"lines that failed":     {answer(500, typeLines, "", "{}\n"), fault.Unavailable, "unexpected_answer", "500"},
		"accepted":              {answer(202, typeLines, "", "{}\n"), fault.Unavailable, "unexpected_answer", "202"},
		"elsewhere":             {answer(307, typeLines, "", "{}\n"), fault.Unavailable, "unexpected_answer", "307"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(asking(t, 0, c.handler))
			require.Equal(t, c.code, codeOf(t, err))
			require.ErrorIs(t, err, c.kind)
			require.ErrorContains(t, err, c.says)
			require.Empty(t, got)
		})
	}
}

// TestAnAnswerThatBreaksOff: what came before is handed over, and half a line is not.
func TestAnAnswerThatBreaksOff(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"after a line": func(w http.ResponseWriter, r *http.Request) {
			answered("{\"a\":1}\n")(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"in a line": func(w http.ResponseWriter, r *http.Request) {
			answered("{\"a\":1}\n{\"a\":")(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
		"in a line, in order": answered("{\"a\":1}\n{\"a\":"),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := lines(asking(t, 0, handler))
			require.Equal(t, "server_unreachable", codeOf(t, err))
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, []string{`{"a":1}`}, got)
		})
	}
}

func TestALineThatIsTooLong(t *testing.T) {
	got, err := lines(asking(t, 0, answered("1\n"+strings.Repeat("x", maxLine+1)+"\n3\n")))
	require.Equal(t, string(CodeTooLarge), codeOf(t, err))
	require.ErrorContains(t, err, "a line of /drive?x=1 has more than 16384 KiB")
	require.Equal(t, []string{"1"}, got)
}

func TestLinesOfNobody(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	c, err := New(Options{Server: server.URL, TokenFile: tokenFile(t, secret)})
	require.NoError(t, err)
	_, err = lines(c)
	require.Equal(t, string(CodeNotRunning), codeOf(t, err))

	c = asking(t, 200*time.Millisecond, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err = lines(c)
	require.Equal(t, "server_timeout", codeOf(t, err), "an answer that never begins")
	require.ErrorContains(t, err, "within 200ms")
}

func TestLinesThatNobodyWantsAnyMore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := asking(t, 0, func(w http.ResponseWriter, r *http.Request) {
		answered("1\n")(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	err := c.PostLines(ctx, "/", typeLines, []byte("{}"), func([]byte) error { cancel(); return nil })
	require.ErrorIs(t, err, context.Canceled)
}
