// Package sending tells webhooks of the records of the log. Each hook is a reader of its own, which goes on where it
// was, sends one message after the other in the order of the log, and passes a record only when its message has arrived
// or is given up. Nobody who writes to the log waits for one, and no hook for another.
package sending

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/feed"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/posting"
	"orchestrator/internal/webhook/record"
)

// Post sends a message of a hook.
type Post func(context.Context, hook.Hook, hook.Secrets, posting.Message) posting.Outcome

// Events is what the log of a service has to say of what becomes of a hook, whose goroutine calls them.
type Events struct {
	Failing func(name string, err error) // the first try that failed
	Dead    func(name string, record uint64, err error)
	Back    func(name string, tries int)  // after so many tries that failed
	Behind  func(name string, was uint64) // the log ended before where the hook was
	Broken  func(name string, err error)  // its files cannot be read or written; it is tried again
}

// Config is what hooks are told by.
type Config struct {
	Ledger  *ledger.Ledger
	Files   folder.Folder
	Threads func(requirement string) []thread.Thread
	Tell    func(context.Context, hook.Hook, audit.Record) (hook.Message, error)
	Post    Post
	Clock   func() time.Time
	Random  func() float64 // from 0 to 1
	Events  Events
	Shared  bool // other processes may go on with the hooks, and find in the ledger how far they have come
}

// places returns what keeps how far hooks have come, and what does where the log has another place.
func (c Config) places() (now, before hook.Keeper) {
	inLedger := record.Kept{Ledger: c.Ledger}
	if c.Shared {
		return inLedger, c.Files
	}
	return c.Files, inLedger
}

// Sender is used by one goroutine, but for Figures.
type Sender struct {
	Config
	feed *feed.Feed

	mu      sync.Mutex
	running map[string]*following // by name
}

// New returns a sender that tells nobody yet.
func New(c Config) *Sender {
	return &Sender{Config: c, feed: feed.New(c.Ledger, nil), running: map[string]*following{}}
}

// Follow begins to tell these hooks, and ends with all others; those that go on are not interrupted. since has the number
// of the record that added each, by its name.
//
// What is kept of them is kept under the lease of ctx, if it has one.
func (s *Sender) Follow(ctx context.Context, hooks hook.Roster, since map[string]uint64) {
	for name, f := range s.all() {
		if !slices.ContainsFunc(hooks, func(h hook.Hook) bool { return h.ID == f.hook.ID && since[name] == f.since }) {
			s.end(name, f)
		}
	}
	for _, h := range hooks {
		if s.all()[h.Name] == nil {
			s.begin(ctx, h, since[h.Name])
		}
	}
}

// Close ends what is under way, and returns when nothing is sent any more.
func (s *Sender) Close() {
	for _, f := range s.all() {
		f.stop()
	}
	for name, f := range s.all() {
		s.end(name, f)
	}
}

func (s *Sender) all() map[string]*following {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]*following, len(s.running))
	for name, f := range s.running {
		all[name] = f
	}
	return all
}

func (s *Sender) begin(ctx context.Context, h hook.Hook, since uint64) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &following{Config: s.Config, hook: h, since: since, reader: s.feed.Open(), stop: stop,
		ended: make(chan struct{})}
	f.kept, f.keptBefore = s.places()
	f.next.Store(since + 1)
	s.mu.Lock()
	s.running[h.Name] = f
	s.mu.Unlock()
	go f.run(ctx)
}

func (s *Sender) end(name string, f *following) {
	f.stop()
	<-f.ended
	s.mu.Lock()
	delete(s.running, name)
	s.mu.Unlock()
}

// Figures are what is counted of one hook since it began, and how it stands.
type Figures struct {
	Name               string
	Sent, Failed, Dead uint64
	Letters            uint64 // dead ones that there are
	Behind             uint64 // records that it has not passed
	Failing            bool
}

// Figures returns the figures of all hooks, by name.
func (s *Sender) Figures() (all []Figures) {
	size := s.Ledger.Head().Size
	for name, f := range s.all() {
		one := Figures{Name: name, Sent: f.sent.Load(), Failed: f.failed.Load(), Dead: f.dead.Load(),
			Letters: f.letters.Load(), Failing: f.failing.Load()}
		if next := f.next.Load(); next < size {
			one.Behind = size - next
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Figures) int { return strings.Compare(a.Name, b.Name) })
	return all
}
