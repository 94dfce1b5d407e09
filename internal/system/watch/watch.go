// Package watch tells when the content of files changes.
//
// It watches the folders of the files, not the files, because editors and deployment tools replace a file instead of
// writing into it, and it compares contents by SHA-256, because many events change nothing. A path may be a pattern,
// which stands for whatever files match it at the time. Symbolic links on the way to a file are watched too, so a link
// that is pointed elsewhere, as Kubernetes does with mounted configuration, is a change. A link out of the folder that
// the path is confined to is not followed; see tree.Path. Whoever can write to the folder can put anything in the place
// of a file: no more than a limit is read, nothing is waited for, and a read ends with the context. Every half minute
// the files are looked at without any event, for network file systems and folders that came back, which send none. A
// file that is being written in place is half a file for a while; see doubt.go.
package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"orchestrator/internal/system/tree"
)

const (
	rescanEvery = 30 * time.Second
	patience    = 10 // debounces for which steady writing to a file can put off the look at it
	settling    = 10 // debounces for which a file that may be half written must be left alone

	burst   = 2 * time.Millisecond // for which events are taken before a pause
	pausing = 4                    // pauses in a debounce
)

// Files calls changed with a path, as given, each time the content of that file has become other than
// the one seen last, once the file has been left alone for debounce, or after ten times as long where it
// never is. It blocks until ctx ends, then returns nil; no call starts after that.
//
// A file that was written in place and is shorter than before, or empty, may be half written: it is believed once it
// has been left alone for ten debounces. One that was replaced by renaming is whole, and one that has grown is
// believed. The files belong together: while one of them is being written no other is reported, since the caller may
// read both.
//
// seen holds the contents that the caller already knows, by path; a file that is not in it counts as new
// and is reported at the start. For no change to be lost, take seen before reading the files, with Look; a
// change between that and the call of Files is then reported at the start, once too often if the caller read it.
//
// A file that was there and is missing or cannot be read counts as changed, once, again when the reason is another, and
// again when it is back.
// A pattern, see Match, is watched as one: changed is called with it when a file that matches is new, changes or
// goes. That fewer match than before is believed after a second look, since editors that save by renaming take
// a file away for a moment.
//
// What cannot be read or watched is also reported to failed, once until it changes, and tried again. Between two
// looks only the last content counts. The functions in told are called one after the other from the
// calling goroutine; while they run nothing is looked at, and nothing is lost.
//
// A file that was not seen and whose folder does not exist, for a pattern the folder before the first wildcard, or a
// system without a free watcher, is an error at once.
func Files(ctx context.Context, paths []*tree.Path, seen Seen, o Options, told Told) error {
	return run(ctx, paths, seen, timing{o.Debounce, rescanEvery}, o.MaxBytes, told)
}

// Options of Files.
type Options struct {
	Debounce time.Duration // for which a file must be left alone before it is looked at
	// of one file: a larger one cannot be read; of all files of a pattern, MostFull times as many
	MaxBytes int64
}

// MostFull is how many files of the largest size a pattern is read for.
const MostFull = 4

// Told is told what is seen. Members may be nil.
type Told struct {
	Changed func(path string)
	Failed  func(error)
	// those that are not watched now, or cannot be read, when they have become others; nil is good
	Blind func(paths []string)
}

type timing struct{ debounce, rescan time.Duration }

