package replica

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/audit"
)

// How long a request waits.
const (
	askTime   = 5 * time.Second // until the store says what is newest
	reachTime = time.Second     // until the log has the size that it names
	retry     = time.Second     // before it is sent again
)

// Latest returns when the state of this process has all that was committed before the call. A request that only reads
// is answered from an older state where StaleReads allows it. Without replicas there is nothing to wait for.
//
// Implements: ORC-354
func (c *Config) Latest(ctx context.Context, reads bool) error {
	if c == nil || reads && c.StaleReads > 0 && c.Age() <= c.StaleReads {
		return nil
	}
	timed, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	err := c.Log.CatchUp(timed)
	switch failed := c.Log.Err(); {
	case failed != nil:
		return failed
	case err == nil || ctx.Err() != nil:
		return err
	}
	return fault.New(fault.Unavailable, codeUnreachable,
		"the database cannot be asked whether another replica has written").
		WithFix("nothing was changed; send the request again, as Retry-After says").
		After(retry).Because(err).ForClients()
}

// Published is the log as far as this process has published it.
type Published interface {
	Head() audit.Head
	Grown(size uint64) <-chan struct{}
	Err() error
}

// LeastSize is the header that names the size that the log must have before a request is served.
const LeastSize = "If-Log-At-Least"

// Reached returns when the log has the size that a request names, if it names one.
//
// Implements: ORC-355
func Reached(r *http.Request, log Published) error {
	sent := r.Header[LeastSize]
	if sent == nil {
		return nil
	}
	size, err := sizeIn(sent)
	if err != nil {
		return err
	}
	return awaitSize(r.Context(), log, size, reachTime)
}

func sizeIn(sent []string) (uint64, error) {
	if len(sent) == 1 {
		if size, err := strconv.ParseUint(sent[0], 10, 63); err == nil {
			return size, nil
		}
	}
	return 0, wire.Parameter(LeastSize, "it is not the size of a log").
		WithFix("send the size of an Audit-Receipt once, such as %s: 123, or leave the header out", LeastSize)
}

// awaitSize waits until the log has a size.
func awaitSize(ctx context.Context, log Published, size uint64, limit time.Duration) error {
	var over <-chan time.Time
	for now := log.Head().Size; now < size; now = log.Head().Size {
		if err := log.Err(); err != nil {
			return err
		}
		if over == nil {
			timer := time.NewTimer(limit)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case <-log.Grown(now):
		case <-over:
			return fault.New(fault.Unavailable, "log_not_reached", "the log has %d records here, and not %d",
				now, size).
				WithFix("send the request again, as Retry-After says; GET /audit/checkpoint has the size of the log").
				After(retry).ForClients()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
