package sending_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/webhook/folder"
	"orchestrator/internal/webhook/hook"
	"orchestrator/internal/webhook/posting"
	"orchestrator/internal/webhook/record"
	"orchestrator/internal/webhook/sending"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret signs all messages of these tests.
var secret = hook.NewSecret([32]byte{1})

// world is a log, and hooks whose receivers are functions.
type world struct {
	t      *testing.T
	ledger *ledger.Ledger
	files  folder.Folder
	hooks  hook.Roster
	sender *sending.Sender

	mu       sync.Mutex
	receive  func(name string, m got) posting.Outcome // nil takes everything
	received map[string][]got
	said     []string
}

// got is a message as it came in.
type got struct {
	id         string
	record     uint64
	at         time.Time
	body       string
	signatures string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	l, err := ledger.Open(t.Context(), store.NewMemory(), time.Now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return &world{t: t, ledger: l, files: folder.In(datadir.Dir(t.TempDir())), received: map[string][]got{}}
}

// add adds a hook.
func (w *world) add(h hook.Hook) {
	w.t.Helper()
	h.ID, h.URL, h.Created = fmt.Sprintf("%012x", len(w.hooks)+1), "https://example.com/"+h.Name, time.Now()
	require.NoError(w.t, w.files.Add(w.t.Context(), h, secret))
	var err error
	w.hooks, err = w.files.Roster(w.t.Context())
	require.NoError(w.t, err)
}

// start begins to send, as a service does that starts.
func (w *world) start() {
	w.t.Helper()
	since, err := record.Account(w.t.Context(), w.ledger, w.hooks)
	require.NoError(w.t, err)
	w.sender = sending.New(sending.Config{Ledger: w.ledger, Files: w.files, Post: w.post, Clock: time.Now,
		Threads: func(id string) []thread.Thread {
			if id == "REQ-new" {
				return []thread.Thread{{Subject: "REQ-old"}, {Subject: id}}
			}
			return nil
		},
		Tell: func(_ context.Context, _ hook.Hook, r audit.Record) (hook.Message, error) {
			return hook.Message{Kind: r.Kind, Subject: r.Subject, Record: r.Seq, At: r.At, By: r.Actor}, nil
		},
		Random: func() float64 { return 0.5 },
		Events: sending.Events{
			Failing: func(name string, err error) { w.say(name, "failing", err) },
			Dead:    func(name string, n uint64, err error) { w.say(name, "dead", n, err) },
			Back:    func(name string, tries int) { w.say(name, "back", tries) },
			Behind:  func(name string, was uint64) { w.say(name, "behind", was) },
			Broken:  func(name string, err error) { w.say(name, "broken", err) },
		}})
	w.sender.Follow(w.t.Context(), w.hooks, since)
}

func (w *world) say(what ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, strings.TrimSpace(fmt.Sprintln(what...)))
}

func (w *world) post(ctx context.Context, h hook.Hook, s hook.Secrets, m posting.Message) posting.Outcome {
	one := got{id: m.ID, at: m.At, body: string(m.Body), signatures: s.Sign(m.ID, m.At, m.Body)}
	if _, err := fmt.Sscanf(one.body[strings.Index(one.body, `"record":`):], `"record":%d`, &one.record); err != nil {
		return posting.Outcome{Err: err}
	}
	w.mu.Lock()
	receive := w.receive
	w.mu.Unlock()
	o := posting.Outcome{Status: 200}
	if receive != nil {
		o = receive(h.Name, one)
	}
	if o.Err == nil {
		w.mu.Lock()
		w.received[h.Name] = append(w.received[h.Name], one)
		w.mu.Unlock()
	}
	return o
}

// happen appends records about a subject, and returns the number of the first.
func (w *world) happen(subject string, n int) (first uint64) {
	w.t.Helper()
	require.NoError(w.t, w.ledger.Update(w.t.Context(), func(tx *ledger.Tx) error {
		first = tx.Seq()
		for range n {
			e := ledger.Event{Kind: "requirement.changed", Subject: subject, Data: map[string]int{},
				Actor: audit.Actor{Name: "ann", Role: "pm"}}
			if err := tx.Append(e); err != nil {
				return err
			}
		}
		return nil
	}))
	return first
}

