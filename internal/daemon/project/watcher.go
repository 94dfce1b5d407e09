package project

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/system/watch"
	"orchestrator/internal/token"
)

// lookAtFiles takes what is known of the watched files, before they are read.
func (s *server) lookAtFiles(ctx context.Context) (err error) {
	if s.tokenPath, err = tree.OpenPath(s.files.Path()); err != nil {
		return err
	}
	s.seen = watch.Look(ctx, documents.MaxFile, s.paths...)
	for path, content := range watch.Look(ctx, token.MaxFile, s.tokenPath) {
		s.seen[path] = content
	}
	return ctx.Err()
}

func (s *server) watch(ctx context.Context, paths []*tree.Path, most int64, instead string, changed func(path string)) {
	told := watch.Told{
		Changed: changed,
		Failed:  func(err error) { s.log.Error().Err(err).Msg("watching for changed files") },
		Blind:   func(blind []string) { s.blind.set(instead, blind) },
	}
	if err := watch.Files(ctx, paths, s.seen, watch.Options{Debounce: debounce, MaxBytes: most}, told); err != nil {
		var all []string
		for _, p := range paths {
			all = append(all, p.Given)
		}
		s.blind.set(instead, all)
		s.log.Error().Err(err).Msg("files are not watched: " + instead)
	}
}

// blindness is which files are not watched now, by what can be done instead.
type blindness struct {
	mu    sync.Mutex
	paths map[string][]string
}

func (b *blindness) set(instead string, paths []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paths == nil {
		b.paths = map[string][]string{}
	}
	b.paths[instead] = paths
}

func (b *blindness) all() (paths []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, some := range b.paths {
		paths = append(paths, some...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

const mostNamed = 5 // files that a check names

// checkWatch says which files are not watched.
func (s *server) checkWatch() httpapi.Check {
	blind := s.blind.all()
	if len(blind) == 0 {
		return httpapi.Check{Name: "watch", Status: httpapi.CheckOK}
	}
	detail := "not watched for changes: " + strings.Join(blind[:min(len(blind), mostNamed)], ", ")
	if more := len(blind) - mostNamed; more > 0 {
		detail += fmt.Sprintf(" and %d more", more)
	}
	return httpapi.Check{Name: "watch", Status: httpapi.CheckWarning,
		Detail: detail + "; the log of the service says why"}
}

// logDisplaced says that somebody put something in the place of a file that the service writes.
func (s *server) logDisplaced(d projection.Displaced) {
	s.log.Warn().Str("file", d.Path).Str("was", d.What).Int("times", d.Times).
		Msg("something else stood in the place of this file: it is replaced, and what it led to is as it was")
}

// SystemActor is who imports when nobody asked by name.
func SystemActor() lifecycle.Actor {
	system := ledger.System()
	return lifecycle.Actor{Name: system.Name, Role: lifecycle.Role(system.Role)}
}
