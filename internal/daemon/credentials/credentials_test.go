package credentials

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/operator/tokens"
	kept "orchestrator/internal/requirements/credentials"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/token"
)

// replica is a process that serves a shared log, as far as its tokens go.
type replica struct {
	*Credentials
	t      *testing.T
	ledger *ledger.Ledger
	data   datadir.Dir
	said   *bytes.Buffer
}

func join(t *testing.T, hub *storetest.Hub, change ...func(*Options)) *replica {
	t.Helper()
	r := &replica{t: t, data: datadir.Dir(filepath.Join(t.TempDir(), "data")), said: &bytes.Buffer{}}
	require.NoError(t, os.MkdirAll(string(r.data), 0o700))
	var err error
	r.ledger, err = ledger.Open(t.Context(), hub.Open(), time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.ledger.Close()) })
	o := Options{Data: r.data, Shared: tokens.InLedger(r.ledger), Store: "the database", Log: zerolog.New(r.said)}
	for _, c := range change {
		c(&o)
	}
	r.Credentials, err = Open(o)
	require.NoError(t, err)
	require.NoError(t, r.ledger.Follow(t.Context(), ledger.Follower{Told: r.Follow, Tables: []string{kept.Table}}))
	return r
}

func (r *replica) begin() *replica {
	r.t.Helper()
	require.NoError(r.t, r.Account(r.t.Context(), nil, nil))
	return r
}

// accepts reports whether a replica accepts a token, once it has asked what is newest.
func (r *replica) accepts(secret string) bool {
	r.t.Helper()
	require.NoError(r.t, r.ledger.CatchUp(r.t.Context()))
	_, err := r.Tokens.Authenticate(secret, time.Now())
	require.True(r.t, err == nil || fault.Is(err, "token_unknown"), "%v", err)
	return err == nil
}

func secretIn(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.TrimSpace(string(content))
}

// Verifies: ORC-370
func TestReplicasAcceptTheSameTokens(t *testing.T) {
	hub := storetest.NewHub()
	a := join(t, hub).begin()
	require.Equal(t, []string{"pm", "viewer"}, a.Made)
	require.NoFileExists(t, a.data.Tokens())
	b := join(t, hub).begin()
	require.Empty(t, b.Made)
	require.NoDirExists(t, b.data.TokenDir())
	pm := secretIn(t, a.data.Token("pm"))
	require.True(t, a.accepts(pm) && b.accepts(pm))

	operator, err := ledger.Open(t.Context(), hub.Open(), time.Now) // orchestrator token, beside the service
	require.NoError(t, err)
	ada, made, err := tokens.InLedger(operator).Add(t.Context(), "ada", "coder", time.Time{}, time.Now())
	require.NoError(t, err)
	require.True(t, a.accepts(ada) && b.accepts(ada))
	_, err = tokens.InLedger(operator).Revoke(t.Context(), made.ID)
	require.NoError(t, err)
	require.NoError(t, operator.Close())
	require.False(t, a.accepts(ada) || b.accepts(ada), "it is refused everywhere")

	// The log accounts for each change, and has no hash.
	var recorded []record.TokensChanged
	require.NoError(t, a.ledger.View(t.Context(), func(r store.Reader) error {
		for seq := range a.ledger.Head().Size {
			raw, rec, err := ledger.RecordAt(r, seq)
			require.NoError(t, err)
			require.NotContains(t, string(raw), made.SHA256)
			if rec.Kind == record.KindTokensChanged {
				data, err := ledger.DataOf[record.TokensChanged](r, rec)
				require.NoError(t, err)
				recorded = append(recorded, data)
			}
		}
		return nil
	}))
	require.Len(t, recorded, 3)
	require.Equal(t, made.Mark(), recorded[1].Added[0].ID)
	require.Equal(t, made.Mark(), recorded[2].Revoked[0].ID)
	require.Equal(t, audit.Actor{Name: "orchestrator", Role: "system"}, ledger.System())
}

// TestReplicasBeginWithOneSet: whichever is first makes the tokens, and no other leaves files.
//
// Verifies: ORC-371
func TestReplicasBeginWithOneSet(t *testing.T) {
	for range 10 {
		hub := storetest.NewHub()
		all := []*replica{join(t, hub), join(t, hub), join(t, hub)}
		var starting sync.WaitGroup
		for _, r := range all {
			starting.Go(func() {
				if err := r.Account(context.Background(), nil, nil); err != nil {
					t.Error(err)
				}
			})
		}
		starting.Wait()
		var secrets []string
		for _, r := range all {
			found, err := filepath.Glob(filepath.Join(r.data.TokenDir(), "*"))
			require.NoError(t, err)
			for _, path := range found {
				secrets = append(secrets, secretIn(t, path))
			}
		}
		require.Len(t, secrets, 2, "the pm's and the viewer's")
		for _, r := range all {
			for _, s := range secrets {
				require.True(t, r.accepts(s))
			}
			listed, err := r.List(t.Context())
			require.NoError(t, err)
			require.Len(t, listed, 2)
		}
	}
}