// records returns the numbers of what a hook has received, in the order in which it came.
func (w *world) records(name string) (all []uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.received[name] {
		all = append(all, m.record)
	}
	return all
}

func (w *world) receiver(receive func(name string, m got) posting.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.receive = receive
}

func (w *world) heard() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.said...)
}

// down is what a receiver answers that is not there.
func down(string, got) posting.Outcome { return posting.Outcome{Err: errors.New("connection refused")} }

func numbers(from uint64, n int) (all []uint64) {
	for i := range n {
		all = append(all, from+uint64(i))
	}
	return all
}

// Verifies: ORC-323
func TestAReceiverThatIsDownForAnHourMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.start()
		defer w.sender.Close()
		before := w.happen("REQ-1", 3)
		time.Sleep(time.Second)
		require.Equal(t, numbers(before, 3), w.records("ops"))

		tries := 0
		w.receiver(func(string, got) posting.Outcome { tries++; return down("", got{}) })
		began := time.Now()
		for range 60 { // a record a minute, for an hour
			w.happen("REQ-1", 1)
			time.Sleep(time.Minute)
		}
		require.Equal(t, numbers(before, 3), w.records("ops"))
		require.Equal(t, time.Hour, time.Since(began))
		require.Equal(t, 10, tries, "after 0, 5, 15, 35, 75, 155, 315, 635, 1275 and 2555 seconds")
		one := w.sender.Figures()[0]
		require.Equal(t, sending.Figures{Name: "ops", Sent: 3, Failed: 10, Behind: 60, Failing: true}, one)

		w.receiver(nil)
		time.Sleep(time.Hour)
		require.Equal(t, numbers(before, 63), w.records("ops"))
		require.Equal(t, sending.Figures{Name: "ops", Sent: 63, Failed: 10}, w.sender.Figures()[0])
		require.Equal(t, []string{"ops failing connection refused", "ops back 10"}, w.heard())
	})
}

// A message has one id however often it is sent; its time and signature are those of the try.
//
// Verifies: ORC-322
func TestAMessageKeepsItsIDOverTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		var seen []got
		w.receiver(func(_ string, m got) posting.Outcome {
			if seen = append(seen, m); len(seen) < 3 {
				return down("", m)
			}
			return posting.Outcome{Status: 204}
		})
		w.start()
		defer w.sender.Close()
		n := w.happen("REQ-1", 1)
		time.Sleep(time.Minute)
		require.Len(t, seen, 3)
		raw, err := w.ledger.Record(t.Context(), n)
		require.NoError(t, err)
		for i, m := range seen {
			require.Equal(t, hook.IDOf(raw), m.id)
			require.Equal(t, seen[0].body, m.body)
			require.Equal(t, []time.Duration{0, 5 * time.Second, 15 * time.Second}[i], m.at.Sub(seen[0].at))
		}
		require.NotEqual(t, seen[0].signatures, seen[1].signatures)
	})
}

// What the disk has is passed; what was sent and not kept is sent again.
//
// Verifies: ORC-323
func TestWhatWasSentAndNotKeptIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.start()
		first := w.happen("REQ-1", 5)
		time.Sleep(time.Second)
		w.sender.Close()
		require.Equal(t, numbers(first, 5), w.records("ops"))

		require.NoError(t, os.Remove(filepath.Join(filepath.Dir(w.files.SecretPath("ops")), "ops.json")))
		w.start() // as after a crash that lost how far it had come
		time.Sleep(time.Second)
		w.sender.Close()
		require.Equal(t, append(numbers(first, 5), numbers(first, 5)...), w.records("ops"), "since it was added")

		w.happen("REQ-1", 2) // while nobody sends
		w.start()
		defer w.sender.Close()
		time.Sleep(time.Second)
		require.Equal(t, numbers(first+5, 2), w.records("ops")[10:])
	})
}

