package runner

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestInputGoesThrough(t *testing.T) {
	for _, size := range []int{0, 1, 1 << 20} {
		in := bytes.Repeat([]byte("x"), size)
		r, err := as(t, "echo").Run(t.Context(), in)
		require.NoError(t, err)
		require.True(t, bytes.Equal(in, r.Stdout))
		require.Zero(t, r.Exit)
		require.Positive(t, r.Took)
	}
}

// Verifies: ORC-281
func TestTheEnvironmentIsClean(t *testing.T) {
	t.Setenv("SECRET_OF_THE_SERVICE", "x")
	e := as(t, "env")
	e.Env = []string{"GIVEN=1", "EMPTY=", "LANG=C"}
	r, err := e.Run(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for line := range strings.SplitSeq(string(r.Stdout), "\n") {
		name, value, _ := strings.Cut(line, "=")
		names = append(names, name)
		switch name {
		case "HOME", "TMPDIR":
			require.NoDirExists(t, value, "it is removed with the run")
			require.NotEqual(t, os.Getenv("HOME"), value)
		case "PATH":
			require.Equal(t, searched, value)
		case "LANG":
			require.Equal(t, "C", value)
		}
	}
	slices.Sort(names)
	require.Equal(t, []string{"EMPTY", "GIVEN", "HOME", "LANG", "ORCHESTRATOR_RUN", "PATH", "TMPDIR"}, names)
}

func TestTheFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	e := as(t, "where")
	e.Dir = dir
	r, err := e.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, dir, string(r.Stdout))
	e.Dir = ""
	r, err = e.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Contains(t, string(r.Stdout), "orchestrator-run-", "never the folder of the service")
}

func TestTheTemporaryFolderGoes(t *testing.T) {
	r, err := as(t, "litter").Run(t.Context(), nil)
	require.NoError(t, err)
	require.Contains(t, string(r.Stdout), "orchestrator-run-")
	require.NoDirExists(t, string(r.Stdout))
}

// Verifies: ORC-281
func TestThereIsNoShell(t *testing.T) {
	for _, arg := range []string{"$(id)", "; id", "`id`", "*", "a b", "\n", ""} {
		r, err := as(t, "args", arg).Run(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(`["`+arg+`"]`, "\n", `\n`), string(r.Stdout))
	}
}

func TestWhatCannotBeRun(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string, mode os.FileMode) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
		return filepath.Join(dir, name)
	}
	t.Chdir(dir)
	script("here", "#!/bin/sh\n", 0o755)
	t.Setenv("PATH", dir)
	self := as(t, "echo").Argv
	for name, c := range map[string]struct {
		e    Exec
		code string
	}{
		"no argv":               {Exec{}, "tool_undeclared"},
		"empty program":         {Exec{Argv: []string{""}}, "tool_undeclared"},
		"zero byte":             {Exec{Argv: []string{self[0], "a\x00b"}}, "tool_undeclared"},
		"relative":              {Exec{Argv: []string{"./here"}}, "tool_missing"},
		"relative below":        {Exec{Argv: []string{"a/here"}}, "tool_missing"},
		"in the current folder": {Exec{Argv: []string{"here"}}, "tool_missing"},
		"dots":                  {Exec{Argv: []string{".."}}, "tool_missing"},
		"nowhere":               {Exec{Argv: []string{"/no/such/program"}}, "tool_missing"},
		"a folder":              {Exec{Argv: []string{dir}}, "tool_missing"},
		"not executable":        {Exec{Argv: []string{script("plain", "#!/bin/sh\n", 0o644)}}, "tool_missing"},
		"no interpreter":        {Exec{Argv: []string{script("lost", "#!/no/such/interpreter\n", 0o755)}}, "tool_missing"},
		"no program":            {Exec{Argv: []string{script("noise", "\x00\x01\x02", 0o755)}}, "tool_not_started"},
		"relative folder":       {Exec{Argv: self, Dir: "."}, "tool_undeclared"},
		"missing folder":        {Exec{Argv: self, Dir: "/no/such/folder"}, "tool_undeclared"},
		"folder is a file":      {Exec{Argv: self, Dir: self[0]}, "tool_undeclared"},
		"no variable":           {Exec{Argv: self, Env: []string{"A"}}, "tool_undeclared"},
		"no name":               {Exec{Argv: self, Env: []string{"=A"}}, "tool_undeclared"},
		"zero in variable":      {Exec{Argv: self, Env: []string{"A=\x00"}}, "tool_undeclared"},
		"variable twice":        {Exec{Argv: self, Env: []string{"A=1", "A=2"}}, "tool_undeclared"},
		"the run's name":        {Exec{Argv: self, Env: []string{"ORCHESTRATOR_RUN=1"}}, "tool_undeclared"},
		"no hash":               {Exec{Argv: self, SHA256: "abc"}, "tool_undeclared"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := c.e.Run(t.Context(), nil)
			refusal(t, err, c.code)
			require.Equal(t, -1, r.Exit)
		})
	}
}

