package witness

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// notes are what an observer was told.
type notes struct {
	told     []string
	unwanted error // of what was accepted
}

func (n *notes) Accepted(s Sighting) error {
	if n.unwanted == nil {
		n.told = append(n.told, fmt.Sprintf("%s has %d", s.URL, s.Size))
	}
	return n.unwanted
}

func (n *notes) Alarmed(a *AlarmError) {
	n.told = append(n.told, a.Alarm.URL+" "+a.Alarm.Reason)
}

func (n *notes) Failed(url string, times int, _ error) {
	n.told = append(n.told, fmt.Sprintf("%s failed %d", url, times))
}

// next returns what was told since it was asked last.
func (n *notes) next() []string {
	told := n.told
	n.told = nil
	return told
}

func TestAWatchGoesOnWithTheOtherServers(t *testing.T) {
	one, two := newFake(t, 3), newFake(t, 5)
	two.signer = signer(t, "example.org/other", "b")
	var seen notes
	w := Watch{Witness: begin(t, options(t.TempDir())), Timeout: time.Minute, Observer: &seen,
		Servers: []Watched{{"http://one", one}, {"http://two", two}}}
	failures := map[string]int{}
	round := func() error { return verdict(w.round(t.Context(), failures)) }

	require.NoError(t, round())
	require.Equal(t, []string{"http://one has 3", "http://two has 5"}, seen.next())

	one.down = errors.New("no route")
	require.ErrorIs(t, round(), fault.Unavailable)
	require.Error(t, round())
	require.Equal(t, []string{"http://one failed 1", "http://two has 5", "http://one failed 2", "http://two has 5"},
		seen.next())

	one.down, one.history = nil, (&history{}).grow("shop", 2)
	require.True(t, fault.Is(round(), CodeAlarm))
	require.Len(t, seen.told, 2)
	require.Equal(t, "http://two has 5", seen.next()[1])
	require.Zero(t, failures["http://one"], "it could be asked")

	one.history.grow("shop", 1)
	seen.unwanted = errors.New("the folder is gone")
	require.ErrorContains(t, w.Once(t.Context()), ": 2")
	require.Equal(t, []string{"http://one failed 1", "http://two failed 1"}, seen.next())
}

// stopping is a server during whose answer the watch is stopped.
type stopping struct {
	*fake
	stop context.CancelFunc
}

func (s stopping) Get(ctx context.Context, path, media string) ([]byte, error) {
	s.stop()
	return nil, ctx.Err()
}

func TestAWatchAsksUntilItIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		server := newFake(t, 3)
		var seen notes
		o := options(t.TempDir())
		w := Watch{Witness: begin(t, o), Timeout: time.Minute, Observer: &seen, Servers: []Watched{{address, server}}}
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx, time.Minute) }()
		synctest.Wait()
		time.Sleep(time.Minute + time.Second)
		server.down = errors.New("no route")
		time.Sleep(time.Minute)
		require.Equal(t, []string{address + " has 3", address + " has 3", address + " failed 1"}, seen.next())
		stop()
		require.NoError(t, <-ended, "what could not be asked was asked again")
	})
}

func TestAServerThatIsNotAskedBecauseTheWatchStopsHasNotFailed(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var seen notes
	w := Watch{Witness: begin(t, options(t.TempDir())), Timeout: time.Minute, Observer: &seen,
		Servers: []Watched{{address, stopping{newFake(t, 3), stop}}}}
	require.NoError(t, w.Run(ctx, time.Hour))
	require.Empty(t, seen.told)
}

func TestAnAddressIsWrittenInOneWay(t *testing.T) {
	for given, want := range map[string]string{
		"http://Shop.Example.org/": "http://shop.example.org", "https://a.example:8443/Log//": "https://a.example:8443/Log",
		"http://127.0.0.1:8080": "http://127.0.0.1:8080", "::/": "::",
	} {
		require.Equal(t, want, Address(given))
	}
}
