package joining

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"orchestrator/internal/daemon/duty"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
)

// Asked is what an operator has chosen for the project; "" is left to the record.
type Asked struct {
	Evidence, Branch string
	AcceptNewKey     string
}

// Agree refuses to serve the log of another project, and to serve beside others with other options than they have.
// beside reports that there are others: then what is on record decides, which it returns.
func (r Replica) Agree(ctx context.Context, k *duty.Keeper, l *ledger.Ledger, docs documents.Set,
	asked Asked) (onRecord projection.Project, beside bool, err error) {
	if k == nil {
		return onRecord, false, nil
	}
	err = r.await(ctx, func(ctx context.Context) (done bool, err error) {
		if onRecord, err = choices.OnRecord(ctx, l); err != nil || onRecord.AuditKey != "" {
			return true, err
		}
		return k.Try(ctx)
	})
	if err != nil || onRecord.AuditKey == "" {
		return onRecord, false, err
	}
	if err := r.checkProject(ctx, onRecord, docs, asked); err != nil || k.OnDuty() {
		return onRecord, false, err
	}
	return onRecord, true, asked.checkSame(onRecord)
}

// checkProject refuses a log that is none of this project's: the key that signs it is the proof, and a data folder that
// has not served it before must have a document of it, too.
//
// Implements: ORC-362
func (r Replica) checkProject(ctx context.Context, onRecord projection.Project, docs documents.Set, asked Asked) error {
	signer, err := keyfile.Read(ctx, r.Data.Key())
	switch {
	case errors.Is(err, fs.ErrNotExist) && asked.AcceptNewKey == "":
		return r.otherProject(onRecord, "this data folder has no key of it")
	case err == nil && signer.Origin() != audit.OriginOf(onRecord.AuditKey):
		return r.otherProject(onRecord, "the key of this data folder is that of the log "+signer.Origin())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	_, known, err := r.Place.Remembered(ctx)
	if err != nil || known || !onRecord.Imported() {
		return err
	}
	all, err := docs.Find(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, one := range all {
		if slices.ContainsFunc(onRecord.Sources, func(s projection.SourceFile) bool { return s.Path == one.Path }) {
			return nil
		}
	}
	return r.otherProject(onRecord, "none of its documents is among those of --requirements, such as "+all[0].Path)
}

func (r Replica) otherProject(onRecord projection.Project, why string) error {
	return fault.New(fault.Conflict, "store_of_another_project", "%s has the log %s of the project %s, and %s", r.Place,
		audit.OriginOf(onRecord.AuditKey), cmp.Or(onRecord.Name, "without a name"), why).
		WithFix("for a project of its own, name another schema: ?search_path=NAME at the end of --store; for another " +
			"replica of that project, copy audit.key from the data folder of one, and give the same --requirements")
}

// checkSame refuses options that are not those on record: replicas that differ would put their choices on record in
// turns.
//
// Implements: ORC-367
func (a Asked) checkSame(onRecord projection.Project) error {
	for _, one := range []struct{ flag, asked, on string }{
		{"evidence", a.Evidence, onRecord.Evidence}, {"branch", a.Branch, onRecord.Branch},
	} {
		if one.asked != "" && one.asked != one.on {
			return fault.New(fault.Conflict, "replicas_differ", "--%s says %s, and the log that other replicas serve "+
				"says %q", one.flag, one.asked, one.on).
				WithFix("leave it out, or give what the others have; to change it, stop all replicas, and start one " +
					"with it")
		}
	}
	return nil
}
