package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// backups measures changes while backups are taken without a pause, against changes without, and then how long it
// takes to back a log up and to restore it, and in how much memory.
func (b *bench) backups(ctx context.Context) (rows []row, err error) {
	for _, records := range b.records {
		more, err := b.backupsOf(ctx, records)
		if err != nil {
			return nil, fmt.Errorf("%d records: %w", records, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (b *bench) backupsOf(ctx context.Context, records int) (rows []row, err error) {
	dir, err := b.folder(fmt.Sprint("backup-", records), patched, shortText)
	if err != nil {
		return nil, err
	}
	s, err := b.product(ctx, dir, "--export-wait=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	say("making a log of %d records", records)
	if err := s.once(ctx, s.patch(patched, 1), records); err != nil {
		return nil, err
	}
	var alone, beside, taken, restored, computed, peaks []float64
	for round := range b.rounds {
		one, other, err := b.besideBackups(ctx, s)
		if err != nil {
			return nil, err
		}
		wrote, err := b.timed(ctx, dir, "backup", "-o", "log.zip")
		if err != nil {
			return nil, err
		}
		made, err := b.restoreOnce(ctx, dir)
		if err != nil {
			return nil, err
		}
		say("round %d/%d  PATCH p50 %.3f ms, %.3f ms beside backups; backup %.2f s; restore %.2f s, CPU %.2f "+
			"s, %.0f MB", round+1, b.rounds, one, other, wrote.seconds, made.seconds, made.cpu, made.peak)
		alone, beside, taken = append(alone, one), append(beside, other), append(taken, wrote.seconds)
		restored, computed, peaks = append(restored, made.seconds), append(computed, made.cpu), append(peaks, made.peak)
	}
	of := fmt.Sprintf(", %d records", records)
	return []row{
		newRow("PATCH p50 beside backups at full speed against without, c=1"+of, "ms", alone, beside,
			pairwise(beside, alone), atMost(3)),
		newRow("backup"+of, "s", nil, taken, nil, nil),
		newRow("restore"+of, "s", nil, restored, nil, nil),
		newRow("CPU time of restore"+of, "s", nil, computed, nil, nil),
		newRow("highest resident memory of restore"+of, "MB", nil, peaks, nil, nil),
	}, nil
}

// besideBackups returns the median latency of changes without backups, and with one after the other.
func (b *bench) besideBackups(ctx context.Context, s *server) (alone, beside float64, err error) {
	changes := side{"PATCH", s, s.patch(patched, 1)}
	r, err := changes.load(ctx, 1, b.round)
	if err != nil {
		return 0, 0, err
	}
	alone = r.p50()
	backing, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		for {
			_, err := b.timed(backing, s.dir, "backup", "-o", "beside.zip")
			if backing.Err() != nil {
				err = nil // it was stopped
			} else if err == nil {
				continue
			}
			ended <- err
			return
		}
	}()
	r, err = changes.load(ctx, 1, b.round)
	stop()
	if err = errors.Join(err, <-ended); err != nil {
		return 0, 0, err
	}
	return alone, r.p50(), nil
}

// restoreOnce restores into a new folder, which is gone afterwards.
func (b *bench) restoreOnce(ctx context.Context, dir string) (c cost, err error) {
	defer func() { err = errors.Join(err, os.RemoveAll(filepath.Join(dir, "restored"))) }()
	return b.timed(ctx, dir, "restore", "log.zip", "--data", "restored", "--export", "none.json")
}
