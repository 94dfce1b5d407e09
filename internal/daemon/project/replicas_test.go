package project

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/storetest"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/record"
)

const testLease = time.Second

// replica is one of several processes that serve a project, as far as a test needs one.
type replica struct {
	*Project
	t       *testing.T
	options Options
	handle  *stallable
	log     *logged

	ended chan error
	end   context.CancelFunc
}

// logged is what a replica has logged.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// stallable is a handle whose leases can be kept from the store, as if the process had been stopped.
type stallable struct {
	*storetest.Handle

	mu      sync.Mutex
	stopped chan struct{}
}

func (s *stallable) stall() (wake func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = make(chan struct{})
	return func() { close(s.stopped) }
}

func (s *stallable) pass(ctx context.Context) error {
	s.mu.Lock()
	stopped := s.stopped
	s.mu.Unlock()
	if stopped == nil {
		return nil
	}
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stallable) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (store.Lease, error) {
	if err := s.pass(ctx); err != nil {
		return store.Lease{}, err
	}
	return s.Handle.Acquire(ctx, name, holder, ttl)
}

func (s *stallable) Renew(ctx context.Context, l store.Lease, ttl time.Duration) error {
	if err := s.pass(ctx); err != nil {
		return err
	}
	return s.Handle.Renew(ctx, l, ttl)
}

// openReplica opens a replica with a data folder and an export of its own.
func openReplica(t *testing.T, hub *storetest.Hub, o Options, name string) (*replica, error) {
	t.Helper()
	r := &replica{t: t, handle: &stallable{Handle: hub.Open()}, log: &logged{}}
	o.Data, o.Export, o.Lease = filepath.Join(name, "data"), filepath.Join(name, "export.json"), testLease
	o.ExportSync, o.Advertise = true, "http://"+name+".example.org"
	o.Store = storage.Opening("", "memory", func(context.Context) (store.Shared, error) { return r.handle, nil })
	r.options = o
	plan, err := Prepare(o)
	require.NoError(t, err)
	r.Project, err = plan.Open(t.Context(), Process{Log: zerolog.New(r.log), Agent: "orchestrator/test",
		Draining: func() bool { return false }, Sparingly: func(do func()) { do() }})
	return r, err
}

// serve runs a replica until close.
func (r *replica) serve() {
	ctx, end := context.WithCancel(r.t.Context())
	r.end, r.ended = end, make(chan error, 1)
	go func() { r.ended <- r.Run(ctx, func(ctx context.Context) { <-ctx.Done() }) }()
}

func (r *replica) close() {
	r.end()
	require.NoError(r.t, <-r.ended, r.log.String())
	require.NoError(r.t, r.Close())
}

// start opens a replica and serves.
func startReplica(t *testing.T, hub *storetest.Hub, o Options, name string) *replica {
	t.Helper()
	r, err := openReplica(t, hub, o, name)
	require.NoError(t, err)
	r.serve()
	return r
}

// copyKey gives a data folder the key of another.
func copyKey(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(to, "data"), 0o700))
	key, err := os.ReadFile(filepath.Join(from, "data", "audit.key"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(to, "data", "audit.key"), key, 0o600))
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			require.Fail(t, what)
		}
	}
}

// imports returns how many imports are on record.
func (r *replica) imports() (n int) {
	page, err := r.Ledger.Records(r.t.Context(), 0, 1000)
	require.NoError(r.t, err)
	for _, raw := range page.Records {
		var record struct{ Kind string }
		require.NoError(r.t, json.Unmarshal(raw, &record))
		if record.Kind == "requirements.imported" {
			n++
		}
	}
	return n
}

// Verifies: ORC-363
// Verifies: ORC-365
func TestOneReplicaImportsAndExports(t *testing.T) {
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	one := startReplica(t, hub, o, "one")
	copyKey(t, "one", "two")
	two := startReplica(t, hub, o, "two")
	require.True(t, one.Duty().OnDuty())
	require.False(t, two.Duty().OnDuty())
	require.Equal(t, 1, one.imports())
	require.Equal(t, 1, two.Service.State().Requirements)
	eventually(t, "the export is written", func() bool { return one.Service.State().Export.Signed == one.Ledger.Head().Size })
	require.NoFileExists(t, two.options.Export)
	require.True(t, two.Service.State().Export.Standby)

	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n- **REQ-002**: Two.\n"), 0o600))
	eventually(t, "the change is imported", func() bool { return two.Service.State().Requirements == 2 })
	time.Sleep(2 * debounce)
	require.Equal(t, 2, one.imports(), "once")

	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n"), 0o600))
	eventually(t, "it is imported", func() bool { return one.imports() == 3 })
	begun := time.Now()
	one.close()
	eventually(t, "the other takes over", two.Duty().OnDuty)
	require.Less(t, time.Since(begun), testLease+5*time.Second)
	eventually(t, "and exports", func() bool {
		_, err := os.Stat(two.options.Export)
		return err == nil && exportedSize(t, two.options.Export) == two.Ledger.Head().Size
	})
	eventually(t, "and signs", func() bool { return two.Service.State().Export.Signed == two.Ledger.Head().Size })
	require.FileExists(t, projection.CheckpointPath(two.options.Export))
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: Uno.\n"), 0o600))
	eventually(t, "and imports", func() bool { return two.imports() == 4 })
	two.close()
}

