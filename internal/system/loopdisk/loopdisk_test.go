package loopdisk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/system/child"
)

func newTestDisk(t *testing.T, kind string) *Disk {
	t.Helper()
	if lacks := child.Lacks(Needs(kind)...); lacks != "" {
		t.Skip("this " + lacks)
	}
	d, err := New(t.Context(), t.TempDir(), "disk", kind, 512)
	if err != nil {
		t.Skip("this needs loop devices: ", err)
	}
	t.Cleanup(func() { require.NoError(t, d.Remove()) })
	return d
}

// Nothing is left of a disk, and a second removal does no harm.
func TestADiskIsRemoved(t *testing.T) {
	d := newTestDisk(t, Ext4)
	require.NoError(t, d.Detach())
	require.NoError(t, d.Detach())
	mounts, err := os.ReadFile("/proc/mounts")
	require.NoError(t, err)
	require.NotContains(t, string(mounts), d.Dir)
}

// Even a disk that somebody uses goes, once he does not.
func TestADiskInUseIsRemoved(t *testing.T) {
	d := newTestDisk(t, Ext4)
	f, err := os.Create(filepath.Join(d.Dir, "open"))
	require.NoError(t, err)
	defer f.Close()
	require.Error(t, d.Detach(), "it is said")
	mounts, err := os.ReadFile("/proc/mounts")
	require.NoError(t, err)
	require.NotContains(t, string(mounts), d.Dir)
}

// What is written to the file system reaches the device, and is counted, whole and not much more.
func TestWhatIsWrittenIsCounted(t *testing.T) {
	for _, kind := range []string{Ext4, XFS} {
		t.Run(kind, func(t *testing.T) {
			d := newTestDisk(t, kind)
			before, err := d.Written()
			require.NoError(t, err)
			const size = 32 << 20
			content := make([]byte, size)
			for i := range content {
				content[i] = byte(i)
			}
			require.NoError(t, os.WriteFile(filepath.Join(d.Dir, "file"), content, 0o600))
			after, err := d.Written()
			require.NoError(t, err)
			require.GreaterOrEqual(t, after-before, int64(size))
			require.Less(t, after-before, int64(2*size))
		})
	}
}

func TestBytesWritten(t *testing.T) {
	n, err := bytesWritten("     118        0     4722       12     1024       11    65536      901        0      340      913        0\n")
	require.NoError(t, err)
	require.EqualValues(t, 65536*512, n)
	for _, stat := range []string{"", "1 2 3 4 5 6\n", "1 2 3 4 5 6 x\n"} {
		_, err := bytesWritten(stat)
		require.Error(t, err, stat)
	}
}

func TestNothingIsLeftOfADiskThatCannotBeMade(t *testing.T) {
	if lacks := child.Lacks(Needs(XFS)...); lacks != "" {
		t.Skip("this " + lacks)
	}
	dir := t.TempDir()
	_, err := New(t.Context(), dir, "disk", XFS, 1) // too small for an xfs
	require.Error(t, err)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
