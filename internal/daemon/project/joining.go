package project

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
)

// agreeWithRecord refuses to serve the log of another project, and to serve beside others with other options than they
// have. What is on record stands in for options that were not given.
func (p *Plan) agreeWithRecord(ctx context.Context, d *dataFolder, docs documents.Set) error {
	if d.duty == nil {
		return nil
	}
	project, err := p.awaitKey(ctx, d)
	if err != nil || project.AuditKey == "" {
		return err
	}
	if err := p.checkProject(ctx, project, docs); err != nil || d.duty.OnDuty() {
		return err
	}
	return p.followRecord(project)
}

// awaitKey waits until the replica on duty has put on record whose log it is, or this one is on duty.
func (p *Plan) awaitKey(ctx context.Context, d *dataFolder) (projection.Project, error) {
	ctx, stop := context.WithTimeout(ctx, firstWait)
	defer stop()
	for {
		project, err := choices.OnRecord(ctx, d.ledger)
		if err != nil || project.AuditKey != "" {
			return project, err
		}
		if on, err := d.duty.Try(ctx); err != nil || on {
			return project, err
		}
		select {
		case <-time.After(firstLook):
		case <-ctx.Done():
			return project, p.notBegun(ctx.Err())
		}
	}
}

// checkProject refuses a log that is none of this project's: the key that signs it is the proof, and a data folder that
// has not served it before must have a document of it, too.
//
// Implements: ORC-362
func (p *Plan) checkProject(ctx context.Context, project projection.Project, docs documents.Set) error {
	signer, err := keyfile.Read(ctx, p.dir().Key())
	switch {
	case errors.Is(err, fs.ErrNotExist) && p.AcceptNewKey == "":
		return p.otherProject(project, "this data folder has no key of it")
	case err == nil && signer.Origin() != audit.OriginOf(project.AuditKey):
		return p.otherProject(project, "the key of this data folder is that of the log "+signer.Origin())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	_, known, err := p.Store.Remembered(ctx)
	if err != nil || known || !project.Imported() {
		return err
	}
	all, err := docs.Find(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, one := range all {
		if slices.ContainsFunc(project.Sources, func(s projection.SourceFile) bool { return s.Path == one.Path }) {
			return nil
		}
	}
	return p.otherProject(project, "none of its documents is among those of --requirements, such as "+all[0].Path)
}

func (p *Plan) otherProject(project projection.Project, why string) error {
	return fault.New(fault.Conflict, "store_of_another_project", "%s has the log %s of the project %s, and %s", p.Store,
		audit.OriginOf(project.AuditKey), cmp.Or(project.Name, "without a name"), why).
		WithFix("for a project of its own, name another schema: ?search_path=NAME at the end of --store; for another " +
			"replica of that project, copy audit.key from the data folder of one, and give the same --requirements")
}

// followRecord takes over what is on record, and refuses options that say otherwise: replicas that differ would put
// their choices on record in turns.
//
// Implements: ORC-367
func (p *Plan) followRecord(project projection.Project) error {
	for _, one := range []struct{ flag, given, on string }{
		{"evidence", p.Evidence, project.Evidence}, {"branch", p.Branch, project.Branch},
	} {
		if one.given != "" && one.given != one.on {
			return fault.New(fault.Conflict, "replicas_differ", "--%s says %s, and the log that other replicas serve says %q",
				one.flag, one.given, one.on).
				WithFix("leave it out, or give what the others have; to change it, stop all replicas, and start one with it")
		}
	}
	p.Evidence = project.Evidence
	p.joined = true
	return nil
}
