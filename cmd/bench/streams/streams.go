// Package streams measures what many readers of the stream of events do to a change.
//
// The readers are a process of their own at the lowest priority, which reads sockets and counts empty lines: a thousand
// clients that decode what they are sent would take the processors that are to be measured.
package streams

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"orchestrator/cmd/bench/http1"
	"orchestrator/cmd/bench/report"
)

// How many readers there are, and how many tokens they share: 128 streams of one are allowed.
const (
	readersAtOnce = 1000
	readersTokens = 8
)

// pause is between two changes of a client that keeps to the default rate limit.
const pause = 10 * time.Millisecond

// Bench measures one service.
type Bench struct {
	Rounds  int
	Lasting time.Duration // of one load
	Program string        // which reads streams for the argument Readers
	Addr    string        // of the service
	Tokens  []string      // of the readers
	Change  func(dst []byte, n int) []byte
	Records func() (float64, error) // of the log
	CPU     func() time.Duration    // that the service has used
	Say     func(format string, args ...any)
}

// Tokens adds the tokens that the readers share to the service in dir, of which product is the program.
func Tokens(ctx context.Context, product, dir string) (secrets []string, err error) {
	for i := range readersTokens {
		add := exec.CommandContext(ctx, product, "token", "add", "viewer", fmt.Sprintf("reader-%d", i))
		add.Dir = dir
		secret, err := add.Output()
		if err != nil {
			return nil, fmt.Errorf("a token for a reader: %w", err)
		}
		secrets = append(secrets, strings.TrimSpace(string(secret)))
	}
	return secrets, nil
}

// pace is how changes are sent.
type pace struct {
	name  string
	pause time.Duration // after each
}

var paces = []pace{{"one after another", 0}, {fmt.Sprintf("one each %v", pause), pause}}

// figures are what was measured at one pace, by round.
type figures struct {
	calm50, calm99 []float64 // ms
	with50, with99 []float64 // ms, beside the readers
	events         []float64 // a second, that all readers together were sent
	cpu            []float64 // us of the service for each event, beyond what the changes take without readers
	last           []float64 // ms, after the last change, until the last reader had all
}

// Rows measures changes in turns with and without readers.
func (b Bench) Rows(ctx context.Context) (rows []report.Row, err error) {
	for _, p := range paces {
		var all figures
		for round := range b.Rounds + 1 {
			one, err := b.round(ctx, p)
			if err != nil {
				return nil, err
			}
			b.Say("round %d/%d  changes %s: p50 %.3f ms, p99 %.3f; beside %d readers p50 %.3f, p99 %.3f; "+
				"%.0f events/s of %.2f us, the last of them %.0f ms late", round, b.Rounds, p.name, one.calm50[0],
				one.calm99[0], readersAtOnce, one.with50[0], one.with99[0], one.events[0], one.cpu[0], one.last[0])
			if round > 0 { // the first one warms up
				all.add(one)
			}
		}
		rows = append(rows, all.rows(p)...)
	}
	return rows, nil
}

func (f *figures) add(one figures) {
	f.calm50, f.calm99 = append(f.calm50, one.calm50...), append(f.calm99, one.calm99...)
	f.with50, f.with99 = append(f.with50, one.with50...), append(f.with99, one.with99...)
	f.events, f.last = append(f.events, one.events...), append(f.last, one.last...)
	f.cpu = append(f.cpu, one.cpu...)
}

// mostSlower is how much longer a change may take beside the readers.
const mostSlower = 2

