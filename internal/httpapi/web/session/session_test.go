package session_test

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/session"
)

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// Verifies: ORC-331
func TestASessionLastsTwelveHours(t *testing.T) {
	var s session.Store
	require.Nil(t, s.Find("", now))
	id := s.Begin(&session.Session{Name: "paula", Token: "t"}, now)
	require.GreaterOrEqual(t, len(id), 26, "an id has 128 random bits at least")
	require.Equal(t, "paula", s.Find(id, now.Add(12*time.Hour-time.Second)).Name)
	require.Nil(t, s.Find(id, now.Add(12*time.Hour)))
	require.Nil(t, s.Find(id, now), "what is over does not come back")
	other := s.Begin(&session.Session{Name: "paula", Token: "t"}, now)
	require.NotEqual(t, id, other)
	s.End(other)
	require.Nil(t, s.Find(other, now))
}

// The oldest sessions make room: nobody fills the memory by signing in again and again.
//
// Verifies: ORC-331
func TestSessionsAreBounded(t *testing.T) {
	var s session.Store
	var ids []string
	for i := range 20 {
		ids = append(ids, s.Begin(&session.Session{Token: "one"}, now.Add(time.Duration(i)*time.Second)))
	}
	at := now.Add(time.Minute)
	for i, id := range ids {
		require.Equal(t, i >= 4, s.Find(id, at) != nil, i)
	}
	for i := range 4100 {
		s.Begin(&session.Session{Token: fmt.Sprint(i)}, at.Add(time.Duration(i)*time.Millisecond))
	}
	require.Nil(t, s.Find(ids[19], at), "4,096 of all tokens are kept")
}

func TestWhatASessionKeepsIsToldOnce(t *testing.T) {
	var one session.Session
	for i := range 7 {
		one.Tell(fmt.Sprint(i))
	}
	require.Equal(t, []string{"2", "3", "4", "5", "6"}, one.Told())
	require.Empty(t, one.Told())
	one.Keep(session.Draft{Path: "/ui/requirements/A", Form: url.Values{"text": {"typed"}}})
	require.Empty(t, one.Draft("/ui/"))
	require.Equal(t, "typed", one.Draft("/ui/requirements/A").Get("text"))
	require.Empty(t, one.Draft("/ui/requirements/A"))
}

func TestSessionsAreUsedByManyAtOnce(t *testing.T) {
	var s session.Store
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				id := s.Begin(&session.Session{Token: "t"}, now)
				if one := s.Find(id, now); one != nil {
					one.Tell("x")
					one.Told()
				}
				s.End(id)
			}
		})
	}
	wg.Wait()
}

// A token has a few pages at a time, however many sessions: another waits until one is done.
//
// Verifies: ORC-331
func TestATokenHasAFewPagesAtATime(t *testing.T) {
	var s session.Store
	one, other := &session.Session{Token: "t"}, &session.Session{Token: "t"}
	s.Begin(one, now)
	s.Begin(other, now)
	var leave func()
	for i := range 4 {
		l, err := []*session.Session{one, other}[i%2].Enter(t.Context())
		require.NoError(t, err)
		leave = l
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := other.Enter(gone)
	require.ErrorIs(t, err, context.Canceled)
	third := &session.Session{Token: "another"}
	s.Begin(third, now)
	_, err = third.Enter(t.Context())
	require.NoError(t, err, "other tokens do not wait")
	leave()
	_, err = one.Enter(t.Context())
	require.NoError(t, err)
}

// Verifies: ORC-331
func TestWhatGoesOnWithinASessionEndsWithIt(t *testing.T) {
	var s session.Store
	one := &session.Session{Token: "t"}
	id := s.Begin(one, time.Now())
	within, stop := one.Within(t.Context())
	defer stop()
	require.NoError(t, within.Err())
	s.End(id)
	<-within.Done()
	s.End(id)
	over := &session.Session{Token: "t"}
	s.Begin(over, time.Now().Add(-13*time.Hour))
	within, stop = over.Within(t.Context())
	defer stop()
	require.ErrorIs(t, within.Err(), context.DeadlineExceeded)
}
