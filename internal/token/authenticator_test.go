package token

import (
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
)

func authenticator(t *testing.T, f *File, limit Limit) *Authenticator {
	t.Helper()
	a, err := NewAuthenticator(f, limit)
	require.NoError(t, err)
	return a
}

func TestAuthenticate(t *testing.T) {
	f := newFile(t)
	pm, ann := add(t, f, "ann", "pm")
	coder, annToo := add(t, f, "ann", "coder")
	short, bob, err := f.Add("bob", "tester", noon.Add(time.Hour), noon)
	require.NoError(t, err)
	a := authenticator(t, f, Limit{})

	for secret, want := range map[string]Token{pm: ann, coder: annToo, short: bob} {
		got, err := a.Authenticate(secret, noon)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err = a.Authenticate(short, noon.Add(time.Hour))
	requireFault(t, err, fault.Unauthenticated, "token_expired")
	require.NotContains(t, err.Error(), short)
	for _, wrong := range []string{
		"", " ", pm + " ", pm + "\n", pm[:len(pm)-1], strings.ToLower(pm), ann.SHA256, ann.ID,
		strings.Replace(coder, "coder", "pm", 1),
	} {
		got, err := a.Authenticate(wrong, noon)
		requireFault(t, err, fault.Unauthenticated, "token_unknown")
		require.Zero(t, got)
		if strings.TrimSpace(wrong) != "" {
			require.NotContains(t, err.Error(), wrong)
		}
	}
}

// Verifies: ORC-259
func TestATokenThatIsGone(t *testing.T) {
	f := newFile(t)
	_, ann := add(t, f, "ann", "pm")
	_, bob, err := f.Add("bob", "tester", noon.Add(time.Hour), noon)
	require.NoError(t, err)
	a := authenticator(t, f, Limit{})
	require.Empty(t, a.Gone(ann.Mark(), "ann", "pm", noon))
	require.Equal(t, "its token was revoked", a.Gone(ann.Mark(), "ann", "coder", noon), "it was given another role")
	require.Empty(t, a.Gone(bob.Mark(), "bob", "tester", noon))
	require.Regexp(t, "^its token expired on 2", a.Gone(bob.Mark(), "bob", "tester", noon.Add(time.Hour)))
	_, err = f.Revoke(ann.ID)
	require.NoError(t, err)
	require.NoError(t, a.Reload())
	require.Equal(t, "its token was revoked", a.Gone(ann.Mark(), "ann", "pm", noon))
}

func TestNewAuthenticatorNeedsAGoodFileAndLimit(t *testing.T) {
	f := newFile(t)
	_, err := NewAuthenticator(f, Limit{})
	requireFault(t, err, fault.NotFound, "tokens_missing")
	add(t, f, "ann", "pm")
	for _, limit := range []Limit{{-1, 1}, {1, 0}, {1, -1}, {math.NaN(), 1}, {math.Inf(1), 1}} {
		_, err = NewAuthenticator(f, limit)
		requireFault(t, err, fault.Invalid, "token_limit")
	}
}

func TestReloadTakesChangesAndKeepsTheOldSetOnErrors(t *testing.T) {
	f := newFile(t)
	secret, ann := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{})
	works := func(secret string) bool { _, err := a.Authenticate(secret, noon); return err == nil }

	second, _ := add(t, f, "bob", "coder")
	require.False(t, works(second))
	require.NoError(t, a.Reload())
	require.True(t, works(second))

	good, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	for _, broken := range []string{"", "{", string(good) + "}", `{"tokens":[{}]}`} {
		require.NoError(t, os.WriteFile(f.Path(), []byte(broken), 0o600))
		err := a.Reload()
		requireFault(t, err, fault.Malformed, "tokens_malformed")
		require.ErrorContains(t, err, "the previous ones stay in force")
		require.True(t, works(secret) && works(second))
	}
	require.NoError(t, os.Remove(f.Path()))
	requireFault(t, a.Reload(), fault.NotFound, "tokens_missing")
	require.True(t, works(secret))

	require.NoError(t, os.WriteFile(f.Path(), good, 0o600))
	_, err = f.Revoke(ann.ID)
	require.NoError(t, err)
	require.NoError(t, a.Reload())
	require.False(t, works(secret))
	require.True(t, works(second))
}

// TestWhatIsNotTrustedIsNotTakenOver: the file can have the tokens in force back.
func TestWhatIsNotTrustedIsNotTakenOver(t *testing.T) {
	f := newFile(t)
	first, _ := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{})
	works := func(secret string) bool { _, err := a.Authenticate(secret, noon); return err == nil }
	failure := errors.New("somebody else's")
	a.Trust(func() error { return failure })
	require.NoError(t, a.Reload(), "the tokens in force need no trust")

	second, _ := add(t, f, "mallory", "pm")
	require.ErrorIs(t, a.Reload(), failure)
	require.True(t, works(first) && !works(second))
	require.NoError(t, a.PutBack())
	a.Trust(func() error { return nil })
	require.NoError(t, a.Reload())
	require.True(t, works(first) && !works(second))
	tokens, err := f.List()
	require.NoError(t, err)
	require.Len(t, tokens, 1)
}

