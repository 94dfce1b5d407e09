package backup

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

const childEnv = "BACKUP_TEST_CHILD"

// TestMain lets copies of this test be the process that is killed.
func TestMain(m *testing.M) {
	if step := os.Getenv(childEnv); step != "" {
		fmt.Println("it lived on:", restoreAndDie(os.Args[1], os.Args[2], step))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// restoreAndDie restores until a step is done, and is killed there; "half" is in the middle of the records.
func restoreAndDie(path, folder, step string) error {
	die := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	o := RestoreOptions{Folder: folder, Replace: true, ReplaceTokens: true, Now: time.Now, reached: func(done string) error {
		if done == step {
			die()
		}
		return nil
	}}
	o.Progress = func(done, total int) {
		if step == "half" && done > total/2 {
			die()
		}
	}
	_, err := Restore(context.Background(), path, o)
	return err
}

// child is a process that restores and is killed at a step.
func child(t *testing.T, path, folder, step string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, path, folder)
	cmd.Env = append(os.Environ(), childEnv+"="+step)
	return cmd
}

var pm = lifecycle.Actor{Name: "paula", Role: lifecycle.PM}

// data makes a data folder with a database of n changes, some with data beside the log, and all that belongs to it.
func data(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(dir, 0o700))
	private, err := audit.GenerateKey(rand.Reader, "example.org/shop")
	require.NoError(t, err)
	put(t, dir, datadir.Key, private+"\n")
	put(t, dir, datadir.PublicKey, signerOf(t, dir).Key+"\n")
	put(t, dir, datadir.Tokens, `{"tokens":[]}`)
	change(t, dir, n)
	return dir
}

// change takes n changes into the database of a folder, and returns the head of the log.
func change(t *testing.T, dir string, n int) audit.Head {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(dir, datadir.Database), boltstore.Options{})
	require.NoError(t, err)
	return changeIn(t, s, dir, n)
}

// changeIn takes n changes into the log of a store, which it closes.
func changeIn(t *testing.T, s store.Store, dir string, n int) audit.Head {
	t.Helper()
	l, err := ledger.Open(t.Context(), s, time.Now)
	require.NoError(t, err)
	service, err := requirements.Open(t.Context(), l, time.Now, requirements.Options{Signer: signerOf(t, dir)})
	require.NoError(t, err)
	_, err = service.Import(t.Context(), pm, func() ([]reqdoc.File, error) {
		return []reqdoc.File{{Path: "R.md", Content: []byte("# Shop\n\n- **REQ-001**: A customer can log in.\n- **REQ-002**: A customer can log out.\n")}}, nil
	}, requirements.ImportOptions{})
	require.NoError(t, err)
	var clients sync.WaitGroup
	for i := range n {
		clients.Go(func() {
			id, text := fmt.Sprintf("REQ-%03d", 1+i%2), fmt.Sprint("note ", i)
			if i%100 == 7 {
				text = strings.Repeat("x", 4000)
			}
			_, err := service.Patch(t.Context(), pm, requirements.Proposal{ID: id,
				IdempotencyKey: strings.ToLower(rand.Text()), Body: fmt.Appendf(nil, `{"pm_notes":[{"text":%q}]}`, text)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	_, err = service.Patch(t.Context(), lifecycle.Actor{Name: "archy", Role: lifecycle.Architect}, requirements.Proposal{ID: "REQ-002",
		Body: fmt.Appendf(nil, `{"design_spec":{"summary":"s","decisions":[%s"x"]}}`, strings.Repeat(fmt.Sprintf("%q,", strings.Repeat("d", 19_000)), 5))})
	require.NoError(t, err)
	head := l.Head()
	require.NoError(t, l.Close())
	return head
}

func signerOf(t *testing.T, dir string) audit.Signer {
	t.Helper()
	signer, err := audit.ParseSigner(strings.TrimSpace(read(t, filepath.Join(dir, datadir.Key))))
	require.NoError(t, err)
	return signer
}

// source reads the closed database of a folder, and end lets go of it.
func source(t *testing.T, dir string) (src auditor.Source, end func()) {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(dir, datadir.Database), boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	l, err := ledger.OpenReadOnly(t.Context(), s)
	require.NoError(t, err)
	state, err := requirements.Export(t.Context(), l)
	require.NoError(t, err)
	return auditor.FromLedger(dir, l, signerOf(t, dir), state), func() { require.NoError(t, s.Close()) }
}

var taken = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// backedUp is a backup of a folder.
func backedUp(t *testing.T, dir string) (path string, w Written) {
	t.Helper()
	src, end := source(t, dir)
	defer end()
	path = filepath.Join(t.TempDir(), "log.zip")
	w, err := Write(t.Context(), path, src, WriteOptions{Folder: dir, TakenAt: taken})
	require.NoError(t, err)
	return path, w
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

// digests are the files of a folder, each with its mode and the digest of its content.
func digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return err
		}
		info, err := e.Info()
		all[path] = fmt.Sprintf("%s %x", info.Mode(), sha256.Sum256([]byte(read(t, path))))
		return err
	}))
	return all
}

// changed is a copy of a bundle whose files went through change, which returns nil to leave one out.
func changed(t *testing.T, path string, change func(name string, content []byte) []byte) string {
	t.Helper()
	from, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer from.Close()
	to, err := os.Create(filepath.Join(t.TempDir(), "changed.zip"))
	require.NoError(t, err)
	w := zip.NewWriter(to)
	for _, f := range from.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		if content = change(f.Name, content); content == nil {
			continue
		}
		into, err := w.Create(f.Name)
		require.NoError(t, err)
		_, err = into.Write(content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, to.Close())
	return to.Name()
}
