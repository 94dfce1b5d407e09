package output

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/cmd/orchestrator/output/outputtest"
)

func TestWhatIsWaitedForIsSaidOnATerminal(t *testing.T) {
	at, shown := outputtest.Terminal(t, 80)
	w := NewWaiting(at, "starting")
	w.Update()
	w.Clear()
	require.Empty(t, shown(), "it has not taken long")
	w.begin = time.Now().Add(-90 * time.Second)
	w.Update()
	w.Update()
	require.Equal(t, "\rstarting: 90 s", shown(), "once a second")
	w.Clear()
	require.Equal(t, "\r              \r", shown())

	var buffer bytes.Buffer
	w = NewWaiting(&buffer, "starting")
	w.Update()
	w.Clear()
	require.Empty(t, buffer.String(), "a file gets none of it")
}
