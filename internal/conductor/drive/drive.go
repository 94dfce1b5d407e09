// Package drive brings requirements to done. It makes an obligation of what a requirement waits for, has the conductor
// conduct it, and looks at the requirement again. Nothing is kept between two steps: a drive that was interrupted
// continues from where the requirement stands.
//
// A requirement is worked on by one obligation at a time, and not before the requirements that it depends on are done.
// What no tool can do ends as blocked, with the reason, or as waiting, with whom it waits for. A drive moves nothing
// into a status from which no move leads to done: where the workflow in force has no way back from blocked, it ends as
// waiting.
//
// The package is a client of the engine, which must not import it.
package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/conductor/usage"
	"orchestrator/internal/conductor/worktree"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// Project is what is driven.
type Project interface {
	// Select returns the requirements with these ids or, if none is given, all that are not done and not retired, in
	// the order of the documents. An unknown id is fault.NotFound.
	Select(ctx context.Context, ids []string) ([]Requirement, error)
	// Position returns where a requirement stands now.
	Position(ctx context.Context, id string) (Position, error)
	// Claimed returns who has claimed the work of a role on a requirement, and until when; "" where nobody has. It is
	// asked while no run works on the requirement: what a run has left claimed is released.
	Claimed(ctx context.Context, id, role string) (by string, err error)
	// NoWayBack returns why a requirement could not come to done any more once it is in a status, and what opens a way;
	// "" if it could.
	NoWayBack(ctx context.Context, id string, to lifecycle.Status) (why string, err error)
	// Block returns the obligation to block a requirement.
	Block(ctx context.Context, id, reason string) (planning.Obligation, error)
	// LookAgain looks evidence up again, since the branch that counts may have moved.
	LookAgain(ctx context.Context) error
	// Record puts a finding about a requirement on record, once.
	Record(ctx context.Context, by conductor.Caller, id string, kind Finding, text string) error
}

// Conductor conducts obligations.
type Conductor interface {
	Conduct(ctx context.Context, caller conductor.Caller, request planning.Request) (conductor.Trace, error)
	Plan(ctx context.Context, caller conductor.Caller, request planning.Request) (conductor.Plan, error)
	// ActiveRun returns the run that works on a requirement now, or "".
	ActiveRun(ctx context.Context, id string) (run string, err error)
}

// Requirement is a requirement to be driven.
type Requirement struct {
	ID        string
	Status    lifecycle.Status
	DependsOn []string // ids of those that it needs and that are not done
	Moves     int      // on the way to done
}

// Position is where a requirement stands.
type Position struct {
	Status lifecycle.Status
	Work   []builtin.Work // what leads it on; none where nothing does
	Why    string         // why nothing does
	Moves  int            // on the way to done
	Built  bool           // it has an implementation, whether that counts or not
}

// Order says what is to be driven, and how far.
type Order struct {
	Caller       conductor.Caller
	Roles        []string // whose work is done; all where none is named
	Requirements []string // ids; all unfinished ones where none is named
	MaxSteps     int      // obligations; 0 is DefaultSteps
	MaxTokens    int64    // that agents report; 0 is no bound
	MaxCostUSD   float64  // likewise, in US dollars
	Parallel     int      // requirements at once; 0 is one
}

// Bounds of an order.
const (
	DefaultSteps = 1000
	MaxParallel  = 16
)

// Outcome is how a requirement ended.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"
	Blocked Outcome = "blocked" // nobody could do what it waits for, or somebody had blocked it
	Waiting Outcome = "waiting" // for somebody not driven, a tool, another requirement, or a decision
	Stopped Outcome = "stopped" // by max_steps, the caller or the end of the service
	Failed  Outcome = "failed"  // the service itself could not go on
)

// Step is an obligation that was conducted, and its outcome.
type Step struct {
	Number      int              `json:"number"` // from 1, as they ended
	Requirement string           `json:"requirement"`
	Role        string           `json:"role"`
	Obligation  string           `json:"obligation"`     // ACHIEVE(requirement.implementation)
	Run         string           `json:"run"`            // GET /traces/{run} has all of it
	Tool        string           `json:"tool,omitempty"` // the last that was run
	Outcome     planning.Outcome `json:"outcome"`
	Why         string           `json:"why,omitempty"` // the tools that were run did not do
	From        lifecycle.Status `json:"from"`          // the status before and after
	To          lifecycle.Status `json:"to"`
	Moves       int              `json:"moves"`           // on the way to done, that are left
	Usage       *usage.Sum       `json:"usage,omitempty"` // of the agents that were run
}

