// Package webhooks keeps the webhooks of one open project: it takes changes of their file over, puts them on record,
// and tells them until the project is closed. What goes wrong with one is logged, and holds up nobody else.
package webhooks

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"orchestrator/internal/daemon/bridge"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/requirements"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/posting"
	"orchestrator/internal/webhook/record"
	"orchestrator/internal/webhook/sending"
)

const (
	lookEvery  = 500 * time.Millisecond // how often the file of the webhooks is looked at
	againEvery = 5 * time.Second        // how often one that was refused is tried again
)

// Config is what the webhooks of a project need.
type Config struct {
	Data    datadir.Dir
	Ledger  *ledger.Ledger
	Service *requirements.Service
	Telling bridge.Telling
	Agent   string // what messages are sent by
	Log     zerolog.Logger
	Shared  bool // several processes tell them, one at a time
	Joined  bool // another one did so when this one began
}

// Webhooks tells those that the data folder names, once the log says so.
type Webhooks struct {
	Config
	files  folder.Folder
	sender atomic.Pointer[sending.Sender] // of this run; nil between two

	inForce []byte // the file as it was taken over
	refused []byte // the file as it was refused, not to say so again and again
	tried   time.Time
	looked  bool
	again   bool // another process may have had them since the last run
	problem atomic.Pointer[string]
	differ  atomic.Bool // from those on record
}

// New returns the webhooks of a project, of which none is told yet.
func New(c Config) *Webhooks {
	return &Webhooks{Config: c, files: folder.In(c.Data), again: c.Joined}
}

// newSender returns what sends in one run.
func (w *Webhooks) newSender() *sending.Sender {
	return sending.New(sending.Config{
		Ledger: w.Ledger, Files: w.files, Tell: w.Telling.Tell, Post: posting.Sender{Agent: w.Agent}.Post,
		Threads: func(id string) []thread.Thread { return threadsOf(w.Service, id) },
		Clock:   time.Now, Random: rand.Float64, // which only spreads the tries
		Events: w.events(), Shared: w.Shared,
	})
}

// Figures returns what is counted of each webhook in this run.
func (w *Webhooks) Figures() []sending.Figures {
	if sender := w.sender.Load(); sender != nil {
		return sender.Figures()
	}
	return nil
}

// threadsOf returns where the records about a requirement are; none where there is no such requirement yet.
func threadsOf(service *requirements.Service, id string) []thread.Thread {
	if now, is := bridge.Present(service, id); is {
		id = now
	}
	threads, _ := service.Threads(id)
	return threads
}

// events logs what becomes of the hooks.
func (w *Webhooks) events() sending.Events {
	return sending.Events{
		Failing: func(name string, err error) {
			w.Log.Warn().Err(err).Str("webhook", name).Msg("a message did not arrive; it is tried again")
		},
		Dead: func(name string, number uint64, err error) {
			w.Log.Error().Err(err).Str("webhook", name).Uint64("record", number).
				Msg("a message was given up; orchestrator webhook replay --dead sends it again")
		},
		Back: func(name string, tries int) {
			w.Log.Info().Str("webhook", name).Int("tries", tries).Msg("messages arrive again")
		},
		Behind: func(name string, was uint64) {
			w.Log.Warn().Str("webhook", name).Uint64("record", was).
				Msg("the log ends before where this webhook was, as one from a backup: it goes on at the end")
		},
		Broken: func(name string, err error) {
			w.Log.Error().Err(err).Str("webhook", name).Msg("the files of this webhook cannot be used; it waits")
		},
	}
}

