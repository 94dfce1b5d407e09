// Package watch tells when the content of files changes.
//
// It watches the folders of the files, not the files, because editors and deployment tools replace a
// file instead of writing into it, and it compares contents by SHA-256, because many events change
// nothing. A path may be a pattern, which stands for whatever files match it at the time. Symbolic links on the way to
// a file are watched too, so a link that is pointed elsewhere, as Kubernetes does with mounted configuration, is a
// change. Every half minute the files are looked at without any event, for network file systems and folders that came
// back, which send none. A file that is being written in place is half a file for a while; see doubt.go.
package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	rescanEvery = 30 * time.Second
	patience    = 10 // debounces for which steady writing to a file can put off the look at it
	settling    = 10 // debounces for which a file that may be half written must be left alone
)

// Files calls changed with a path, as given, each time the content of that file has become other than
// the one seen last, once the file has been left alone for debounce, or after ten times as long where it
// never is. It blocks until ctx ends, then returns nil; no call starts after that.
//
// A file that was written in place and is shorter than before, or empty, may be half written: it is believed once it has
// been left alone for ten debounces. One that was replaced by renaming is whole, and one that has grown is believed.
// The files belong together: while one of them is being written no other is reported, since the caller may read both.
//
// seen holds the contents that the caller already knows, by path; a file that is not in it counts as new
// and is reported at the start. For no change to be lost, take seen before reading the files, with Look; a
// change between that and the call of Files is then reported at the start, once too often if the caller read it.
//
// A file that was there and is missing or cannot be read counts as changed, once, and again when it is back.
// A pattern, see Match, is watched as one: changed is called with it when a file that matches is new, changes or
// goes. That fewer match than before is believed after a second look, since editors that save by renaming take
// a file away for a moment.
//
// What cannot be read or watched is also reported to failed, once until it changes, and tried again. Between two
// looks only the last content counts. changed and failed are called one after the other from the
// calling goroutine; while they run nothing is looked at, and nothing is lost.
//
// A file that was not seen and whose folder does not exist, for a pattern the folder before the first wildcard, or a
// system without a free watcher, is an error at once.
func Files(ctx context.Context, paths []string, seen Seen, debounce time.Duration,
	changed func(path string), failed func(error),
) error {
	return run(ctx, paths, seen, timing{debounce, rescanEvery}, changed, failed)
}

type timing struct{ debounce, rescan time.Duration }

func run(ctx context.Context, paths []string, seen Seen, every timing, changed func(string), failed func(error)) error {
	w := &watcher{every: every, changed: changed, failed: failed, troubles: map[string]string{}}
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		f, err := newFile(path, seen)
		if err != nil {
			return err
		}
		w.files = append(w.files, f)
	}
	var err error
	if w.events, err = fsnotify.NewWatcher(); err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer w.events.Close()
	return w.loop(ctx)
}

// watcher is the state of one call of Files.
type watcher struct {
	events   *fsnotify.Watcher
	files    []*file
	every    timing
	changed  func(string)
	failed   func(error)
	troubles map[string]string // what failed was told last, by subject
	held     time.Time         // until when changes may wait for other files; zero when none waits
}

func (w *watcher) loop(ctx context.Context) error {
	rescan := time.NewTicker(w.every.rescan)
	defer rescan.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	w.watchFolders()
	w.lookAtAll()
	for ctx.Err() == nil {
		if due := w.nextDue(); due.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(time.Until(due))
		}
		select {
		case <-ctx.Done():
		case event, ok := <-w.events.Events:
			if !ok {
				return errors.New("watch files: the system's watcher has ended")
			}
			w.touch(filepath.Clean(event.Name))
		case err := <-w.events.Errors:
			if err != nil && !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.failed(fmt.Errorf("watch files: %w", err))
			}
			w.lookAtAll() // events may have been lost
		case <-rescan.C:
			w.lookAtAll()
		case <-timer.C:
			w.look(ctx)
		}
	}
	return nil
}

// touch notes an event on the folder entry name.
func (w *watcher) touch(name string) {
	for _, f := range w.files {
		if f.dependsOn(name) {
			f.postpone(time.Now(), w.every.debounce)
		}
	}
}

func (w *watcher) lookAtAll() {
	for _, f := range w.files {
		if f.due.IsZero() {
			f.postpone(time.Now(), w.every.debounce)
		}
	}
}

// nextDue is when the next look is due; zero is never.
func (w *watcher) nextDue() (next time.Time) {
	for _, f := range w.files {
		if !f.due.IsZero() && (next.IsZero() || f.due.Before(next)) {
			next = f.due
		}
	}
	return next
}

// look reads the files that are due, and reports. The folders come first: what changes after they are watched makes
// an event, what changed before is read.
func (w *watcher) look(ctx context.Context) {
	w.watchFolders()
	for _, f := range w.files {
		if !f.due.IsZero() && !f.due.After(time.Now()) {
			w.read(f)
		}
	}
	if w.hold(time.Now()) {
		return
	}
	for _, f := range w.files {
		if !f.changed {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		f.changed = false
		w.changed(f.path)
	}
}

// read finds out whether a file has changed, or is to be looked at again.
func (w *watcher) read(f *file) {
	f.due = time.Time{}
	now, err := f.read()
	files := len(now.parts)
	if fewer := files < f.files; f.pattern {
		if f.files = files; fewer {
			f.postpone(time.Now(), w.every.debounce)
			return
		}
	}
	w.trouble(f.path, err)
	gone := err != nil || files == 0
	same := !gone && f.known && f.last.sum == now.sum
	switch {
	case gone:
		f.doubt = nil
		f.changed = f.changed || f.known && !f.gone
	case same:
		f.doubt = nil
		f.changed = f.changed || f.gone
	case f.doubtful(now, time.Now(), w.every.debounce):
		f.postpone(time.Now(), w.every.debounce)
		return
	default:
		f.known, f.changed = true, true
	}
	if f.gone = gone; !gone {
		f.last = now
	}
}

// hold says whether changes are to wait, because another file is being written. Two files that are never left alone
// cannot make them wait for ever.
func (w *watcher) hold(now time.Time) bool {
	waiting := slices.ContainsFunc(w.files, func(f *file) bool { return f.changed })
	if !waiting || w.nextDue().IsZero() {
		w.held = time.Time{}
		return false
	}
	if w.held.IsZero() {
		w.held = now.Add(patience * settling * w.every.debounce)
	}
	if now.Before(w.held) {
		return true
	}
	w.held = time.Time{}
	return false
}

// watchFolders makes the watched folders those that the files depend on now. Watching a folder again is
// free, and picks up one that was replaced.
func (w *watcher) watchFolders() {
	wanted := map[string]bool{}
	for _, f := range w.files {
		f.locate()
		for _, folder := range f.folders() {
			wanted[folder] = true
		}
	}
	for _, folder := range w.events.WatchList() {
		if !wanted[folder] {
			_ = w.events.Remove(folder) // it may be gone, which is as good
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(wanted)) {
		err := w.events.Add(folder)
		if err != nil {
			err = fmt.Errorf("watch folder %s: %w; it is looked at every %v instead", folder, err, w.every.rescan)
		}
		w.trouble("folder "+folder, err)
	}
}

// trouble reports what is wrong with a subject, but not again while it stays the same.
func (w *watcher) trouble(subject string, err error) {
	if err == nil {
		delete(w.troubles, subject)
		return
	}
	if w.troubles[subject] != err.Error() {
		w.troubles[subject] = err.Error()
		w.failed(err)
	}
}