// Verifies: ORC-371
func TestATokenFileIsTakenOverAndThenWarnedOf(t *testing.T) {
	hub := storetest.NewHub()
	a := join(t, hub)
	ada, made, err := token.NewFile(a.data).Add("ada", "pm", time.Time{}, time.Now())
	require.NoError(t, err)
	a.begin()
	require.Empty(t, a.Made)
	require.Contains(t, a.said.String(), "the store has the tokens of this file from here on")
	require.Equal(t, httpapi.CheckOK, a.Check().Status)
	b := join(t, hub)
	bob, _, err := token.NewFile(b.data).Add("bob", "tester", time.Time{}, time.Now())
	require.NoError(t, err)
	b.begin()
	require.True(t, a.accepts(ada) && b.accepts(ada))
	require.False(t, a.accepts(bob) || b.accepts(bob))
	require.Contains(t, b.said.String(), "this file has other tokens than the store, and is not read")
	require.Equal(t, httpapi.CheckWarning, b.Check().Status)
	require.Contains(t, b.Check().Detail, "move the file away")

	require.NoError(t, os.Remove(b.data.Tokens()))
	require.NoError(t, b.Reload(t.Context()))
	require.Equal(t, httpapi.CheckOK, b.Check().Status)
	_, err = token.NewFile(a.data).Revoke(made.ID)
	require.NoError(t, err)
	require.NoError(t, a.Reload(t.Context()))
	require.True(t, a.accepts(ada), "the file revokes nothing")
	require.Equal(t, httpapi.CheckWarning, a.Check().Status, "and says so")
	require.Contains(t, a.said.String(), "is not read")
}

// Verifies: ORC-372
func TestATokenOfARunIsKnownToEveryReplica(t *testing.T) {
	hub := storetest.NewHub()
	a, b := join(t, hub).begin(), join(t, hub).begin()
	to := token.Bound{Only: "REQ-001", Run: "run-1"}
	secret, made, err := a.Tokens.Mint(t.Context(), "agents.coder", "coder", to, time.Now().Add(time.Hour), time.Now())
	require.NoError(t, err)
	require.True(t, b.accepts(secret))
	known, err := b.Tokens.Authenticate(secret, time.Now())
	require.NoError(t, err)
	require.Equal(t, to, known.Bound)
	b.begin()
	require.True(t, b.accepts(secret), "a replica that joins ends no run")
	require.NoError(t, a.Tokens.Unmint(t.Context(), made))
	require.False(t, b.accepts(secret))

	left, _, err := a.Tokens.Mint(t.Context(), "agents.coder", "coder", to, time.Now().Add(time.Hour), time.Now())
	require.NoError(t, err)
	require.NoError(t, tokens.InLedger(b.ledger).EndMinted(t.Context()), "it takes the duty over")
	require.False(t, a.accepts(left) || b.accepts(left))
	require.True(t, b.accepts(secretIn(t, a.data.Token("pm"))))
}

// TestAStoppedReplicaMintsNothing: its lease was given to another.
//
// Verifies: ORC-372
func TestAStoppedReplicaMintsNothing(t *testing.T) {
	hub := storetest.NewHub()
	h := hub.Open()
	a := join(t, hub).begin()
	old, err := h.Acquire(t.Context(), "duty", "a", time.Millisecond)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := h.Acquire(t.Context(), "duty", "b", time.Minute)
		return err == nil
	}, 10*time.Second, time.Millisecond)
	_, _, err = a.Tokens.Mint(store.Under(t.Context(), old), "agents.coder", "coder", token.Bound{Run: "run-1"},
		time.Now().Add(time.Hour), time.Now())
	require.ErrorIs(t, err, store.ErrFenced)
	all, err := a.List(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
}

func TestADemonstrationOnASharedStore(t *testing.T) {
	hub := storetest.NewHub()
	demo := func(o *Options) { o.Demo = true }
	a := join(t, hub).begin()
	b := join(t, hub, demo).begin()
	require.Equal(t, []string{"architect", "coder", "tester"}, b.Made)
	require.True(t, a.accepts(secretIn(t, b.data.Token("coder"))))
	require.Contains(t, b.said.String(), "For a demonstration only")
	require.Empty(t, join(t, hub, demo).begin().Made)
}
