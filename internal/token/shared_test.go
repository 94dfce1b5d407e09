package token

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// place keeps shared tokens in memory. Authenticators of several processes follow it.
type place struct {
	mu        sync.Mutex
	kept      []byte
	accounted [][]Token
	follow    []*Authenticator
	failure   error
	before    func() // called before the first run of a change, once
}

func (p *place) Kept(context.Context) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kept, nil
}

func (p *place) Change(_ context.Context, change func([]byte) ([]byte, []Token, error)) error {
	if before := p.before; before != nil {
		p.before = nil
		_, _, _ = change(p.kept) // as a dry run on what is no longer there
		before()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure != nil {
		return p.failure
	}
	after, inForce, err := change(p.kept)
	if err != nil || after == nil {
		return err
	}
	p.kept, p.accounted = after, append(p.accounted, inForce)
	for _, a := range p.follow {
		if err := a.Take(after); err != nil {
			return err
		}
	}
	return nil
}

// replica is a process with shared tokens and a data folder of its own.
func (p *place) replica(t *testing.T) (*Shared, *Authenticator, *File) {
	t.Helper()
	s := NewShared(p)
	a, err := NewSharedAuthenticator(s, Limit{})
	require.NoError(t, err)
	p.follow = append(p.follow, a)
	return s, a, newFile(t)
}

func secretIn(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.TrimSpace(string(content))
}

// Verifies: ORC-370
func TestSharedTokensWorkInEveryProcess(t *testing.T) {
	p := &place{}
	one, first, f := p.replica(t)
	two, second, g := p.replica(t)
	_, err := one.List(t.Context())
	requireFault(t, err, fault.NotFound, "tokens_missing")
	_, _, err = one.Add(t.Context(), "ann", "pm", time.Time{}, noon)
	requireFault(t, err, fault.NotFound, "tokens_missing")

	created, taken, err := one.Begin(t.Context(), f, []string{"pm", "viewer"}, noon)
	require.NoError(t, err)
	require.False(t, taken)
	require.Len(t, created, 2)
	pm := secretIn(t, created["pm"])
	require.True(t, works(first, pm) && works(second, pm))
	require.NotContains(t, string(p.kept), pm, "no secret is kept")
	require.NoFileExists(t, f.Path())

	created, taken, err = two.Begin(t.Context(), g, []string{"pm", "viewer"}, noon)
	require.NoError(t, err)
	require.False(t, taken)
	require.Nil(t, created, "there are some")
	require.NoDirExists(t, g.dir.TokenDir())

	ann, made, err := two.Add(t.Context(), "ann", "coder", noon.Add(time.Hour), noon)
	require.NoError(t, err)
	require.True(t, works(first, ann) && works(second, ann))
	_, _, err = one.Add(t.Context(), "ANN", "coder", time.Time{}, noon)
	requireFault(t, err, fault.Conflict, "token_name_alike")
	all, err := one.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, made, all[2])
	require.Equal(t, all, p.accounted[len(p.accounted)-1])

	revoked, err := one.Revoke(t.Context(), made.ID)
	require.NoError(t, err)
	require.Equal(t, made, revoked)
	require.False(t, works(first, ann) || works(second, ann))
	_, err = two.Revoke(t.Context(), made.ID)
	requireFault(t, err, fault.NotFound, "token_id_unknown")
	gone, err := two.RevokeName(t.Context(), "viewer")
	require.NoError(t, err)
	require.Len(t, gone, 1)
}

// TestTheFirstTokensAreOneSet: of two processes that begin at once, the one that is too late leaves no file behind.
//
// Verifies: ORC-371
func TestTheFirstTokensAreOneSet(t *testing.T) {
	p := &place{}
	one, _, f := p.replica(t)
	two, second, g := p.replica(t)
	var winner map[string]string
	p.before = func() {
		var err error
		winner, _, err = two.Begin(t.Context(), g, []string{"pm", "viewer"}, noon)
		require.NoError(t, err)
	}
	created, taken, err := one.Begin(t.Context(), f, []string{"pm", "viewer"}, noon)
	require.NoError(t, err)
	require.False(t, taken)
	require.Nil(t, created)
	require.Len(t, winner, 2)
	left, err := os.ReadDir(f.dir.TokenDir())
	require.NoError(t, err)
	require.Empty(t, left)
	require.True(t, works(second, secretIn(t, winner["pm"])))
	all, err := one.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Len(t, p.accounted, 1)
}

