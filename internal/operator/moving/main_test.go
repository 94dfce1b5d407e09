package moving

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

const childEnv = "MOVING_TEST_CHILD"

// TestMain lets copies of this test be the process that is killed.
func TestMain(m *testing.M) {
	if step := os.Getenv(childEnv); step != "" {
		fmt.Println("it lived on:", moveAndDie(os.Args[1], os.Args[2], step))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// moveAndDie moves a log from one place to another until a step is done, and is killed there; a number is that of
// a page of a table.
func moveAndDie(from, to, step string) error {
	die := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	pages := 0
	page := func(int, int) {
		if pages++; fmt.Sprint(pages) == step {
			die()
		}
	}
	o := Options{Now: time.Now, pageEntries: 20, lease: time.Second, reached: func(done string) error {
		if done == step {
			die()
		}
		return nil
	}, Copied: page, Compared: page}
	source, err := Find(context.Background(), Given{Text: from})
	if err != nil {
		return err
	}
	target, err := Find(context.Background(), Given{Text: to})
	if err != nil {
		return err
	}
	_, err = Move(context.Background(), source, target, o)
	return err
}

// child is a process that moves a log and is killed at a step.
func child(t *testing.T, from, to, step string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, from, to)
	cmd.Env = append(os.Environ(), childEnv+"="+step)
	return cmd
}

var pm = lifecycle.Actor{Name: "paula", Role: lifecycle.PM}

// lived makes the data folder of a project that has lived: records of every subsystem, and n changes besides, some with
// data beside the log.
func lived(t *testing.T, n int) datadir.Dir {
	t.Helper()
	data := datadir.Dir(filepath.Join(t.TempDir(), "lived"))
	require.NoError(t, os.Mkdir(string(data), 0o700))
	upgraded := upgrade()
	require.NotEmpty(t, upgraded)
	require.NoError(t, os.WriteFile(data.Database(), upgraded, 0o600))
	change(t, data, n)
	return data
}

// upgrade returns a database of an older format, as it is in the present one.
var upgrade = sync.OnceValue(func() []byte {
	folder, err := os.MkdirTemp("", "moving")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(folder)
	data := datadir.Dir(folder)
	if err := unpack("../../../testdata/logs/format6.db.gz", data.Database()); err != nil {
		return nil
	}
	if _, err := database.Upgrade(context.Background(), storage.InFolder(data), database.UpgradeOptions{Now: time.Now}); err != nil {
		return nil
	}
	content, _ := os.ReadFile(data.Database())
	return content
})

func unpack(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(z)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

// change takes n changes into the database of a folder.
func change(t *testing.T, data datadir.Dir, n int) {
	t.Helper()
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	changeIn(t, s, n)
	require.NoError(t, s.Close())
}

// changeIn takes n changes into the log of a store.
func changeIn(t *testing.T, s store.Store, n int) {
	t.Helper()
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	l.LimitSpending(1 << 30)
	service, err := requirements.Open(t.Context(), l, time.Now, requirements.Options{})
	require.NoError(t, err)
	_, err = service.Import(t.Context(), record.System(), func() ([]reqdoc.File, error) {
		return []reqdoc.File{
			{
				Path: "R.md",
				Content: []byte(
					"# Shop\n\n- **MOV-001**: A customer can log in.\n- **MOV-002**: A customer can log out.\n",
				),
			},
		}, nil
	}, requirements.ImportOptions{})
	require.NoError(t, err)
	var clients sync.WaitGroup
	for first := 0; first < n; first += 100 {
		for i := first; i < min(first+100, n); i++ {
			clients.Go(func() {
				text := fmt.Sprint("note ", i)
				if i%100 == 7 {
					text = strings.Repeat("x", 4000)
				}
				_, err := service.Patch(t.Context(), pm, requirements.Proposal{ID: fmt.Sprintf("MOV-%03d", 1+i%2),
					IdempotencyKey: strings.ToLower(rand.Text()),
					Body:           fmt.Appendf(nil, `{"pm_notes":[{"text":%q}]}`, text)})
				if err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
	}
	_, err = service.Patch(
		t.Context(),
		lifecycle.Actor{Name: "archy", Role: lifecycle.Architect},
		requirements.Proposal{
			ID: "MOV-002", IdempotencyKey: strings.ToLower(rand.Text()), Body: fmt.Appendf(nil, `{"design_spec":{"summary":"s","decisions":[%s"x"]}}`,
				strings.Repeat(fmt.Sprintf("%q,", strings.Repeat("d", 19_000)), 5))},
	)
	require.NoError(t, err)
}

// held is all that a log has in a store, but where it goes on: entries by table and key.
func held(t *testing.T, s store.Store) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	raw, err := read(t.Context(), s, tableMeta, keyHead)
	require.NoError(t, err)
	require.NotNil(t, raw)
	head := headOf(t, raw)
	for _, table := range head.Tables("spent") {
		all[table] = map[string]string{}
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			return r.Scan(table, "", "", func(key string, value []byte) error {
				all[table][key] = string(value)
				return nil
			})
		}))
	}
	head.Moved = ""
	plain, err := head.Encode()
	require.NoError(t, err)
	format, err := read(t.Context(), s, tableMeta, keyFormat)
	require.NoError(t, err)
	all[tableMeta] = map[string]string{keyHead: string(plain), keyFormat: string(format)}
	return all
}

// heldIn is what the file of a data folder has.
func heldIn(t *testing.T, data datadir.Dir) map[string]map[string]string {
	t.Helper()
	s, err := boltstore.Open(data.Database(), boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	return held(t, s)
}

// requireSame compares without printing megabytes.
func requireSame(t *testing.T, want, got map[string]map[string]string) {
	t.Helper()
	for table, entries := range want {
		require.Len(t, got[table], len(entries), table)
		for key, value := range entries {
			require.True(t, got[table][key] == value, "%s, %q", table, key)
		}
	}
	require.Len(t, got, len(want))
}

// requireOrder verifies a log as the command does.
func requireOrder(t *testing.T, s store.Store) audit.Head {
	t.Helper()
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	_, err = auditor.Database(t.Context(), "", l, nil, auditor.Options{})
	require.NoError(t, err)
	return l.Head()
}

func requireFault(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, f.Code, err)
	require.NotEmpty(t, f.Fix)
	return f
}

// errStop ends a move after a step.
var errStop = errors.New("stopped here")

func stopAt(step string) Options {
	return Options{Now: time.Now, reached: func(done string) error {
		if done == step {
			return errStop
		}
		return nil
	}}
}
