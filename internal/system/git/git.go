// Package git starts the git command so that nothing is left to whoever wrote the configuration of a repository, to the
// caller's environment, or to the network. It knows no command of git, and of an answer
// only which line says why there is none.
package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	noFile    = "/dev/null" // for git: there is none
	lastWords = time.Second // for a killed process to let go of its pipes
)

var environment = []string{
	"LC_ALL=C",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=" + noFile,
	"GIT_NO_REPLACE_OBJECTS=1", // a replacement shows another content under the same id
	"GIT_GRAFT_FILE=" + noFile, // and a graft another history
	"GIT_NO_LAZY_FETCH=1",
	"GIT_ALLOW_PROTOCOL=none", // for versions that do not know the line above
	"GIT_TERMINAL_PROMPT=0",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_ADVICE=0", // which is for whoever types commands; git 2.45 or later
}

// Process is a command of git, prepared or running.
type Process = exec.Cmd

// Find returns the absolute path of the git command, or of the one that is installed under another name.
func Find(name string) (string, error) {
	path, err := exec.LookPath(cmp.Or(name, "git"))
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// ExitCode returns the code that a command of git ended with, or -1 where it did not end by itself.
func ExitCode(err error) int {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}

// Command is the git command in a folder.
type Command struct {
	Path string   // absolute path
	Dir  string   // where it runs
	Env  []string // besides what every git gets, as "GIT_DIR=…"
}

// Prepare makes a command that is killed with all its children when ctx ends.
//
// safe.directory: git refuses repositories of other users because their configuration can start programs. The operator
// named this one, often from a container with another user, and the options here keep all of them from being started:
// the monitor of the file system, hooks, and the verifiers of signatures, which log.showSignature asks for.
//
// advice.graftFileDeprecated: a version that does not know GIT_ADVICE says with every command that grafts are
// deprecated, though the file of grafts that it is given is none.
//
// core.untrackedCache and what follows it: git otherwise takes files for unchanged that whoever can write the index
// says are.
//
// core.commitGraph: git believes what that file says of the parents of a commit, and does not compare it with the
// commit.
func (g Command) Prepare(ctx context.Context, args ...string) *Process {
	options := []string{"--no-pager", "-c", "safe.directory=*", "-c", "core.fsmonitor=false",
		"-c", "core.commitGraph=false", "-c", "core.hooksPath=" + noFile, "-c", "log.showSignature=false",
		"-c", "gpg.program=" + noFile, "-c", "gpg.x509.program=" + noFile, "-c", "gpg.ssh.program=" + noFile,
		"-c", "core.warnAmbiguousRefs=true", "-c", "advice.graftFileDeprecated=false",
		"-c", "core.untrackedCache=false", "-c", "core.trustctime=true", "-c", "core.checkStat=default",
		"-c", "core.ignoreStat=false"}
	cmd := exec.CommandContext(ctx, g.Path, append(options, args...)...)
	cmd.Dir, cmd.Env = g.Dir, append(append([]string{"PATH=" + os.Getenv("PATH")}, environment...), g.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = lastWords
	return cmd
}

// Output keeps the first bytes that are written to it, at most Most. More of them fail, or are dropped where Cut says
// so.
type Output struct {
	Most int
	Cut  bool
	Full bool // there was more
	kept bytes.Buffer
}

func (o *Output) Write(p []byte) (int, error) {
	n, err := o.kept.Write(p[:min(len(p), o.Most-o.kept.Len())])
	if n == len(p) {
		return n, err
	}
	if o.Full = true; o.Cut {
		return len(p), nil
	}
	return n, errors.New("git printed too much")
}

func (o *Output) String() string { return o.kept.String() }
