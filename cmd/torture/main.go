// Command torture kills the product under load, cuts off its power, takes away its disk, and compares what a restart
// finds with what the product had acknowledged.
//
// Every change is a note with a mark of its own, sent with an Idempotency-Key. After each run the product verifies its
// database, starts again, and every note is looked for: one that was acknowledged must be there, once, at the revision
// that the answer named; one that was refused must not; one without an answer is sent again and must then be there
// once. The last row is the control: a disk that says that it synced, and did not, must lose changes, and is found to.
// A run whose control loses nothing fails, as does one in which another row lost something.
//
// A power cut is the shutdown of an ext4 in a file: nothing more reaches the file, and the next mount replays the
// journal. It loses what was not synced. It does not reorder or tear what a disk's own cache would.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/system/child"
)

func main() { os.Exit(execute(os.Args[1:])) }

func execute(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return exitCode(err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.longest)
	defer cancel()
	rep, err := torture(ctx, o)
	if rep != nil {
		err = errors.Join(err, rep.write(os.Stdout, o.json))
	}
	if err != nil {
		return exitCode(err)
	}
	return rep.exitCode()
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "torture:", err)
	return 1
}

type options struct {
	rows    []row
	seed    uint64
	longest time.Duration
	json    bool
}

func parseOptions(args []string) (options, error) {
	var o options
	var only string
	var runs int
	all := rows()
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	f := flag.NewFlagSet("torture", flag.ContinueOnError)
	f.StringVar(&only, "only", strings.Join(names, ","), "rows to run")
	f.IntVar(&runs, "runs", 0, "runs of each row; 0 is what each has by default")
	f.Uint64Var(&o.seed, "seed", 0, "repeats the choices of a run that printed it; 0 takes a new one")
	f.DurationVar(&o.longest, "longest", 15*time.Minute, "what bounds all rows together")
	f.BoolVar(&o.json, "json", false, "write JSON instead of a table")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if runs < 0 || o.longest <= 0 || f.NArg() > 0 {
		return o, errors.New("give no negative number, and no other arguments")
	}
	chosen := strings.Split(only, ",")
	for _, name := range chosen {
		if !slices.Contains(names, name) {
			return o, fmt.Errorf("--only: there is no %q; use %s", name, strings.Join(names, ","))
		}
	}
	for _, r := range all {
		if runs > 0 {
			r.runs = runs
		}
		if slices.Contains(chosen, r.name) {
			o.rows = append(o.rows, r)
		}
	}
	for o.seed == 0 {
		o.seed = rand.Uint64() //nolint:gosec // no secret
	}
	return o, nil
}

// harness is one run of the program.
type harness struct {
	options
	dir, binary string
}

// torture runs the rows one after the other. A row that cannot go on is reported, and the others run.
func torture(ctx context.Context, o options) (rep *report, err error) {
	dir, fsType, err := child.WorkDir("orchestrator-torture-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	h := &harness{options: o, dir: dir, binary: filepath.Join(dir, "orchestrator")}
	fmt.Fprintf(os.Stderr, "torture: seed %d; building the product\n", o.seed)
	if err := child.Build(ctx, "orchestrator/cmd/orchestrator", h.binary); err != nil {
		return nil, err
	}
	rep = &report{Seed: o.seed, FileSystem: fsType}
	for _, r := range o.rows {
		rep.Rows = append(rep.Rows, h.row(ctx, r))
	}
	return rep, nil
}

// row runs one row to its end, or to the first error that is not the product's.
func (h *harness) row(ctx context.Context, r row) *tally {
	t := &tally{Name: r.name, What: r.what, Control: r.control, Asked: r.runs}
	if t.Skipped = r.lacks(); t.Skipped != "" {
		fmt.Fprintf(os.Stderr, "torture: %s is skipped: it %s\n", r.name, t.Skipped)
		return t
	}
	begun := time.Now()
	rng := rand.New(rand.NewPCG(h.seed, hash(r.name))) //nolint:gosec // moments and choices that can be repeated
	for first := 0; first < r.runs && t.Failed == ""; first += r.fresh {
		if err := h.project(ctx, r, t, rng, min(r.fresh, r.runs-first)); err != nil {
			t.Failed = err.Error()
		}
	}
	t.Seconds = seconds(begun)
	show("%s: %d of %d runs, %s\n", r.name, t.Runs, r.runs, t.verdict())
	return t
}

func hash(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}

// project takes one project through some runs of a row.
func (h *harness) project(ctx context.Context, r row, t *tally, rng *rand.Rand, runs int) (err error) {
	name := fmt.Sprintf("%s-%d", r.name, t.Runs)
	dir := filepath.Join(h.dir, name)
	one := &run{rng: rng, tally: t, row: r}
	if r.megabytes > 0 {
		if one.disk, err = newDisk(ctx, h.dir, name, r.megabytes); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, one.disk.Remove()) }()
		dir = filepath.Join(dir, "project")
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	if one.subject, err = newSubject(name, h.binary, dir, filepath.Join(h.dir, name+".log"), rng.Uint32(), r); err != nil {
		return err
	}
	if err := one.start(ctx); err != nil {
		return err
	}
	defer func() {
		one.end()
		t.counts = t.plus(one.account.tally())
	}()
	for i := range runs {
		if err := one.once(ctx); err != nil {
			return fmt.Errorf("run %d of %s: %w", i+1, name, err)
		}
		t.Runs++
		progress(t.Name, t.Runs, t.Asked, t.plus(one.account.tally()))
		if one.dead() {
			return nil
		}
	}
	return nil
}

// once strikes once, and compares.
func (r *run) once(ctx context.Context) error {
	err := r.strike(ctx)
	r.end()
	if err != nil {
		return err
	}
	r.verify(ctx, r.tally)
	if err := r.startAgain(ctx, r.tally); err != nil {
		if ctx.Err() != nil || !errors.Is(err, child.ErrEnded) {
			return err
		}
		r.account.forfeit() // nothing can be read any more
		return nil
	}
	if err := r.settle(r.tally); err != nil || r.row.control {
		return err
	}
	if err := r.resolve(); err != nil {
		return err
	}
	if err := r.mended(ctx); err != nil {
		return err
	}
	return r.settle(r.tally)
}

// mended waits for the export that the strike may have torn.
func (r *run) mended(ctx context.Context) error {
	if !r.row.mayTear {
		return nil
	}
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	if torn(filepath.Join(r.dir, "project_status.json")) {
		r.misbehaved("the export is not whole while the service runs")
	}
	return nil
}

// strike lets the row do what it is for.
func (r *run) strike(ctx context.Context) error { return r.row.strike(r, ctx) }

// end ends the service, and the load with it.
func (r *run) end() {
	r.service.Kill()
	if r.load != nil {
		r.load.wait()
	}
}

// dead reports whether the project cannot be started any more.
func (r *run) dead() bool {
	select {
	case <-r.service.Ended():
		return true
	default:
		return false
	}
}