// Verifies: ORC-371
func TestATokenFileIsTakenOverOnce(t *testing.T) {
	p := &place{}
	one, first, f := p.replica(t)
	two, second, g := p.replica(t)
	ann, _ := add(t, f, "ann", "pm")
	created, taken, err := one.Begin(t.Context(), f, []string{"pm"}, noon)
	require.NoError(t, err)
	require.True(t, taken)
	require.Nil(t, created)
	require.True(t, works(first, ann) && works(second, ann))

	bob, _ := add(t, g, "bob", "tester")
	created, taken, err = two.Begin(t.Context(), g, []string{"pm"}, noon)
	require.NoError(t, err)
	require.False(t, taken)
	require.Nil(t, created)
	require.False(t, works(second, bob), "another file has no say")

	empty := &place{}
	three, _, h := empty.replica(t)
	require.NoError(t, os.WriteFile(h.Path(), []byte("{"), 0o600))
	_, _, err = three.Begin(t.Context(), h, []string{"pm"}, noon)
	requireFault(t, err, fault.Malformed, "tokens_malformed")
	require.Nil(t, empty.kept)
}

// Verifies: ORC-372
func TestWhatIsMintedWorksInEveryProcess(t *testing.T) {
	p := &place{}
	one, first, f := p.replica(t)
	two, second, _ := p.replica(t)
	add(t, f, "ann", "pm")
	_, _, err := one.Begin(t.Context(), f, nil, noon)
	require.NoError(t, err)
	to := Bound{Only: "REQ-1", Run: "run-1"}
	secret, made, err := first.Mint(t.Context(), "agents.coder", "coder", to, noon.Add(time.Hour), noon)
	require.NoError(t, err)
	got, err := second.Authenticate(secret, noon)
	require.NoError(t, err)
	require.Equal(t, made, got)
	require.Equal(t, to, got.Bound, "it is bound everywhere")
	require.NoError(t, first.Unmint(t.Context(), made))
	require.False(t, works(first, secret) || works(second, secret))
	accounts := len(p.accounted)
	require.NoError(t, first.Unmint(t.Context(), made), "it may be said twice")
	require.Len(t, p.accounted, accounts)

	left, _, err := first.Mint(t.Context(), "agents.coder", "coder", Bound{}, noon.Add(time.Hour), noon)
	require.NoError(t, err)
	require.True(t, works(second, left), "by a process that has died since")
	require.NoError(t, two.EndMinted(t.Context()))
	require.False(t, works(second, left), "it ends with the right to mint")
	all, err := two.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1, "no other does")

	_, _, err = one.Add(t.Context(), "guest", "pm", noon.Add(time.Minute), noon)
	require.NoError(t, err)
	old, _, err := first.Mint(t.Context(), "agents.coder", "coder", Bound{}, noon.Add(time.Minute), noon)
	require.NoError(t, err)
	_, _, err = second.Mint(t.Context(), "agents.coder", "coder", Bound{}, noon.Add(time.Hour), noon.Add(time.Minute))
	require.NoError(t, err)
	require.False(t, works(first, old), "what has expired is not kept")
	all, err = two.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 3, "of those that were minted alone")
	_, _, err = first.Mint(t.Context(), "an agent", "coder", Bound{}, noon.Add(time.Hour), noon)
	requireFault(t, err, fault.Invalid, "token_name")
}

