// Package session keeps who is signed in at the pages: in memory alone, so that a restart signs everybody out and no
// token is written anywhere.
package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Lasts is how long a session lasts, if its token does.
const Lasts = 12 * time.Hour

// How many sessions are kept. The oldest of a token, or of all, makes room for a new one.
const (
	mostOfToken = 16
	mostOfAll   = 4096
)

// Session is somebody who is signed in. It is safe for concurrent use.
type Session struct {
	Name, Role  string
	Requirement string // that the token is bound to; "" for none
	Token       string
	Expires     time.Time

	mu    sync.Mutex
	said  []string
	draft Draft
	forms forms
	ended chan struct{} // closed when it is over before it expires; nil where it was not begun
	pages chan struct{} // that are made for its token now; nil where it was not begun
}

// mostPages is how many pages are made at once for a token: each holds what it asked for until its client has read it.
const mostPages = 4

// Enter waits until a page can be made for the token of the session, which leave ends.
//
// Implements: ORC-331
func (s *Session) Enter(ctx context.Context) (leave func(), err error) {
	select {
	case s.pages <- struct{}{}:
		return func() { <-s.pages }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Within returns a context for what goes on while the session lasts.
func (s *Session) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	within, stop := context.WithDeadline(ctx, s.Expires)
	go func() {
		select {
		case <-s.ended:
			stop()
		case <-within.Done():
		}
	}()
	return within, stop
}

// Draft is what was typed into the form of a page and could not be sent, for the page to have it again.
type Draft struct {
	Path string
	Form url.Values
}

// Tell keeps a sentence for the next page that the person sees.
func (s *Session) Tell(sentence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said[max(0, len(s.said)-4):], sentence)
}

// Told returns the sentences that were kept, once.
func (s *Session) Told() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.said
	s.said = nil
	return said
}

// Keep keeps a draft, in the place of the one before.
func (s *Session) Keep(d Draft) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draft = d
}

// Draft returns the draft of a page, once.
func (s *Session) Draft(path string) url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draft.Path != path {
		return nil
	}
	form := s.draft.Form
	s.draft = Draft{}
	return form
}

// Store has the sessions. The zero value has none. It is safe for concurrent use.
type Store struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]*Session // by the digest of the id, so that a lookup takes as long for any guess
}

// Begin keeps a session from now on, and returns the id that shows it.
//
// Implements: ORC-331
func (s *Store) Begin(one *Session, now time.Time) (id string) {
	id = rand.Text()
	one.Expires, one.ended = now.Add(Lasts), make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[[sha256.Size]byte]*Session{}
	}
	one.pages = s.makeRoom(one.Token, now)
	s.all[sha256.Sum256([]byte(id))] = one
	return id
}

// makeRoom leaves room for one more session of a token, and returns the pages that are made for the token.
func (s *Store) makeRoom(token string, now time.Time) (pages chan struct{}) {
	pages = make(chan struct{}, mostPages)
	var mine, all []aged
	full := len(s.all) >= mostOfAll
	for key, one := range s.all {
		if !now.Before(one.Expires) {
			s.end(key)
			continue
		}
		if full {
			all = append(all, aged{key, one.Expires})
		}
		if one.Token == token {
			mine, pages = append(mine, aged{key, one.Expires}), one.pages
		}
	}
	s.drop(mine, mostOfToken-1)
	s.drop(all, mostOfAll-1)
	return pages
}

type aged struct {
	key     [sha256.Size]byte
	expires time.Time
}

// drop ends the oldest of some sessions, so that at most so many are left.
func (s *Store) drop(of []aged, most int) {
	if len(of) <= most {
		return
	}
	slices.SortFunc(of, func(a, b aged) int { return a.expires.Compare(b.expires) })
	for _, a := range of[:len(of)-most] {
		s.end(a.key)
	}
}

// Find returns the session of an id, or nil for one that is unknown, over or ended.
func (s *Store) Find(id string, now time.Time) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := sha256.Sum256([]byte(id))
	one := s.all[key]
	if one != nil && !now.Before(one.Expires) {
		s.end(key)
		return nil
	}
	return one
}

// End ends the session of an id.
func (s *Store) End(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(sha256.Sum256([]byte(id)))
}

// end ends a session, and what goes on within it.
func (s *Store) end(key [sha256.Size]byte) {
	if one := s.all[key]; one != nil {
		close(one.ended)
		delete(s.all, key)
	}
}
