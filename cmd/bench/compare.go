package main

import (
	"context"
	"errors"
	"fmt"

	"orchestrator/cmd/bench/baseline"
)

// How many requirements there are in the measurements.
const (
	patched = 1_000
	few     = 100
	many    = 100_000
	started = 10_000
)

// clientCounts are the loads of GET and PATCH.
var clientCounts = []int{1, 64}

// The goals by the number of clients.
var (
	getGoals   = map[int]*goal{1: atLeast(0.85), 64: atLeast(0.9)}
	patchGoals = map[int]*goal{1: atLeast(0.7), 64: atLeast(0.6)}
)

// get compares GET /requirements/{id} with a handler that returns the same bytes.
func (b *bench) get(ctx context.Context) (rows []row, err error) {
	dir, err := b.folder("get", patched, wholeText)
	if err != nil {
		return nil, err
	}
	product, err := b.product(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, product.stop()) }()
	path := "/requirements/" + requirementID(patched/2)
	doc, err := fetch(product.addr, product.get("viewer", path)(nil, 0))
	if err != nil {
		return nil, err
	}
	dir, err = b.folderOf(baseline.FloorGet, map[string][]byte{baseline.FileRequirement: doc})
	if err != nil {
		return nil, err
	}
	floor, err := b.baseline(ctx, baseline.FloorGet, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, floor.stop()) }()
	for _, c := range clientCounts {
		results, err := b.interleave(ctx, c, side{"floor", floor, floor.get("viewer", path)},
			side{"product", product, product.get("viewer", path)})
		if err != nil {
			return rows, err
		}
		rows = append(rows, rateRow(fmt.Sprintf("GET /requirements/{id}, %d bytes, c=%d", len(doc), c), results[0],
			results[1], getGoals[c]))
	}
	return rows, nil
}

// patch compares PATCH with a handler that only commits the same bytes.
func (b *bench) patch(ctx context.Context) (rows []row, err error) {
	now, err := b.startPatched(ctx, "patch-0", "--export-wait=0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, now.stop()) }()
	waiting, err := b.startPatched(ctx, "patch-default")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, waiting.stop()) }()
	floor, sizes, err := b.startPatchFloor(ctx, now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, floor.stop()) }()
	return b.comparePatch(ctx, sizes, floor, now, waiting)
}

// startPatched starts the product and changes every requirement once, so that none grows later.
func (b *bench) startPatched(ctx context.Context, name string, flags ...string) (*server, error) {
	dir, err := b.folder(name, patched, shortText)
	if err != nil {
		return nil, err
	}
	s, err := b.product(ctx, dir, flags...)
	if err != nil {
		return nil, err
	}
	if err := s.once(ctx, s.patch(patched, 1), patched); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (b *bench) comparePatch(ctx context.Context, sizes string, floor, now, waiting *server) (rows []row, err error) {
	for _, c := range clientCounts {
		results, err := b.interleave(ctx, c, side{"floor", floor, floor.patch(patched, 1)},
			side{"product, export-wait 0", now, now.patch(patched, 1)},
			side{"product, default wait", waiting, waiting.patch(patched, 1)})
		if err != nil {
			return rows, err
		}
		rows = append(rows,
			rateRow(fmt.Sprintf("PATCH, %s, export-wait 0, c=%d", sizes, c), results[0], results[1],
				patchGoals[c]),
			rateRow(fmt.Sprintf("PATCH, default export-wait, c=%d", c), results[0], results[2],
				atLeast(0.5)))
	}
	return rows, nil
}

// startPatchFloor starts the floor with the bytes that the product has stored.
func (b *bench) startPatchFloor(ctx context.Context, from *server) (*server, string, error) {
	files, err := from.stored(patched)
	if err != nil {
		return nil, "", err
	}
	dir, err := b.folderOf(baseline.FloorPatch, files)
	if err != nil {
		return nil, "", err
	}
	s, err := b.baseline(ctx, baseline.FloorPatch, dir)
	return s, fmt.Sprintf("%d+%d bytes", len(files[baseline.FileRequirement]), len(files[baseline.FileRecord])), err
}

// stored returns the files of a baseline that has n requirements, and stores at each change what the product has stored
// at its first.
func (s *server) stored(n int) (map[string][]byte, error) {
	requirement, err := fetch(s.addr, s.get("viewer", "/requirements/"+requirementID(0))(nil, 0))
	if err != nil {
		return nil, err
	}
	page, err := fetch(s.addr, s.get("viewer", "/requirements/"+requirementID(0)+"/history")(nil, 0))
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := range n {
		ids = append(ids, requirementID(i))
	}
	return baseline.Files(ids, requirement, page)
}