// End is what became of a requirement.
type End struct {
	Requirement string           `json:"requirement"`
	Status      lifecycle.Status `json:"status"`
	Outcome     Outcome          `json:"outcome"`
	Why         string           `json:"why,omitempty"`
	Steps       int              `json:"steps"`
	Usage       *usage.Sum       `json:"usage,omitempty"` // of its agents
	Kept        string           `json:"kept,omitempty"`  // what is kept of its working tree and branches, and why

	tree    string   // where its agents work
	watched bool     // in this step
	looked  bool     // for something to merge that an earlier drive left
	aside   []string // branches with what agents committed and nobody accepted
}

// Report is what became of an order.
type Report struct {
	Requirements []End           `json:"requirements"` // in the order of the documents
	Outcomes     map[Outcome]int `json:"outcomes"`     // how many ended so
	Steps        int             `json:"steps"`

	Usage map[string]usage.Sum `json:"usage,omitempty"` // by the name of the agent
}

// Event is told while an order is carried out. Exactly one member is set.
type Event struct {
	Order  *Scope  `json:"order,omitempty"` // the first event
	Waits  *Waits  `json:"waits,omitempty"`
	Begun  *Begun  `json:"begun,omitempty"`
	Step   *Step   `json:"step,omitempty"`
	End    *End    `json:"end,omitempty"`
	Report *Report `json:"report,omitempty"` // the last event

	Entered *Entered        `json:"entered,omitempty"`
	Merge   *worktree.Merge `json:"merge,omitempty"`
}

// Begun announces an obligation that is about to be conducted.
type Begun struct {
	Requirement string `json:"requirement"`
	Role        string `json:"role"`
	Obligation  string `json:"obligation"`
	Moves       int    `json:"moves"` // on the way to done
}

// Waits announces that the end of another run on a requirement is waited for.
type Waits struct {
	Requirement string `json:"requirement"`
	Run         string `json:"run"`
}

// Scope is the extent of an order.
type Scope struct {
	Requirements int `json:"requirements"`
	Moves        int `json:"moves"` // on their ways to done

	NoTrees string `json:"no_trees,omitempty"` // why agents share the folder of the project
}

// Driver drives requirements. It is safe for concurrent use: a requirement is driven for one order at a time.
type Driver struct {
	Project   Project
	Conductor Conductor
	Trees     Trees       // nil where agents share the folder of the project
	NoTrees   string      // why they do
	Draining  func() bool // tells that the service is about to end: then no step is begun

	holding sync.Mutex
	held    map[string]bool
}

// hold reserves a requirement for one order; it reports false if another order has it.
func (d *Driver) hold(id string) bool {
	d.holding.Lock()
	defer d.holding.Unlock()
	if d.held == nil {
		d.held = map[string]bool{}
	}
	if d.held[id] {
		return false
	}
	d.held[id] = true
	return true
}

func (d *Driver) release(id string) {
	d.holding.Lock()
	defer d.holding.Unlock()
	delete(d.held, id)
}

// Drive carries an order out, and tells each event as it happens, one at a time. When ctx ends, no step is begun; those
// that were begun come to their end.
//
// Implements: ORC-291
func (d *Driver) Drive(ctx context.Context, o Order, tell func(Event)) (Report, error) {
	all, err := d.Project.Select(ctx, o.Requirements)
	if err != nil {
		return Report{}, err
	}
	c := &job{Driver: d, Order: o, tell: tell, stepsLeft: o.MaxSteps, toolFailures: map[string]int{},
		usedBy: map[string]usage.Sum{}}
	if c.stepsLeft == 0 {
		c.stepsLeft = DefaultSteps
	}
	scope := Scope{Requirements: len(all), NoTrees: d.NoTrees}
	for _, r := range all {
		scope.Moves += r.Moves
	}
	tell(Event{Order: &scope})
	ends := c.runAll(ctx, all, max(o.Parallel, 1))
	report := Report{Requirements: []End{}, Outcomes: map[Outcome]int{}, Steps: c.stepsDone, Usage: c.usedBy}
	for _, r := range all {
		end := ends[r.ID]
		report.Requirements = append(report.Requirements, end)
		report.Outcomes[end.Outcome]++
	}
	tell(Event{Report: &report})
	return report, nil
}

