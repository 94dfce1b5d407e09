//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// mounts are the file systems of smallDisk, of 32 MB each.
var mounts = map[string]func(t *testing.T, dir string){
	"tmpfs": func(t *testing.T, dir string) {
		require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", 0, "size=32m"))
	},
	"ext4": func(t *testing.T, dir string) {
		image := filepath.Join(t.TempDir(), "ext4.img")
		require.NoError(t, os.WriteFile(image, nil, 0o600))
		require.NoError(t, os.Truncate(image, 32<<20))
		out, err := exec.Command("mkfs.ext4", "-q", "-F", image).CombinedOutput()
		require.NoError(t, err, "%s", out)
		if out, err := exec.Command("mount", "-o", "loop", image, dir).CombinedOutput(); err != nil {
			t.Skipf("no loop mount of ext4 here: %s", out)
		}
	},
}

// smallDisk is a new project on a file system of its own. It must be one: a test that fills another's disk harms all.
func smallDisk(t *testing.T, kind string) string {
	if os.Geteuid() != 0 {
		t.Skip("mounting a small file system needs root")
	}
	dir := filepath.Join(t.TempDir(), "disk")
	require.NoError(t, os.Mkdir(dir, 0o755))
	mounts[kind](t, dir)
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	var s unix.Statfs_t
	require.NoError(t, unix.Statfs(dir, &s))
	require.LessOrEqual(t, s.Blocks*uint64(s.Bsize), uint64(32<<20))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "REQUIREMENTS.md"), []byte("# Shop\n\n- **REQ-001**: A customer can log in.\n"), 0o600))
	return dir
}

// fillDisk leaves no byte free.
func fillDisk(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	require.NoError(t, err)
	block := []byte(strings.Repeat("x", 4096))
	for n := 0; err == nil; n++ {
		require.Less(t, n, 10_000, "this is no small disk")
		_, err = f.Write(block)
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.NoError(t, errors.Join(f.Sync(), f.Close()))
	return func() { require.NoError(t, os.Remove(path)) }
}

func wantStatus(t *testing.T, p *process, status int, r request) answer {
	t.Helper()
	got, err := p.call(r)
	require.NoError(t, err)
	require.Equal(t, status, got.status, got.body)
	return got
}

func awaitStatus(t *testing.T, p *process, r request, holds func(answer) bool) {
	t.Helper()
	var last answer
	require.NoError(t, poll(func() error {
		got, err := p.call(r)
		if last = got; err == nil && !holds(got) {
			err = fmt.Errorf("answered %s", last)
		}
		return err
	}))
}

var aNote = request{role: "pm", method: "PATCH", path: "/requirements/REQ-001", body: `{"pm_notes":[{"text":"x"}]}`}

// TestFullDisk: on a full disk changes and refusals are answered with 507 and begin nothing; reads go on, also after a
// kill and a start; and with room everything comes back by itself: changes, changed documents, new tokens, the export.
//
// Verifies: ORC-041
func TestFullDisk(t *testing.T) {
	for kind := range mounts {
		t.Run(kind, func(t *testing.T) {
			dir := smallDisk(t, kind)
			p := startServer(t, dir)
			wantStatus(t, p, 200, aNote)
			document := filepath.Join(dir, "REQUIREMENTS.md")
			mended := "# Shop\n\n- **REQ-001**: A customer can log in.\n- **REQ-002**: A customer can log out.\n"
			tokens := filepath.Join(dir, ".orchestrator", "tokens.json")
			kept, err := os.ReadFile(tokens)
			require.NoError(t, err)
			out, err := inDir(dir, "token", "add", "coder", "ada")
			require.NoError(t, err, out)
			more, err := os.ReadFile(tokens)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(tokens, kept, 0o600))

			free := fillDisk(t, dir)
			wantStatus(t, p, 507, aNote)
			require.Equal(t, "10", wantStatus(t, p, 507, aNote).header.Get("Retry-After"))
			wantStatus(t, p, 507, request{role: "viewer", method: "PATCH", path: aNote.path, body: aNote.body}) // the refusal cannot be recorded
			wantStatus(t, p, 507, request{role: "pm", method: "POST", path: "/obligations", body: `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"1+1"}}]}`})
			reads(t, p)

			p.kill()
			p = startFull(t, dir)
			reads(t, p)
			wantStatus(t, p, 507, aNote)
			overwriteFile(t, document, mended)
			overwriteFile(t, tokens, string(more))

			free()
			awaitStatus(t, p, aNote, func(a answer) bool { return a.status == 200 })
			awaitStatus(t, p, request{role: "viewer", method: "GET", path: "/requirements/REQ-002"}, func(a answer) bool { return a.status == 200 })
			awaitStatus(t, p, request{method: "GET", path: "/readyz"}, func(a answer) bool { return a.body == `{"status":"ok"}`+"\n" })
			awaitStatus(t, p, request{role: "viewer", method: "GET", path: "/audit?limit=1000"}, func(a answer) bool { return strings.Contains(a.body, `"ada"`) })
			require.NoError(t, p.stop(0))
			require.Contains(t, requireInOrder(t, dir), "export matches")
		})
	}
}

func reads(t *testing.T, p *process) {
	t.Helper()
	for _, path := range []string{"/requirements/REQ-001", "/project", "/requirements/REQ-001/history", "/audit", "/project/review", "/project/progress", "/obligations"} {
		wantStatus(t, p, 200, request{role: "viewer", method: "GET", path: path})
	}
	awaitStatus(t, p, request{method: "GET", path: "/readyz?verbose"}, func(a answer) bool {
		return a.status == http.StatusOK && strings.Contains(a.body, `{"name":"room","status":"warning"`)
	})
}

// startFull starts on a full disk, where the file with the address may come later.
func startFull(t *testing.T, dir string) *process {
	t.Helper()
	p := startServer(t, dir)
	require.NotContains(t, p.log.String(), `"level":"error"`)
	return p
}

// overwriteFile writes into the blocks that a file has, which works on a full disk; what is longer finds no room there.
func overwriteFile(t *testing.T, path, content string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = io.WriteString(f, content)
	require.NoError(t, errors.Join(err, f.Truncate(int64(len(content))), f.Close()))
}

func inDir(dir string, args ...string) (string, error) {
	cmd := exec.Command(program(), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
