// Command bench measures the product beside floors, on this machine and in one run, and prints the ratios.
//
// A floor is a process that does only what no implementation can leave out: for GET a bare handler that
// returns the same bytes, for PATCH a handler that commits the same bytes to the same store. Floor and product
// are real processes, loaded in turns by the same client; a ratio is the median of the ratios of single rounds,
// so that what else the machine does weighs on both. When a request fails, no ratio is printed.
//
// The figures of start and memory, and the 100,000 requirements, have no floor but a limit or a small sibling.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"orchestrator/cmd/bench/baseline"
	"orchestrator/cmd/bench/report"
	"orchestrator/cmd/bench/streams"
	"orchestrator/internal/system/child"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if len(args) == 1 && (args[0] == floorVerify || baseline.Is(args[0])) {
		return exitCode(runBaseline(ctx, args[0]))
	}
	if len(args) > 0 && args[0] == streams.Readers {
		return exitCode(streams.Read(ctx, args[1:]))
	}
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return exitCode(err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.longest)
	defer cancel()
	rep, err := measure(ctx, o)
	if err != nil {
		return exitCode(err)
	}
	write := rep.WriteTable
	switch {
	case o.json:
		write = rep.WriteJSON
	case o.markdown:
		write = rep.WriteMarkdown
	}
	if err := write(os.Stdout); err != nil {
		return exitCode(err)
	}
	return rep.ExitCode(o.strict)
}

// runBaseline runs what the product is measured beside in the current folder, until ctx ends; the floor of verification
// ends by itself.
func runBaseline(ctx context.Context, name string) error {
	if name == floorVerify {
		return readHashes(ctx)
	}
	return baseline.Serve(ctx, name)
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	return 1
}

func parseOptions(args []string) (options, error) {
	var o options
	var only, records string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", 5, "rounds of each comparison, at least 5")
	f.DurationVar(&o.round, "round", 1500*time.Millisecond, "how long one side of one round is loaded")
	f.StringVar(&only, "only", strings.Join(sectionNames(), ","), "what to measure")
	f.StringVar(&records, "records", "10000,100000", "how many records the logs have that are backed up and restored")
	f.IntVar(&o.log, "log", 50_000, "how many records the log has that is verified")
	f.DurationVar(&o.longest, "longest", 40*time.Minute, "what bounds the whole run")
	f.StringVar(&o.curve, "curve", "", "the SVG file into which the section curve is drawn")
	f.BoolVar(&o.json, "json", false, "write JSON instead of a table")
	f.BoolVar(&o.markdown, "markdown", false, "write the table of docs/performance.md instead")
	f.BoolVar(&o.strict, "strict", false, "exit 2 when a goal is missed")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.only = strings.Split(only, ",")
	for _, name := range o.only {
		if !slices.Contains(sectionNames(), name) {
			return o, fmt.Errorf("--only: there is no %q; use %s", name, strings.Join(sectionNames(), ","))
		}
	}
	for text := range strings.SplitSeq(records, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return o, fmt.Errorf("--records: %q is no number of records", text)
		}
		o.records = append(o.records, n)
	}
	if o.log < 2*shortLog {
		return o, fmt.Errorf("--log: %d records are no long log; give %d at least", o.log, 2*shortLog)
	}
	if o.rounds < 5 || o.round <= 0 || f.NArg() > 0 {
		return o, errors.New("give at least 5 rounds, longer than nothing, and no other arguments")
	}
	if o.json && o.markdown {
		return o, errors.New("give --json or --markdown, not both")
	}
	if o.curve != "" && !slices.Contains(o.only, "curve") {
		return o, errors.New("--curve: there is nothing to draw without the section curve")
	}
	return o, nil
}

// sections are what can be measured, in the order of the report.
var sections = []struct {
	name string
	run  func(*bench, context.Context) ([]row, error)
}{
	{"get", (*bench).get},
	{"patch", (*bench).patch},
	{"peers", func(b *bench, ctx context.Context) ([]row, error) { return peers{b}.rows(ctx) }},
	{"replicas", func(b *bench, ctx context.Context) ([]row, error) { return replicated(b).Rows(ctx) }},
	{"ceiling", func(b *bench, ctx context.Context) ([]row, error) { return replicated(b).Ceiling(ctx) }},
	{"lone", func(b *bench, ctx context.Context) ([]row, error) { return sizes{b}.lone(ctx) }},
	{"device", func(b *bench, ctx context.Context) ([]row, error) { return devices{b}.rows(ctx) }},
	{"curve", func(b *bench, ctx context.Context) ([]row, error) { return sizes{b}.curve(ctx) }},
	{"flood", (*bench).flooded},
	{"events", besideReaders},
	{"load", (*bench).loaded},
	{"scale", (*bench).scale},
	{"start", (*bench).startUp},
	{"reading", (*bench).reading},
	{"trace", (*bench).tracing},
	{"review", func(b *bench, ctx context.Context) ([]row, error) { return b.reviewing(ctx, started, 0.15) }},
	{"review-many", func(b *bench, ctx context.Context) ([]row, error) { return b.reviewing(ctx, many, 1) }},
	{"progress", func(b *bench, ctx context.Context) ([]row, error) { return progress{b}.rows(ctx) }},
	{"pages", func(b *bench, ctx context.Context) ([]row, error) { return progress{b}.pages(ctx) }},
	{"backup", (*bench).backups},
	{"log", (*bench).logs},
	{"hook", (*bench).hooks},
	{"boundary", guardedReports},
	{"conductor", (*bench).conducted},
	{"explore", func(_ *bench, ctx context.Context) ([]row, error) { return explored(ctx) }},
}

func sectionNames() []string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return names
}

// measure runs the sections one after the other; one that fails is reported, and the others go on.
func measure(ctx context.Context, o options) (rep report.Report, err error) {
	dir, fsType, err := child.WorkDir("orchestrator-bench-")
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{options: o, dir: dir, binary: filepath.Join(dir, "orchestrator"), sized: map[int]*sizedFigures{}}
	if b.self, err = os.Executable(); err != nil {
		return rep, err
	}
	say("building the product")
	if err := child.Build(ctx, "orchestrator/cmd/orchestrator", b.binary); err != nil {
		return rep, err
	}
	rep = report.New(time.Now(), fsType, o.rounds)
	for _, s := range sections {
		if !slices.Contains(o.only, s.name) || ctx.Err() != nil {
			continue
		}
		rows, err := s.run(b, ctx)
		rep.Add(s.name, rows, err)
	}
	return rep, ctx.Err()
}
