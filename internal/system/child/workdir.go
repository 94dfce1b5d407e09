package child

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// fsNames are the file systems worth a name, by statfs's magic number.
var fsNames = map[int64]string{
	0x01021994: "tmpfs", 0x858458f6: "ramfs", 0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs",
	0x794c7630: "overlayfs", 0x2fc12fc1: "zfs",
}

// WorkDir makes a temporary folder on a disk: in memory an fsync costs nothing, and nothing that rests on it would mean
// anything.
func WorkDir(prefix string) (dir, fsType string, err error) {
	cache, _ := os.UserCacheDir()
	for _, parent := range []string{os.TempDir(), cache, "."} {
		var st syscall.Statfs_t
		if syscall.Statfs(parent, &st) != nil {
			continue
		}
		kind, known := fsNames[int64(st.Type)] //nolint:unconvert // of another type elsewhere
		if !known {
			kind = fmt.Sprintf("%#x", st.Type)
		}
		if kind == "tmpfs" || kind == "ramfs" {
			continue
		}
		if dir, err = os.MkdirTemp(parent, prefix); err == nil {
			dir, err = filepath.Abs(dir)
			return dir, kind, err
		}
	}
	return "", "", fmt.Errorf("no writable folder on a disk was found: set TMPDIR to one")
}
