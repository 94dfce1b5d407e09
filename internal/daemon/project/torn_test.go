package project

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements/projection"
)

// start opens the project, calls whileOpen, writes the last export, and returns what was logged.
func start(t *testing.T, o Options, whileOpen func(*Project)) (logged string, err error) {
	t.Helper()
	plan, err := Prepare(o)
	if err != nil {
		return "", err
	}
	var log bytes.Buffer
	project, err := plan.Open(t.Context(), Process{Log: zerolog.New(&log), Draining: func() bool { return false }})
	if err != nil {
		return log.String(), err
	}
	whileOpen(project)
	ended, end := context.WithCancel(t.Context())
	end()
	require.NoError(t, project.Run(ended, func(context.Context) {}))
	require.NoError(t, project.Close())
	return log.String(), nil
}

// A power cut may leave the export old, empty or torn. That refuses no start: it is written anew, and reported.
func TestAnExportThatAPowerCutToreIsWrittenAnew(t *testing.T) {
	var earlier, newest string // roots of the log
	for name, tear := range map[string]func(whole []byte) []byte{
		"empty":                         func([]byte) []byte { return []byte{} },
		"zeros":                         func(whole []byte) []byte { return make([]byte, len(whole)) },
		"half":                          func(whole []byte) []byte { return whole[:len(whole)/2] },
		"without its end":               func(whole []byte) []byte { return whole[:len(whole)-3] },
		"its end are zeros":             func(whole []byte) []byte { return append(whole[:len(whole)-30], make([]byte, 30)...) },
		"the root of its log is of two": func(whole []byte) []byte { return withRoot(whole, earlier[:20]+newest[20:]) },
		"an older root beside its size": func(whole []byte) []byte { return withRoot(whole, earlier) },
		"an older size beside its root": func(whole []byte) []byte { return withSize(whole, "1") },
		"its size is of two":            func(whole []byte) []byte { return withSize(whole, "9999") },
		"its middle is of another": func(whole []byte) []byte {
			return bytes.Replace(whole, []byte(`"One."`), []byte(`"Two."`), 1)
		},
	} {
		for _, checkpoint := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				o, _ := inWorkingTree(t)
				_, err := start(t, o, func(p *Project) {
					size := p.Ledger.Head().Size
					earlier, newest = rootAt(t, p, size-1), rootAt(t, p, size)
				})
				require.NoError(t, err)
				whole, err := os.ReadFile(o.Export)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(o.Export, tear(bytes.Clone(whole)), 0o600))
				if !checkpoint { // the first one was not written before the cut
					require.NoError(t, os.Remove(projection.CheckpointPath(o.Export)))
				}
				logged, err := start(t, o, func(*Project) {})
				require.NoError(t, err)
				require.Contains(t, logged, "it is written anew from the database")
				_, err = start(t, o, func(p *Project) {
					read, err := os.Open(o.Export)
					require.NoError(t, err)
					defer read.Close()
					require.NoError(t, p.Service.Matches(read))
					require.Equal(t, p.Service.State().LogSize, exportedSize(t, o.Export))
				})
				require.NoError(t, err)
			})
		}
	}
}

// An export with a root that the log never had, nor a part of it, remembers what was lost.
func TestAnExportOfAnotherLogRefusesTheStart(t *testing.T) {
	for _, size := range []string{"1", "2", "9999"} {
		o, _ := inWorkingTree(t)
		var newest string
		_, err := start(t, o, func(p *Project) { newest = rootAt(t, p, p.Ledger.Head().Size) })
		require.NoError(t, err)
		require.NoError(t, os.Remove(projection.CheckpointPath(o.Export)))
		whole, err := os.ReadFile(o.Export)
		require.NoError(t, err)
		other := withSize(withRoot(whole, newest[:10]+"AAAAAAAAAA"+newest[20:]), size)
		require.NoError(t, os.WriteFile(o.Export, other, 0o600))
		_, err = start(t, o, func(*Project) {})
		require.Truef(t, fault.Is(err, "store_of_another_log") || fault.Is(err, "store_older"), "%v", err)
		now, err := os.ReadFile(o.Export)
		require.NoError(t, err)
		require.Equal(t, string(other), string(now))
	}
}

func rootAt(t *testing.T, p *Project, size uint64) string {
	t.Helper()
	root, err := p.Ledger.RootAt(t.Context(), size)
	require.NoError(t, err)
	return root.String()
}

var sizeAndRoot = regexp.MustCompile(`"log":{"size":(\d+),"root":"([^"]+)"`)

// withRoot returns an export with another root of its log.
func withRoot(export []byte, root string) []byte {
	at := sizeAndRoot.FindSubmatchIndex(export)
	return slices.Concat(export[:at[4]], []byte(root), export[at[5]:])
}

// withSize returns an export with another size of its log.
func withSize(export []byte, size string) []byte {
	at := sizeAndRoot.FindSubmatchIndex(export)
	return slices.Concat(export[:at[2]], []byte(size), export[at[3]:])
}

func exportedSize(t *testing.T, path string) uint64 {
	t.Helper()
	read, err := os.Open(path)
	require.NoError(t, err)
	defer read.Close()
	snap, err := projection.ReadFile(read)
	require.NoError(t, err, "it is whole")
	return snap.Head.Size
}

// Whoever can write to the database can make its check sums right. The export of the same moment shows that the tables
// were changed, and the log says which of the two is right.
func TestTablesThatTheExportContradictsRefuseTheStart(t *testing.T) {
	o, _ := inWorkingTree(t)
	_, err := start(t, o, func(*Project) {})
	require.NoError(t, err)
	db, err := boltstore.Open("data/state.db", boltstore.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Update(t.Context(), func(tx store.Tx) error {
		table := projection.TableRequirements.Name
		was, err := tx.Get(table, "REQ-001")
		require.NoError(t, err)
		was = bytes.Clone(was)
		now := bytes.Replace(was, []byte(`"One."`), []byte(`"Two."`), 1)
		require.NotEqual(t, was, now)
		require.NoError(t, tx.Put(table, "REQ-001", now))
		return tx.Put("meta", "head", withSum(t, tx, table, entrySum("REQ-001", now)-entrySum("REQ-001", was)))
	}))
	require.NoError(t, db.Close())
	_, err = start(t, o, func(*Project) {})
	require.Truef(t, fault.Is(err, projection.CodeStoreDiffers), "%v", err)
}

// withSum returns the mark of the ledger with a difference added to the check sum of a table.
func withSum(t *testing.T, tx store.Tx, table string, difference uint64) []byte {
	t.Helper()
	raw, err := tx.Get("meta", "head")
	require.NoError(t, err)
	var mark map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &mark))
	var sums map[string]uint64
	require.NoError(t, json.Unmarshal(mark["sums"], &sums))
	sums[table] += difference
	mark["sums"], err = json.Marshal(sums)
	require.NoError(t, err)
	changed, err := json.Marshal(mark)
	require.NoError(t, err)
	return changed
}

// entrySum is the check sum of an entry, as the ledger computes it.
func entrySum(key string, value []byte) uint64 {
	sum := binary.BigEndian.AppendUint64(nil, uint64(len(key)))
	return xxhash.Sum64(append(append(sum, key...), value...))
}
