package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutputIsCutOrRefused(t *testing.T) {
	for cut, fails := range map[bool]bool{true: false, false: true} {
		o := &Output{Most: 5, Cut: cut}
		n, err := o.Write([]byte("four"))
		require.Equal(t, 4, n)
		require.NoError(t, err)
		require.False(t, o.Full)
		_, err = o.Write([]byte("more"))
		require.Equal(t, fails, err != nil)
		require.True(t, o.Full)
		require.Equal(t, "fourm", o.String())
	}
}

func TestTheEnvironmentIsNotTheCallers(t *testing.T) {
	t.Setenv("GIT_DIR", "/elsewhere")
	cmd := Command{Path: "/usr/bin/git", Dir: "/", Env: []string{"GIT_WORK_TREE=/here"}}.Prepare(t.Context(), "status")
	require.NotContains(t, cmd.Env, "GIT_DIR=/elsewhere")
	require.Subset(t, cmd.Env, []string{"GIT_WORK_TREE=/here", "GIT_CONFIG_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1"})
	require.Equal(t, "status", cmd.Args[len(cmd.Args)-1])
	require.True(t, cmd.SysProcAttr.Setpgid)
}

// TestARepositoryStartsNoProgram: whatever its configuration names is not started, since it may be anybody's.
func TestARepositoryStartsNoProgram(t *testing.T) {
	path, err := Find("")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	trap := filepath.Join(dir, "trap")
	require.NoError(t, os.WriteFile(trap, []byte("#!/bin/sh\ntouch '"+dir+"/sprung'\n"), 0o700))
	g := Command{Path: path, Dir: dir}
	run := func(in string, args ...string) string {
		cmd := g.Prepare(t.Context(), args...)
		out := &Output{Most: 1 << 20}
		cmd.Stdin, cmd.Stdout = strings.NewReader(in), out
		require.NoError(t, cmd.Run(), args)
		return strings.TrimSpace(out.String())
	}
	run("", "init", "-q")
	for key, value := range map[string]string{"log.showSignature": "true", "gpg.program": trap, "gpg.ssh.program": trap,
		"core.fsmonitor": trap, "core.hooksPath": dir, "core.pager": trap, "diff.external": trap} {
		run("", "config", key, value)
	}
	signed := run("tree "+run("", "mktree")+"\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n"+
		"gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n",
		"hash-object", "-t", "commit", "-w", "--stdin")
	require.Equal(t, signed, run("", "log", "--format=%H", signed))
	run("", "log", "--all", "--reflog", "--raw", signed)
	run("", "ls-files", "--others")
	require.NoFileExists(t, filepath.Join(dir, "sprung"))
}
