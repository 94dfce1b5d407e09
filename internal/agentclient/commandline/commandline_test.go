package commandline_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/agentclient"
	"orchestrator/internal/agentclient/commandline"
	"orchestrator/internal/rules/boundary"
)

// The tests do not run in parallel: while a program is written in one of them, another would start programs with the
// file open for writing, and nothing can execute it then.

// place is a machine with a project: a user's PATH, and a folder that a client works in.
type place struct{ root, cwd, bin string }

func newPlace(t *testing.T) place {
	t.Helper()
	top := t.TempDir()
	p := place{root: filepath.Join(top, "it's a project"), bin: filepath.Join(top, "bin")}
	p.cwd = filepath.Join(p.root, "below")
	for _, folder := range []string{p.boundary(), p.cwd, p.bin, filepath.Join(p.root, ".git")} {
		require.NoError(t, os.MkdirAll(folder, 0o755))
	}
	return p
}

func (p place) boundary() string { return filepath.Join(p.root, commandline.Folder) }

// program writes one that says its name and arguments, reads its call, and ends with a code.
func program(t *testing.T, path, code string) {
	t.Helper()
	text := "#!/bin/sh\necho " + filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path) + " \"$@\"; cat; exit " + code + "\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}

// run starts a line as a client does.
func (p place) run(t *testing.T, line string, environ ...string) agentclient.Answer {
	t.Helper()
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	cmd := exec.Command(sh, "-c", line)
	cmd.Dir, cmd.Env = p.cwd, append([]string{"PATH=" + p.bin + ":/usr/bin:/bin"}, environ...)
	stdin, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer stdin.Close()
	cmd.Stdin = stdin
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err = cmd.Run(); !errors.As(err, new(*exec.ExitError)) {
		require.NoError(t, err)
	}
	return agentclient.Answer{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: cmd.ProcessState.ExitCode()}
}

// The program in the boundary's own folder answers; then those in PATH, the small one first.
// Verifies: ORC-206
func TestWhichProgramAnswers(t *testing.T) {
	for _, c := range agentclient.All() {
		p := newPlace(t)
		line := commandline.For(c, c.Wiring.Before())
		program(t, filepath.Join(p.bin, "orchestrator"), "0")
		require.Equal(t, "bin/orchestrator hook "+c.Name+"\n", string(p.run(t, line).Stdout))
		program(t, filepath.Join(p.bin, "orchestrator-hook"), "0")
		require.Equal(t, "bin/orchestrator-hook "+c.Name+"\n", string(p.run(t, line).Stdout))
		program(t, filepath.Join(p.boundary(), "orchestrator"), "0")
		require.Equal(t, "boundary/orchestrator hook "+c.Name+"\n", string(p.run(t, line).Stdout))
		program(t, filepath.Join(p.boundary(), "orchestrator-hook"), "2")
		a := p.run(t, line)
		require.Equal(t, 2, a.Exit)
		require.Equal(t, "boundary/orchestrator-hook "+c.Name+"\n", string(a.Stdout))

		if c.Wiring.Project != "" { // the client says where the project is, wherever it works
			p.cwd = t.TempDir()
			a = p.run(t, line, c.Wiring.Project+"="+p.root)
			require.Equal(t, "boundary/orchestrator-hook "+c.Name+"\n", string(a.Stdout))
			require.Equal(t, "bin/orchestrator-hook "+c.Name+"\n", string(p.run(t, line, c.Wiring.Project+"=below").Stdout))
		}
	}
}

// A folder that lies in the project, and may have come with a branch, does not bring its own hook.
// Verifies: ORC-206
func TestAFolderBelowBringsNoProgram(t *testing.T) {
	p := newPlace(t)
	c, _ := agentclient.Named("codex")
	nested := filepath.Join(p.cwd, commandline.Folder)
	require.NoError(t, os.MkdirAll(nested, 0o755))
	program(t, filepath.Join(nested, "orchestrator-hook"), "0")
	program(t, filepath.Join(p.boundary(), "orchestrator-hook"), "2")
	require.Equal(t, 2, p.run(t, commandline.For(c, c.Wiring.Before())).Exit)
}

