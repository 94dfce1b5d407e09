package projection

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
)

// An export is held against the state wherever its log stands: the documents of the project come first.
func TestAnExportOfManyDocumentsIsCompared(t *testing.T) {
	for _, documents := range []int{1, 1_000, 20_000} {
		p := Project{Name: "Demo"}
		for i := range documents {
			p.Sources = append(p.Sources, SourceFile{Path: fmt.Sprintf("specs/%050d.md", i)})
		}
		snap, err := New(p, nil, audit.Head{Size: 3})
		require.NoError(t, err)
		var export bytes.Buffer
		require.NoError(t, snap.Write(&export))
		require.NoError(t, snap.Matches(bytes.NewReader(export.Bytes())))
		for _, changed := range [][]byte{
			append(bytes.Clone(export.Bytes()), '\n'),
			bytes.Replace(export.Bytes(), []byte("specs/0"), []byte("specs/1"), 1),
			export.Bytes()[:export.Len()-1],
		} {
			err := snap.Matches(bytes.NewReader(changed))
			require.Truef(t, fault.Is(err, CodeStoreDiffers), "%d documents: %v", documents, err)
		}
	}
}

// endless is a file without an end.
type endless struct {
	begin io.Reader
	read  int
}

func (e *endless) Read(b []byte) (int, error) {
	n, err := e.begin.Read(b)
	if err != nil {
		n = len(b)
		for i := range b {
			b[i] = 'a'
		}
	}
	e.read += n
	return n, nil
}

func TestAnExportIsReadOnlySoFarForItsLog(t *testing.T) {
	file := &endless{begin: bytes.NewReader([]byte(`{"schema_version":1,"project":{"name":"`))}
	_, err := ReadLog(file)
	require.Error(t, err)
	require.LessOrEqual(t, file.read, maxHead)
}
