package requirements

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/keptprogress"
	"orchestrator/internal/requirements/keptreview"
	"orchestrator/internal/requirements/progress"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/lifecycle"
)

// diary is a slow account of a project by somebody who looks at it after everything that happens, and writes down what
// is seen.
type diary struct {
	lives map[string]*seen
	days  map[string]progress.Day
	first time.Time // day
}

// seen is what was seen of one requirement.
type seen struct {
	formers int
	added   time.Time
	status  lifecycle.Status
	moves   []seenMove
}

type seenMove struct {
	from, to lifecycle.Status
	at       time.Time
}

func (d *diary) look(snap *projection.Snapshot, now time.Time) {
	day := progress.Day{Day: now.Format(time.DateOnly)}
	lives := map[string]*seen{}
	for e := range snap.All() {
		s := e.Summary
		life := d.lives[s.ID]
		if n := len(e.Former); n > 0 && (life == nil || life.formers < n) {
			life = d.lives[e.Former[n-1].ID]
			life.formers = n
		}
		if life == nil {
			life = &seen{added: s.Since, status: s.Status}
		}
		if s.Status != life.status {
			life.moves = append(life.moves, seenMove{life.status, s.Status, s.Since})
			life.status = s.Status
		}
		lives[s.ID] = life
		if s.Retired {
			continue
		}
		day.Total++
		if s.Status == lifecycle.Done || s.Status == lifecycle.TestedPass {
			day.Tested++
		}
		if s.Status == lifecycle.Done {
			day.Done++
		}
	}
	d.lives, d.days[day.Day] = lives, day
}

// daysUntil returns each day; one on which nobody looked is as the one before.
func (d *diary) daysUntil(now time.Time) (all []progress.Day) {
	var last progress.Day
	for at := d.first; !at.After(now); at = at.AddDate(0, 0, 1) {
		if day, looked := d.days[at.Format(time.DateOnly)]; looked {
			last = day
		}
		last.Day = at.Format(time.DateOnly)
		all = append(all, last)
	}
	return all
}

// stays returns how long requirements were in a status that they have left, the shortest first.
func (d *diary) stays(in lifecycle.Status) (all []int64) {
	for _, life := range d.lives {
		since := life.added
		for _, m := range life.moves {
			if m.from == in {
				all = append(all, int64(m.at.Sub(since).Seconds()))
			}
			since = m.at
		}
	}
	slices.Sort(all)
	return all
}

// at returns the smallest that at least so many percent do not exceed.
func at(percent int, sorted []int64) *int64 {
	for i := range sorted {
		if (i+1)*100 >= percent*len(sorted) {
			return &sorted[i]
		}
	}
	return nil
}

// holds compares what is told with what was seen.
func (d *diary) holds(t require.TestingT, p progress.Progress, snap *projection.Snapshot) {
	days := d.daysUntil(p.At)
	require.LessOrEqual(t, len(p.Days), 400)
	require.Equal(t, days[len(days)-1], p.Days[len(p.Days)-1], "today is shown")
	for i, day := range p.Days {
		require.Equal(t, days[len(days)-1-(len(p.Days)-1-i)*p.StepDays], day)
	}
	require.Less(t, len(days), (len(p.Days)+1)*p.StepDays, "none is left out at the beginning")
	require.Less(t, len(days), 401*p.StepDays)
	if p.StepDays > 1 {
		require.Greater(t, len(days), 400*(p.StepDays-1), "no more than necessary are left out")
	}
	now, finished, stuck := map[lifecycle.Status]int{}, []int64{}, []string{}
	for e := range snap.All() {
		s, life := e.Summary, d.lives[e.Summary.ID]
		if s.Retired {
			continue
		}
		if now[s.Status]++; s.Status == lifecycle.Done {
			finished = append(finished, int64(life.moves[len(life.moves)-1].at.Sub(life.moves[0].at).Seconds()))
		}
		if d.stuck(life, p.At) {
			stuck = append(stuck, s.ID)
		}
	}
	for i, s := range lifecycle.Statuses() {
		stays := d.stays(s)
		want := progress.InStatus{Status: s, Now: now[s], Stays: len(stays), Median: at(50, stays), P90: at(90, stays)}
		if len(stays) >= 5 && s != lifecycle.Done && s != lifecycle.Deferred {
			limit := max(3600, 2**want.Median)
			want.Limit = &limit
		}
		require.Equal(t, want, p.InStatus[i])
	}
	slices.Sort(finished)
	require.Equal(t, len(finished), p.Cycle.Finished)
	require.Equal(t, at(50, finished), p.Cycle.Median)
	require.Len(t, p.Cycle.Newest, len(finished))
	var told []string
	for _, s := range p.Stuck {
		told = append(told, s.ID)
	}
	require.ElementsMatch(t, stuck, told)
	require.Equal(t, len(stuck), p.AllStuck)
	require.True(t, slices.IsSortedFunc(p.Stuck, func(a, b progress.Stuck) int { return int(b.Seconds - a.Seconds) }))
}

