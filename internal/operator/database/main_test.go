package database

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/storage"
)

const childEnv = "DATABASE_TEST_CHILD"

// TestMain lets copies of this test be the process that is killed.
func TestMain(m *testing.M) {
	if step := os.Getenv(childEnv); step != "" {
		fmt.Println("it lived on:", upgradeAndDie(step))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// upgradeAndDie upgrades the data folder that it runs in until a step is done, and is killed there; "half" is among the
// records.
func upgradeAndDie(step string) error {
	die := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	o := UpgradeOptions{Now: time.Now, reached: func(done string) error {
		if done == step {
			die()
		}
		return nil
	}}
	o.Progress = func(int, int) {
		if step == "half" {
			die()
		}
	}
	_, err := Upgrade(context.Background(), storage.InFolder("."), o)
	return err
}

// keptFormats are the older formats of which testdata/logs has a database.
var (
	keptFormats = []int{4, 5, 6}
	keptRecords = map[int]int{4: 64, 5: 65, 6: 65}
)

// older is a data folder with the kept database of an older format.
func older(t *testing.T, format int) datadir.Dir {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("../../../testdata/logs/format%d.db.gz", format))
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	content, err := io.ReadAll(z)
	require.NoError(t, err)
	data := datadir.Dir(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, os.Mkdir(string(data), 0o700))
	require.NoError(t, os.WriteFile(data.Database(), content, 0o640))
	return data
}

// entries are all tables of a database but the one that has its format, read past the program; of the log the records.
func entries(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	all := map[string]map[string]string{}
	for _, table := range []string{"audit", "hashes", "subjects", "blobs", "requirements", "idempotency", "reports",
		"tokens", "project", "boundary", "ir"} {
		all[table] = map[string]string{}
		require.NoError(t, s.View(t.Context(), func(r store.Reader) error {
			return r.Scan(table, "", "", func(key string, value []byte) error {
				if table == "audit" {
					value = ledger.RecordOf(value)
				}
				all[table][key] = string(value)
				return nil
			})
		}))
	}
	return all
}

// put changes one entry of a database past the program.
func put(t *testing.T, data datadir.Dir, table, key string, change func(string) string) {
	t.Helper()
	s, err := boltstore.Open(data.Database(), boltstore.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Update(t.Context(), func(tx store.Tx) error {
		was, err := tx.Get(table, key)
		if err != nil {
			return err
		}
		is := change(string(was))
		require.NotEqual(t, string(was), is)
		return tx.Put(table, key, []byte(is))
	}))
	require.NoError(t, s.Close())
}

// digests are the files of a folder, each with its mode and the digest of its content.
func digests(t *testing.T, data datadir.Dir) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(string(data), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return err
		}
		info, err := e.Info()
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, string(data)+"/")] = fmt.Sprintf("%s %x", info.Mode(), sha256.Sum256(content))
		return err
	}))
	return all
}

func requireFault(t *testing.T, err error, code fault.Code) {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, f.Code, err)
	require.NotEmpty(t, f.Fix)
}
