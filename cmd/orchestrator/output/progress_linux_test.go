package output

import (
	"bytes"
	"fmt"
	"orchestrator/cmd/orchestrator/output/outputtest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const wiped = "\r\x1b[K"

func TestTheBarOnATerminal(t *testing.T) {
	at, shown := outputtest.Terminal(t, 200)
	b := NewBar(at)
	b.Clear()
	require.Empty(t, shown(), "there is nothing to be taken away")
	for _, c := range []struct {
		done, total, filled int
		what                string
	}{
		{0, 12, 0, "moves"}, {1, 12, 2, "moves"}, {6, 12, 12, "moves, 1 of 3 requirements ended"}, {12, 12, 24, "moves"},
		{15, 12, 24, "moves"}, {-3, 12, 0, "moves"}, {1, 1000, 0, "moves"}, {999, 1000, 23, "moves"},
	} {
		b.Draw(c.done, c.total, c.what)
		require.Equal(t, wiped+"["+strings.Repeat("=", c.filled)+strings.Repeat(" ", 24-c.filled)+"] "+fmt.Sprintf("%d of %d %s", c.done, c.total, c.what), shown())
	}
	b.Draw(1, 0, "moves")
	require.Empty(t, shown(), "of nothing nothing is shown")
	b.Clear()
	require.Equal(t, wiped, shown())
	b.Clear()
	require.Empty(t, shown(), "it is gone already")
}

// TestTheBarIsOneLine: of one that the terminal breaks in two, half would stay.
func TestTheBarIsOneLine(t *testing.T) {
	for columns, want := range map[uint16]int{40: 39, 2: 1, 80: 79, 0: 79} {
		at, shown := outputtest.Terminal(t, columns)
		NewBar(at).Draw(1, 2, strings.Repeat("é", 300))
		line := strings.TrimPrefix(shown(), wiped)
		require.Equal(t, want, len([]rune(line)), "%d columns", columns)
		require.NotContains(t, line, "\ufffd")
	}
}

func TestTheBarWithoutATerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	var buffer bytes.Buffer
	for _, b := range []*Bar{NewBar(file), NewBar(&buffer), {}} {
		b.Draw(1, 2, "moves")
		b.Clear()
	}
	require.Empty(t, buffer.String())
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, written)
}

// TestTheBarFollows: it is drawn as far as something is when that takes long, and nothing is left of it.
func TestTheBarFollows(t *testing.T) {
	at, shown := outputtest.Terminal(t, 200)
	var asked atomic.Int64
	stop := NewBar(at).Follow(func() (int, int, string) { return int(asked.Add(1)), 1000, "moves" })
	require.Eventually(t, func() bool { return asked.Load() > 1 }, time.Minute, time.Millisecond)
	stop()
	n := asked.Load()
	out := shown()
	require.Contains(t, out, "1 of 1000 moves")
	require.True(t, strings.HasSuffix(out, wiped), "%q", out)
	time.Sleep(2 * progressEvery)
	require.Equal(t, n, asked.Load(), "nobody asks any more")

	at, shown = outputtest.Terminal(t, 200)
	NewBar(at).Follow(func() (int, int, string) { return 1, 2, "moves" })()
	require.Empty(t, shown(), "what is soon done shows nothing")
	(&Bar{}).Follow(nil)()
}
