package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/system/child"
)

// kill kills the service at a random moment, and now and then the next one while it starts.
func (r *run) kill(ctx context.Context) error {
	r.begin()
	if err := r.sleep(ctx, killWindow); err != nil {
		return err
	}
	r.service.Kill()
	if r.rng.IntN(5) > 0 {
		return nil
	}
	next, err := child.Launch(r.command())
	if err != nil {
		return err
	}
	err = r.sleep(ctx, killWindow/4)
	next.Kill()
	r.tally.note("killed while it started")
	return err
}

// cut cuts off the power at a random moment. Half of the times the journal of the file system is flushed just before.
func (r *run) cut(ctx context.Context) error {
	r.begin()
	if err := r.sleep(ctx, cutWindow); err != nil {
		return err
	}
	return r.powerCut(ctx, r.rng.IntN(2) == 0)
}

func (r *run) powerCut(ctx context.Context, flushed bool) error {
	if err := r.disk.cut(ctx, flushed); err != nil {
		return err
	}
	r.service.Kill()
	r.load.wait()
	if err := r.disk.Detach(); err != nil {
		return err
	}
	return r.disk.Attach(ctx)
}

// lie cuts off the power of a disk that has synced nothing, and said that it did.
func (r *run) lie(ctx context.Context) error {
	i, err := inject(ctx, r.service.Pid(), r.logFile+".strace", "fdatasync:retval=0", "fsync:retval=0",
		"sync_file_range:retval=0", "msync:retval=0")
	if err != nil {
		return err
	}
	defer i.detach()
	r.begin()
	if err := r.sleep(ctx, cutWindow); err != nil {
		return err
	}
	return r.powerCut(ctx, false)
}

// move takes the database away from its path, and half of the times puts a copy in its place. Whatever is acknowledged
// from then on goes into a file that no start would open, so the service has to end. The database is put back.
func (r *run) move(ctx context.Context) error {
	r.begin()
	if err := r.sleep(ctx, killWindow); err != nil {
		return err
	}
	path := datadir.Dir(filepath.Join(r.dir, datadir.Default)).Database()
	aside := path + ".aside"
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	what := "a database moved away"
	if r.rng.IntN(2) == 0 {
		what = "a database replaced"
		if err := child.Run(ctx, "cp", aside, path); err != nil {
			return err
		}
	}
	select {
	case <-r.service.Ended():
		r.ended(what)
	case <-time.After(stopPatience):
		r.misbehaved("%s did not end the service", what)
	case <-ctx.Done():
	}
	r.service.Kill()
	return os.Rename(aside, path)
}
