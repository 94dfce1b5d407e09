package merging

import (
	"context"
	"errors"
	"fmt"
	"io"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/system/tree"
)

// Service is asked for proofs, as apiclient.Client can be.
type Service interface {
	Base() string
	GetJSON(ctx context.Context, path string, v any) ([]byte, error)
}

func writing(content []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}
}

// byService asks a service that has the log for the proof that the shorter version is the beginning of the longer one.
// One that does not have so long a log shows nothing.
func (r Request) byService(ctx context.Context, short, long version) (string, error) {
	if r.Service == nil {
		return "", nil
	}
	var proof audit.Consistency
	path := fmt.Sprintf("/audit/proof/consistency?old=%d&new=%d", short.size, long.size)
	if _, err := r.Service.GetJSON(ctx, path, &proof); err != nil {
		return "", nil //nolint:nilerr // the database and the exports may show what it does not
	}
	where := "the log of the service at " + r.Service.Base()
	if proof.Old != short.size || proof.New != long.size || proof.Check(short.root, long.root) != nil {
		return "", r.forked("%s does not have both sides", where)
	}
	return "a proof from " + where, nil
}

// byDatabase looks both versions up in the log of the database. One that a service has open shows nothing, nor does one
// that is older than they are.
func (r Request) byDatabase(ctx context.Context, short, long version) (shown string, err error) {
	path := r.Data.Database()
	if !tree.Exists(path) {
		return "", nil
	}
	store, err := boltstore.Open(path, boltstore.Options{ReadOnly: true, LockTimeout: database.LockPatience})
	if err != nil {
		return "", nil
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l, err := ledger.OpenReadOnly(ctx, store)
	if err != nil || l.Head().Size < long.size {
		return "", nil // the exports may show what this log does not
	}
	for _, v := range []version{short, long} {
		root, err := l.RootAt(ctx, v.size)
		if err != nil {
			return "", fault.New(fault.Unavailable, "merge_unopened", "the log of %s cannot be read", path).
				WithFix("orchestrator verify says what is wrong with it").Because(err)
		}
		if root != v.root {
			return "", r.forked("the log of %s does not have %s", path, v.side)
		}
	}
	return "the log of " + path, nil
}
