package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal is a terminal of so many columns, and what it was given.
func terminal(t *testing.T, columns uint16) (at *os.File, shown func() string) {
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
		require.NoError(t, master.SetReadDeadline(time.Now().Add(patience)))
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

const wiped = "\r\x1b[K"

func TestTheBarOnATerminal(t *testing.T) {
	at, shown := terminal(t, 200)
	b := newBar(at)
	b.clear()
	require.Empty(t, shown(), "there is nothing to be taken away")
	for _, c := range []struct {
		done, total, filled int
		what                string
	}{
		{0, 12, 0, "moves"}, {1, 12, 2, "moves"}, {6, 12, 12, "moves, 1 of 3 requirements ended"}, {12, 12, 24, "moves"},
		{15, 12, 24, "moves"}, {-3, 12, 0, "moves"}, {1, 1000, 0, "moves"}, {999, 1000, 23, "moves"},
	} {
		b.draw(c.done, c.total, c.what)
		require.Equal(t, wiped+"["+strings.Repeat("=", c.filled)+strings.Repeat(" ", 24-c.filled)+"] "+fmt.Sprintf("%d of %d %s", c.done, c.total, c.what), shown())
	}
	b.draw(1, 0, "moves")
	require.Empty(t, shown(), "of nothing nothing is shown")
	b.clear()
	require.Equal(t, wiped, shown())
	b.clear()
	require.Empty(t, shown(), "it is gone already")
}

// TestTheBarIsOneLine: of one that the terminal breaks in two, half would stay.
func TestTheBarIsOneLine(t *testing.T) {
	for columns, want := range map[uint16]int{40: 39, 2: 1, 80: 79, 0: 79} {
		at, shown := terminal(t, columns)
		newBar(at).draw(1, 2, strings.Repeat("é", 300))
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
	for _, b := range []*bar{newBar(file), newBar(&buffer), {}} {
		b.draw(1, 2, "moves")
		b.clear()
	}
	require.Empty(t, buffer.String())
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Empty(t, written)
}

// TestADriveOnATerminal: each line takes the place of the bar, which comes back below it, and is gone in the end.
func TestADriveOnATerminal(t *testing.T) {
	at, shown := terminal(t, 120)
	d := &driven{out: at, bar: newBar(at)}
	for _, c := range []struct{ event, want string }{
		{`{"order":{"requirements":2,"moves":4}}`, wiped + "[                        ] 0 of 4 moves, 0 of 2 requirements ended"},
		{`{"begun":{"requirement":"REQ-1","role":"coder","moves":3}}`, wiped + wiped + "[                        ] 0 of 4 moves, 0 of 2 requirements ended, REQ-1: coder"},
		{
			`{"step":{"number":1,"requirement":"REQ-1","obligation":"ACHIEVE(requirement.status)","outcome":"resolved","tool":"a.b","from":"planned","to":"done","moves":1}}`,
			wiped + "  1 REQ-1 ACHIEVE(requirement.status): resolved by a.b, planned → done\r\n" + wiped + "[============            ] 2 of 4 moves, 0 of 2 requirements ended",
		},
		{`{"end":{"requirement":"REQ-1","status":"done","outcome":"done"}}`, wiped + wiped + "[============            ] 2 of 4 moves, 1 of 2 requirements ended"},
		{
			`{"end":{"requirement":"REQ-2","status":"blocked","outcome":"blocked","why":"no \u001b[2Jtool"}}`,
			wiped + "    REQ-2 is blocked, blocked: no \\x1b[2Jtool\r\n" + wiped + "[============            ] 2 of 4 moves, 2 of 2 requirements ended",
		},
	} {
		require.NoError(t, d.line([]byte(c.event)))
		require.Equal(t, c.want, shown())
	}
	require.NoError(t, d.line([]byte(`{"report":{"requirements":[],"outcomes":{},"steps":1}}`)))
	end := shown()
	require.True(t, strings.HasPrefix(end, wiped), "%q", end)
	require.NotContains(t, end, "[==")
	require.Error(t, d.line([]byte("{")))
}