func (d *diary) stuck(life *seen, now time.Time) bool {
	since := life.added
	if n := len(life.moves); n > 0 {
		since = life.moves[n-1].at
	}
	switch life.status {
	case lifecycle.Done, lifecycle.Deferred:
		return false
	case lifecycle.Blocked, lifecycle.NeedsChanges, lifecycle.TestedFail:
		return true
	}
	ended := d.stays(life.status)
	return len(ended) >= 5 && max(0, int64(now.Sub(since).Seconds())) > max(3600, 2**at(50, ended))
}

// progressFromNothing tells progress at a moment as if nobody had asked before.
func (r *rig) progressFromNothing(at time.Time) (progress.Progress, error) {
	return keptprogress.New(keptprogress.From{Ledger: r.ledger, Log: keptreview.NewLog(), Newest: r.current.Load,
		Clock: func() time.Time { return at }}).Now(r.t.Context())
}

type act struct {
	who  lifecycle.Actor
	body string
}

// walk does the first of some acts on a requirement, and looks after each. What is refused is left out.
func (d *diary) walk(r *rig, t *rapid.T, id string, acts []act) {
	for _, a := range acts[:rapid.IntRange(1, len(acts)).Draw(t, "acts")] {
		if _, err := r.patch(a.who, id, a.body); err == nil {
			d.look(r.current.Load(), r.clock.read())
			r.clock.wind(rapid.SampledFrom([]time.Duration{0, time.Minute, 20 * time.Hour}).Draw(t, "takes"))
		}
	}
}

// lived are what may come between two looks at progress, besides what may come between two reviews.
var lived = map[string]func(*rig, *diary, *rapid.T){
	"change":   func(r *rig, _ *diary, t *rapid.T) { happenings["change"](r, nil, t) },
	"import":   func(r *rig, _ *diary, t *rapid.T) { happenings["import"](r, nil, t) },
	"workflow": func(r *rig, _ *diary, t *rapid.T) { happenings["workflow"](r, nil, t) },
	"clock": func(r *rig, _ *diary, t *rapid.T) {
		r.clock.wind(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, time.Hour, 9 * time.Hour, 48 * time.Hour, year}).
			Draw(t, "later"))
	},
	"way to done": func(r *rig, d *diary, t *rapid.T) {
		d.walk(r, t, anID(t), []act{{paula, move(lifecycle.Planned)}, {paula, move(lifecycle.DesignInProgress)}, {archy, designed},
			{paula, move(lifecycle.DesignReady)}, {paula, move(lifecycle.ImplementationInProgress)}, {cody, implemented},
			{paula, move(lifecycle.Implemented)}, {paula, move(lifecycle.TestInProgress)},
			{tess, move(lifecycle.TestedPass, passed)}, {paula, move(lifecycle.Done, approved)}})
	},
	"to and fro": func(r *rig, d *diary, t *rapid.T) {
		fro := []act{{paula, move(lifecycle.Planned)}}
		for range 5 {
			fro = append(fro, act{paula, move(lifecycle.Blocked)}, act{paula, move(lifecycle.Planned)})
		}
		d.walk(r, t, anID(t), fro)
	},
	"rename": func(r *rig, _ *diary, t *rapid.T) {
		var retired, fresh []string
		for e := range r.current.Load().All() {
			if s := e.Summary; s.Retired {
				retired = append(retired, s.ID)
			} else if s.Status == lifecycle.NotStarted {
				fresh = append(fresh, s.ID)
			}
		}
		if len(retired) > 0 && len(fresh) > 0 {
			_, _ = r.rename(rapid.SampledFrom(retired).Draw(t, "from"), rapid.SampledFrom(fresh).Draw(t, "to"))
		}
	},
}