func (f *figures) rows(p pace) []report.Row {
	over := func(with, calm []float64) (ratios []float64) {
		for i := range with {
			ratios = append(ratios, with[i]/calm[i])
		}
		return ratios
	}
	name := func(what string) string {
		return fmt.Sprintf("PATCH %s, c=1, %s, beside %d readers of events", what, p.name, readersAtOnce)
	}
	goal := &report.Goal{AtMost: mostSlower}
	return []report.Row{
		report.NewRow(name("p50"), "ms", f.calm50, f.with50, over(f.with50, f.calm50), nil),
		report.NewRow(name("p99"), "ms", f.calm99, f.with99, over(f.with99, f.calm99), goal),
		report.NewRow("events that they are sent, changes "+p.name, "/s", nil, f.events, nil, nil),
		report.NewRow("processor time for one of these events, changes "+p.name, "us", nil, f.cpu, nil, nil),
		report.NewRow("until the last reader has the last change, changes "+p.name, "ms", nil, f.last, nil, nil),
	}
}

// round measures changes at a pace, first without readers and then beside them.
func (b Bench) round(ctx context.Context, p pace) (one figures, err error) {
	used := b.CPU()
	calm, err := b.load(ctx, p)
	if err != nil {
		return one, err
	}
	one.calm50, one.calm99 = []float64{part(calm, 50)}, []float64{part(calm, 99)}
	return one, b.beside(ctx, p, (b.CPU()-used)/time.Duration(len(calm)), &one)
}

// load sends changes, and returns in order how long they took.
func (b Bench) load(ctx context.Context, p pace) ([]time.Duration, error) {
	client := http1.Client{Addr: b.Addr, Request: b.Change, Class: '2', Pause: p.pause}
	took, err := client.Run(ctx, 0, 1, math.MaxInt, time.Now().Add(b.Lasting))
	if err == nil && len(took) == 0 {
		err = errors.New("no change was made")
	}
	slices.Sort(took)
	return took, err
}

// part returns the time in milliseconds that so many of a hundred do not exceed.
func part(sorted []time.Duration, percent int) float64 {
	return sorted[(len(sorted)-1)*percent/100].Seconds() * 1000
}

// beside measures the same beside readers, each of which must have every record in the end. A change takes so much
// processor time without them.
func (b Bench) beside(ctx context.Context, p pace, alone time.Duration, f *figures) (err error) {
	r, err := b.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	first, err := b.Records()
	if err != nil {
		return err
	}
	begun, used := time.Now(), b.CPU()
	took, err := b.load(ctx, p)
	if err != nil {
		return err
	}
	loaded := time.Now()
	end, err := b.Records()
	if err != nil {
		return err
	}
	events := (end - first) * readersAtOnce
	if err := r.await(events); err != nil {
		return err
	}
	f.with50, f.with99 = []float64{part(took, 50)}, []float64{part(took, 99)}
	f.events = []float64{events / time.Since(begun).Seconds()}
	f.last = []float64{time.Since(loaded).Seconds() * 1000}
	f.cpu = []float64{(b.CPU() - used - time.Duration(len(took))*alone).Seconds() * 1e6 / events}
	return nil
}

// readers is the process that reads.
type readers struct {
	cmd     *exec.Cmd
	orders  io.WriteCloser
	answers *bufio.Scanner
}

// open starts the readers, and waits until all streams are open.
func (b Bench) open(ctx context.Context) (*readers, error) {
	cmd := exec.CommandContext(ctx, b.Program, Readers, b.Addr, strconv.Itoa(readersAtOnce))
	cmd.Stderr = os.Stderr
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &readers{cmd, orders, bufio.NewScanner(answers)}
	if err := r.ask(strings.Join(b.Tokens, " ")); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// await waits until all readers together have been sent so many events.
func (r *readers) await(events float64) error { return r.ask(fmt.Sprintf("%.0f", events)) }

func (r *readers) ask(order string) error {
	if _, err := fmt.Fprintln(r.orders, order); err != nil {
		return err
	}
	if !r.answers.Scan() {
		return errors.Join(errors.New("the readers of streams have ended"), r.answers.Err())
	}
	return nil
}

// close ends the process.
func (r *readers) close() error {
	_ = r.orders.Close()
	return r.cmd.Wait()
}
