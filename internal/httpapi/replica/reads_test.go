package replica

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
)

// sharedLog is a log of which a test says what others have written.
type sharedLog struct {
	mu        sync.Mutex
	size      uint64
	grown     chan struct{}
	asked     int
	confirmed time.Time
	cut       error // why the store cannot be asked
	failed    error
}

func newLog(size uint64) *sharedLog { return &sharedLog{size: size, grown: make(chan struct{})} }

func (l *sharedLog) CatchUp(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	return l.cut
}

func (l *sharedLog) Confirmed() time.Time { return l.confirmed }

func (l *sharedLog) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

func (l *sharedLog) Head() audit.Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return audit.Head{Size: l.size}
}

func (l *sharedLog) Grown(size uint64) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > size || l.failed != nil {
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	return l.grown
}

// grow publishes records, and perhaps the failure of the log.
func (l *sharedLog) grow(by uint64, failed error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size, l.failed = l.size+by, failed
	close(l.grown)
	l.grown = make(chan struct{})
}

// Verifies: ORC-354
func TestAReadAsksTheStoreUnlessItMayBeStale(t *testing.T) {
	var alone *Config
	require.NoError(t, alone.Latest(t.Context(), true), "one process has nobody to ask for")
	for name, c := range map[string]struct {
		stale, age time.Duration
		reads      bool
		asked      int
	}{
		"by default":                    {reads: true, asked: 1},
		"a change by default":           {asked: 1},
		"recent enough":                 {stale: time.Minute, age: time.Second, reads: true},
		"too old":                       {stale: time.Second, age: time.Minute, reads: true, asked: 1},
		"a change, however recent":      {stale: time.Minute, asked: 1},
		"by default, just now as it is": {age: 0, reads: true, asked: 1},
	} {
		log := newLog(1)
		log.confirmed = time.Now().Add(-c.age)
		require.NoError(t, (&Config{Log: log, StaleReads: c.stale}).Latest(t.Context(), c.reads), name)
		require.Equal(t, c.asked, log.asked, name)
	}
}

// Verifies: ORC-356
func TestAReadIsRefusedWhereTheStoreCannotBeAsked(t *testing.T) {
	log := newLog(1)
	log.cut, log.confirmed = errors.New("no route to 10.0.0.7"), time.Now()
	err := (&Config{Log: log}).Latest(t.Context(), true)
	f := fault.As(err)
	require.Equal(t, fault.Code("store_unreachable"), f.Code)
	require.Equal(t, retry, f.RetryAfter)
	require.True(t, f.Public)
	require.NotContains(t, f.Detail+f.Fix, "10.0.0.7")

	stale := &Config{Log: log, StaleReads: 50 * time.Millisecond}
	require.NoError(t, stale.Latest(t.Context(), true), "what was confirmed lately is answered on")
	time.Sleep(60 * time.Millisecond)
	require.True(t, fault.Is(stale.Latest(t.Context(), true), "store_unreachable"))

	log.failed = fault.New(fault.Unavailable, "ledger_failed", "it has failed")
	require.True(t, fault.Is((&Config{Log: log}).Latest(t.Context(), true), "ledger_failed"))

	log.failed = nil
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Nil(t, fault.As((&Config{Log: log}).Latest(gone, true)), "the client is gone; the store is not to blame")
}

func naming(size ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header[LeastSize] = size
	return r
}

// Verifies: ORC-355
func TestARequestWaitsForTheSizeThatItNames(t *testing.T) {
	require.NoError(t, Reached(httptest.NewRequest(http.MethodGet, "/", nil), newLog(0)))
	for _, size := range []string{"0", "7"} {
		require.NoError(t, Reached(naming(size), newLog(7)), size)
	}
	for _, wrong := range [][]string{{""}, {"-1"}, {"1.5"}, {"seven"}, {"7", "8"}, {"size=7"}, {"99999999999999999999"}} {
		require.True(t, fault.Is(Reached(naming(wrong...), newLog(7)), "invalid_parameter"), "%q", wrong)
	}

	log := newLog(7)
	go func() {
		for range 3 {
			time.Sleep(5 * time.Millisecond)
			log.grow(1, nil)
		}
	}()
	require.NoError(t, Reached(naming("10"), log))
	require.EqualValues(t, 10, log.Head().Size)

	begun := time.Now()
	err := Reached(naming("11"), log)
	require.True(t, fault.Is(err, "log_not_reached"))
	require.Equal(t, retry, fault.As(err).RetryAfter)
	require.GreaterOrEqual(t, time.Since(begun), reachTime)

	go log.grow(0, fault.New(fault.Unavailable, "ledger_failed", "it has failed"))
	require.True(t, fault.Is(Reached(naming("11"), log), "ledger_failed"))
}

func TestAWaitForASizeEndsWithItsClient(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Reached(naming("8").WithContext(gone), newLog(7)), context.Canceled)
}
