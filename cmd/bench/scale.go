package main

import (
	"context"
	"errors"
	"fmt"
)

// scale compares the latency of PATCH among many requirements with that among few.
func (b *bench) scale(ctx context.Context) (rows []row, err error) {
	small, err := b.startScaled(ctx, few)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, small.server.stop()) }()
	large, err := b.startScaled(ctx, many)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, large.server.stop()) }()
	results, err := b.interleave(ctx, 1, small, large)
	if err != nil {
		return nil, err
	}
	base, value := figures(results[0], result.p50), figures(results[1], result.p50)
	return []row{newRow(fmt.Sprintf("PATCH p50, %d against %d requirements, c=1", many, few), "ms", base, value,
		pairwise(value, base), atMost(1.5))}, nil
}

// startScaled starts the product with n requirements, and changes those once that the rounds will change.
func (b *bench) startScaled(ctx context.Context, n int) (side, error) {
	say("importing %d requirements", n)
	name := fmt.Sprintf("product, %d", n)
	dir, err := b.folder(fmt.Sprint("scale-", n), n, shortText)
	if err != nil {
		return side{}, err
	}
	s, err := b.product(ctx, dir, "--export-wait=0")
	if err != nil {
		return side{}, err
	}
	changes := s.patch(n, max(1, n/patched))
	if err := s.once(ctx, changes, min(n, patched)); err != nil {
		return side{}, errors.Join(err, s.stop())
	}
	return side{name, s, changes}, nil
}
