package apiclient

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// Verifies: ORC-160

func sender(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := New(Options{Server: server.URL, Token: "t"})
	require.NoError(t, err)
	return c
}

// A lost connection leaves open whether the service has decided: the same key asks for its first answer.
func TestALostConnectionIsResolvedByTheSameKey(t *testing.T) {
	var keys []string
	c := sender(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		require.Equal(t, `{"a":1}`, string(body))
		require.Equal(t, `"3"`, r.Header.Get("If-Match"))
		if keys = append(keys, r.Header.Get("Idempotency-Key")); len(keys) == 1 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{}`)
	})
	r := Request{Method: "PATCH", Path: "/x", Body: []byte(`{"a":1}`), IfMatch: `"3"`, Key: NewKey()}
	answer, err := c.Send(t.Context(), r)
	require.NoError(t, err)
	require.True(t, answer.Unsure)
	require.Equal(t, []string{r.Key, r.Key}, keys)

	keys = nil
	r.Key = ""
	_, err = c.Send(t.Context(), r)
	require.True(t, fault.Is(err, CodeUnreachable))
	require.Len(t, keys, 1, "without a key nothing is sent twice")
	require.NotEqual(t, NewKey(), NewKey())
	require.Regexp(t, "^[a-z2-7]{26}$", NewKey(), "no key looks like that of a cloud")
}

// Where a refusal comes back, its bytes come with it.
func TestAnswersOfEveryKind(t *testing.T) {
	c := sender(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code":"sealed","detail":"no","ids":["a/1"]}`)
		case "/gone":
			w.WriteHeader(http.StatusNoContent)
		case "/same":
			require.Equal(t, "W", r.Header.Get("If-None-Match"))
			w.WriteHeader(http.StatusNotModified)
		case "/report":
			require.Equal(t, "application/octet-stream", r.Header.Get("Content-Type"))
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("ETag", "E")
			_, _ = io.WriteString(w, `1`)
		default:
			_, _ = io.WriteString(w, `<p>`)
		}
	})
	answer, err := c.Send(t.Context(), Request{Method: "GET", Path: "/refused"})
	require.ErrorIs(t, err, fault.Conflict)
	require.Equal(t, []string{"a/1"}, fault.As(err).IDs)
	require.Contains(t, string(answer.Body), "sealed")
	answer, err = c.Send(t.Context(), Request{Method: "DELETE", Path: "/gone"})
	require.NoError(t, err)
	require.Empty(t, answer.Body)
	answer, err = c.Send(t.Context(), Request{Method: "GET", Path: "/same", IfNoneMatch: "W"})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotModified, answer.Status)
	answer, err = c.Send(t.Context(), Request{Method: "POST", Path: "/report", Body: []byte("x"), Media: "application/octet-stream"})
	require.NoError(t, err)
	require.Equal(t, "E", answer.ETag)
	_, err = c.Send(t.Context(), Request{Method: "GET", Path: "/page"})
	require.True(t, fault.Is(err, codeStranger))
}

func TestSendWaitsOnce(t *testing.T) {
	asked := 0
	c := sender(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := c.Send(t.Context(), Request{Method: "GET", Path: "/"})
	require.ErrorIs(t, err, fault.RateLimited)
	require.Equal(t, 2, asked)
}
