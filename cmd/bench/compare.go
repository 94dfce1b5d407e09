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
	servers, sizes := []*server{now, waiting}, ""
	for _, kind := range []string{baseline.FloorPatch, baseline.FloorAppend} {
		var floor *server
		if floor, sizes, err = b.startPatchFloor(ctx, kind, now, patched); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, floor.stop()) }()
		servers = append(servers, floor)
	}
	return b.comparePatch(ctx, sizes, servers...)
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

func (b *bench) comparePatch(ctx context.Context, sizes string, servers ...*server) (rows []row, err error) {
	for _, c := range clientCounts {
		var sides []side
		for i, name := range []string{"product, export-wait 0", "product, default wait", "floor", "floor, appending"} {
			sides = append(sides, side{name, servers[i], servers[i].patch(patched, 1)})
		}
		results, err := b.interleave(ctx, c, sides...)
		if err != nil {
			return rows, err
		}
		rows = append(rows,
			rateRow(fmt.Sprintf("PATCH, %s, export-wait 0, c=%d", sizes, c), results[2], results[0], patchGoals[c]),
			rateRow(fmt.Sprintf("PATCH, default export-wait, c=%d", c), results[2], results[1], atLeast(0.5)),
			rateRow(fmt.Sprintf("PATCH, export-wait 0, c=%d, against a floor that appends", c), results[3], results[0], nil))
	}
	return rows, nil
}

// startPatchFloor starts a floor with n requirements, and the bytes that the product has stored.
func (b *bench) startPatchFloor(ctx context.Context, kind string, from *server, n int) (*server, string, error) {
	files, err := from.stored(n)
	if err != nil {
		return nil, "", err
	}
	dir, err := b.folderOf(kind, files)
	if err != nil {
		return nil, "", err
	}
	s, err := b.baseline(ctx, kind, dir)
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