// What changed while no replica was on duty is imported by the one that takes over.
//
// Verifies: ORC-365
func TestAReplicaThatIsStoppedIsReplacedAndWritesNothing(t *testing.T) {
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	one := startReplica(t, hub, o, "one")
	copyKey(t, "one", "two")
	two := startReplica(t, hub, o, "two")
	under, leave, err := one.Duty().Enter(t.Context())
	require.NoError(t, err)
	defer leave()

	wake := one.handle.stall()
	begun := time.Now()
	eventually(t, "the other takes over", two.Duty().OnDuty)
	require.Less(t, time.Since(begun), 10*testLease)
	require.False(t, one.Duty().OnDuty())
	eventually(t, "it has nothing to do", func() bool { return one.Service.State().Export.Standby })
	require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: One.\n- **REQ-002**: Two.\n"), 0o600))
	eventually(t, "the other imports", func() bool { return two.imports() == 2 })

	before := two.Ledger.Head()
	late := context.WithoutCancel(under)
	added := hook.Roster{{ID: "0123456789ab", Name: "ops", URL: "https://example.org/in"}}
	_, err = record.Account(late, one.Ledger, added)
	require.ErrorIs(t, err, store.ErrFenced)
	require.Equal(t, before.Size, two.Ledger.Head().Size)
	_, err = record.Account(t.Context(), one.Ledger, added)
	require.NoError(t, err, "the control: without the lease it writes")
	wake()
	one.close()
	require.Contains(t, one.log.String(), "the duty is lost")
	two.close()
}

// Verifies: ORC-368
func TestAWebhookIsToldOnce(t *testing.T) {
	var mu sync.Mutex
	told := map[string]int{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		mu.Lock()
		defer mu.Unlock()
		told[r.Header.Get("Webhook-Id")]++
	}))
	defer receiver.Close()
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(told)
	}
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	one := startReplica(t, hub, o, "one")
	h := hook.Hook{ID: "0123456789ab", Name: "ops", URL: receiver.URL, Created: time.Now().UTC(),
		Kinds: []string{"requirements.imported"}, Allow: []string{receiver.Listener.Addr().String()}}
	secret := hook.NewSecret([32]byte{1})
	require.NoError(t, folder.In(one.Data).Add(t.Context(), h, secret))
	eventually(t, "it is followed", func() bool { return len(one.Webhooks()) == 1 })
	copyKey(t, "one", "two")
	require.NoError(t, folder.In("two/data").Add(t.Context(), h, secret))
	two := startReplica(t, hub, o, "two")
	change := func(text string, on *replica, imports int) {
		require.NoError(t, os.WriteFile("R.md", []byte("# Demo\n\n- **REQ-001**: "+text+".\n"), 0o600))
		eventually(t, "it is imported", func() bool { return on.imports() == imports })
	}
	change("Uno", one, 2)
	change("Eins", one, 3)
	eventually(t, "both are told", func() bool { return count() == 2 })
	one.close()
	eventually(t, "the other follows it", func() bool { return len(two.Webhooks()) == 1 })
	change("Un", two, 4)
	eventually(t, "the third is told", func() bool { return count() == 3 })
	two.close()
	for id, times := range told {
		require.Equal(t, 1, times, id)
	}
}

// An old copy of the file with the webhooks takes back nothing.
//
// Verifies: ORC-368
func TestWebhooksThatDifferAreLeftOnRecord(t *testing.T) {
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	one := startReplica(t, hub, o, "one")
	h := hook.Hook{ID: "0123456789ab", Name: "ops", URL: "https://example.org/in", Created: time.Now().UTC(),
		Kinds: []string{"requirements.imported"}}
	require.NoError(t, folder.In(one.Data).Add(t.Context(), h, hook.NewSecret([32]byte{1})))
	eventually(t, "it is followed", func() bool { return len(one.Webhooks()) == 1 })
	copyKey(t, "one", "two")
	two := startReplica(t, hub, o, "two")
	one.close()
	eventually(t, "the other says that they differ", func() bool { return two.webhooks.Check().Detail != "" })
	size := two.Ledger.Head().Size
	require.Empty(t, two.Webhooks())
	two.close()
	require.Equal(t, size, two.Ledger.Head().Size)
}

