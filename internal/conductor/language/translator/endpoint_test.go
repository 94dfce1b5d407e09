package translator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/language/chat"
	"orchestrator/internal/fault"
)

// Verifies: ORC-286
func TestEndpointFails(t *testing.T) {
	big := func(w http.ResponseWriter, _ *http.Request) {
		for range 10 << 4 {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"choices":`))
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		why    string
		calls  int
	}{
		"429":            {fails(429), "answers 429", 1},
		"500":            {fails(500), "answers 500", 1},
		"401":            {fails(401), "answers 401", 1},
		"400, and again": {fails(400), "answers 400", 2},
		"10 MB":          {big, "more than 1048576 bytes", 1},
		"cut off":        {cut, "breaks off", 1},
		"no completion":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[]}`) }, "something else", 1},
		"not JSON":       {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `<html>`+key) }, "something else", 1},
		"a closed door":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "does not answer", 1},
		"content of a list": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"choices":[{"message":{"content":[1]}}]}`)
		}, "something else", 1},
	} {
		t.Run(name, func(t *testing.T) {
			e, l := newEndpoint(t, c.answer)
			_, err := l.In(t.Context(), "two and two?", testSchema, known)
			f := faultOf(t, err)
			require.Equal(t, fault.Unavailable, f.Kind)
			require.Equal(t, "translator_unavailable", string(f.Code))
			require.Contains(t, f.Detail, c.why)
			require.Equal(t, c.calls, e.calls())
			text, err := l.Out(t.Context(), nil, "2+2 = 4")
			require.Equal(t, "translator_unavailable", string(faultOf(t, err).Code))
			require.Equal(t, "2+2 = 4", text)
		})
	}
}

func TestHang(t *testing.T) {
	gone := make(chan struct{}, 1)
	e, l := newEndpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		select {
		case gone <- struct{}{}:
		default:
		}
	})
	began := time.Now()
	// A slow machine needs longer to send the request.
	for l.Timeout = 100 * time.Millisecond; e.calls() == 0; l.Timeout *= 2 {
		_, err := l.In(t.Context(), "two and two?", testSchema, known)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, "translator_unavailable", string(faultOf(t, err).Code))
		require.Less(t, time.Since(began), 5*time.Minute)
	}
	<-gone
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.In(ctx, "two and two?", testSchema, known)
	require.ErrorIs(t, err, context.Canceled)
}

// What is too much is not even read.
//
// Verifies: ORC-286
func TestEndlessAnswer(t *testing.T) {
	written := make(chan int, 1)
	_, l := newEndpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		n, block := 0, make([]byte, 1<<16)
		for n < 256<<20 {
			if _, err := w.Write(block); err != nil {
				break
			}
			n += len(block)
		}
		written <- n
	})
	_, err := l.In(t.Context(), "two and two?", testSchema, known)
	require.Contains(t, faultOf(t, err).Detail, "more than 1048576 bytes")
	require.Less(t, <-written, 32<<20)
}

// A slow body counts as well: the headers alone are no answer. A slow machine needs longer to send them.
func TestSlowBody(t *testing.T) {
	_, l := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"choices":`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	detail := ""
	for l.Timeout = 100 * time.Millisecond; !strings.Contains(detail, "breaks off"); l.Timeout *= 2 {
		require.Less(t, l.Timeout, time.Minute, detail)
		_, err := l.In(t.Context(), "two and two?", testSchema, known)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		detail = faultOf(t, err).Detail
	}
}

func TestOlderEndpointsGetAPlainerRequest(t *testing.T) {
	e, l := newEndpoint(t, fails(400), answers(mathJSON))
	_, err := l.In(t.Context(), "two and two?", testSchema, known)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"type": "json_object"}, e.asked[1]["response_format"])
	require.NotContains(t, e.asked[1], "temperature")
	require.Equal(t, e.asked[0]["messages"], e.asked[1]["messages"])

	e, l = newEndpoint(t, answers(mathJSON))
	_, err = l.In(t.Context(), "two and two?", "see the handbook", known)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"type": "json_object"}, e.asked[0]["response_format"], "a schema that is not JSON is told in words only")
}

// Verifies: ORC-286
func TestNoRedirectIsFollowed(t *testing.T) {
	other, _ := newEndpoint(t, answers(mathJSON))
	for _, code := range []int{301, 302, 303, 307, 308} {
		_, l := newEndpoint(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/v1/chat/completions", code)
		})
		l.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return nil }}
		_, err := l.In(t.Context(), "two and two?", testSchema, known)
		require.Contains(t, faultOf(t, err).Detail, fmt.Sprintf("answers %d", code))
		require.NoError(t, l.Client.CheckRedirect(nil, nil), "the caller's client is left as it is")
	}
	require.Zero(t, other.calls())
}

// Verifies: ORC-286
func TestTheKeyIsNeverShown(t *testing.T) {
	l := &LLM{Endpoint: chat.Endpoint{BaseURL: "https://user:" + key + "@llm.example.org/v1?key=" + key, Model: "small-1", Key: key}}
	asJSON, err := json.Marshal(l)
	require.NoError(t, err)
	for _, shown := range []string{fmt.Sprint(l), fmt.Sprint(*l), fmt.Sprintf("%+v %#v %v %s", l, *l, l, *l)} {
		require.NotContains(t, shown, key)
		require.Contains(t, shown, "small-1 at llm.example.org")
	}
	require.NotContains(t, strings.ReplaceAll(string(asJSON), l.BaseURL, ""), key)
	fail := roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") })
	for _, bad := range []*LLM{
		{Endpoint: chat.Endpoint{BaseURL: l.BaseURL, Model: "m", Key: key, Client: &http.Client{Transport: fail}}},
		{Endpoint: chat.Endpoint{BaseURL: "http://127.0.0.1:1", Model: "m", Key: key + "\n"}},
		{Endpoint: chat.Endpoint{BaseURL: "ftp://x/" + key, Model: "m"}},
		{Endpoint: chat.Endpoint{BaseURL: "http://\x00" + key, Model: "m"}},
		{Endpoint: chat.Endpoint{BaseURL: "/" + key, Model: "m"}},
	} {
		_, err := bad.In(t.Context(), "two and two?", testSchema, known)
		require.Equal(t, "translator_unavailable", string(faultOf(t, err).Code))
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
