package runner

import (
	"context"
	"time"

	"orchestrator/internal/fault"
)

// Exec runs an outside program.
//
// What holds on every system: no shell; the program is an absolute path or is looked up in a fixed PATH; it gets Env
// and, besides, a fixed PATH and LANG, a HOME and TMPDIR that are made for the run and removed after it, and
// ORCHESTRATOR_RUN, a random name of the run; it runs in a process group of its own, and that whole group is killed
// when the run ends, whether in time or not.
//
// On Linux what has left the group is killed too, at most a second after the end: every process that is younger than
// the run and has the name of the run in its environment, holds one of the run's pipes, descends from such a process,
// or is in a session that one made. What is not found: a process that has dropped all of these (a daemon with an
// emptied environment, with nothing of the run open, whose parents have ended), that has become another user, or that
// something else started on the run's behalf (a container service, cron). A process that changes its session at every
// fork, faster than /proc can be read, may outrun the search. Nothing is held if the service itself is killed by force.
// Elsewhere only the group is killed.
//
// SHA256 pins the file that is run: on Linux it is opened once, and what was hashed is what is started, whatever its
// name has come to mean since; a change within the very file is noticed as soon as it runs and again at its end, and
// the run is refused, unless it was undone together with its times. Of a script the script is pinned, not its
// interpreter; its $0 is /proc/self/fd/3. On other systems the file is hashed and then started by its name, so that who
// may replace it can do so in between.
type Exec struct {
	Argv      []string      // the program and its arguments
	Env       []string      // NAME=value; may replace PATH, HOME, LANG and TMPDIR
	Dir       string        // an absolute path; "" is the run's own temporary folder
	SHA256    string        // of the program, in hexadecimal; "" is any
	Timeout   time.Duration // 0 is 30 s
	MaxOutput int64         // bytes on standard output; 0 is 1 MiB

	checked func() // for tests: between the check of the pin and the start
}

// Run gives a program its input and waits until it has ended and nothing of it is left. What its descendants would
// still have written after it ended is lost. Errors: tool_missing, tool_undeclared (argv, environment or folder that
// cannot be used), tool_pin_mismatch, tool_not_started, tool_timeout, tool_cancelled, tool_output_too_large,
// tool_failed, tool_not_stopped.
func (e Exec) Run(ctx context.Context, stdin []byte) (Result, error) {
	began := time.Now()
	ctx, cancel := within(ctx, e.Timeout)
	defer cancel()
	p, err := e.start(ctx)
	if err != nil {
		return Result{Exit: -1, Took: time.Since(began)}, err
	}
	defer p.clear()
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		_, _ = p.stdin.Write(stdin) // a program need not read what it is given
		_ = p.stdin.Close()
	}()
	out := gather(p.stdout, atMost(e.MaxOutput))
	select {
	case <-p.exited:
	case <-out.over:
	case <-ctx.Done():
	}
	p.stop()
	<-fed
	<-out.done
	result := Result{Stdout: out.bytes, Stderr: p.lastWords(), Exit: p.exit(), Took: time.Since(began)}
	switch {
	case closed(out.over):
		result.Stdout = nil
		return result, tooLarge(p.name, atMost(e.MaxOutput))
	case !p.byItself:
		return result, ended(ctx, p.name, began)
	}
	return result, p.checkEnd(result)
}

// checkEnd refuses a run whose program was replaced, left processes behind or failed.
func (p *process) checkEnd(r Result) error {
	if err := p.pin.unchanged(); err != nil {
		return err
	}
	if p.left > 0 {
		return fault.New(fault.Unavailable, "tool_not_stopped", "%s left %d processes that could not be killed",
			p.name, p.left).
			WithFix("look for processes with %s in their environment", p.mark)
	}
	if r.Exit != 0 {
		return p.failed(r.Stderr)
	}
	return nil
}

func (p *process) failed(stderr string) *fault.Error {
	how := "ended with " + p.cmd.ProcessState.String()
	if words := end(stderr); words != "" {
		how += "; the end of its standard error: " + words
	}
	return fault.New(fault.Unavailable, "tool_failed", "%s %s", p.name, how).
		WithFix("run it by hand with the same input, and see to what it says")
}