// TestWhatCannotBeUnmintedEndsHere: the store fails while a run ends.
func TestWhatCannotBeUnmintedEndsHere(t *testing.T) {
	p := &place{}
	one, first, f := p.replica(t)
	_, second, _ := p.replica(t)
	_, ann := add(t, f, "ann", "pm")
	_, _, err := one.Begin(t.Context(), f, nil, noon)
	require.NoError(t, err)
	secret, made, err := first.Mint(t.Context(), "agents.coder", "coder", Bound{}, noon.Add(time.Hour), noon)
	require.NoError(t, err)
	p.failure = errors.New("no connection")
	_, _, err = first.Mint(t.Context(), "agents.tester", "tester", Bound{}, noon.Add(time.Hour), noon)
	require.ErrorIs(t, err, p.failure)
	require.ErrorIs(t, first.Unmint(t.Context(), made), p.failure)
	require.False(t, works(first, secret))
	require.True(t, works(second, secret), "nobody could be told")
	p.failure = nil
	_, _, err = one.Add(t.Context(), "bob", "coder", time.Time{}, noon)
	require.NoError(t, err)
	require.False(t, works(first, secret), "it stays so")
	_, err = one.Revoke(t.Context(), ann.ID)
	require.NoError(t, err)
	require.NoError(t, first.Unmint(t.Context(), made))
	require.Empty(t, first.ended)
}

// TestWhatIsTakenIsWholeAndNotOlder: what a process reads at its start may be told to it again.
func TestWhatIsTakenIsWholeAndNotOlder(t *testing.T) {
	p := &place{}
	one, first, f := p.replica(t)
	require.Nil(t, first.Kept())
	ann, made := add(t, f, "ann", "pm")
	_, _, err := one.Begin(t.Context(), f, nil, noon)
	require.NoError(t, err)
	older := slices.Clone(p.kept)
	_, err = one.Revoke(t.Context(), made.ID)
	require.NoError(t, err)
	require.NoError(t, first.Take(older))
	require.False(t, works(first, ann))
	require.Equal(t, p.kept, first.Kept())

	late, _, err := one.Add(t.Context(), "bob", "pm", time.Time{}, noon)
	require.NoError(t, err)
	for name, bad := range map[string]string{
		"no JSON":      `{`,
		"a member":     `{"version":9,"tokens":[],"more":1}`,
		"a short hash": `{"version":9,"tokens":[{"id":"a","name":"a","role":"pm","sha256":"00","created":"2026-01-01T00:00:00Z"}]}`,
	} {
		requireFault(t, first.Take([]byte(bad)), fault.Malformed, "tokens_malformed")
		require.True(t, works(first, late), name)
	}
	requireFault(t, first.Take(nil), fault.NotFound, "tokens_missing")
	_, err = NewSharedAuthenticator(one, Limit{PerSecond: -1})
	requireFault(t, err, fault.Invalid, "token_limit")
}

func TestSupplyOfSharedTokens(t *testing.T) {
	p := &place{}
	one, first, f := p.replica(t)
	two, _, g := p.replica(t)
	_, _, err := one.Begin(t.Context(), f, []string{"pm"}, noon)
	require.NoError(t, err)
	created, err := one.Supply(t.Context(), f, []string{"pm", "coder"}, noon)
	require.NoError(t, err)
	require.Len(t, created, 1)
	require.True(t, works(first, secretIn(t, created["coder"])))
	created, err = two.Supply(t.Context(), g, []string{"pm", "coder"}, noon)
	require.NoError(t, err)
	require.Empty(t, created)
}

// TestSharedTokensChangeAtTheSameTime: none of them is lost.
func TestSharedTokensChangeAtTheSameTime(t *testing.T) {
	p := &place{}
	one, first, f := p.replica(t)
	two, _, _ := p.replica(t)
	_, _, err := one.Begin(t.Context(), f, []string{"pm"}, noon)
	require.NoError(t, err)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			s := []*Shared{one, two}[n%2]
			if _, _, err := s.Add(context.Background(), fmt.Sprint("n", n), "coder", time.Time{}, noon); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, first.current.Load().tokens, 21)
}