// A folder of another user brings no program, not even the outermost: whoever may write above a project would have
// every session in it start what they like.
// Verifies: ORC-206
func TestAFolderOfAnotherUserBringsNoProgram(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	for _, c := range agentclient.All() {
		p := newPlace(t)
		line := commandline.For(c, c.Wiring.Before())
		above := filepath.Join(filepath.Dir(p.root), commandline.Folder)
		require.NoError(t, os.MkdirAll(above, 0o755))
		program(t, filepath.Join(above, "orchestrator-hook"), "0")
		program(t, filepath.Join(p.boundary(), "orchestrator-hook"), "2")
		require.Equal(t, 0, p.run(t, line).Exit, "the outermost counts where it is one's own")
		require.NoError(t, os.Chown(above, 12345, 12345))
		require.Equal(t, 2, p.run(t, line).Exit, c.Name)
		require.NoError(t, os.Chown(p.boundary(), 12345, 12345))
		program(t, filepath.Join(p.bin, "orchestrator-hook"), "0")
		require.Equal(t, "bin/orchestrator-hook "+c.Name+"\n", string(p.run(t, line).Stdout))
	}
}

// Where the hook is missing, cannot be started or breaks, an enforcing project blocks in words that the client hears;
// any other lets the call run, and says how to get the hook. After a tool nothing is said.
// Verifies: ORC-205, ORC-206
func TestWithoutAProgramThatWorks(t *testing.T) {
	link := "orchestrator-hook"
	for name, spoil := range map[string]func(t *testing.T, p place){
		"missing": func(*testing.T, place) {},
		"dangling": func(t *testing.T, p place) {
			require.NoError(t, os.Symlink("/nowhere", filepath.Join(p.boundary(), link)))
		},
		"no program": func(t *testing.T, p place) {
			require.NoError(t, os.WriteFile(filepath.Join(p.bin, link), []byte("#!/nowhere/interpreter\n"), 0o755))
		},
		"breaks": func(t *testing.T, p place) { program(t, filepath.Join(p.bin, link), "1 > /dev/null") },
		"killed": func(t *testing.T, p place) {
			require.NoError(t, os.WriteFile(filepath.Join(p.bin, link), []byte("#!/bin/sh\nkill -9 $$\n"), 0o755))
		},
	} {
		for _, c := range agentclient.All() {
			p := newPlace(t)
			spoil(t, p)
			before, after := commandline.For(c, c.Wiring.Before()), commandline.For(c, c.Wiring.Events[1])
			a := p.run(t, before)
			said := string(a.Stdout) + string(a.Stderr)
			if name != "breaks" && name != "killed" { // what a broken program printed is in the way
				heard, err := c.Heard(quiet(c, a))
				require.NoError(t, err, "%s %s", name, c.Name)
				require.Equal(t, boundary.Warn, heard, "%s %s", name, c.Name)
				require.Contains(t, said, "then run: orchestrator boundary install "+c.Name)
			}
			require.Zero(t, a.Exit)
			require.NotContains(t, said, "blocks")

			for _, mark := range []string{commandline.Folder + "/enforcing", ".git/orchestrator-enforcing"} {
				require.NoError(t, os.WriteFile(filepath.Join(p.root, mark), nil, 0o600))
				heard, err := c.Heard(p.run(t, before))
				if name != "breaks" && name != "killed" {
					require.NoError(t, err)
					require.Equal(t, boundary.Block, heard, "%s %s", name, c.Name)
				}
				a = p.run(t, after)
				require.Zero(t, a.Exit)
				require.NoError(t, os.Remove(filepath.Join(p.root, mark)))
			}
			for _, mode := range []string{"enforce", "confirm"} {
				policy := "{\n  \"schema_version\": 1,\n  \"mode\": \"" + mode + "\"\n}\n"
				require.NoError(t, os.WriteFile(filepath.Join(p.boundary(), "policy.json"), []byte(policy), 0o600))
				require.Contains(t, saidBy(p.run(t, before)), "blocks every tool", "a policy that was cloned has no mark")
			}
		}
	}
}

// quiet leaves out what a shell says of a program on standard error, where the client takes it for no answer.
func quiet(c *agentclient.Client, a agentclient.Answer) agentclient.Answer {
	if len(a.Stdout) > 0 {
		a.Stderr = nil
	}
	return a
}

func saidBy(a agentclient.Answer) string { return string(a.Stdout) + string(a.Stderr) }