// How far a hook has come is kept now and then, and soon when nothing more comes: a busy log costs no write each time.
func TestWhatHasArrivedIsKeptSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.start()
		defer w.sender.Close()
		time.Sleep(time.Second)
		w.receiver(func(string, got) posting.Outcome {
			time.Sleep(10 * time.Millisecond)
			return posting.Outcome{Status: 200}
		})
		first := w.happen("REQ-1", 35)
		kept := func() uint64 {
			p, _, err := w.files.Progress(t.Context(), w.hooks[0])
			require.NoError(t, err)
			require.Equal(t, p.Next-first, p.Sent)
			return p.Next
		}
		writes, last := 0, first
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			if now := kept(); now != last {
				writes, last = writes+1, now
			}
		}
		require.Equal(t, first+35, last)
		require.LessOrEqual(t, writes, 5, "35 messages in 350 milliseconds")
		require.Greater(t, writes, 2)

		w.happen("REQ-1", 2)
		time.Sleep(30 * time.Millisecond)
		require.Equal(t, first+36, kept(), "the first in a while at once")
		w.sender.Close()
		require.Equal(t, first+37, kept(), "and the end what has arrived")
	})
}

// An answer that comes while the service ends is not known to have come: the message is sent again.
func TestATryThatTheEndCutsOffIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.start()
		ending := make(chan struct{})
		w.receiver(func(string, got) posting.Outcome { <-ending; return posting.Outcome{Err: context.Canceled} })
		n := w.happen("REQ-1", 1)
		time.Sleep(time.Second)
		go func() { time.Sleep(time.Millisecond); close(ending) }()
		w.sender.Close()
		p, _, err := w.files.Progress(t.Context(), w.hooks[0])
		require.NoError(t, err)
		require.Nil(t, p.Failing, "it is no failure of the receiver")
		require.Equal(t, n, p.Next)
		w.receiver(nil)
		w.start()
		defer w.sender.Close()
		time.Sleep(time.Second)
		require.Equal(t, numbers(n, 1), w.records("ops"))
	})
}

// With the ledger end those that read it.
func TestTheLedgerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.start()
		n := w.happen("REQ-1", 1)
		time.Sleep(time.Second)
		w.ledger.Stop(errors.New("the disk is gone"))
		time.Sleep(time.Hour)
		require.Empty(t, w.heard(), "the service says so")
		w.sender.Close()
		p, _, err := w.files.Progress(t.Context(), w.hooks[0])
		require.NoError(t, err)
		require.Equal(t, n+1, p.Next)
	})
}

// Verifies: ORC-323
func TestAHookHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for i := range hook.Most {
			w.add(hook.Hook{Name: fmt.Sprint("hook-", i), Kinds: []string{"requirement.changed"}})
		}
		w.start()
		defer w.sender.Close()
		w.receiver(func(name string, m got) posting.Outcome {
			if name != "hook-7" { // nineteen that hang
				time.Sleep(15 * time.Second)
				return down("", m)
			}
			return posting.Outcome{Status: 200}
		})
		began := time.Now()
		first := w.happen("REQ-1", 50)
		time.Sleep(time.Second)
		require.Equal(t, numbers(first, 50), w.records("hook-7"))
		require.Equal(t, time.Second, time.Since(began))
	})
}

// After a day a message is given up, with what is as old; newer ones have their own day.
//
// Verifies: ORC-323
func TestDeadLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.receiver(down)
		w.start()
		defer w.sender.Close()
		first := w.happen("REQ-1", 3)
		time.Sleep(23 * time.Hour)
		newer := w.happen("REQ-2", 1)
		require.Zero(t, w.sender.Figures()[0].Dead)
		time.Sleep(3 * time.Hour)
		require.EqualValues(t, 3, w.sender.Figures()[0].Dead)
		p, _, err := w.files.Progress(t.Context(), w.hooks[0])
		require.NoError(t, err)
		require.Len(t, p.Dead, 1)
		require.Equal(t, hook.Span{From: first, To: first + 2}, p.Dead[0].Span)
		require.Equal(t, "connection refused", p.Dead[0].Why)
		require.Equal(t, newer, p.Next)

		w.receiver(nil)
		time.Sleep(2 * time.Hour)
		require.Equal(t, numbers(newer, 1), w.records("ops"))
		n, err := replayDead(w)
		require.NoError(t, err)
		require.EqualValues(t, 3, n)
		time.Sleep(2 * time.Second)
		require.Equal(t, append(numbers(newer, 1), numbers(first, 3)...), w.records("ops"))
		_, err = replayDead(w)
		require.ErrorContains(t, err, "no dead letters")
	})
}

