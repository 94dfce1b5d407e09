package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// script is a service whose answers a test writes.
type script func(r *http.Request) (*http.Response, error)

func (s script) Do(r *http.Request) (*http.Response, error) { return s(r) }

func answer(status int, body string) (*http.Response, error) {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

const front = `{"caller":{"name":"vera","role":"viewer"}}`

// connect serves a client through a script.
func connect(t *testing.T, to script, o Options, client *mcp.ClientOptions) (*mcp.ClientSession, chan error) {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), to, o, theirs) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, client).
		Connect(t.Context(), ours, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	require.NoError(t, err)
	return session, ended
}

// Verifies: ORC-306
func TestADefectEndsItsMessageAlone(t *testing.T) {
	defer goleak.VerifyNone(t)
	var told atomic.Value
	session, ended := connect(t, func(r *http.Request) (*http.Response, error) {
		switch r.URL.Path {
		case "/":
			return answer(200, front)
		case "/workflow":
			panic("a defect")
		}
		return answer(200, `{"total":0,"requirements":[]}`)
	}, Options{Defect: func(p any, stack []byte) { told.Store(fmt.Sprint(p, len(stack) > 0)) }}, nil)
	_, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uriWorkflow})
	require.ErrorContains(t, err, "the service met a defect")
	require.Equal(t, "a defecttrue", told.Load())
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list"})
	require.NoError(t, err)
	require.False(t, got.IsError, "the server goes on")
	require.NoError(t, session.Close())
	require.NoError(t, <-ended)
}

// Verifies: ORC-306
func TestATokenThatIsNotAcceptedIsSaidAtTheStart(t *testing.T) {
	for body, want := range map[string]string{
		`{"token":"The token that you sent is not accepted: it was revoked"}`: "it was revoked",
		`<html>`: "no JSON",
	} {
		err := Serve(t.Context(), script(func(*http.Request) (*http.Response, error) { return answer(200, body) }),
			Options{}, nil)
		require.ErrorContains(t, err, want)
	}
	err := Serve(t.Context(), script(func(*http.Request) (*http.Response, error) { return nil, errors.New("down") }),
		Options{}, nil)
	require.ErrorContains(t, err, "down")
}

// streams is a service whose stream of events a test writes, one after the other.
type streams struct {
	sync.Mutex
	asked []string
	opens chan *io.PipeWriter
	after func(n int) *http.Response // in place of the nth stream
}

func (s *streams) Do(r *http.Request) (*http.Response, error) {
	switch r.URL.Path {
	case "/":
		return answer(200, front)
	case "/events":
		s.Lock()
		s.asked = append(s.asked, r.URL.RawQuery)
		n := len(s.asked)
		s.Unlock()
		if resp := s.after(n); resp != nil {
			return resp, nil
		}
		read, write := io.Pipe()
		context.AfterFunc(r.Context(), func() { write.CloseWithError(r.Context().Err()) })
		s.opens <- write
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: read}, nil
	}
	return answer(200, `{"project":"p","workflow":"v1","verdict":"ready","reasons":[],"counts":{}}`)
}

// queries are those that streams were asked for with.
func (s *streams) queries() []string {
	s.Lock()
	defer s.Unlock()
	return slices.Clone(s.asked)
}

func event(seq int, kind, subject string) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: {\"seq\":%d,\"kind\":%q,\"subject\":%q}\n\n", seq, kind, seq, kind,
		subject)
}

// A client that stays is told of changes again after the service was restarted: from the record on that it had. A log
// that is another one may have changed everything.
//
// Verifies: ORC-309
func TestNoticesGoOnAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone, _ := answer(503, `{"code":"service_stopping"}`)
		other, _ := answer(404, `{"code":"beyond_log","detail":"x","status":404}`)
		service := &streams{opens: make(chan *io.PipeWriter, 9), after: func(n int) *http.Response {
			return map[int]*http.Response{2: gone, 4: other}[n]
		}}
		told := make(chan string, 9)
		session, ended := connect(t, service.Do, Options{}, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context,
				r *mcp.ResourceUpdatedNotificationRequest) {
				told <- r.Params.URI
			}})
		for _, uri := range []string{"requirement://A", "requirement://B"} {
			require.NoError(t, session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}))
		}
		send := func(to *io.PipeWriter, events ...string) {
			for _, e := range events {
				_, err := io.WriteString(to, e)
				require.NoError(t, err)
			}
			synctest.Wait()
		}
		quiet := func() {
			time.Sleep(time.Second)
			require.Empty(t, told)
		}
		first := <-service.opens
		send(first, ":\n\n", event(7, "requirement.changed", "A"), event(8, "requirement.changed", "A"))
		require.Equal(t, "requirement://A", <-told, "two changes in quick succession are told once")
		quiet()
		send(first, event(9, "requirement.refused", "A"), event(10, "requirement.changed", "C"), event(11,
			"tokens.changed", ""))
		quiet()
		require.NoError(t, first.Close())
		second := <-service.opens
		send(second, event(12, "requirement.changed", "B"))
		require.Equal(t, "requirement://B", <-told)
		require.NoError(t, second.Close())
		third := <-service.opens
		require.ElementsMatch(t, []string{"requirement://A", "requirement://B"}, []string{<-told, <-told})
		send(third, event(1, "requirements.imported", ""))
		require.ElementsMatch(t, []string{"requirement://A", "requirement://B"}, []string{<-told, <-told})
		require.NoError(t, session.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "requirement://A"}))
		send(third, event(2, "requirement.changed", "A"))
		quiet()
		require.Equal(t, []string{"", "since=12", "since=12", "since=13", ""}, service.queries())
		require.NoError(t, session.Close())
		require.NoError(t, <-ended)
	})
}

// Verifies: ORC-309
func TestNoticesEndWithTheToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		revoked, _ := answer(401, `{"code":"token_unknown","detail":"it was revoked","status":401}`)
		service := &streams{opens: make(chan *io.PipeWriter, 9), after: func(n int) *http.Response {
			return map[int]*http.Response{2: revoked}[n]
		}}
		session, ended := connect(t, service.Do, Options{}, nil)
		require.NoError(t, session.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uriStatus}))
		require.NoError(t, (<-service.opens).Close())
		time.Sleep(time.Hour)
		require.Len(t, service.queries(), 2, "it is not asked again and again")
		require.NoError(t, session.Close())
		require.NoError(t, <-ended)
	})
}
