package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"orchestrator/cmd/bench/baseline"
	"orchestrator/cmd/bench/report"
	"orchestrator/internal/system/child"
	"orchestrator/internal/system/loopdisk"
)

// What a device is loaded with, and how often each side is: a round lasts longer than that of other comparisons.
const (
	deviceMegabytes = 4 << 10
	deviceClients   = 64
	deviceLoad      = 5 * time.Second
	deviceRounds    = 3
	deviceRest      = 2 * time.Second
	mostWritten     = 64 // KB a change
)

// devices measures how many bytes a change writes to the device, by default, and at the floor, which commits the same
// bytes.
type devices struct{ *bench }

func (b devices) rows(ctx context.Context) (rows []row, err error) {
	var lacking []string
	for _, kind := range []string{loopdisk.Ext4, loopdisk.XFS} {
		if lacks := child.Lacks(loopdisk.Needs(kind)...); lacks != "" {
			lacking = append(lacking, kind+" "+lacks)
			continue
		}
		more, err := b.rowsOf(ctx, kind)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		rows = append(rows, more...)
	}
	if len(lacking) > 0 {
		return rows, report.Skipped(strings.Join(lacking, "; ") + "; Debian has the programs in e2fsprogs, xfsprogs and mount")
	}
	return rows, nil
}

// rowsOf measures one kind of file system.
func (b devices) rowsOf(ctx context.Context, kind string) (rows []row, err error) {
	disk, err := loopdisk.New(ctx, b.dir, "device-"+kind, kind, deviceMegabytes)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, disk.Remove()) }()
	onDisk := devices{&bench{options: b.options, dir: disk.Dir, binary: b.binary, self: b.self}}
	product, floor, err := onDisk.start(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, product.stop(), floor.stop()) }()
	var base, value []float64
	for round := range deviceRounds {
		for _, one := range []struct {
			server *server
			kb     *[]float64
		}{{floor, &base}, {product, &value}} {
			kb, err := one.server.writtenAChange(ctx, disk)
			if err != nil {
				return nil, err
			}
			*one.kb = append(*one.kb, kb)
		}
		say("round %d/%d  %s: a change writes %.1f KB, and %.1f KB at the floor", round+1, deviceRounds, kind,
			value[round], base[round])
	}
	of := fmt.Sprintf("written to the device a change, %s, %d requirements, c=%d", kind, started, deviceClients)
	return []row{
		newRow(of, "KB", nil, value, nil, atMost(mostWritten)),
		newRow(of+", against the floor", "KB", base, value, pairwise(value, base), nil),
	}, nil
}

// start starts product and floor on the disk.
func (b devices) start(ctx context.Context) (product, floor *server, err error) {
	say("importing %d requirements", started)
	dir, err := b.folder("product", started, shortText)
	if err != nil {
		return nil, nil, err
	}
	if product, err = b.product(ctx, dir); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, product.stop())
		}
	}()
	if err := product.once(ctx, product.patch(started, 1), started); err != nil {
		return nil, nil, err
	}
	floor, _, err = b.startPatchFloor(ctx, baseline.FloorPatch, product, started)
	return product, floor, err
}

// writtenAChange loads a server, waits until everything that follows from its changes is on the device, and returns
// what each has written in the mean, in KB.
func (s *server) writtenAChange(ctx context.Context, disk *loopdisk.Disk) (float64, error) {
	before, err := disk.Written()
	if err != nil {
		return 0, err
	}
	r, err := load{addr: s.addr, clients: deviceClients, request: s.patch(started, 1), lasting: deviceLoad,
		atMost: unlimited}.run(ctx)
	if err != nil {
		return 0, err
	}
	if err := s.calm(ctx); err != nil {
		return 0, err
	}
	time.Sleep(deviceRest)
	after, err := disk.Written()
	return float64(after-before) / 1e3 / float64(r.requests), err
}
