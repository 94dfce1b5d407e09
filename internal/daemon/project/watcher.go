package project

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/httpapi"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/system/tree"
	"orchestrator/internal/system/watch"
	"orchestrator/internal/token"
)

const (
	debounce  = 200 * time.Millisecond
	mostNamed = 5 // files that a check names
)

// watcher tells when a document or the token file has changed since it was first looked at.
type watcher struct {
	tokenFile *tree.Path
	seen      watch.Seen
	blind     blindness
	log       zerolog.Logger
}

// newWatcher takes what is known of the files, before they are read.
func newWatcher(ctx context.Context, docs documents.Set, tokens *token.File, log zerolog.Logger) (*watcher, error) {
	file, err := tree.OpenPath(tokens.Path())
	if err != nil {
		return nil, err
	}
	w := &watcher{tokenFile: file, seen: watch.Look(ctx, documents.MaxFile, docs.Watched()...), log: log}
	for path, content := range watch.Look(ctx, token.MaxFile, file) {
		w.seen[path] = content
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *watcher) close() error { return w.tokenFile.Close() }

// watch calls changed for each change until ctx ends. What can be done instead, where files cannot be watched, is said
// in instead.
func (w *watcher) watch(ctx context.Context, paths []*tree.Path, most int64, instead string, changed func(string)) {
	told := watch.Told{
		Changed: changed,
		Failed:  func(err error) { w.log.Error().Err(err).Msg("watching for changed files") },
		Blind:   func(blind []string) { w.blind.set(instead, blind) },
	}
	if err := watch.Files(ctx, paths, w.seen, watch.Options{Debounce: debounce, MaxBytes: most}, told); err != nil {
		var all []string
		for _, p := range paths {
			all = append(all, p.Given)
		}
		w.blind.set(instead, all)
		w.log.Error().Err(err).Msg("files are not watched: " + instead)
	}
}

// check names the files that are not watched.
func (w *watcher) check() httpapi.Check {
	blind := w.blind.all()
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
