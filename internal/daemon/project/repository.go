package project

import (
	"context"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
)

// recheckShare is how much longer than it took the next look at all evidence waits, at least.
const recheckShare = 20

// openRepository opens the git working tree in which evidence is looked up, and returns nil where evidence is only
// recorded. A machine without git records, whatever was asked for, and says so; so does a folder that is in no working
// tree, unless looking up was asked for.
func (p *Plan) openRepository(ctx context.Context, d *dataFolder) (*evidence.Repository, error) {
	if p.Evidence == projection.EvidenceRecorded {
		return nil, p.refuseSavedRecord(ctx, d.ledger)
	}
	repository, err := evidence.Open(ctx, p.repositoryDir(), evidence.Options{Private: p.ownFiles()})
	if err == nil {
		d.log.Info().Str("repository", repository.Root()).Msg("evidence is looked up in this git working tree")
		return repository, nil
	}
	withoutGit := fault.Is(err, evidence.CodeGitMissing)
	if p.Evidence == projection.EvidenceVerified && (!withoutGit || p.joined) {
		return nil, err
	}
	if p.Branch != "" {
		return nil, branchWithoutRepository(err)
	}
	if err := refuseLostRepository(ctx, d.ledger, err, withoutGit); err != nil {
		return nil, err
	}
	d.log.Warn().Err(err).Msg("evidence is recorded as it is given, and not looked up")
	return nil, nil
}

// refuseLostRepository keeps whoever can take .git away for a moment from having evidence taken on everybody's word
// from then on: a project that looked evidence up goes on to do so, unless an operator says otherwise.
func refuseLostRepository(ctx context.Context, l *ledger.Ledger, cause error, withoutGit bool) error {
	mode, err := choices.EvidenceOnRecord(ctx, l)
	if err != nil || mode != projection.EvidenceVerified || withoutGit {
		return err
	}
	return fault.New(fault.Conflict, "evidence_lost",
		"evidence of this project is looked up in a git working tree, and there is none now").
		WithFix("put the repository back, or name it with --repo; to take evidence as it is given from here on, " +
			"start with --evidence record").
		Because(cause)
}

// refuseSavedRecord keeps a file from having evidence taken on everybody's word in a project that looks it up: that is
// for a person to say, once, at a start.
func (p *Plan) refuseSavedRecord(ctx context.Context, l *ledger.Ledger) error {
	mode, err := choices.EvidenceOnRecord(ctx, l)
	if err != nil || !p.EvidenceSaved || mode != projection.EvidenceVerified {
		return err
	}
	return fault.New(fault.Conflict, "evidence_lowered",
		"evidence of this project is looked up in a repository, and the settings say record").
		WithFix("to take evidence as it is given from here on, start once with orchestrator serve --evidence record, " +
			"which puts it on record; else orchestrator config unset evidence")
}

// citedFrom returns what gives the path by which evidence cites a requirement document: from the top of the working
// tree in which it is looked up.
func citedFrom(repository *evidence.Repository) func(path string) string {
	return func(path string) string {
		if repository == nil {
			return path
		}
		absolute, err := filepath.Abs(filepath.FromSlash(path))
		if err != nil {
			return path
		}
		if absolute, err = filepath.EvalSymlinks(absolute); err != nil {
			return path
		}
		inside, err := filepath.Rel(repository.Root(), absolute)
		if err != nil || !filepath.IsLocal(inside) {
			return path
		}
		return filepath.ToSlash(inside)
	}
}

// recheckEvery returns how often all evidence is looked at again. What was only recorded cannot be.
func (p *Plan) recheckEvery(repository *evidence.Repository) time.Duration {
	if repository == nil {
		return 0
	}
	return p.Recheck
}

// recheck looks at all evidence again, from time to time until ctx ends, so that what went stale shows by itself.
func recheck(ctx context.Context, service *requirements.Service, every time.Duration, log zerolog.Logger) {
	if every <= 0 {
		return
	}
	failing := false
	for rest := every; ; {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
		begun := time.Now()
		changed, err := service.Recheck(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			log.Warn().Err(err).Msg("the evidence cannot be looked at again")
		case changed > 0:
			log.Info().Int("requirements", changed).Msg("evidence changed; GET /project/review shows what is stale")
		}
		failing = err != nil
		rest = max(every, recheckShare*time.Since(begun))
	}
}
