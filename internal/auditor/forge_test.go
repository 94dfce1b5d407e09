package auditor

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/projection"
)

// forms are the shapes in which a log reaches whoever checks it.
var forms = map[string]func(*testing.T, copied, Options) (Report, error){
	"server": func(t *testing.T, c copied, o Options) (Report, error) {
		t.Helper()
		return Verify(t.Context(), c.lay(t), o)
	},
	"bundle": func(t *testing.T, c copied, o Options) (Report, error) {
		t.Helper()
		return verifyFile(t, packed(t, c.lay(t)), o)
	},
	"database": func(t *testing.T, c copied, o Options) (Report, error) {
		t.Helper()
		s := c.base
		if !c.rebuilt {
			s = c.tables(t)
		}
		l, err := ledger.OpenReadOnly(t.Context(), s)
		if err != nil {
			return Report{}, err
		}
		if c.state == nil {
			return Database(t.Context(), "database", l, nil, o)
		}
		return Database(t.Context(), "database", l, projection.ExportOf(c.state), o)
	},
}

// packed is a bundle of files, each stored as it is.
func packed(t testing.TB, f files) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, path := range slices.Sorted(maps.Keys(f)) {
		to, err := w.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store})
		require.NoError(t, err)
		_, err = to.Write(f[path])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func verifyFile(t *testing.T, content []byte, o Options) (Report, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.zip")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	b, err := OpenBundle(path)
	if err != nil {
		return Report{}, err
	}
	defer func() { require.NoError(t, b.Close()) }()
	return Verify(t.Context(), b, o)
}

// resign makes a checkpoint of the tree as it is now, and a state that says so.
func (c *copied) resign(t *testing.T, signer audit.Signer) {
	t.Helper()
	before, err := audit.ReadCheckpoint(c.checkpoint)
	require.NoError(t, err)
	head, _ := headOf(t, c.tree)
	c.checkpoint, err = signer.Sign(head)
	require.NoError(t, err)
	c.key, c.size = []byte(signer.Key+"\n"), head.Size
	log := func(size uint64, root audit.Hash) []byte {
		return fmt.Appendf(nil, `"size":%d,"root":"%s"`, size, root)
	}
	require.Contains(t, string(c.state), string(log(before.Size, before.Root)))
	c.state = bytes.Replace(c.state, log(before.Size, before.Root), log(head.Size, head.Root), 1)
}

// tables are the database with other records, nodes and data; the head is of the tree that its nodes are of.
func (c copied) tables(t *testing.T) *store.Memory {
	t.Helper()
	dump := c.base.Dump()
	mark := map[string]json.RawMessage{} // its numbers are too large for floats
	require.NoError(t, json.Unmarshal([]byte(dump["meta"]["head"]), &mark))
	head, nodes := headOf(t, c.tree)
	dump["audit"], dump["hashes"], dump["blobs"] = map[string]string{}, map[string]string{}, map[string]string{}
	for n, raw := range c.records {
		if c.gap && n >= c.first {
			n++
		}
		dump["audit"][number(uint64(n))] = string(raw)
	}
	for n, hash := range nodes {
		dump["hashes"][number(n)] = string(hash[:])
	}
	for digest, data := range c.blobs {
		dump["blobs"][digest] = string(data)
	}
	last, err := audit.Decode(c.tree[len(c.tree)-1])
	require.NoError(t, err)
	head.At = last.At
	raw, err := ledger.Encode(head)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &mark))
	raw, err = ledger.Encode(mark)
	require.NoError(t, err)
	dump["meta"]["head"] = string(raw)
	s := store.NewMemory()
	refill(t, s, dump)
	return s
}

func number(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }
