package merging

import (
	"context"
	"errors"
	"fmt"
	"io"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/system/shellquote"
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

// byService asks a service for the proof that the shorter version is the beginning of the longer one. Its log decides:
// a version that has more than it is refused. One that does not answer shows nothing.
func (r Request) byService(ctx context.Context, short, long version) (string, error) {
	if r.Service == nil {
		return "", nil
	}
	where := "the log of the service at " + r.Service.Base()
	var proof audit.Consistency
	path := fmt.Sprintf("/audit/proof/consistency?old=%d&new=%d", short.size, long.size)
	_, err := r.Service.GetJSON(ctx, path, &proof)
	switch {
	case errors.Is(err, fault.Unavailable):
		return "", nil
	case err != nil:
		return "", r.notProven(ctx, where, short, long)
	case proof.Old != short.size || proof.New != long.size || proof.Check(short.root, long.root) != nil:
		return "", r.forked("%s does not have both sides", where)
	}
	return "a proof from " + where, nil
}

// notProven returns the error of a service that answers and gives no proof, by how long its log is.
func (r Request) notProven(ctx context.Context, where string, short, long version) error {
	var proof audit.Consistency
	if _, err := r.Service.GetJSON(ctx, "/audit/proof/consistency?old=1", &proof); err != nil {
		return r.unasked(where, err)
	}
	if proof.New >= long.size {
		return r.forked("%s does not have both sides", where)
	}
	return r.ahead(ctx, where, proof.New, short, long)
}

// byDatabase looks both versions up in the log of the database. Its log decides, as that of a service does, and a merge
// waits until it can be read.
func (r Request) byDatabase(ctx context.Context, short, long version) (shown string, err error) {
	place := r.Store.In(r.Data)
	if !place.Exists() {
		return "", nil
	}
	where := "the log of " + place.String()
	store, err := place.Open(ctx, storage.Options{ReadOnly: true, LockTimeout: database.LockPatience})
	if err != nil {
		return "", r.unasked(where, err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l, err := ledger.OpenReadOnly(ctx, store)
	if err != nil {
		return "", r.unasked(where, err)
	}
	if size := l.Head().Size; size < long.size {
		return "", r.ahead(ctx, where, size, short, long)
	}
	for _, v := range []version{short, long} {
		root, err := l.RootAt(ctx, v.size)
		if err != nil {
			return "", r.unasked(where, err)
		}
		if root != v.root {
			return "", r.forked("%s does not have %s", where, v.side)
		}
	}
	return where, nil
}

// unasked refuses to merge beside a log that cannot be looked at: the files alone can say anything.
func (r Request) unasked(where string, why error) error {
	return fault.New(fault.Unavailable, "merge_unopened", "%s: %s, which decides here, cannot be read", r.Path, where).
		WithFix("merge as who runs the service, or give a token in ORCHESTRATOR_TOKEN; with no service running, " +
			"orchestrator verify says what is wrong with the database").Because(why)
}

// ahead refuses a version that has more records than the log here. Where the sides forked, it says that.
func (r Request) ahead(ctx context.Context, where string, size uint64, short, long version) error {
	if _, err := r.byExports(ctx, short, long); err != nil {
		return err
	}
	return fault.New(fault.Conflict, "merge_ahead",
		"%s: %s has %d records, and %s only %d: it was not written from this log", r.Path, long.side, long.size, where,
		size).WithFix("git log -- %s says who committed it; if another database went on from this one, put that one "+
		"here with orchestrator restore, and merge again; else keep the other side: git checkout --%s -- %s", shellquote.Quote(r.Path),
		short.side, shellquote.Quote(r.Path))
}
