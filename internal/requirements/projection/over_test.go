package projection

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
)

// paper is a file in memory that counts what is written to it.
type paper struct {
	content []byte
	written int
}

func (p *paper) WriteAt(b []byte, at int64) (int, error) {
	if grow := int(at) + len(b) - len(p.content); grow > 0 {
		p.content = append(p.content, make([]byte, grow)...)
	}
	p.written += len(b)
	return copy(p.content[at:], b), nil
}

func exportOf(t require.TestingT, s *Snapshot) []byte {
	var b bytes.Buffer
	require.NoError(t, s.Write(&b))
	return b.Bytes()
}

func writtenOver(t require.TestingT, s, held *Snapshot) *paper {
	p := &paper{content: exportOf(t, held)}
	size, err := s.WriteOver(p, held)
	require.NoError(t, err)
	p.content = p.content[:size]
	return p
}

// TestWritingOverIsWritingWhole: over the export of whatever snapshot before, the file has the bytes that a new one would
// have.
// Verifies: ORC-040
func TestWritingOverIsWritingWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.SampledFrom([]int{1, 2, chunkSize - 1, chunkSize, chunkSize + 1, 3*chunkSize + 7}).Draw(t, "requirements")
		p, entries := numbered(count)
		s, err := New(p, entries, audit.Head{Size: 9})
		require.NoError(t, err)
		history := []*Snapshot{s}
		for range rapid.IntRange(1, 6).Draw(t, "commits") {
			s = later(t, s)
			history = append(history, s)
			for _, held := range history {
				require.Equal(t, string(exportOf(t, s)), string(writtenOver(t, s, held).content))
			}
			read, err := ExportFileOf(s)()
			require.NoError(t, err)
			whole, err := io.ReadAll(read)
			require.NoError(t, err)
			require.Equal(t, string(exportOf(t, s)), string(whole))
		}
	})
}

// An export that has fewer requirements ends where its last one does, also where the next one of the other stood.
func TestWritingOverALongerExport(t *testing.T) {
	for _, more := range []int{1, chunkSize, chunkSize + 1} {
		p, entries := numbered(chunkSize + more)
		held, err := New(p, entries, audit.Head{Size: 9})
		require.NoError(t, err)
		fewer, left := numbered(chunkSize)
		for id := range left {
			left[id] = entries[id]
		}
		s, err := New(fewer, left, audit.Head{Size: 9})
		require.NoError(t, err)
		require.Equal(t, string(exportOf(t, s)), string(writtenOver(t, s, held).content))
	}
}

// later draws a snapshot after another: with changed requirements, or after an import.
func later(t *rapid.T, s *Snapshot) *Snapshot {
	size := s.Head.Size + uint64(rapid.IntRange(1, 1000).Draw(t, "records"))
	if rapid.IntRange(0, 5).Draw(t, "import") == 0 {
		few, whole := rapid.IntRange(1, 2*chunkSize), rapid.SampledFrom([]int{chunkSize, 2 * chunkSize})
		p, entries := numbered(rapid.OneOf(few, whole).Draw(t, "imported"))
		p.Name = rapid.SampledFrom([]string{"Demo", "A longer name"}).Draw(t, "name")
		for e := range s.All() { // what an import does not change is taken over
			if _, there := entries[e.Summary.ID]; there {
				entries[e.Summary.ID] = e
			}
		}
		next, err := New(p, entries, audit.Head{Size: size})
		require.NoError(t, err)
		return next
	}
	var batch []ledger.Commit
	for range rapid.IntRange(1, 8).Draw(t, "changes") {
		id := rapid.SampledFrom(s.Project.IDs).Draw(t, "id")
		e, _ := s.Find(id)
		req := e.Requirement()
		req.Revision++
		req.Text = strings.Repeat("x", rapid.IntRange(0, 20).Draw(t, "text"))
		batch = append(batch, change(req, size))
	}
	return s.After(batch)
}

// A change of one requirement that leaves its size as it is writes the head and that requirement alone, and one of
// another size nothing that stands before it.
func TestWritingOverSparesWhatIsThere(t *testing.T) {
	p, entries := numbered(20 * chunkSize)
	s, err := New(p, entries, audit.Head{Size: 9})
	require.NoError(t, err)
	whole := len(exportOf(t, s))
	e, _ := s.Find(p.IDs[10*chunkSize])
	req := e.Requirement()
	req.Revision++
	same := s.After([]ledger.Commit{change(req, 9)})
	require.Less(t, writtenOver(t, same, s).written, 2_000)
	req.Text += "longer"
	longer := same.After([]ledger.Commit{change(req, 9)})
	require.InDelta(t, whole/2, writtenOver(t, longer, same).written, float64(whole)/10)
}

type full struct{}

func (full) WriteAt([]byte, int64) (int, error) { return 0, io.ErrShortWrite }

func TestWritingOverFails(t *testing.T) {
	p, entries := numbered(chunkSize)
	s, err := New(p, entries, audit.Head{Size: 9})
	require.NoError(t, err)
	_, err = s.WriteOver(full{}, s)
	require.ErrorIs(t, err, io.ErrShortWrite)
}