// TestNoTokenIsInForceBeforeItIsAccountedFor: neither at the start nor after a change of the file.
func TestNoTokenIsInForceBeforeItIsAccountedFor(t *testing.T) {
	f := newFile(t)
	first, ann := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{})
	works := func(secret string) bool { _, err := a.Authenticate(secret, noon); return err == nil }

	var told [][]Token
	var failure error
	second := ""
	account := func(tokens []Token) error {
		require.False(t, second != "" && works(second))
		told = append(told, tokens)
		return failure
	}
	failure = errors.New("not now")
	require.ErrorIs(t, a.Account(account), failure)
	failure = nil
	require.NoError(t, a.Account(account))
	require.Equal(t, [][]Token{{ann}, {ann}}, told)

	var bob Token
	second, bob = add(t, f, "bob", "coder")
	failure = errors.New("not now")
	require.ErrorIs(t, a.Reload(), failure)
	require.True(t, works(first))
	require.False(t, works(second))
	failure = nil
	require.NoError(t, a.Reload())
	require.True(t, works(second))
	require.Equal(t, []Token{ann, bob}, told[3])
	require.NoError(t, os.WriteFile(f.Path(), []byte("{"), 0o600))
	require.Error(t, a.Reload())
	require.Len(t, told, 4, "a broken file is no set of tokens")
}

// TestTheMarkIsNotWhatSomebodyWrote: an id that was edited may be anything, the token itself by mistake too.
func TestTheMarkIsNotWhatSomebodyWrote(t *testing.T) {
	secret, ann := add(t, newFile(t), "ann", "pm")
	require.Equal(t, ann.ID, ann.Mark())
	ann.ID = secret
	require.Equal(t, digest(secret)[:idLength], ann.Mark())
}

func TestAllowCountsEachTokenByItself(t *testing.T) {
	f := newFile(t)
	_, ann := add(t, f, "ann", "pm")
	_, bob := add(t, f, "bob", "coder")
	a := authenticator(t, f, Limit{PerSecond: 3, Burst: 2})

	now := noon
	for range 2 {
		_, _, ok := a.Allow(ann, now)
		require.True(t, ok)
	}
	_, wait, ok := a.Allow(ann, now)
	require.False(t, ok)
	require.InDelta(t, time.Second/3, wait, float64(time.Microsecond))
	_, again, _ := a.Allow(ann, now) // a refused request is not counted
	require.Equal(t, wait, again)
	_, _, ok = a.Allow(bob, now)
	require.True(t, ok)

	require.NoError(t, a.Reload())
	_, _, ok = a.Allow(ann, now.Add(wait-time.Millisecond))
	require.False(t, ok, "a reload must not refill the limit")
	_, _, ok = a.Allow(ann, now.Add(wait))
	require.True(t, ok)
}

func TestAllowForgetsRevokedTokens(t *testing.T) {
	f := newFile(t)
	_, ann := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{PerSecond: 1, Burst: 1})
	_, err := f.Revoke(ann.ID)
	require.NoError(t, err)
	require.NoError(t, a.Reload())
	require.Empty(t, a.current.Load().limiters)
	_, _, ok := a.Allow(ann, noon)
	require.True(t, ok)
}

func TestAllowWithoutLimitAndWithATinyOne(t *testing.T) {
	f := newFile(t)
	_, ann := add(t, f, "ann", "pm")
	free := authenticator(t, f, Limit{})
	for range 1000 {
		_, _, ok := free.Allow(ann, noon)
		require.True(t, ok)
	}
	slow := authenticator(t, f, Limit{PerSecond: 1e-300, Burst: 1})
	_, _, ok := slow.Allow(ann, noon)
	require.True(t, ok)
	_, wait, ok := slow.Allow(ann, noon)
	require.False(t, ok)
	require.Equal(t, longestWait, wait)
}

// Bob's token comes and goes; ann's must work at every moment.
func TestReloadUnderRequests(t *testing.T) {
	f := newFile(t)
	secret, _ := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{PerSecond: 1e9, Burst: 1e9})
	done := make(chan struct{})
	var requests sync.WaitGroup
	for range 2 {
		requests.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				got, err := a.Authenticate(secret, noon)
				if err != nil || got.Name != "ann" {
					t.Errorf("authenticated %q, error %v", got.Name, err)
					return
				}
				a.Allow(got, noon)
			}
		})
	}
	for range 20 {
		_, bob := add(t, f, "bob", "coder")
		require.NoError(t, a.Reload())
		_, err := f.Revoke(bob.ID)
		require.NoError(t, err)
		require.NoError(t, a.Reload())
	}
	close(done)
	requests.Wait()
}

func FuzzAuthenticate(f *testing.F) {
	file := NewFile(datadir.Dir(f.TempDir()))
	secret, _, err := file.Add("ann", "pm", time.Time{}, noon)
	require.NoError(f, err)
	a, err := NewAuthenticator(file, Limit{})
	require.NoError(f, err)
	f.Add("")
	f.Add("orc_pm_")
	f.Add(secret)
	f.Add(secret + "\x00")
	f.Fuzz(func(t *testing.T, presented string) {
		got, err := a.Authenticate(presented, noon)
		if presented == secret {
			require.NoError(t, err)
			return
		}
		require.ErrorIs(t, err, fault.Unauthenticated)
		require.Zero(t, got)
		require.Equal(t, "the token is unknown or has been revoked (send a current token whole, as it was made; "+
			"`orchestrator token add` makes a new one)", err.Error())
	})
}
