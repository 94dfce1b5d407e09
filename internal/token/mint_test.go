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

// works tells whether a text proves a token at noon.
func works(a *Authenticator, secret string) bool {
	_, err := a.Authenticate(secret, noon)
	return err == nil
}

func mint(t *testing.T, a *Authenticator, name, role string) (secret string, made Token) {
	t.Helper()
	secret, made, err := a.Mint(context.Background(), name, role, Bound{}, noon.Add(time.Hour), noon)
	require.NoError(t, err)
	return secret, made
}

// Verifies: ORC-288
func TestMintAndUnmint(t *testing.T) {
	f := newFile(t)
	listed, ann := add(t, f, "ann", "pm")
	before, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	a := authenticator(t, f, Limit{})

	first, one := mint(t, a, "agents.coder", "coder")
	second, two := mint(t, a, "agents.coder", "coder")
	require.Regexp(t, `^orc_coder_[A-Z2-7]{26}$`, first)
	require.NotEqual(t, first, second)
	require.Equal(t, Token{
		ID: digest(first)[:idLength], Name: "agents.coder", Role: "coder", SHA256: digest(first), Created: noon, Expires: noon.Add(time.Hour),
	}, one)
	for secret, want := range map[string]Token{listed: ann, first: one, second: two} {
		got, err := a.Authenticate(secret, noon)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	require.NoError(t, a.Unmint(context.Background(), one))
	_, err = a.Authenticate(first, noon)
	requireFault(t, err, fault.Unauthenticated, "token_unknown")
	require.True(t, works(a, second) && works(a, listed), "the others stay")
	require.NoError(t, a.Unmint(context.Background(), one), "it may be said twice")
	require.NoError(t, a.Unmint(context.Background(), ann))
	require.True(t, works(a, second) && works(a, listed), "a token of the file ends with the file's line")
	require.NoError(t, a.Unmint(context.Background(), two))
	require.False(t, works(a, second))
	require.True(t, works(a, listed))

	after, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	require.Equal(t, before, after, "no file has what was minted")
}

func TestReloadKeepsWhatWasMinted(t *testing.T) {
	f := newFile(t)
	listed, ann := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{})
	minted, made := mint(t, a, "agents.coder", "coder")

	late, _ := add(t, f, "bob", "tester")
	_, err := f.Revoke(ann.ID)
	require.NoError(t, err)
	require.NoError(t, a.Reload())
	require.True(t, works(a, minted) && works(a, late))
	require.False(t, works(a, listed))

	good, err := os.ReadFile(f.Path())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(f.Path(), []byte("{"), 0o600))
	require.Error(t, a.Reload())
	require.True(t, works(a, minted) && works(a, late), "a broken file changes nothing")
	other, _ := mint(t, a, "agents.tester", "tester")
	require.NoError(t, a.Unmint(context.Background(), made))
	require.True(t, works(a, other) && works(a, late), "nor does it keep agents out")
	require.False(t, works(a, minted))

	require.NoError(t, os.WriteFile(f.Path(), good, 0o600))
	require.NoError(t, a.Reload())
	require.False(t, works(a, minted), "a reload brings nothing back")
	require.True(t, works(a, other) && works(a, late))
	require.False(t, works(authenticator(t, f, Limit{}), other), "it ends with the process")
}

// TestWhatIsMintedIsAccountedForFirst: by the whole set that is to be in force; and what cannot be accounted for is not in force.
func TestWhatIsMintedIsAccountedForFirst(t *testing.T) {
	f := newFile(t)
	listed, ann := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{})
	var told, inForce [][]Token
	var failure error
	require.NoError(t, a.Account(func(tokens []Token) error {
		told, inForce = append(told, slices.Clone(tokens)), append(inForce, slices.Clone(a.current.Load().tokens))
		return failure
	}))

	secret, made := mint(t, a, "agents.coder", "coder")
	require.Equal(t, []Token{ann, made}, told[1])
	require.Equal(t, []Token{ann}, inForce[1], "it was accounted for before it worked")

	failure = errors.New("the disk is full")
	refused, none, err := a.Mint(context.Background(), "agents.tester", "tester", Bound{}, noon.Add(time.Hour), noon)
	require.ErrorIs(t, err, failure)
	require.Empty(t, refused)
	require.Zero(t, none)
	require.Len(t, told[2], 3)
	require.Equal(t, []Token{ann, made}, a.current.Load().tokens)

	require.ErrorIs(t, a.Unmint(context.Background(), made), failure)
	require.Equal(t, []Token{ann}, told[3])
	require.False(t, works(a, secret), "it is out of force whatever becomes of the account")
	require.True(t, works(a, listed))

	failure = nil
	require.NoError(t, a.Reload())
	require.Equal(t, []Token{ann}, told[4], "what was refused or revoked does not come back")
}