// Verifies: ORC-362
func TestADataFolderServesItsLogAlone(t *testing.T) {
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	one := startReplica(t, hub, o, "one")
	refused := func(code fault.Code, hub *storetest.Hub, o Options, name string) {
		t.Helper()
		r, err := openReplica(t, hub, o, name)
		require.True(t, fault.Is(err, code), "%v", err)
		require.NotEmpty(t, fault.As(err).Fix)
		_ = r
	}
	refused("store_of_another_project", hub, o, "without a key")
	other := storetest.NewHub()
	startReplica(t, other, o, "another").close()
	require.NoError(t, os.Remove("another/data/log.json"))
	require.NoError(t, os.RemoveAll("another/export.json"))
	require.NoError(t, os.RemoveAll("another/export.checkpoint"))
	refused("store_of_another_project", hub, o, "another")

	copyKey(t, "one", "copied")
	require.NoError(t, os.WriteFile("S.md", []byte("# Other\n\n- **REQ-001**: One.\n"), 0o600))
	documents := o
	documents.Requirements = []string{"S.md"}
	refused("store_of_another_project", hub, documents, "copied")
	startReplica(t, hub, o, "copied").close()
	startReplica(t, hub, documents, "copied").close() // it knows the log

	one.close()
	for _, path := range []string{"one/export.json", "one/export.checkpoint"} {
		require.NoError(t, os.Remove(path))
	}
	refused("database_missing", storetest.NewHub(), o, "one")
	require.NoError(t, storage.InFolder("one/data").Remember(3, audit.Hash{1}))
	refused("store_of_another_log", hub, o, "one")
	require.NoError(t, os.WriteFile("one/data/state.db", []byte("x"), 0o600))
	refused("store_twice", hub, o, "one")
}

// Verifies: ORC-367
func TestReplicasDoNotDiffer(t *testing.T) {
	o, _ := inWorkingTree(t)
	o.Evidence = projection.EvidenceRecorded
	hub := storetest.NewHub()
	one := startReplica(t, hub, o, "one")
	copyKey(t, "one", "two")
	for _, differing := range []func(*Options){
		func(o *Options) { o.Evidence = projection.EvidenceVerified },
		func(o *Options) { o.Evidence, o.Branch = "", "main" },
	} {
		differs := o
		differing(&differs)
		_, err := openReplica(t, hub, differs, "two")
		require.True(t, fault.Is(err, "replicas_differ"), "%v", err)
	}
	o.Evidence = ""
	size := one.Ledger.Head().Size
	two := startReplica(t, hub, o, "two")
	require.Equal(t, size, one.Ledger.Head().Size, "what is on record is taken")
	require.Empty(t, two.Service.State().Branch)
	two.close()
	one.close()
	o.Evidence = projection.EvidenceVerified
	alone, err := openReplica(t, hub, o, "two")
	require.NoError(t, err, "whoever is on duty at its start may choose")
	require.NoError(t, alone.Close())
}

// Verifies: ORC-362
func TestALogThatWasRolledBackIsRefused(t *testing.T) {
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	startReplica(t, hub, o, "one").close()
	place := storage.InFolder("one/data")
	m, known, err := place.Remembered(t.Context())
	require.NoError(t, err)
	require.True(t, known)
	require.NoError(t, place.Remember(m.Size+1, m.Root))
	_, err = openReplica(t, hub, o, "one")
	require.True(t, fault.Is(err, "store_older"), "%v", err)
	o.AcceptRollback = "the standby was behind"
	again := startReplica(t, hub, o, "one")
	again.close()
	require.Contains(t, again.log.String(), "the log was rolled back")
}

// The first replicas of a log begin it together, and one alone does.
func TestReplicasBeginALogTogether(t *testing.T) {
	o, _ := inWorkingTree(t)
	hub := storetest.NewHub()
	one, err := openReplica(t, hub, o, "one")
	require.NoError(t, err)
	var all sync.WaitGroup
	copyKey(t, "one", "two")
	all.Go(func() {
		two, err := openReplica(t, hub, o, "two")
		if err == nil {
			err = two.Close()
		}
		if err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	require.NoError(t, one.Close())
}
