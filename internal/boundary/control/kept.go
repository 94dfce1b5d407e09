package control

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/record"
	"orchestrator/internal/boundary/report"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
)

// kept is what the ledger has of a journal, as it was read last: to ask again takes reading only the records that came
// since. Records never change, so the number of the last one says all of what was read.
//
// Implements: ORC-300
type kept struct {
	ledger *ledger.Ledger
	root   string // of the project
	most   int    // bytes of lines that are kept; a longer journal is read anew each time

	mu      sync.RWMutex
	reading *report.Reading // nil where nothing is kept
	last    uint64          // record that was read
	bytes   int             // of the lines that were read
	idle    *time.Timer     // drops what is kept
}

// mostKept is the most bytes of a journal whose reading is kept. It takes less memory than that, and at most twice as
// much where no call is like another.
const mostKept = 256 << 20

// keepFor is how long a reading is kept for who asks next: longer than it takes until reviews are worked out again.
const keepFor = refreshed + 5*time.Minute

func newKept(l *ledger.Ledger, root string) *kept {
	k := &kept{ledger: l, root: root, most: mostKept}
	k.idle = time.AfterFunc(keepFor, k.drop)
	return k
}

func (k *kept) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading, k.last, k.bytes = nil, 0, 0
}

// ask calls use with what the ledger has by now, which is use's until it returns. Who asks while nothing is new asks
// beside others.
func (k *kept) ask(ctx context.Context, use func(*report.History)) error {
	defer k.idle.Reset(keepFor)
	if done, err := k.askAgain(ctx, use); done || err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.keepWithin() // also where the reading ended early
	if err := k.readOn(ctx); err != nil {
		return err
	}
	use(k.reading.History())
	return nil
}

// keepWithin drops what was read where it is too much to keep.
func (k *kept) keepWithin() {
	if k.bytes > k.most {
		k.reading, k.last, k.bytes = nil, 0, 0
	}
}

// askAgain calls use if everything was read.
func (k *kept) askAgain(ctx context.Context, use func(*report.History)) (done bool, err error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.reading == nil {
		return false, nil
	}
	news, err := k.news(ctx)
	if err != nil || len(news) > 0 {
		return false, err
	}
	use(k.reading.History())
	return true, nil
}

// news returns the numbers of the records that were not read.
func (k *kept) news(ctx context.Context) (seqs []uint64, err error) {
	err = k.ledger.View(ctx, func(from store.Reader) (err error) {
		seqs, err = record.After(from, k.last)
		return err
	})
	return seqs, err
}

// atATime is how many records are read in one transaction: a long one keeps pages of the store from being used again.
const atATime = 32

// readOn reads the records that were not read. After an error it goes on from the last one that was.
func (k *kept) readOn(ctx context.Context) error {
	if k.reading == nil {
		k.reading = report.NewReading(k.root)
	}
	news, err := k.news(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(news, atATime) {
		all := make([]record.Recorded, len(some))
		err := k.ledger.View(ctx, func(from store.Reader) (err error) {
			for i := 0; i < len(some) && err == nil; i++ {
				all[i], err = record.At(from, some[i])
			}
			return err
		})
		if err != nil {
			return err
		}
		for i, data := range all {
			k.take(data)
			k.last = some[i]
		}
	}
	return nil
}

var errMalformed = errors.New("it was no line when it was recorded")

// take reads the lines of a record. A journal that came back shorter was recorded anew: lines may come twice.
func (k *kept) take(data record.Recorded) {
	for range data.Malformed {
		k.reading.Add(folder.Line{}, errMalformed)
	}
	for _, text := range data.Lines {
		k.bytes += len(text)
		k.reading.Add(folder.ParseLine(text))
	}
}