// The program is there, and so is its interpreter: what is not is the folder for the files of its run.
func TestWithoutATemporaryFolder(t *testing.T) {
	program := as(t, "echo")
	gone := filepath.Join(t.TempDir(), "gone")
	t.Setenv("TMPDIR", gone)
	r, err := program.Run(t.Context(), nil)
	f := refusal(t, err, "tool_not_started")
	require.Equal(t, -1, r.Exit)
	require.Contains(t, f.Detail, "no folder for the run can be made in "+gone+": no such file or directory")
	require.Contains(t, f.Fix, "TMPDIR")
	require.NotContains(t, f.Detail+f.Fix, "interpreter")
}

func TestFailures(t *testing.T) {
	r, err := as(t, "fail", "7").Run(t.Context(), nil)
	f := refusal(t, err, "tool_failed")
	require.Equal(t, 7, r.Exit)
	require.Equal(t, "[31mno such thing\n", r.Stderr)
	require.Contains(t, f.Detail, "exit status 7")
	require.Contains(t, f.Detail, "no such thing")

	r, err = as(t, "die").Run(t.Context(), nil)
	require.Contains(t, refusal(t, err, "tool_failed").Detail, "signal: killed")
	require.Equal(t, -1, r.Exit)
}

// Verifies: ORC-281
func TestOutputOverTheCapEndsTheRun(t *testing.T) {
	e := as(t, "flood", "stdout", "10000000") // it could not write all of it, and would wait until its time is over
	r, err := e.Run(t.Context(), nil)
	refusal(t, err, "tool_output_too_large")
	require.Empty(t, r.Stdout)
	require.Less(t, r.Took, e.Timeout)

	e.MaxOutput = 10_000_003
	r, err = e.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, r.Stdout, 10_000_003)
	e.MaxOutput--
	_, err = e.Run(t.Context(), nil)
	refusal(t, err, "tool_output_too_large")

	e = as(t, "echo") // the last bytes come when the program has ended already
	e.MaxOutput = 99
	_, err = e.Run(t.Context(), make([]byte, 100))
	refusal(t, err, "tool_output_too_large")
}

func TestTheEndOfStandardErrorIsKept(t *testing.T) {
	r, err := as(t, "flood", "stderr", "10000001").Run(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(r.Stderr, "ééEND"))
	require.LessOrEqual(t, len(r.Stderr), maxStderr)
	require.Greater(t, len(r.Stderr), maxStderr-4)
	require.True(t, utf8.ValidString(r.Stderr))
	require.NotContains(t, r.Stderr, "\ufffd")
}

func TestInputThatIsNotRead(t *testing.T) {
	r, err := as(t, "where").Run(t.Context(), make([]byte, 5<<20))
	require.NoError(t, err)
	require.NotEmpty(t, r.Stdout)

	e := as(t, "sleep")
	e.Timeout = 300 * time.Millisecond
	r, err = e.Run(t.Context(), make([]byte, 5<<20))
	refusal(t, err, "tool_timeout")
	require.Less(t, r.Took, longest)
}

func TestTimeAndItsCaller(t *testing.T) {
	e := as(t, "sleep")
	e.Timeout = 200 * time.Millisecond
	r, err := e.Run(t.Context(), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	refusal(t, err, "tool_timeout")
	require.Equal(t, -1, r.Exit)
	require.Less(t, r.Took, longest)
	require.GreaterOrEqual(t, r.Took, e.Timeout)

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err = as(t, "sleep").Run(ctx, nil)
	refusal(t, err, "tool_cancelled")
	_, err = as(t, "sleep").Run(ctx, nil)
	refusal(t, err, "tool_cancelled")
}
