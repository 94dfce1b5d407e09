package projection

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

const exportOfSeven = `{"schema_version":1,"log":{"size":7,"root":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="},` +
	`"requirements":[`

// The log is found without reading what comes after it, however much that is.
func TestTheLogOfAnExportIsReadFromItsBeginning(t *testing.T) {
	rest := strings.NewReader(strings.Repeat(`{"id":"REQ-1"},`, 1<<20))
	before := rest.Len()
	export := ExportFile(func() (io.Reader, error) {
		return io.MultiReader(strings.NewReader(exportOfSeven), rest), nil
	})
	log, err := export.Log()
	require.NoError(t, err)
	require.EqualValues(t, 7, log.Size)
	require.Less(t, before-rest.Len(), 64<<10)
	_, err = export.Head()
	require.ErrorContains(t, err, "it is not whole")
}

// What is wrong with a file that names no log is told from what is wrong with the disk.
func TestAnExportWithoutALog(t *testing.T) {
	whole := ExportOf([]byte(exportOfSeven + "]}"))
	for content, want := range map[string]string{
		``: "it is not whole", `[]`: "it is not whole", `{"schema_version":1,`: "it is not whole",
		`{"schema_version":`: "it is not whole", `{"log":{"size":7`: "it is not whole",
		`{}`: "it names no log", `{"schema_version":1,"requirements":[]}`: "it names no log",
		`{"log":{"size":0,"root":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}}`: "it names no log",
	} {
		_, err := ExportOf([]byte(content)).Log()
		require.ErrorContains(t, err, want, content)
		_, err = ExportOf([]byte(content)).Head()
		require.ErrorContains(t, err, want, content)
	}
	head, err := whole.Head()
	require.NoError(t, err)
	require.EqualValues(t, 7, head.Log.Size)
	broken := errors.New("the disk does not answer")
	for _, export := range []ExportFile{
		func() (io.Reader, error) { return nil, broken },
		func() (io.Reader, error) {
			return io.MultiReader(strings.NewReader(`{"a":`), iotest.ErrReader(broken)), nil
		},
	} {
		_, err := export.Log()
		require.ErrorIs(t, err, broken)
		require.Nil(t, fault.As(err), "it says nothing of the export")
		_, err = export.Head()
		require.ErrorIs(t, err, broken)
		require.Nil(t, fault.As(err))
	}
}