// Verifies: ORC-326
// Verifies: ORC-327
// Verifies: ORC-328
func TestProgressIsWhatWasSeen(t *testing.T) {
	names := make([]string, 0, len(lived))
	for name := range lived {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(rt *rapid.T) {
		r := start(t, store.NewMemory(), func(o *Options) { o.ExportPath, o.Workflow = "", lifecycle.Rework })
		defer r.stop()
		r.mustImport(twoRequirements)
		now := r.clock.read()
		d := &diary{days: map[string]progress.Day{}, first: now.Truncate(24 * time.Hour)}
		d.look(r.current.Load(), now)
		steps := rapid.IntRange(2, 25).Draw(rt, "steps")
		for i := range steps {
			lived[rapid.SampledFrom(names).Draw(rt, "what")](r, d, rt)
			d.look(r.current.Load(), r.clock.read())
			if i == steps-1 || rapid.Bool().Draw(rt, "asked") {
				kept, err := r.Progress(t.Context())
				require.NoError(rt, err)
				d.holds(rt, kept, r.current.Load())
				anew, err := r.progressFromNothing(kept.At)
				require.NoError(rt, err)
				require.Equal(rt, anew, kept)
			}
		}
	})
}

// Verifies: ORC-326
func TestRefusalsOfProgressAreThoseOfTheReview(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	for i := range 3 {
		r.refused(cody, "REQ-001", move(lifecycle.Planned), "field_forbidden")
		r.refused(paula, fmt.Sprintf("REQ-00%d", i%2+1), move(lifecycle.Done), "illegal_transition")
	}
	p, err := r.Progress(t.Context())
	require.NoError(t, err)
	require.Len(t, p.Refusals, 2)
	require.Equal(t, r.review().Findings.Refused, p.Refusals)
}

// Whoever asks while others change what is told gets the project as it was at one moment.
// Verifies: ORC-326
func TestProgressIsOfOneMoment(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	var asking sync.WaitGroup
	for range 3 {
		asking.Go(func() {
			for last := uint64(0); last < r.current.Load().Head.Size; {
				p, err := r.Progress(t.Context())
				if !assert.NoError(t, err) {
					return
				}
				assert.GreaterOrEqual(t, p.AsOf, last)
				last = p.AsOf
				now := 0
				for _, s := range p.InStatus {
					now += s.Now
				}
				assert.Equal(t, p.Days[0].Total, now)
				assert.Equal(t, p.Days[0].Done, p.Cycle.Finished)
			}
		})
	}
	r.bringToTestedPass("REQ-001")
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	r.mustImport(twoRequirements + "\n- **REQ-003**: One more.\n")
	asking.Wait()
	kept, err := r.Progress(t.Context())
	require.NoError(t, err)
	anew, err := r.progressFromNothing(kept.At)
	require.NoError(t, err)
	require.Equal(t, anew, kept)
	require.Equal(t, 1, kept.Cycle.Finished)
	require.Equal(t, 3, kept.Days[0].Total)
}