func replayDead(w *world) (n uint64, err error) {
	_, err = w.files.Advance(w.t.Context(), w.hooks[0], 0, func(p *hook.Progress) error {
		n, err = p.ReplayDead()
		return err
	})
	return n, err
}

// A receiver that says that it is gone is asked once a record.
func TestGoneIsGivenUpAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		tries := 0
		w.receiver(func(string, got) posting.Outcome {
			tries++
			return posting.Outcome{Status: 410, Err: errors.New("gone")}
		})
		w.start()
		defer w.sender.Close()
		w.happen("REQ-1", 4)
		time.Sleep(time.Minute)
		require.Equal(t, 4, tries)
		require.Equal(t, sending.Figures{Name: "ops", Failed: 4, Dead: 4, Letters: 4, Failing: true}, w.sender.Figures()[0])
	})
}

// What an operator wants sent again comes before all else, even while the hook waits for its next try.
//
// Verifies: ORC-324
func TestReplayComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.start()
		defer w.sender.Close()
		first := w.happen("REQ-1", 4)
		time.Sleep(time.Second)
		w.receiver(down)
		failing := w.happen("REQ-1", 1)
		time.Sleep(30 * time.Minute)
		w.receiver(nil)
		_, err := w.files.Advance(t.Context(), w.hooks[0], 0, func(p *hook.Progress) error { return p.Replay(first + 2) })
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		require.Equal(t, append(numbers(first, 4), first+2, first+3, failing), w.records("ops"))
	})
}

// A replay that is wanted while messages are under way loses none, and sends none twice besides.
//
// Verifies: ORC-324
func TestReplayAtABusyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		w.start()
		defer w.sender.Close()
		first := w.happen("REQ-1", 20)
		time.Sleep(time.Second)
		w.receiver(func(string, got) posting.Outcome {
			time.Sleep(10 * time.Millisecond)
			return posting.Outcome{Status: 200}
		})
		w.happen("REQ-1", 60)
		time.Sleep(155 * time.Millisecond)
		_, err := w.files.Advance(t.Context(), w.hooks[0], 0, func(p *hook.Progress) error { return p.Replay(first + 15) })
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		all := w.records("ops")
		again := 1
		for all[again] > all[again-1] {
			again++
		}
		before, after := all[:again], all[again:]
		require.Equal(t, numbers(first, len(before)), before)
		require.Less(t, len(before), 50, "it is soon noticed")
		require.True(t, slices.IsSorted(after))
		require.Equal(t, numbers(first+15, 5), after[:5], "what was sent before")
		jump := slices.Index(after, first+uint64(len(before)))
		require.Equal(t, numbers(first+15, jump), after[:jump])
		require.Equal(t, numbers(first+uint64(len(before)), 80-len(before)), after[jump:], "and then what is next")
	})
}

// Verifies: ORC-320
func TestAHookFollowsWhatItAsksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "one", Requirements: []string{"REQ-1"}})
		w.add(hook.Hook{Name: "renamed", Requirements: []string{"REQ-new"}})
		w.add(hook.Hook{Name: "coders", Roles: []string{"coder"}})
		w.add(hook.Hook{Name: "kinds", Kinds: []string{"webhook.added"}})
		w.add(hook.Hook{Name: "both", Kinds: []string{"requirement.changed"}, Requirements: []string{"REQ-2"}})
		w.start()
		defer w.sender.Close()
		one, old, two := w.happen("REQ-1", 1), w.happen("REQ-old", 1), w.happen("REQ-2", 1)
		time.Sleep(time.Second)
		require.Equal(t, numbers(one, 1), w.records("one"))
		require.Equal(t, numbers(old, 1), w.records("renamed"))
		require.Empty(t, w.records("coders"))
		require.Equal(t, numbers(one-1, 1), w.records("kinds"), "of those that were added before it, it is not told")
		require.Equal(t, numbers(two, 1), w.records("both"))
	})
}

