package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"orchestrator/cmd/bench/baseline"
	"orchestrator/cmd/bench/replicas"
	"orchestrator/cmd/bench/report"
	"orchestrator/internal/ledger/store/pgstore/postgres"
)

func replicated(b *bench) replicas.Bench {
	return replicas.Bench{Rounds: b.rounds, Round: b.round, Dir: b.dir, Binary: b.binary, Self: b.self, Say: say}
}

// peerGoals are the goals by the number of clients.
var peerGoals = map[int]*goal{1: atLeast(1.2), 64: atLeast(2.5)}

// peers compares PATCH, as the product does it by default, with the handler that people write without the product. That
// checks nothing and exports nothing.
type peers struct{ *bench }

func (b peers) rows(ctx context.Context) (rows []row, err error) {
	clients := clientCounts[len(clientCounts)-1]
	// Beside the folder of the run, which is closed to the user that runs PostgreSQL.
	database, err := postgres.Start(ctx, filepath.Dir(b.dir), clients)
	if err != nil {
		return nil, skippedIfMissing(err)
	}
	defer func() { err = errors.Join(err, database.Stop()) }()
	product, err := b.startPatched(ctx, "peers")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, product.stop()) }()
	files, err := product.stored(patched)
	if err != nil {
		return nil, err
	}
	files[baseline.FileDatabase] = []byte(database.Address(clients))
	dir, err := b.folderOf(baseline.Peer, files)
	if err != nil {
		return nil, err
	}
	peer, err := b.baseline(ctx, baseline.Peer, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, peer.stop()) }()
	for _, c := range clientCounts {
		results, err := b.interleave(ctx, c, side{"chi and PostgreSQL", peer, peer.patch(patched, 1)},
			side{"product", product, product.patch(patched, 1)})
		if err != nil {
			return rows, err
		}
		rows = append(rows, rateRow(fmt.Sprintf("PATCH against a handler with chi and PostgreSQL, c=%d", c), results[0],
			results[1], peerGoals[c]))
	}
	return rows, nil
}

// skippedIfMissing makes the error of a machine without PostgreSQL the reason to skip what needs it.
func skippedIfMissing(err error) error {
	if errors.Is(err, postgres.ErrMissing) {
		return report.Skipped(err.Error())
	}
	return err
}
