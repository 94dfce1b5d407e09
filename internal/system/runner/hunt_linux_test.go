package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// due is a time-out that comes when the test says so.
type due struct {
	context.Context
	done chan struct{}
}

func (d due) Done() <-chan struct{} { return d.done }

func (d due) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func idsIn(file string) []int {
	text, _ := os.ReadFile(file)
	var ids []int
	for line := range strings.Lines(string(text)) {
		if id, err := strconv.Atoi(strings.TrimSuffix(line, "\n")); err == nil && strings.HasSuffix(line, "\n") {
			ids = append(ids, id)
		}
	}
	return ids
}

// living are those of the processes that are neither gone nor dead and waiting to be taken.
func living(ids []int) []int {
	var left []int
	for _, id := range ids {
		if k, ok := look(id); ok && !k.dead {
			left = append(left, id)
		}
	}
	return left
}

// times is how often each kill is tried: RUNNER_TIMES=50 looks for flakes.
func times() int {
	n, err := strconv.Atoi(os.Getenv("RUNNER_TIMES"))
	if err != nil {
		return 1
	}
	return n
}

// untilDue runs e, lets its time be over as soon as so many processes have written their ids, and says how long it took from there.
func untilDue(t *testing.T, e Exec, file string, processes int) (time.Duration, error) {
	t.Helper()
	ctx := due{t.Context(), make(chan struct{})}
	var over time.Time
	go func() {
		for end := time.Now().Add(time.Minute); len(idsIn(file)) < processes && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		over = time.Now()
		close(ctx.done)
	}()
	_, err := e.Run(ctx, nil)
	took := time.Since(over)
	require.GreaterOrEqual(t, len(idsIn(file)), processes, "they did not start")
	return took, err
}

// Verifies: ORC-281
func TestNothingIsLeftAfterTheTimeOut(t *testing.T) {
	for name, tree := range map[string][]string{
		"a child":                                {"t"},
		"holds standard output":                  {"", "t"},
		"ends before its child":                  {"", "x", "t"},
		"five deep":                              {"t", "t", "t", "t", "t"},
		"leaves the session":                     {"", "st"},
		"twice, without pipes":                   {"", "spx", "spt"},
		"leaves, with nothing but the pipes":     {"", "sex", "set"},
		"leaves, with nothing but its parent":    {"", "sept"},
		"leaves, with nothing but its ancestors": {"", "sept", "sept", "sept"},
		"leaves, with nothing but its session":   {"", "sp", "px", "epgt"},
	} {
		t.Run(name, func(t *testing.T) {
			var longest time.Duration
			for i := range times() {
				file := filepath.Join(t.TempDir(), strconv.Itoa(i))
				took, err := untilDue(t, as(t, "nest", append(tree, file)...), file, len(tree))
				refusal(t, err, "tool_timeout")
				require.Less(t, took, sweepFor, "it ends when nothing is left")
				require.Empty(t, living(idsIn(file)))
				longest = max(longest, took)
			}
			t.Logf("%d runs, the slowest end took %s", times(), longest)
		})
	}
}

func TestAChainOfForksIsCaught(t *testing.T) {
	var longest time.Duration
	for i := range times() {
		file := filepath.Join(t.TempDir(), strconv.Itoa(i))
		until := strconv.FormatInt(time.Now().Add(2*time.Minute).UnixMilli(), 10)
		e := as(t, "chain", until, file) // the first ends at once, and the run with it
		began := time.Now()
		_, err := e.Run(t.Context(), nil)
		require.NoError(t, err)
		longest = max(longest, time.Since(began))
		require.Empty(t, living(idsIn(file)))
		grown := len(idsIn(file))
		time.Sleep(30 * time.Millisecond)
		require.Len(t, idsIn(file), grown, "it goes on")
	}
	t.Logf("%d runs, the slowest took %s", times(), longest)
}

func TestNothingIsLeftAfterSuccess(t *testing.T) {
	for range times() {
		file := filepath.Join(t.TempDir(), "ids")
		r, err := as(t, "nest", "x", "sx", "spx", "t", file).Run(t.Context(), nil)
		require.NoError(t, err)
		require.Less(t, r.Took, sweepFor)
		require.Empty(t, living(idsIn(file)))
	}
}

// A process that something else started is never taken for one of the run, though it has a child's looks.
func TestOthersAreLeftAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "others")
	other := as(t, "nest", "", "s", file)
	ctx := due{t.Context(), make(chan struct{})}
	done := make(chan error)
	go func() { _, err := other.Run(ctx, nil); done <- err }()
	require.Eventually(t, func() bool { return len(idsIn(file)) == 2 }, time.Minute, time.Millisecond)
	for range 5 {
		mine := filepath.Join(t.TempDir(), "mine")
		_, err := untilDue(t, as(t, "nest", "", "s", mine), mine, 2)
		refusal(t, err, "tool_timeout")
	}
	require.Len(t, living(idsIn(file)), 2)
	close(ctx.done)
	refusal(t, <-done, "tool_timeout")
	require.Empty(t, living(idsIn(file)))
}

func TestAHundredRunsLeaveNothing(t *testing.T) {
	defer goleak.VerifyNone(t)
	t.Setenv("TMPDIR", t.TempDir()) // other tests run programs as well
	before := inventory(t)
	for i := range 100 {
		e := as(t, "echo")
		switch i % 5 {
		case 1:
			e = as(t, "fail", "1")
		case 2:
			e = as(t, "flood", "stdout", "2000000")
		case 3:
			e.Argv = []string{"/no/such/program"}
		case 4:
			e, e.Timeout = as(t, "nest", "", "st", filepath.Join(t.TempDir(), "ids")), 30*time.Millisecond
		}
		_, err := e.Run(t.Context(), []byte("x"))
		require.Equal(t, i%5 != 0, err != nil, "%d: %v", i, err)
	}
	require.Equal(t, before, inventory(t))
}

// inventory counts our open descriptors, our children, and the folders of runs.
func inventory(t *testing.T) string {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	var children int
	all, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, entry := range all {
		if id, err := strconv.Atoi(entry.Name()); err == nil {
			if k, ok := look(id); ok && k.parent == os.Getpid() {
				children++
			}
		}
	}
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), "orchestrator-run-*"))
	require.NoError(t, err)
	return fmt.Sprintf("descriptors %d, children %d, folders %d", len(open), children, len(folders))
}

func TestManyRunsAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	done := make(chan error)
	const runs = 16
	for i := range runs {
		go func() {
			e := as(t, "echo")
			r, err := e.Run(t.Context(), []byte{byte(i)})
			if err == nil && string(r.Stdout) != string([]byte{byte(i)}) {
				err = fmt.Errorf("got %q", r.Stdout)
			}
			done <- err
		}()
	}
	for range runs {
		require.NoError(t, <-done)
	}
}

func TestLookReadsOddNames(t *testing.T) {
	k, ok := look(os.Getpid())
	require.True(t, ok)
	group, err := syscall.Getpgid(0)
	require.NoError(t, err)
	require.Equal(t, os.Getppid(), k.parent)
	require.Equal(t, group, k.group)
	require.Positive(t, k.started)
	require.False(t, k.dead)
	_, ok = look(1 << 30)
	require.False(t, ok)
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := (Exec{Argv: []string{"true"}}).Run(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
