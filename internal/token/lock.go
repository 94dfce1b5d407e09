package token

import (
	"errors"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
)

// lock takes an exclusive lock on the file at path. A lock that is held for longer than wait is fault.Unavailable.
func lock(path string, wait time.Duration) (unlock func(), err error) {
	unlock, err = durable.Lock(path, wait)
	if errors.Is(err, durable.ErrLocked) {
		return nil, fault.New(fault.Unavailable, "tokens_locked", "another process holds %s", path).
			WithFix("try again; if it lasts, find the process with `lsof %s`", path)
	}
	return unlock, err
}