// job is an order that is being carried out.
type job struct {
	*Driver
	Order

	mu           sync.Mutex // holds what follows
	tell         func(Event)
	stepsLeft    int            // steps
	stepsDone    int            // of the last step that ended
	toolFailures map[string]int // by tool: how many requirements in a row it failed for
	stopped      string         // no further step is begun
	used         usage.Sum      // by all agents
	usedBy       map[string]usage.Sum
}

// runAll drives requirements, at most parallel at once, each after those that it depends on.
func (j *job) runAll(ctx context.Context, waiting []Requirement, parallel int) map[string]End {
	ended, ends := make(chan End), map[string]End{}
	waiting = slices.Clone(waiting)
	running := 0
	for {
		for running < parallel {
			i := slices.IndexFunc(waiting, func(r Requirement) bool { return j.unfinishedDependency(r, ends) == "" })
			if i < 0 {
				break
			}
			r := waiting[i]
			waiting = slices.Delete(waiting, i, i+1)
			running++
			go func() { ended <- j.runOne(ctx, r) }()
		}
		if running == 0 {
			break
		}
		end := <-ended
		running--
		ends[end.Requirement] = end
	}
	held := map[string]string{} // what each of those that are left needs first
	for _, r := range waiting {
		held[r.ID] = j.unfinishedDependency(r, ends)
	}
	for _, r := range waiting {
		ends[r.ID] = j.emitEnd(End{Requirement: r.ID, Status: r.Status, Outcome: Waiting,
			Why: dependencyReason(r.ID, held)})
	}
	return ends
}

// dependencyReason returns what a requirement is waiting for; in a cycle, that it is one.
func dependencyReason(id string, held map[string]string) string {
	why := "it depends on " + held[id]
	for at, steps := held[id], 0; at != "" && steps < len(held); at, steps = held[at], steps+1 {
		if at == id {
			return why + ", which in turn depends on it: a cycle, which the documents have to resolve"
		}
	}
	return why + ", which is not done"
}

// unfinishedDependency returns a requirement that r depends on and that is not done, or "".
func (j *job) unfinishedDependency(r Requirement, ends map[string]End) string {
	for _, id := range r.DependsOn {
		if ends[id].Outcome != Done {
			return id
		}
	}
	return ""
}

// emit sends an event to the listener, one at a time, and numbers steps.
func (j *job) emit(e Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Step != nil {
		j.stepsDone++
		e.Step.Number = j.stepsDone
	}
	j.tell(e)
}

func (j *job) emitEnd(end End) End {
	j.emit(Event{End: &end})
	return end
}

// giveBack returns a step that was taken and not begun.
func (j *job) giveBack() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stepsLeft++
}

// takeStep takes one of the steps that are left. It returns why there is none, or "".
func (j *job) takeStep() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.stopped != "":
		return j.stopped
	case j.stepsLeft <= 0:
		return "max_steps is exhausted"
	}
	j.stepsLeft--
	return ""
}

// maxToolFailures is for how many requirements in a row a tool may fail before the order is given up: then the tool is
// at fault, and not the requirements.
const maxToolFailures = 3

// countFailures counts, by tool, the failures in a row.
func (j *job) countFailures(of conductor.ObligationTrace) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range of.Runs {
		if r.Status != state.RunFailed {
			j.toolFailures[r.Tool] = 0
			continue
		}
		if j.toolFailures[r.Tool]++; j.toolFailures[r.Tool] >= maxToolFailures {
			j.stopped = fmt.Sprintf("%s failed %d times in a row", r.Tool, j.toolFailures[r.Tool])
		}
	}
}

// MediaType is the media type of events, one a line: https://github.com/ndjson/ndjson-spec.
const MediaType = "application/x-ndjson"

// String returns the report in one line.
func (r Report) String() string {
	text := fault.Count(len(r.Requirements), "requirement") + ", " + fault.Count(r.Steps, "step") + ":"
	for _, o := range []Outcome{Done, Blocked, Waiting, Stopped, Failed} {
		if n := r.Outcomes[o]; n > 0 || o == Done {
			text += fmt.Sprintf(" %d %s,", n, o)
		}
	}
	text = strings.TrimSuffix(text, ",")
	all := usage.Sum{}
	for _, s := range r.Usage {
		all.Join(s)
	}
	return strings.TrimSuffix(text+"; "+all.String(), "; ")
}