// A hook that nothing is for keeps how far it has come now and then, and begins there.
func TestRecordsThatAreNotFollowedAreNotReadForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "coders", Roles: []string{"coder"}})
		w.start()
		defer w.sender.Close()
		begun := w.ledger.Head().Size
		for range 50 {
			w.happen("REQ-1", 100)
		}
		time.Sleep(time.Second)
		p, _, err := w.files.Progress(t.Context(), w.hooks[0])
		require.NoError(t, err)
		require.GreaterOrEqual(t, p.Next, begun+4096)
		require.Zero(t, w.sender.Figures()[0].Behind)
	})
}

// A log that ends before where the hook was is another one, such as from a backup: the hook goes on at its end.
func TestALogThatWasRolledBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		_, err := w.files.Advance(t.Context(), w.hooks[0], 1000, func(*hook.Progress) error { return nil })
		require.NoError(t, err)
		w.start()
		defer w.sender.Close()
		time.Sleep(time.Second)
		n := w.happen("REQ-1", 1)
		time.Sleep(time.Second)
		require.Equal(t, numbers(n, 1), w.records("ops"))
		require.Equal(t, []string{"ops behind 1000"}, w.heard())
	})
}

// Those that stay are not interrupted; one that is removed and added again begins anew.
func TestFollowingOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "stays"})
		w.add(hook.Hook{Name: "goes"})
		w.start()
		defer w.sender.Close()
		first := w.happen("REQ-1", 1)
		time.Sleep(time.Second)
		_, err := w.files.Remove(t.Context(), "goes")
		require.NoError(t, err)
		follow := func() {
			t.Helper()
			w.hooks, err = w.files.Roster(t.Context())
			require.NoError(t, err)
			since, err := record.Account(t.Context(), w.ledger, w.hooks)
			require.NoError(t, err)
			w.sender.Follow(w.t.Context(), w.hooks, since)
		}
		follow()
		second := w.happen("REQ-1", 1)
		time.Sleep(time.Second)
		added := first - 1 // of the one behind it
		require.Equal(t, []uint64{added, first, second - 1, second}, w.records("stays"), "it is told of the others")
		require.Equal(t, numbers(first, 1), w.records("goes"))
		w.add(hook.Hook{Name: "goes", Link: "https://example.net"})
		follow()
		third := w.happen("REQ-1", 1)
		time.Sleep(time.Second)
		require.Equal(t, []uint64{first, third}, w.records("goes"))
		require.Len(t, w.sender.Figures(), 2)
	})
}

// What cannot be read or signed is tried again, and nothing is passed meanwhile.
func TestAllIsToldAgainWhereTheProgressWasRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops", Requirements: []string{"REQ-1"}})
		w.start()
		defer w.sender.Close()
		first := w.happen("REQ-1", 2)
		w.happen("REQ-2", 3) // which it does not follow
		time.Sleep(time.Minute)
		require.Equal(t, numbers(first, 2), w.records("ops"))
		progress := strings.TrimSuffix(w.files.SecretPath("ops"), ".secret") + ".json"
		require.NoError(t, os.Remove(progress))
		w.happen("REQ-2", 1)
		last := w.happen("REQ-1", 1)
		time.Sleep(time.Minute)
		require.Equal(t, []uint64{first, first + 1, last, first, first + 1, last}, w.records("ops"))
	})
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(hook.Hook{Name: "ops"})
		path := w.files.SecretPath("ops")
		require.NoError(t, os.Remove(path))
		w.start()
		defer w.sender.Close()
		n := w.happen("REQ-1", 1)
		time.Sleep(time.Minute)
		require.Empty(t, w.records("ops"))
		require.Contains(t, w.heard()[0], "ops failing the file "+path)
		require.NoError(t, os.WriteFile(path, []byte(secret), 0o600))
		time.Sleep(time.Hour)
		require.Equal(t, numbers(n, 1), w.records("ops"))

		progress := strings.TrimSuffix(path, ".secret") + ".json"
		require.NoError(t, os.WriteFile(progress+".new", []byte("{"), 0o600))
		require.NoError(t, os.Rename(progress+".new", progress))
		time.Sleep(3 * time.Second)
		require.Equal(t, 1, strings.Count(strings.Join(w.heard(), "\n"), "ops broken the file "+progress+" cannot be used"))
		require.NoError(t, os.Remove(progress))
		time.Sleep(3 * time.Second)
		require.Equal(t, []uint64{n, n}, w.records("ops"))
	})
}
