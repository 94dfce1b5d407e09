package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// programs is a folder of scripts; each prints its own folder and the PATH that it was given.
func programs(t *testing.T, mode os.FileMode, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nprintf '%s\\n%s' '"+dir+"' \"$PATH\"\n"), mode))
	}
	return dir
}

// TestWhereAProgramIsSearched: in the folders of the PATH that it is given, in their order, and else in the usual ones. That of the
// service is never asked.
func TestWhereAProgramIsSearched(t *testing.T) {
	first, second, plain := programs(t, 0o755, "tool", "sh"), programs(t, 0o755, "tool", "other"), programs(t, 0o644, "tool", "other")
	t.Chdir(first)
	t.Setenv("PATH", first)
	list := func(dirs ...string) string { return "PATH=" + strings.Join(dirs, string(filepath.ListSeparator)) }
	for name, c := range map[string]struct {
		program string
		env     []string
		found   string // the folder; "" for none
	}{
		"given":                 {"tool", []string{list(first)}, first},
		"among others":          {"tool", []string{"A=1", list(first), "B=2"}, first},
		"the first of two":      {"tool", []string{list(first, second)}, first},
		"the second first":      {"tool", []string{list(second, first)}, second},
		"in the second alone":   {"other", []string{list(first, second)}, second},
		"not executable":        {"other", []string{list(plain, second)}, second},
		"before the usual":      {"sh", []string{list(first, "/bin")}, first},
		"none is given":         {"tool", nil, ""},
		"another name":          {"tool", []string{"MYPATH=" + first, "path=" + first, "PATHS=" + first}, ""},
		"in none":               {"other", []string{list(first, plain, "/no/such/folder")}, ""},
		"the usual are no more": {"env", []string{list(first)}, ""},
		"here":                  {"tool", []string{list(".")}, ""},
		"nothing":               {"tool", []string{list("")}, ""},
		"an empty entry":        {"tool", []string{list("", "/bin", "")}, ""},
		"a relative one":        {"tool", []string{list("../"+filepath.Base(first), "./", "..")}, ""},
		"a relative one first":  {"tool", []string{list(".", second)}, second},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Exec{Argv: []string{c.program}, Env: c.env, Dir: first}.Run(t.Context(), nil)
			if c.found == "" {
				require.ErrorIs(t, err, exec.ErrNotFound)
				require.Contains(t, refusal(t, err, "tool_missing").Fix, "PATH")
				return
			}
			require.NoError(t, err)
			dir, path, _ := strings.Cut(string(r.Stdout), "\n")
			require.Equal(t, c.found, dir)
			require.Contains(t, c.env, "PATH="+path, "it searches where it was searched itself")
		})
	}
}

func TestWithoutPathTheUsualFoldersAreSearched(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, env := range [][]string{nil, {"A=1"}} {
		r, err := Exec{Argv: []string{"sh", "-c", "echo found in $PATH"}, Env: env}.Run(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "found in "+searched+"\n", string(r.Stdout))
	}
	_, err := Exec{Argv: []string{"no-such-program"}}.Run(t.Context(), nil)
	require.Contains(t, refusal(t, err, "tool_missing").Detail, "it is in none of "+searched)
	_, err = Exec{Argv: []string{"no-such-program"}, Env: []string{"PATH=/opt/a:/opt/b"}}.Run(t.Context(), nil)
	require.Contains(t, refusal(t, err, "tool_missing").Detail, "it is in none of /opt/a:/opt/b")
}