func TestWhatCannotBeMinted(t *testing.T) {
	f := newFile(t)
	pasted, _ := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{})
	require.NoError(t, a.Account(func(tokens []Token) error {
		require.Len(t, tokens, 1, "nothing is accounted for")
		return nil
	}))
	for _, c := range []struct {
		name, role, code string
		expires          time.Time
	}{
		{"", "pm", "token_name", noon.Add(time.Hour)},
		{"an agent", "pm", "token_name", noon.Add(time.Hour)},
		{strings.Repeat("a", maxName+1), "pm", "token_name", noon.Add(time.Hour)},
		{pasted, "pm", "token_name", noon.Add(time.Hour)},
		{"agents.a", "", "token_role", noon.Add(time.Hour)},
		{"agents.a", "PM", "token_role", noon.Add(time.Hour)},
		{"agents.a", "root", "token_role", noon.Add(time.Hour)},
		{"agents.a", "pm", "token_expiry", noon},
		{"agents.a", "pm", "token_expiry", noon.Add(-time.Hour)},
		{"agents.a", "pm", "token_expiry", noon.Add(time.Millisecond)}, // cut to noon
	} {
		secret, made, err := a.Mint(context.Background(), c.name, c.role, Bound{}, c.expires, noon)
		requireFault(t, err, fault.Invalid, c.code)
		require.NotContains(t, err.Error(), pasted)
		require.Empty(t, secret)
		require.Zero(t, made)
	}
	require.Len(t, a.current.Load().tokens, 1)
}

func TestWhatIsMintedExpires(t *testing.T) {
	f := newFile(t)
	add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{})
	secret, made, err := a.Mint(context.Background(), "agents.coder", "coder", Bound{}, noon.Add(time.Minute+time.Millisecond), noon)
	require.NoError(t, err)
	require.Equal(t, noon.Add(time.Minute), made.Expires)
	_, err = a.Authenticate(secret, noon.Add(time.Minute-1))
	require.NoError(t, err)
	_, err = a.Authenticate(secret, noon.Add(time.Minute))
	requireFault(t, err, fault.Unauthenticated, "token_expired")
	require.NoError(t, a.Unmint(context.Background(), made))
	_, err = a.Authenticate(secret, noon.Add(time.Minute))
	requireFault(t, err, fault.Unauthenticated, "token_unknown")
}

func TestWhatIsMintedHasARateLimitOfItsOwn(t *testing.T) {
	f := newFile(t)
	_, ann := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{PerSecond: 1, Burst: 2})
	_, one := mint(t, a, "ann", "pm")
	_, two := mint(t, a, "ann", "pm")
	allowed := func(made Token) bool { _, _, ok := a.Allow(made, noon); return ok }

	for _, want := range []bool{true, true, false} {
		require.Equal(t, want, allowed(one))
	}
	require.True(t, allowed(two) && allowed(ann), "the same name, and other tokens")
	require.NoError(t, a.Unmint(context.Background(), two))
	require.NoError(t, a.Reload())
	_, three := mint(t, a, "ann", "pm")
	require.False(t, allowed(one), "others that come and go refill nothing")
	require.True(t, allowed(ann))
	require.False(t, allowed(ann))
	for _, want := range []bool{true, true, false} {
		require.Equal(t, want, allowed(three))
	}
	require.Len(t, a.current.Load().limiters, 3, "that of the revoked token is gone")
}

// Agents come and go, and the file is read again, while ann works on.
func TestManyAreMintedAtOnce(t *testing.T) {
	f := newFile(t)
	listed, ann := add(t, f, "ann", "pm")
	a := authenticator(t, f, Limit{PerSecond: 1e9, Burst: 1e9})
	var accounted []Token // the last account
	require.NoError(t, a.Account(func(tokens []Token) error { accounted = tokens; return nil }))
	const agents, runs = 8, 25
	kept := make([]string, agents)
	var all sync.WaitGroup
	for n := range agents {
		all.Go(func() {
			for range runs {
				secret, made, err := a.Mint(context.Background(), fmt.Sprint("agents.n", n), "coder", Bound{}, noon.Add(time.Hour), noon)
				got, wrong := a.Authenticate(secret, noon)
				if err != nil || wrong != nil || got != made || !works(a, listed) {
					t.Errorf("minted %v, authenticated %v: %v, %v", made, got, err, wrong)
				}
				if err := a.Unmint(context.Background(), made); err != nil || works(a, secret) {
					t.Errorf("it outlived its run, %v", err)
				}
			}
			secret, _, err := a.Mint(context.Background(), fmt.Sprint("agents.n", n), "coder", Bound{}, noon.Add(time.Hour), noon)
			if err != nil {
				t.Error(err)
			}
			kept[n] = secret
		})
	}
	all.Go(func() {
		for range runs {
			if err := a.Reload(); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	for _, secret := range kept {
		require.True(t, works(a, secret))
	}
	require.Len(t, accounted, agents+1)
	require.Equal(t, a.current.Load().tokens, accounted)
	require.Equal(t, ann, accounted[0])
}
