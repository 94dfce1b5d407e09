package webhooks

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
)

func TestNamesOfHosts(t *testing.T) {
	for host, want := range map[string]string{
		"https://hooks.example.com": "hooks-example-com", "http://127.0.0.1:8080": "127-0-0-1-8080",
		"http://[fd12::1]:80": "fd12-1-80", "https://HOOKS.example": "hooks-example",
		"https://a.long-name-of-a-host.in-a-domain.example.com": "a-long-name-of-a-host-in-a-domain-exampl", "": "",
	} {
		require.Equal(t, want, nameOf(host))
	}
}

// Verifies: ORC-320
func TestAdd(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	add := func(o Order) (Added, error) { return Add(t.Context(), storage.InFolder(data), o, time.Now()) }
	a, err := add(Order{URL: "http://127.0.0.1:9/x", Kinds: []string{"requirement.changed", "webhook.added"}, Roles: []string{"pm", "system"}})
	require.NoError(t, err)
	require.Equal(t, Added{"127-0-0-1-9", "http://127.0.0.1:9", folder.In(data).SecretPath("127-0-0-1-9"), false}, a)
	a, err = add(Order{URL: "http://example.com", Name: "plain"})
	require.NoError(t, err)
	require.True(t, a.Plain)

	given := hook.NewSecret([32]byte{3})
	file := filepath.Join(t.TempDir(), "given")
	require.NoError(t, os.WriteFile(file, []byte("  "+given+"\n\n"), 0o600))
	a, err = add(Order{URL: "https://example.com", Name: "given", SecretFile: file})
	require.NoError(t, err)
	require.False(t, a.Plain)
	kept, err := os.ReadFile(a.Secret)
	require.NoError(t, err)
	require.Equal(t, given+"\n", string(kept))
	first, err := os.ReadFile(folder.In(data).SecretPath("plain"))
	require.NoError(t, err)
	require.NotEqual(t, string(kept), string(first))

	for name, c := range map[string]struct {
		order Order
		code  fault.Code
		fix   string
	}{
		"a kind that there is none of": {Order{URL: "https://example.com", Kinds: []string{"requirement.done"}}, fault.CodeUsage, "requirement.changed"},
		"a role that there is none of": {Order{URL: "https://example.com", Roles: []string{"boss"}}, fault.CodeUsage, "architect"},
		"no secret in its file":        {Order{URL: "https://example.com", SecretFile: file + "x"}, hook.CodeSecret, ""},
		"an address of metadata":       {Order{URL: "http://169.254.169.254/", Name: "meta"}, "host_refused", "never called"},
		"a name that is taken":         {Order{URL: "https://example.com", Name: "given"}, hook.CodeExists, "remove given"},
	} {
		_, err := add(c.order)
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
		require.Contains(t, fault.As(err).Fix, c.fix, name)
	}
	all, err := List(t.Context(), storage.InFolder(data))
	require.NoError(t, err)
	require.Len(t, all, 3)
}

// Verifies: ORC-324
func TestReplay(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	_, err := Add(t.Context(), storage.InFolder(data), Order{URL: "https://example.com", Name: "ops"}, time.Now())
	require.NoError(t, err)
	_, err = Replay(t.Context(), storage.InFolder(data), "none", 1)
	require.True(t, fault.Is(err, hook.CodeUnknown))
	_, err = Replay(t.Context(), storage.InFolder(data), "ops", 1)
	require.ErrorContains(t, err, "no service has followed")

	all, err := folder.In(data).Roster(t.Context())
	require.NoError(t, err)
	_, err = folder.In(data).Advance(t.Context(), all[0], 5, func(p *hook.Progress) error {
		p.Pass(5, 9)
		p.GiveUp(10, "no", time.Now())
		return nil
	})
	require.NoError(t, err)
	r, err := ReplayDead(t.Context(), storage.InFolder(data), "ops")
	require.NoError(t, err)
	require.Equal(t, Replayed{Name: "ops", Dead: 1}, r)
	r, err = Replay(t.Context(), storage.InFolder(data), "ops", 6)
	require.NoError(t, err)
	require.Equal(t, Replayed{Name: "ops", Since: 6}, r)
	list, err := List(t.Context(), storage.InFolder(data))
	require.NoError(t, err)
	require.EqualValues(t, 5, list[0].Again)
	require.EqualValues(t, 11, list[0].Next)
	require.Empty(t, list[0].Dead)
}

func TestAwaitFollowed(t *testing.T) {
	data := datadir.Dir(t.TempDir())
	_, err := Add(t.Context(), storage.InFolder(data), Order{URL: "https://example.com", Name: "ops"}, time.Now())
	require.NoError(t, err)
	require.NoError(t, AwaitFollowed(t.Context(), storage.InFolder(data), "ops", time.Hour), "no service runs")

	unlock, err := durable.Lock(data.Address(), 0)
	require.NoError(t, err)
	defer unlock()
	require.NoError(t, AwaitFollowed(t.Context(), storage.InFolder(data), "ops", 0), "it need not be waited for")
	for _, most := range []time.Duration{time.Nanosecond, 200 * time.Millisecond} { // the time is over while a file is read
		err = AwaitFollowed(t.Context(), storage.InFolder(data), "ops", most)
		require.True(t, fault.Is(err, "webhook_not_followed"), "%v", err)
		require.Contains(t, fault.As(err).Fix, "webhook remove ops")
	}
	all, err := folder.In(data).Roster(t.Context())
	require.NoError(t, err)
	time.AfterFunc(50*time.Millisecond, func() {
		_, err := folder.In(data).Advance(t.Context(), all[0], 5, func(*hook.Progress) error { return nil })
		if err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, AwaitFollowed(t.Context(), storage.InFolder(data), "ops", time.Hour))
}
