package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
)

// recheckShare is how much longer than it took the next look at all evidence waits, at least.
const recheckShare = 20

func checkEvidence(mode string) error {
	if modes := []string{"", projection.Verify, projection.Record}; !slices.Contains(modes, mode) {
		return fault.New(fault.Invalid, "evidence", "%q is not what can be made of evidence", mode).
			WithFix("use verify, which looks it up in the repository, or record, which keeps it as it is given")
	}
	return nil
}

// openRepository opens the git working tree in which evidence is looked up; nil where evidence is only recorded. A
// machine without git records, whatever was asked for, and says so; so does a folder that is in no working tree, unless
// looking up was asked for.
func (s *server) openRepository(ctx context.Context) (requirements.Repository, error) {
	if s.options.evidence == projection.Record {
		return nil, nil
	}
	repository, err := evidence.Open(ctx, s.repositoryFolder(), evidence.Options{Private: s.ownFiles()})
	if err == nil {
		s.repository = repository
		s.log.Info().Str("repository", repository.Root()).Msg("evidence is looked up in this git working tree")
		return repository, nil
	}
	withoutGit := fault.Is(err, evidence.CodeGitMissing)
	if s.options.evidence == projection.Verify && !withoutGit {
		return nil, err
	}
	if err := s.refuseLostRepository(ctx, err, withoutGit); err != nil {
		return nil, err
	}
	s.log.Warn().Err(err).Msg("evidence is recorded as it is given, and not looked up")
	return nil, nil
}

// refuseLostRepository keeps whoever can take .git away for a moment from having evidence taken on everybody's word
// from then on: a project that looked evidence up goes on to do so, unless an operator says otherwise.
func (s *server) refuseLostRepository(ctx context.Context, cause error, withoutGit bool) error {
	mode, err := requirements.EvidenceOnRecord(ctx, s.ledger)
	if err != nil || mode != projection.Verify || withoutGit {
		return err
	}
	return fault.New(fault.Conflict, "evidence_lost",
		"evidence of this project is looked up in a git working tree, and there is none now").
		WithFix("put the repository back, or name it with --repo; to take evidence as it is given from here on, start with --evidence record").
		Because(cause)
}

// cited is the path by which evidence cites a requirement document: from the top of the working tree in which it is
// looked up.
func (s *server) cited(path string) string {
	if s.repository == nil {
		return path
	}
	absolute, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		return path
	}
	if absolute, err = filepath.EvalSymlinks(absolute); err != nil {
		return path
	}
	inside, err := filepath.Rel(s.repository.Root(), absolute)
	if err != nil || !filepath.IsLocal(inside) {
		return path
	}
	return filepath.ToSlash(inside)
}

// ownFiles are what the service writes or must keep to itself, and what can prove nothing: digests of evidence are
// public.
func (s *server) ownFiles() []string {
	own := []string{s.options.data, s.options.export}
	if s.options.metricsTokenFile != "" {
		own = append(own, s.options.metricsTokenFile)
	}
	return own
}

// repositoryFolder is --repo, or else the folder of the first requirement document.
func (s *server) repositoryFolder() string {
	if s.options.repo != "" {
		return s.options.repo
	}
	folder := filepath.Dir(s.options.requirements[0])
	if at := strings.IndexAny(folder, "*?["); at >= 0 {
		folder = filepath.Dir(folder[:at] + "x")
	}
	return folder
}

// recheck looks at all evidence again, from time to time, so that what went stale shows by itself.
func (s *server) recheck(ctx context.Context) {
	if s.repository == nil || s.options.recheck <= 0 {
		return
	}
	failing := false
	for rest := s.options.recheck; ; {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
		begun := time.Now()
		changed, err := s.service.Recheck(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			s.log.Warn().Err(err).Msg("the evidence cannot be looked at again")
		case changed > 0:
			s.log.Info().Int("requirements", changed).Msg("evidence changed; GET /project/review shows what is stale")
		}
		failing = err != nil
		rest = max(s.options.recheck, recheckShare*time.Since(begun))
	}
}