// Run keeps telling the webhooks until ctx ends, and takes changes of their file over. It may be called again.
//
// Implements: ORC-320
func (w *Webhooks) Run(ctx context.Context) {
	sender := w.newSender()
	w.sender.Store(sender)
	defer func() {
		sender.Close()
		w.sender.Store(nil)
		w.looked, w.again = false, w.Shared
	}()
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		w.look(ctx)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// look takes the file over where it has changed. What cannot be used changes nothing.
//
// Implements: ORC-325
func (w *Webhooks) look(ctx context.Context) {
	data, err := w.files.Read(ctx)
	if err == nil && w.looked && bytes.Equal(data, w.inForce) {
		w.problem.Store(nil)
		return
	}
	told := w.problem.Load()
	if told != nil && err == nil && bytes.Equal(data, w.refused) && time.Since(w.tried) < againEvery {
		return
	}
	w.tried = time.Now()
	if err == nil {
		err = w.take(ctx, data)
	}
	if err == nil {
		w.inForce, w.looked, w.refused = data, true, nil
		w.problem.Store(nil)
		return
	}
	w.refused = data
	if text := err.Error(); ctx.Err() == nil && (told == nil || *told != text) {
		w.Log.Error().Err(err).Msg("the webhooks stay as they were")
		w.problem.Store(&text)
	}
}

// take brings the webhooks of the file into force, once the log says so.
func (w *Webhooks) take(ctx context.Context, data []byte) error {
	hooks, err := w.files.Decode(data)
	if err != nil {
		return err
	}
	if err := w.refuseTracked(ctx, data); err != nil {
		return err
	}
	if w.again && !w.looked {
		return w.takeOver(ctx, hooks)
	}
	since, err := record.Account(ctx, w.Ledger, hooks)
	if err != nil {
		return err
	}
	w.differ.Store(false)
	w.sender.Load().Follow(ctx, hooks, since)
	if err := w.files.Sweep(hooks); err != nil {
		w.Log.Warn().Err(err).Msg("what is left of webhooks that were removed stays in the data folder")
	}
	return nil
}

// takeOver goes on with the webhooks that another process told. Where the file of this data folder has others, only
// those are told that both have, and nothing is put on record: an old copy of the file would take back what somebody
// has changed since.
//
// Implements: ORC-368
func (w *Webhooks) takeOver(ctx context.Context, hooks hook.Roster) error {
	since, differ, err := record.Agreed(ctx, w.Ledger, hooks)
	if err != nil {
		return err
	}
	w.differ.Store(differ)
	if differ {
		w.Log.Warn().Str("file", w.Data.Webhooks()).Msg(differing)
	}
	w.sender.Load().Follow(ctx, slices.DeleteFunc(slices.Clone(hooks), func(h hook.Hook) bool {
		_, agreed := since[h.Name]
		return !agreed
	}), since)
	return nil
}

// differing says what to do about webhooks that differ.
const differing = "the webhooks of this data folder are not those on record, which another replica put there: only " +
	"those are told that both have; copy webhooks.json and webhooks/*.secret from that replica, or change them here"

// refuseTracked refuses a file that git tracks: whoever pushes it would choose who is told.
func (w *Webhooks) refuseTracked(ctx context.Context, data []byte) error {
	if data == nil {
		return nil
	}
	tracked, err := gitignore.IsTracked(ctx, w.Data.Webhooks())
	if tracked {
		return fault.New(fault.Conflict, "secrets_tracked", "git tracks %s, which somebody may have pushed",
			w.Data.Webhooks()).
			WithFix("take it out of the index, and commit that: git rm --cached; then add the webhooks again")
	}
	if err != nil {
		w.Log.Warn().Err(err).Msg("whether git tracks the file of the webhooks cannot be told")
	}
	return nil
}

// Check warns of a file that was not taken over.
func (w *Webhooks) Check() httpapi.Check {
	if problem := w.problem.Load(); problem != nil {
		return httpapi.Check{Name: "webhooks", Status: httpapi.CheckWarning, Detail: *problem}
	}
	if w.differ.Load() {
		return httpapi.Check{Name: "webhooks", Status: httpapi.CheckWarning, Detail: differing}
	}
	return httpapi.Check{Name: "webhooks", Status: httpapi.CheckOK}
}
