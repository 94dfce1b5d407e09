package output

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The line is shown when it is due, and nothing of it stays. Where there is no terminal there is none.
func TestProgress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := &progress{out: &out, what: "files", next: time.Now().Add(time.Hour)}
	p.Update()(1, 20)
	p.Clear()
	require.Empty(t, out.String(), "it is not due")

	p.next = time.Now().Add(-time.Hour)
	p.Update()(10, 20)
	p.Clear()
	line := "10 of 20 files"
	require.Equal(t, "\r"+line+"\r"+strings.Repeat(" ", len(line))+"\r", out.String())

	out.Reset()
	p.next = time.Now().Add(-time.Hour)
	p.Of("a")(1, 20)
	require.Equal(t, "\r"+"1 of 20 a"+strings.Repeat(" ", len(line)-len("1 of 20 a")), out.String(), "nothing of a longer line stays")

	file, err := os.Create(t.TempDir() + "/stderr")
	require.NoError(t, err)
	defer file.Close()
	require.Nil(t, NewProgress(file, "files").Update())
	NewProgress(file, "files").Clear()
}