// In the user's own settings the line knows the program, and is silent outside of projects with a boundary.
// Verifies: ORC-207
func TestTheUsersLine(t *testing.T) {
	for _, c := range agentclient.All() {
		p := newPlace(t)
		own := filepath.Join(t.TempDir(), "orchestrator-hook")
		line := commandline.ForUser(c, c.Wiring.Before(), own)
		program(t, own, "0")
		require.Contains(t, string(p.run(t, line).Stdout), "/orchestrator-hook "+c.Name)
		p.cwd = t.TempDir()
		require.Equal(t, c.Answer(agentclient.Before, boundary.Allow, "").Stdout, nothing(p.run(t, line).Stdout), c.Name)
		require.NoError(t, os.Remove(own))
		require.Equal(t, c.Answer(agentclient.Before, boundary.Allow, "").Stdout, nothing(p.run(t, line).Stdout), c.Name)
	}
}

func nothing(out []byte) []byte {
	if len(out) == 0 {
		return nil
	}
	return out
}

// A client that takes every answer as JSON is answered so, where it is told to fail shut.
func TestALineSpeaksAsTheClientWants(t *testing.T) {
	for _, c := range agentclient.All() {
		plain := commandline.For(c, c.Wiring.Before())
		speaking := commandline.WithJSON(c, plain, true)
		require.Equal(t, plain, commandline.WithJSON(c, speaking, false))
		require.Equal(t, speaking, commandline.WithJSON(c, speaking, true))
		require.Equal(t, "x "+c.Name, commandline.WithJSON(c, "x "+c.Name, true))
		if c.Wiring.JSONFlag == nil {
			require.Equal(t, plain, speaking)
			continue
		}
		p := newPlace(t)
		for _, name := range []string{"orchestrator", "orchestrator-hook"} {
			program(t, filepath.Join(p.bin, name), "0")
			require.Contains(t, string(p.run(t, speaking).Stdout), c.Name+" --answers json\n")
		}
		_, is := commandline.Parse(c, speaking)
		require.True(t, is)
	}
}

func TestLinesAreKnownAgain(t *testing.T) {
	for _, c := range agentclient.All() {
		for _, event := range c.Wiring.Events {
			for line, made := range map[string]commandline.Line{
				commandline.For(c, event):                                    {},
				commandline.ForUser(c, event, "/it's a b/orchestrator-hook"): {User: true, Program: "/it's a b/orchestrator-hook"},
				commandline.ForUser(c, event, "/bin/orchestrator"):           {User: true, Program: "/bin/orchestrator"},
			} {
				require.True(t, commandline.Runs(line))
				parsed, is := commandline.Parse(c, line)
				require.True(t, is, line)
				require.Equal(t, made, parsed)
				for _, other := range []string{line + "; true", "true; " + line, strings.Replace(line, "exit", "true", 1),
					strings.Replace(line, "orchestrator-hook", "evil", 1), ""} {
					_, is = commandline.Parse(c, other)
					require.False(t, is, other)
				}
				require.NotContains(t, line, "\n")
				require.Less(t, len(line), 2000)
			}
		}
	}
	for line, runs := range map[string]bool{
		"orchestrator-hook claude": true, "/a/orchestrator hook claude": true, "A=1 '/a b/orchestrator-hook' claude": true,
		": orchestrator-hook claude; true": true, "sh -c ': orchestrator-hook claude; true'": true,
		"sh -c 'orchestrator serve'": false, ": echo orchestrator-hook": false, "echo orchestrator-hook": false, "": false,
		"orchestrator serve": false, "sh orchestrator-hook": false,
	} {
		require.Equal(t, runs, commandline.Runs(line), line)
	}
}

// At the end of a turn the program is told so. Where there is none, the session ends, and nothing is said.
// Verifies: ORC-224
func TestTheEndOfATurn(t *testing.T) {
	t.Parallel()
	for _, c := range agentclient.All() {
		for _, event := range c.Wiring.Ends {
			p := newPlace(t)
			require.NoError(t, os.WriteFile(filepath.Join(p.boundary(), "enforcing"), nil, 0o600))
			line := commandline.For(c, event)
			require.Equal(t, string(c.Let().Stdout), saidBy(p.run(t, line)))
			program(t, filepath.Join(p.bin, "orchestrator"), "0")
			require.Equal(t, "bin/orchestrator hook "+c.Name+" --finished\n", string(p.run(t, line).Stdout))
			program(t, filepath.Join(p.boundary(), "orchestrator-hook"), "2")
			a := p.run(t, line)
			require.Equal(t, "boundary/orchestrator-hook "+c.Name+" --finished\n", string(a.Stdout))
			require.Equal(t, 2, a.Exit)
			for _, line := range []string{line, commandline.ForUser(c, event, "/opt/orchestrator")} {
				_, known := commandline.Parse(c, line)
				require.True(t, known)
				require.True(t, commandline.Runs(line))
			}
		}
	}
}
