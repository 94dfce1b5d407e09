package replica

import (
	"cmp"
	"context"
	"errors"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/catalogue"
	"orchestrator/internal/ledger/store"
)

// Told returns an error as the clients of a replica are told of it, or as it is. Work that the store refused since the
// duty had passed to another is lost. What only the operator of the database understands is for the log alone.
func Told(ctx context.Context, err error) error {
	ended := errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), store.ErrFenced)
	if ended || errors.Is(err, store.ErrFenced) {
		return fault.New(fault.Unavailable, "duty_lost",
			"this replica lost its duty while it served the request; what was not on record by then is not done").
			WithFix("repeat the request with the same Idempotency-Key, or idempotency_key of its body, or read what it " +
				"changes; runs go on at the next replica on duty").
			After(retry).Because(err).ForClients()
	}
	f := fault.As(err)
	if f == nil {
		return err
	}
	if _, known := catalogue.Find(f.Code); known && (f.Code != codeUnreachable || f.Public) {
		return err
	}
	switch f.Kind {
	case fault.InsufficientStorage:
		return fault.New(fault.InsufficientStorage, "disk_full",
			"the disk of the database is full; nothing was changed").
			WithFix("make room; changes are taken again as soon as there is some").Because(err)
	case fault.Unavailable:
		return fault.New(fault.Unavailable, codeUnreachable, "the database does not do what was asked of it").
			WithFix("whether a change happened is unknown: when the database answers again, read the requirement, or " +
				"repeat the request with the same Idempotency-Key").
			After(cmp.Or(f.RetryAfter, retry)).Because(err).ForClients()
	}
	return err
}

const codeUnreachable fault.Code = "store_unreachable"
