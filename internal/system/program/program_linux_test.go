package program

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/child"
)

func TestOnlyWhatIsNeverWrittenIsLetGo(t *testing.T) {
	const maps = `00400000-01569000 r-xp 00000000 fe:00 9995587                            /opt/a program
01569000-0280e000 r--p 01169000 fe:00 9995587                            /opt/a program
0280e000-02860000 rw-p 0240e000 fe:00 9995587                            /opt/a program
7f0000000000-7f0000001000 r--p 00000000 fe:00 12                         /opt/another
7f0000001000-7f0000002000 r--s 00000000 fe:00 13                         /opt/a program
c000000000-c000400000 rw-p 00000000 00:00 0
`
	require.Equal(t, []mapping{{0x400000, 0x1569000}}, code(maps, "/opt/a program"))
	require.Empty(t, code(maps, "/opt/program"))
}

func TestTheProgramGoesOnWithFewerPages(t *testing.T) {
	before := resident(t, "RssFile")
	LetGo()
	require.Less(t, resident(t, "RssFile"), before, "megabytes of files that are resident")
}

func TestMemoryIsTakenUntilItIsTouched(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 32 << 20} {
		b := bytes.Repeat([]byte{7}, size+1)[1:]
		before := resident(t, "RssAnon")
		Empty(b)
		require.LessOrEqual(t, resident(t, "RssAnon"), before-float64(size)/1e6+1)
		for i, c := range b {
			if c != 0 && i > os.Getpagesize() && i < size-os.Getpagesize() {
				t.Fatalf("byte %d of %d is %d", i, size, c)
			}
		}
	}
}

// resident returns a line of what is resident of this process, in MB.
func resident(t *testing.T, line string) float64 {
	megabytes, err := child.Memory(os.Getpid(), line)
	require.NoError(t, err)
	return megabytes
}
