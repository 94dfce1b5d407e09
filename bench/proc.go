package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// tick is the unit of CPU time in /proc.
const tick = 10 * time.Millisecond

// cpu is the time that the process has computed so far.
func (s *server) cpu() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Pid()))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(b, []byte(") ")) // the name may hold anything
	f := strings.Fields(string(after))
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * tick
}

// memory is a line of /proc/PID/status in MB: VmRSS is what is resident now, VmHWM what it was at most.
func (s *server) memory(line string) (float64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Pid()))
	if err != nil {
		return 0, err
	}
	return kilobytes(string(b), line)
}

func kilobytes(status, name string) (float64, error) {
	for line := range strings.Lines(status) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == name+":" && f[2] == "kB" {
			n, err := strconv.ParseFloat(f[1], 64)
			return n * 1024 / 1e6, err
		}
	}
	return 0, fmt.Errorf("/proc/PID/status has no line %s", name)
}

// calm waits until the product has exported what it committed, so that its work does not weigh on another's
// round. A floor is calm at once.
func (s *server) calm(ctx context.Context) error {
	end := time.Now().Add(calmPatience)
	for time.Now().Before(end) && ctx.Err() == nil {
		if !s.exports {
			return nil
		}
		var size [2]float64
		for i, name := range []string{"log_records", "export_log_records"} {
			value, err := s.metric("orchestrator_" + name)
			if err != nil {
				return err
			}
			size[i] = value
		}
		if size[0] == size[1] {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("the export did not catch up in %v", calmPatience)
}

func (s *server) metric(name string) (float64, error) {
	page, err := fetch(s.addr, s.get("viewer", "/metrics")(nil, 0))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(page)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			return strconv.ParseFloat(f[1], 64)
		}
	}
	return 0, fmt.Errorf("/metrics does not show %s", name)
}

// fsNames are the file systems worth a name, by statfs's magic number.
var fsNames = map[int64]string{
	0x01021994: "tmpfs", 0x858458f6: "ramfs", 0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs", 0x794c7630: "overlayfs", 0x2fc12fc1: "zfs",
}

// workDir makes a folder on a disk: in memory an fsync costs nothing, and no figure would mean anything.
func workDir() (dir, fsType string, err error) {
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
		if dir, err = os.MkdirTemp(parent, "orchestrator-bench-"); err == nil {
			dir, err = filepath.Abs(dir)
			return dir, kind, err
		}
	}
	return "", "", fmt.Errorf("no writable folder on a disk was found: set TMPDIR to one")
}
