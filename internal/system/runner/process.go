package runner

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/outbound"
)

const (
	markName  = "ORCHESTRATOR_RUN"
	lastBytes = maxStderr + 4 // a character that was cut at the front goes
)

// Limits that tests alone change: a busy machine needs longer.
var (
	sweepFor = 700 * time.Millisecond // the longest search for what is left of a run
	drainFor = 200 * time.Millisecond // for what is still in the pipes after that
)

// process is a running program and everything that must be gone when it ends.
type process struct {
	cmd    *exec.Cmd
	name   string // for errors
	mark   string // NAME=value, in its environment and nowhere else
	home   string // its temporary folder
	pin    *pin
	stdin  *os.File // our ends of its pipes
	stdout *os.File
	words  *tail
	hunt   *hunt
	exited chan struct{} // closed when it has ended, before its number is given back where the system can tell

	byItself bool // it had ended before stop
	left     int  // processes that stop could not kill
}

// start runs the program; the caller must call stop and then clear.
func (e Exec) start(ctx context.Context) (_ *process, err error) {
	if err := ctx.Err(); err != nil {
		return nil, ended(ctx, "the tool", time.Now())
	}
	path, err := e.lookUp()
	if err != nil {
		return nil, err
	}
	p := &process{name: fault.Clip(outbound.Readable(filepath.Base(e.Argv[0])), 100), exited: make(chan struct{})}
	defer func() {
		if err != nil {
			p.clear()
		}
	}()
	if p.pin, err = openPin(ctx, p.name, path, e.SHA256); err != nil {
		return nil, err
	}
	if p.home, err = os.MkdirTemp("", "orchestrator-run-"); err != nil {
		return nil, homeless(p.name, err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	p.mark = markName + "=" + hex.EncodeToString(id)
	p.cmd = &exec.Cmd{Path: p.pin.path(), Args: e.Argv, Dir: e.Dir, Env: e.environment(p), ExtraFiles: p.pin.files()}
	p.cmd.SysProcAttr = attributes()
	if p.cmd.Dir == "" {
		p.cmd.Dir = p.home
	}
	if e.checked != nil {
		e.checked()
	}
	return p, p.launch()
}

// launch makes the pipes and starts the command. The pipes are ours and not those of os/exec, so that the search can
// tell them.
func (p *process) launch() error {
	var theirs []*os.File
	closeTheirs := func() {
		for _, f := range theirs {
			_ = f.Close()
		}
		theirs = nil
	}
	defer closeTheirs()
	var ours, ends [3]*os.File
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			return notStarted(p.name, err)
		}
		if ours[i], ends[i] = r, w; i == 0 {
			ours[i], ends[i] = w, r
		}
		theirs = append(theirs, ends[i])
		switch i {
		case 0:
			p.stdin = ours[i]
		case 1:
			p.stdout = ours[i]
		case 2:
			p.words = listen(ours[i])
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = ends[0], ends[1], ends[2]
	if err := p.pin.unchanged(); err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return notStarted(p.name, err)
	}
	closeTheirs() // as long as we hold them, what the program writes does not end
	p.hunt = newHunt(p.cmd.Process.Pid, p.mark, ours[:])
	go p.observe()
	if err := p.pin.unchanged(); err != nil {
		p.stop()
		return err
	}
	return nil
}

func notStarted(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, CodeMissing,
			"%s cannot be started: it, or the interpreter in its first line, is not there", name).
			WithFix("install it, or correct argv in its contract").Because(err)
	}
	return fault.New(fault.Unavailable, CodeNotStarted, "%s cannot be started: %v", name, err).
		WithFix("see to it that the service's user may run it, and that there is room for its temporary files")
}

// homeless makes the error of a program for which no temporary folder can be made. It is not the program's fault, nor
// that of its contract.
func homeless(name string, err error) error {
	return fault.New(fault.Unavailable, CodeNotStarted, "%s is not started: no folder for the run can be made in %s: %s",
		name, fault.Clip(outbound.Readable(os.TempDir()), 200), reason(err)).
		WithFix("start the service with TMPDIR set to a folder that it can write to, or make room there").Because(err)
}

// stop kills all that is left of the run, and returns when it is gone or the time for that is over. It may be called
// once.
func (p *process) stop() {
	p.byItself = closed(p.exited)
	_ = p.stdin.Close()
	p.left = p.hunt.kill(func() bool { return closed(p.exited) })
	p.reap()
	until := time.Now().Add(drainFor)
	_ = p.stdout.SetReadDeadline(until)
	p.words.wait(until)
	p.hunt.reap()
}

// clear closes what is open and removes the temporary folder. It may be called at any time, in any state.
func (p *process) clear() {
	p.pin.close()
	for _, f := range []*os.File{p.stdin, p.stdout} {
		if f != nil {
			_ = f.Close()
		}
	}
	if p.words != nil {
		p.words.wait(time.Now())
	}
	if p.home != "" && os.RemoveAll(p.home) != nil {
		unlock(p.home)
		_ = os.RemoveAll(p.home) // what still cannot be removed is not ours to fight
	}
}

// unlock gives back the rights on folders that the program took from its owner.
func unlock(root string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a folder of a run that is over, to be removed
		}
		return nil
	})
}

// closed reports whether a channel, on which nothing is sent, is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (p *process) exit() int {
	if p.cmd.ProcessState == nil {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *process) lastWords() string { return p.words.text() }

// output is what a program writes, up to a cap.
type output struct {
	bytes []byte
	over  chan struct{} // closed when there is more than the cap
	done  chan struct{} // closed when nothing more comes; bytes may be read then
}

func gather(from io.Reader, most int64) *output {
	o := &output{over: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(o.done)
		o.bytes, _ = io.ReadAll(io.LimitReader(from, most+1))
		if int64(len(o.bytes)) > most {
			o.bytes = nil
			close(o.over)
		}
	}()
	return o
}
