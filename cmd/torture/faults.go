package main

import (
	"context"
	"fmt"
	"time"
)

// failing are the system calls that fail, and whether the service has to end for it: those of the database are fatal,
// those of the export are tried again.
var failing = []struct {
	call  string
	fatal bool
	most  int // calls of a thread before the one that fails; few where there are few
}{
	{"fdatasync", true, 30}, {"pwrite64", true, 30}, {"fsync", false, 5}, {"openat", false, 5}, {"renameat", false, 1},
	{"renameat2", false, 5},
}

// fail lets a system call fail, once or from then on.
func (r *run) fail(ctx context.Context) error {
	fault := failing[r.rng.IntN(len(failing))]
	when := fmt.Sprint(1 + r.rng.IntN(fault.most))
	if r.rng.IntN(2) == 0 {
		when += "+"
	}
	i, err := inject(ctx, r.service.Pid(), r.logFile+".strace", fmt.Sprintf("%s:error=EIO:when=%s", fault.call, when))
	if err != nil {
		return err
	}
	defer i.detach()
	r.begin()
	patience := stopPatience
	if !fault.fatal {
		patience = nonFatalLoad
	}
	select {
	case <-r.service.Ended():
		r.ended("EIO from " + fault.call)
		return nil
	case <-time.After(patience):
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.goesOn(ctx, i, fault.call, fault.fatal)
}

// goesOn looks at a service that lives on after a fault: where that is right, its export must catch up.
func (r *run) goesOn(ctx context.Context, i *injector, call string, fatal bool) error {
	injected, err := i.injected()
	switch {
	case err != nil:
		return err
	case injected == 0:
		r.tally.note("no EIO: " + call + " was not called often enough")
	case fatal:
		r.misbehaved("%d times EIO from %s did not end the service", injected, call)
		return nil
	default:
		r.tally.note("went on after EIO from " + call)
	}
	return r.catchUp(ctx)
}

// ended looks at how a service ended by itself.
func (r *run) ended(why string) {
	if code := r.service.ExitCode(); code != 1 {
		r.misbehaved("after %s the service ended with %d, not 1: %s", why, code, r.service.LastLog())
		return
	}
	r.tally.note("stopped by " + why)
}

func (r *run) misbehaved(format string, args ...any) {
	r.tally.Misbehaved++
	r.tally.find(r.name+": "+format, args...)
}

// catchUp waits until the export has what the log has, once the load has ended.
func (r *run) catchUp(ctx context.Context) error {
	r.load.wait()
	c := newClient(r.service.Addr, r.token)
	defer c.close()
	for end := time.Now().Add(calmPatience); time.Now().Before(end); {
		behind, err := c.exportBehind()
		if err != nil {
			return err
		}
		if !behind {
			return nil
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	r.misbehaved("the export did not catch up in %v", calmPatience)
	return nil
}
