// Package outputtest gives tests a terminal to write on.
package outputtest

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Terminal opens a terminal of so many columns. shown returns what was written to it since the last call.
func Terminal(t *testing.T, columns uint16) (at *os.File, shown func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skip("this needs pseudo-terminals: ", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	name := ""
	require.NoError(t, raw.Control(func(fd uintptr) {
		number, err := unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		require.NoError(t, err)
		require.NoError(t, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0))
		require.NoError(t, unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
		name = fmt.Sprint("/dev/pts/", number)
	}))
	at, err = os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("this needs pseudo-terminals: ", err)
	}
	t.Cleanup(func() { _ = at.Close() })
	return at, func() string {
		_, err := at.WriteString("\x00") // what was written before it is there when it is
		require.NoError(t, err)
		require.NoError(t, master.SetReadDeadline(time.Now().Add(time.Minute)))
		var got bytes.Buffer
		for b := make([]byte, 1); ; got.Write(b) {
			_, err := master.Read(b)
			require.NoError(t, err)
			if b[0] == 0 {
				return got.String()
			}
		}
	}
}
