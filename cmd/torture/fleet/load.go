package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"orchestrator/cmd/torture/linear"
)

// beforeRetry is between two tries of the same change.
const beforeRetry = 5 * time.Millisecond

// Load is clients that read and change the requirements, each request at any replica. A change that is not answered is
// sent again, to any replica, with its Idempotency-Key.
type Load struct {
	project *Project
	account Account
	states  linear.Recorder[linear.Asked, linear.Told]
	sizes   linear.Recorder[linear.Growth, linear.Size]
	made    atomic.Uint64

	mu       sync.Mutex
	targets  []string // addresses of replicas
	acks     []time.Time
	mistakes []error
	running  sync.WaitGroup
	stop     chan struct{}
}

// NewLoad returns a load without clients.
func NewLoad(p *Project) *Load { return &Load{project: p} }

// Target sends the requests to these replicas from now on.
func (l *Load) Target(replicas ...*Replica) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.targets = nil
	for _, r := range replicas {
		l.targets = append(l.targets, r.Addr)
	}
}

// Begin starts so many clients. The choices they make follow from the seed.
func (l *Load) Begin(clients int, seed uint64) {
	l.stop = make(chan struct{})
	for i := range clients {
		rng := rand.New(rand.NewPCG(seed, uint64(i))) //nolint:gosec // choices that can be repeated
		c := &loadClient{load: l, number: i, rng: rng, callers: map[string]*caller{}, known: map[string]uint64{}}
		l.running.Go(c.run)
	}
}

// End stops the clients, and returns what an answer had that none may have.
func (l *Load) End() error {
	close(l.stop)
	l.running.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.mistakes...)
}

// Acknowledged returns how many changes were acknowledged.
func (l *Load) Acknowledged() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acks)
}

// Silence returns the longest time without an acknowledgement between two moments.
func (l *Load) Silence(from, to time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	longest, last := time.Duration(0), from
	for _, at := range append(l.acks[:len(l.acks):len(l.acks)], to) {
		if at.Before(from) || at.After(to) {
			continue
		}
		longest, last = max(longest, at.Sub(last)), at
	}
	return longest
}

func (l *Load) acknowledged() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acks = append(l.acks, time.Now())
}

func (l *Load) mistake(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mistakes) < 10 {
		l.mistakes = append(l.mistakes, fmt.Errorf(format, args...))
	}
}

func (l *Load) ended() bool {
	select {
	case <-l.stop:
		return true
	default:
		return false
	}
}

// loadClient is one client.
type loadClient struct {
	load    *Load
	number  int
	rng     *rand.Rand
	callers map[string]*caller // by address
	known   map[string]uint64  // the revision of each requirement that this client saw last
}

func (c *loadClient) run() {
	defer func() {
		for _, one := range c.callers {
			one.close()
		}
	}()
	for !c.load.ended() {
		id := requirementID(c.rng.IntN(Requirements))
		switch n := c.rng.IntN(20); {
		case n < 8:
			c.read(id)
		case n < 10:
			c.size()
		case n < 14 && c.known[id] > 0:
			c.change(id, c.known[id])
		default:
			c.change(id, 0)
		}
	}
}

// caller chooses a replica.
func (c *loadClient) caller() *caller {
	c.load.mu.Lock()
	addr := c.load.targets[c.rng.IntN(len(c.load.targets))]
	c.load.mu.Unlock()
	if c.callers[addr] == nil {
		c.callers[addr] = newCaller(addr, c.load.project.secret)
	}
	return c.callers[addr]
}

// rest waits before something is tried again.
func (c *loadClient) rest() {
	select {
	case <-time.After(beforeRetry):
	case <-c.load.stop:
	}
}

func (c *loadClient) read(id string) {
	call := c.load.states.Begin(c.number, linear.Asked{Requirement: id})
	got, err := c.caller().do(http.MethodGet, "/requirements/"+id, "")
	if err != nil || got.unavailable() {
		c.rest()
		return
	}
	told := linear.Told{}
	if got.status != http.StatusOK {
		err = got.problem()
	}
	if err == nil {
		told.Revision, err = got.revision()
	}
	if err == nil {
		told.Note, err = got.note()
	}
	if err != nil {
		c.load.mistake("GET %s: %w", id, err)
		return
	}
	call.End(told)
	c.known[id] = told.Revision
}

func (c *loadClient) size() {
	call := c.load.sizes.Begin(c.number, linear.Growth{})
	got, err := c.caller().do(http.MethodGet, "/audit?limit=1", "")
	if err != nil || got.unavailable() {
		c.rest()
		return
	}
	page, err := readPage(got)
	if err != nil {
		c.load.mistake("GET /audit: %w", err)
		return
	}
	call.End(linear.Size(page.Size))
}

// change changes a requirement, on the base of a revision or of any.
func (c *loadClient) change(id string, base uint64) {
	change := c.load.newChange(id)
	c.load.account.enter(change)
	call := c.load.states.Begin(c.number, linear.Asked{Requirement: id, Note: change.mark, IfMatch: base})
	growth := c.load.sizes.Begin(c.number, linear.Growth{Appends: true})
	got, ok := c.insist(change, base)
	if !ok {
		return
	}
	switch got.status {
	case http.StatusOK:
		r, err := got.receipt()
		if err == nil {
			change.revision, err = got.revision()
		}
		if err != nil {
			c.load.mistake("PATCH %s: %w", id, err)
			return
		}
		c.load.acknowledged()
		c.load.account.close(change, accepted, r)
		call.End(linear.Told{Revision: change.revision})
		growth.End(linear.Size(r.index + 1))
		c.known[id] = change.revision
	case http.StatusPreconditionFailed:
		c.load.account.close(change, refused, receipt{})
		call.End(linear.Told{Refused: true})
		c.known[id] = 0
	default:
		c.load.mistake("PATCH %s: %w", id, got.problem())
	}
}

// insist sends a change until it is answered, or the load ends.
func (c *loadClient) insist(change *change, base uint64) (answer, bool) {
	headers := []string{"Idempotency-Key", change.key}
	if base > 0 {
		headers = append(headers, "If-Match", fmt.Sprintf(`"%d"`, base))
	}
	for {
		got, err := c.caller().do(http.MethodPatch, "/requirements/"+change.requirement, change.body, headers...)
		if err == nil && !got.unavailable() {
			return got, true
		}
		if c.load.ended() {
			return got, false
		}
		c.rest()
	}
}

// Linearizable returns nil if one service could have given all answers, and otherwise why not.
func (l *Load) Linearizable(within time.Duration) error {
	verdict, why := linear.Check(linear.Requirements(1), &l.states, within)
	if verdict == linear.Linearizable {
		verdict, why = linear.Grows(&l.sizes)
	}
	if verdict == linear.Linearizable {
		return nil
	}
	return fmt.Errorf("the answers are %s:\n%s", verdict, why)
}
