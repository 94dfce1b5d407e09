package auditor

import (
	"context"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/projection"
)

// ReadKey returns the public key of a log that somebody gave as it is, or in a file; "" for "".
func ReadKey(ctx context.Context, given string) (string, error) {
	key := strings.TrimSpace(given)
	if key == "" || audit.CheckKey(key) == nil {
		return key, nil
	}
	raw, err := projection.ReadCheckpoint(ctx, given)
	if err == nil {
		key = strings.TrimSpace(string(raw))
		err = audit.CheckKey(key)
	}
	if err != nil {
		return "", fault.New(fault.Invalid, "key_unreadable",
			"%s is neither the public key of a log nor a file with one", fault.Clip(given, 200)).
			WithFix("give what GET /audit/key answers, or the file audit.pub, which a start of the service writes").
			Because(err)
	}
	return key, nil
}

// ReadKept reads files with checkpoints that were kept.
func ReadKept(ctx context.Context, paths []string) ([]Kept, error) {
	var all []Kept
	for _, path := range paths {
		note, err := projection.ReadCheckpoint(ctx, path)
		if err != nil {
			return nil, fault.New(fault.Invalid, CodeCheckpointUnreadable, "the checkpoint %s cannot be read", path).
				WithFix("name a file that holds a checkpoint as GET /audit/checkpoint answers it").Because(err)
		}
		all = append(all, Kept{Name: path, Signed: note})
	}
	return all, nil
}