func run(ctx context.Context, paths []*tree.Path, seen Seen, every timing, most int64, told Told) error {
	w := &watcher{every: every, told: told, troubles: map[string]trouble{}}
	byPath := func(a, b *tree.Path) int { return strings.Compare(a.Given, b.Given) }
	same := func(a, b *tree.Path) bool { return a.Given == b.Given }
	for _, path := range slices.CompactFunc(slices.SortedFunc(slices.Values(paths), byPath), same) {
		f, err := newFile(path, most, seen)
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
	told     Told
	troubles map[string]trouble // that failed was told last, by subject
	blind    []string           // that told.Blind was told last
	held     time.Time          // until when changes may wait for other files; zero when none waits
}

// trouble is what keeps the watcher from seeing a path.
type trouble struct {
	path string // as given
	text string
}

func (w *watcher) loop(ctx context.Context) error {
	rescan := time.NewTicker(w.every.rescan)
	defer rescan.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	w.watchFolders(ctx)
	w.lookAtAll()
	events := gate{open: w.events.Events, pause: w.every.debounce / pausing}
	for ctx.Err() == nil {
		if due := w.nextDue(); due.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(time.Until(due))
		}
		select {
		case <-ctx.Done():
		case event, ok := <-events.next(time.Now()):
			if !ok {
				return errors.New("watch files: the system's watcher has ended")
			}
			events.took(time.Now())
			w.touch(filepath.Clean(event.Name))
		case <-events.opens:
		case err := <-w.events.Errors:
			if err != nil && !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.fail(fmt.Errorf("watch files: %w", err))
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

// gate lets events through for the time of a burst, and then none for a pause. The folders hold other files, too: a
// database that is written a thousand times a second makes as many events, and each that is taken at once wakes this
// process. What is not taken the system holds back, and joins with the same event when it comes again.
type gate struct {
	open  <-chan fsnotify.Event
	pause time.Duration
	since time.Time        // the first event of the burst
	opens <-chan time.Time // when the pause is over; nil between pauses
	until time.Time
}

// next returns the channel to take an event from: nil in a pause.
func (g *gate) next(now time.Time) <-chan fsnotify.Event {
	if g.opens != nil && now.Before(g.until) {
		return nil
	}
	g.opens = nil
	return g.open
}

// took notes that an event was taken.
func (g *gate) took(now time.Time) {
	if g.since.IsZero() {
		g.since = now
	}
	if now.Sub(g.since) < burst {
		return
	}
	g.since, g.until, g.opens = time.Time{}, now.Add(g.pause), time.After(g.pause)
}

// touch notes an event on the folder entry name.
func (w *watcher) touch(name string) {
	for _, f := range w.files {
		if f.dependsOn(name) {
			f.touched = true
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

// nextDue returns when the next look is due; zero is never.
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
	w.watchFolders(ctx)
	for _, f := range w.files {
		if !f.due.IsZero() && !f.due.After(time.Now()) && ctx.Err() == nil {
			w.read(ctx, f)
		}
	}
	if ctx.Err() != nil {
		return
	}
	w.reportBlind()
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
		if w.told.Changed != nil {
			w.told.Changed(f.path)
		}
	}
}

// read finds out whether a file has changed, or is to be looked at again.
func (w *watcher) read(ctx context.Context, f *file) {
	f.due = time.Time{}
	now, err := f.read(ctx)
	if ctx.Err() != nil {
		return // it was not read, which says nothing of the file
	}
	files := len(now.parts)
	if fewer := files < f.files; f.in.IsPattern() {
		if f.files = files; fewer {
			f.postpone(time.Now(), w.every.debounce)
			return
		}
	}
	w.note(f.path, f.path, err)
	gone := err != nil || files == 0
	same := !gone && f.known && f.last.sum == now.sum
	switch {
	case gone:
		f.doubt = nil
		f.changed = f.changed || f.known && (!f.gone || f.reason != reasonOf(err))
		f.reason = reasonOf(err)
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

// reasonOf returns why a file cannot be read; "" is that it is missing.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// hold reports whether changes are to wait, because another file is being written. Two files that are never left alone
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
func (w *watcher) watchFolders(ctx context.Context) {
	wanted := map[string]string{} // the path that needs a folder
	for _, f := range w.files {
		f.locate(ctx)
		for _, folder := range f.folders() {
			wanted[folder] = f.path
		}
	}
	for _, folder := range w.events.WatchList() {
		if wanted[folder] == "" {
			_ = w.events.Remove(folder) // it may be gone, which is as good
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(wanted)) {
		err := w.events.Add(folder)
		if err != nil {
			err = fmt.Errorf("watch folder %s: %w; it is looked at every %v instead", folder, err, w.every.rescan)
		}
		w.note("folder "+folder, wanted[folder], err)
	}
	for subject := range w.troubles {
		if folder, is := strings.CutPrefix(subject, "folder "); is && wanted[folder] == "" {
			delete(w.troubles, subject)
		}
	}
}

// note reports what is wrong with a subject on which a path depends, but not again while it stays the same.
func (w *watcher) note(subject, path string, err error) {
	if err == nil {
		delete(w.troubles, subject)
		return
	}
	if now := (trouble{path, err.Error()}); w.troubles[subject] != now {
		w.troubles[subject] = now
		w.fail(err)
	}
}

func (w *watcher) fail(err error) {
	if w.told.Failed != nil {
		w.told.Failed(err)
	}
}

// reportBlind reports which paths are not watched.
func (w *watcher) reportBlind() {
	var blind []string
	for _, t := range w.troubles {
		blind = append(blind, t.path)
	}
	slices.Sort(blind)
	if blind = slices.Compact(blind); !slices.Equal(blind, w.blind) && w.told.Blind != nil {
		w.told.Blind(blind)
	}
	w.blind = blind
}
