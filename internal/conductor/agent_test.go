package conductor

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor/account"
	"orchestrator/internal/conductor/builtin"
	"orchestrator/internal/conductor/contract"
	"orchestrator/internal/conductor/outside"
	"orchestrator/internal/conductor/state"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/system/tracing"
)

// gate lets agents in, and knows who is inside.
type gate struct {
	admitted []string // name as role
	until    time.Time
	inside   int
	refuse   error
	stuck    error // of Dismiss
}

// theToken is the token of every agent of these tests.
const theToken = "orc_coder_THETOKENOFTHISRUN"

func (g *gate) Admit(_ context.Context, name, role, requirement, _ string, until time.Time) (Access, error) {
	if g.refuse != nil {
		return Access{}, g.refuse
	}
	g.admitted, g.until = append(g.admitted, name+" as "+role+" for "+requirement), until
	g.inside++
	return Access{URL: "http://127.0.0.1:1", Token: theToken, ID: "abcdef012345", Dismiss: func() error { g.inside--; return g.stuck }}, nil
}

// yard is a conductor over a project that waits for an implementation until the file done is there.
type yard struct {
	bench
	gate    *gate
	project *project
}

func yardOf(t *testing.T, s *store.Memory, fakes ...fake) *yard {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := func() time.Time { return now }
	l, err := ledger.Open(t.Context(), s, clock)
	require.NoError(t, err)
	contracts := append(builtin.FactContracts(), builtin.ProjectContracts()...)
	for _, f := range fakes {
		contracts = append(contracts, f.contract)
	}
	registry, err := contract.Load(t.TempDir(), contracts)
	require.NoError(t, err)
	y := &yard{gate: &gate{}, project: &project{requirement: builtin.Requirement{ID: "REQ-1", Status: "implementation_in_progress", Title: "Log in"}}}
	root := t.TempDir()
	y.project.due = func() []builtin.Work {
		if _, err := os.Stat(filepath.Join(root, "done")); err == nil {
			y.project.requirement.Parts = []string{"design_spec", "implementation"}
			return []builtin.Work{{Role: "pm", Obligation: ob(planning.Achieve, "requirement.status", "id", "REQ-1", "status", "implemented")}}
		}
		return []builtin.Work{{Role: "coder", Obligation: ob(planning.Achieve, "requirement.implementation", "id", "REQ-1"), Needs: []string{"an implementation"}}}
	}
	y.bench = bench{New(l, Options{Tools: registry, Project: y.project, Agents: y.gate, Root: root, Clock: clock, Deterministic: true}), t, s, l, &now}
	return y
}

// coder is an agent, by a script.
func coder(name string, change ...func(*fake)) fake {
	f := named(name, "ACHIEVE(requirement.implementation)", func(f *fake) {
		f.contract.Role, f.contract.TimeoutMS = "coder", 60_000
		f.contract.Implementation = planning.Implementation{Means: planning.Exec, Argv: []string{"./" + name}, Stdin: planning.StdinPrompt}
	})
	for _, c := range change {
		c(&f)
	}
	return f
}

var toBuild = ob(planning.Achieve, "requirement.implementation", "id", "REQ-1")

func (y *yard) ask(caller Caller) Trace {
	y.t.Helper()
	trace, err := y.Conduct(y.t.Context(), caller, planning.Request{Obligations: []planning.Obligation{toBuild}})
	require.NoError(y.t, err)
	require.Zero(y.t, y.gate.inside, "whoever was let in is out")
	return trace
}

// Verifies: ORC-288
func TestAnAgentIsLetInForItsRun(t *testing.T) {
	y := yardOf(t, store.NewMemory(), coder("a.coder"))
	y.script("a.coder", `cat > prompt; echo "$ORCHESTRATOR_URL $ORCHESTRATOR_TOKEN $HOME" > environment; touch done; echo "built by $ORCHESTRATOR_TOKEN"; printf '\033[1m'`)
	trace := y.ask(ada)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	run := trace.Obligations[0].Runs[0]
	require.Equal(t, map[string]any{"text": "built by <ORCHESTRATOR_TOKEN>\n[1m"}, run.Result, "what it says is kept, without its token and what a terminal would obey")
	require.Equal(t, []contract.Verdict{{Condition: "ACHIEVE(requirement.implementation) of REQ-1 is done in the project", Holds: true},
		{Condition: "requirement.change confirms ACHIEVE(requirement.implementation)", Holds: true}}, run.Postconditions)
	require.Equal(t, []string{"a.coder as coder for REQ-1"}, y.gate.admitted)
	require.Equal(t, y.Clock().Add(time.Minute+tokenGrace), y.gate.until)
	require.Equal(t, []builtin.Briefing{{Role: "coder", Agent: "a.coder", URL: "http://127.0.0.1:1", Obligation: toBuild}}, y.project.briefings)
	y.file("prompt", "you are a.coder, coder")
	y.file("environment", "http://127.0.0.1:1 "+theToken)
	event := y.event(trace.ID, "o1/1/agent")
	require.Equal(t, "agent.admitted", event.Kind)
	require.Contains(t, event.What, "a.coder as coder by the token abcdef012345, with the prompt sha256:")
}

// Verifies: ORC-312
func TestAnAgentIsToldItsTrace(t *testing.T) {
	y := yardOf(t, store.NewMemory(), coder("a.coder"))
	y.script("a.coder", `echo "$TRACEPARENT" > trace`)
	y.ask(ada)
	y.file("trace", "\n")
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	_, err := y.Conduct(tracing.With(t.Context(), id), ada,
		planning.Request{Obligations: []planning.Obligation{toBuild}})
	require.NoError(t, err)
	y.file("trace", "00-"+id+"-")
}

func (y *yard) file(name, begins string) {
	y.t.Helper()
	content, err := os.ReadFile(filepath.Join(y.Root, name))
	require.NoError(y.t, err)
	require.True(y.t, strings.HasPrefix(string(content), begins), string(content))
}

func (y *yard) event(run, id string) (e state.Event) {
	y.t.Helper()
	require.NoError(y.t, y.state.View(y.t.Context(), func(v state.View) (err error) {
		e, _, err = v.Event(run, id)
		return err
	}))
	return e
}

// The project tells what an agent did, not the agent.
//
// Verifies: ORC-289
func TestWhatAnAgentSaysCountsForNothing(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		outcome planning.Outcome
		status  string
		reason  string
	}{
		"it did":                          {`touch done`, planning.OutResolved, "done", "succeeded"},
		"it says so":                      {`echo 'All is built and tested!'`, planning.OutFailed, "refused", "the work was not done: it still needs an implementation; it said: All is built and tested!"},
		"it fails":                        {`echo no >&2; exit 3`, planning.OutFailed, "failed", "it failed: a.coder ended with exit status 3; the end of its standard error: no"},
		"it fails, and had done its work": {`touch done; exit 3`, planning.OutResolved, "failed", "the project shows the work as done, although it failed: a.coder ended with exit status 3"},
	} {
		t.Run(name, func(t *testing.T) {
			y := yardOf(t, store.NewMemory(), coder("a.coder"))
			y.script("a.coder", c.script)
			trace := y.ask(ada)
			of := trace.Obligations[0]
			require.Equal(t, c.outcome, trace.Status)
			require.Equal(t, c.status, of.Runs[0].Status)
			require.Equal(t, c.reason, of.Candidates[0].Reason)
			if c.outcome == planning.OutFailed {
				attempts := of.Emitted[0].Obligation.Payload["attempts"].([]any)
				require.Equal(t, planning.Justify, of.Emitted[0].Obligation.Type)
				require.Contains(t, attempts[0].(map[string]any)["why"], "it still needs an implementation")
			}
		})
	}
}

// Verifies: ORC-289
func TestTheNextAgentTakesOver(t *testing.T) {
	y := yardOf(t, store.NewMemory(), coder("a.liar"), coder("b.coder"), coder("c.never"))
	y.script("a.liar", `echo done`)
	y.script("b.coder", `touch done`)
	y.script("c.never", `touch ran`)
	of := y.ask(Caller{Name: "ann", Role: "pm"}).Obligations[0]
	require.Equal(t, planning.OutResolved, of.Outcome)
	require.Equal(t, []string{"a.liar as coder for REQ-1", "b.coder as coder for REQ-1"}, y.gate.admitted)
	require.NoFileExists(t, filepath.Join(y.Root, "ran"))
}

// Verifies: ORC-289
func TestWhoMayHaveAgentsRun(t *testing.T) {
	for name, c := range map[string]struct {
		caller Caller
		change func(y *yard)
		reason string
	}{
		"another role":       {Caller{Name: "tim", Role: "tester"}, nil, "it acts as coder: use a token of that role, or of a pm"},
		"a viewer":           {Caller{Name: "vic", Role: "viewer"}, nil, "viewers cannot change anything: use a token of another role"},
		"an agent":           {Caller{Name: "a.coder", Role: "coder"}, nil, "agents change the project by PATCH /requirements/{id} alone, and keep nothing beyond their run"},
		"nobody lets it in":  {ada, func(y *yard) { y.Agents = nil }, "no project is served that agents could work on"},
		"there is no work":   {ada, func(y *yard) { y.touch("done") }, "the requirement is not waiting for this, but for ACHIEVE(requirement.status) by the pm"},
		"it is another's":    {ada, func(y *yard) { y.waits("tester") }, "it acts as coder, but this is work of the role tester"},
		"no such thing":      {ada, func(y *yard) { y.project.requirement.ID = "REQ-2" }, `there is no requirement "REQ-1"`},
		"no prompt":          {ada, func(y *yard) { y.project.unwritten = errors.New("no template") }, "it failed: no template"},
		"nobody is let in":   {ada, func(y *yard) { y.gate.refuse = errors.New("no more tokens") }, "it failed: no more tokens"},
		"it cannot be ended": {ada, func(y *yard) { y.gate.stuck = errors.New("no disk") }, "it failed: no disk"},
	} {
		t.Run(name, func(t *testing.T) {
			y := yardOf(t, store.NewMemory(), coder("a.coder"))
			y.script("a.coder", `true`)
			if c.change != nil {
				c.change(y)
			}
			trace := y.ask(c.caller)
			require.NotEqual(t, planning.OutResolved, trace.Status)
			require.Equal(t, c.reason, trace.Obligations[0].Candidates[0].Reason)
			plan, err := y.Plan(t.Context(), c.caller, planning.Request{Obligations: []planning.Obligation{toBuild}})
			require.NoError(t, err)
			if !strings.HasPrefix(c.reason, "it failed") {
				require.Equal(t, c.reason, plan.Obligations[0].Candidates[0].Reason, "a plan says the same")
				require.Empty(t, y.gate.admitted)
			}
		})
	}
}

func (y *yard) touch(name string) {
	require.NoError(y.t, os.WriteFile(filepath.Join(y.Root, name), nil, 0o600))
}

// waits has the requirement wait for an implementation by another role.
func (y *yard) waits(role string) {
	due := y.project.due
	y.project.due = func() []builtin.Work {
		all := due()
		all[0].Role = role
		return all
	}
}

// By HTTP the call has what programs find in their environment, and nothing that is recorded does.
func TestAnAgentOverHTTP(t *testing.T) {
	var y *yard
	var got outside.Call
	i := serving(t, func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&got)
		y.touch("done")
		answering(200, `{"echo":"`+theToken+`"}`)(w, r)
	})
	y = yardOf(t, store.NewMemory(), coder("a.coder", func(f *fake) { f.contract.Implementation = i }))
	trace := y.ask(ada)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	require.Equal(t, &outside.Endpoint{URL: "http://127.0.0.1:1", Token: theToken}, got.Orchestrator)
	require.Equal(t, "you are a.coder, coder", got.Prompt)
	require.Equal(t, map[string]any{"echo": "<ORCHESTRATOR_TOKEN>"}, trace.Obligations[0].Runs[0].Result)

	i = serving(t, answering(500, "the token "+theToken+" is bad"))
	y = yardOf(t, store.NewMemory(), coder("a.coder", func(f *fake) { f.contract.Implementation = i }))
	failed := y.ask(ada).Obligations[0].Runs[0].Error
	require.NotContains(t, failed.Detail, theToken)
}

// What an agent was to do is not waited for any more, since somebody else put the requirement aside: it has not done it.
func TestAnAgentWhoseWorkIsPutAside(t *testing.T) {
	for script, status := range map[string]string{`touch blocked; echo done`: "refused", `touch blocked; exit 3`: "failed"} {
		y := yardOf(t, store.NewMemory(), coder("a.coder"))
		y.project.due = func() []builtin.Work {
			if _, err := os.Stat(filepath.Join(y.Root, "blocked")); err == nil {
				y.project.requirement.Status = "blocked"
				return nil
			}
			return []builtin.Work{{Role: "coder", Obligation: toBuild, Needs: []string{"an implementation"}}}
		}
		y.script("a.coder", script)
		trace := y.ask(ada)
		require.Equal(t, planning.OutFailed, trace.Status)
		require.Equal(t, status, trace.Obligations[0].Runs[0].Status)
	}
}

// A tool of an MCP server is given the prompt as an argument, which no trace has.
func TestAnAgentOfAnMCPServer(t *testing.T) {
	i, process := calling(t, "echo")
	y := yardOf(t, store.NewMemory(), coder("a.coder", func(f *fake) { f.contract.Implementation = i }, withInput("id")))
	y.project.due = func() []builtin.Work {
		if _, err := os.Stat(process); err == nil {
			y.project.requirement.Parts = []string{"implementation"}
			return nil
		}
		return []builtin.Work{{Role: "coder", Obligation: toBuild, Needs: []string{"an implementation"}}}
	}
	trace := y.ask(ada)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	run := trace.Obligations[0].Runs[0]
	require.Equal(t, map[string]any{"id": "REQ-1", "prompt": "you are a.coder, coder"}, run.Result["got"])
	require.Equal(t, map[string]any{"id": "REQ-1"}, run.Inputs)
	requireGone(t, process)
}

// An agent whose run was cut off is not run again; whether it did its work is done in the project.
//
// Verifies: ORC-289
func TestAnAgentThatWasCutOff(t *testing.T) {
	for did, want := range map[bool]planning.Outcome{true: planning.OutResolved, false: planning.OutFailed} {
		s := store.NewMemory()
		y := yardOf(t, s, coder("a.coder"))
		y.script("a.coder", `touch begun; sleep 30`)
		go func() {
			for {
				if _, err := os.Stat(filepath.Join(y.Root, "begun")); err == nil {
					y.stop()
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		_, err := y.Conduct(t.Context(), ada, planning.Request{Obligations: []planning.Obligation{toBuild}})
		require.Error(t, err)
		require.Zero(t, y.gate.inside)
		y = yardOf(t, s, coder("a.coder"), coder("b.coder"))
		y.script("a.coder", `touch done`)
		y.script("b.coder", `touch done`)
		if did {
			y.touch("done")
		}
		working, err := y.ActiveRun(t.Context(), "REQ-1")
		require.NoError(t, err)
		require.NotEmpty(t, working)
		other, err := y.ActiveRun(t.Context(), "REQ-2")
		require.NoError(t, err)
		require.Empty(t, other)
		left, err := y.Unfinished(t.Context())
		require.NoError(t, err)
		trace, err := y.Resume(t.Context(), left[0])
		require.NoError(t, err)
		require.Equal(t, want, trace.Status)
		require.Equal(t, "outcome_unknown", string(trace.Obligations[0].Runs[0].Error.Code))
		require.Empty(t, y.gate.admitted)
		used, err := y.Used.Page(t.Context(), account.Query{Limit: 1})
		require.NoError(t, err)
		require.Equal(t, []account.Entry{{Key: account.Key{Requirement: "REQ-1", Actor: "a.coder", Caller: "ada"},
			Sum: account.Sum{Runs: 1, Unreported: 1, Uncosted: 1}}}, used.Entries, "it is known to have begun, and not what it used")
		working, err = y.ActiveRun(t.Context(), "REQ-1")
		require.NoError(t, err)
		require.Empty(t, working)
	}
}

// What an agent answers is recorded without secrets, however it spells them.
//
// Verifies: ORC-288
func TestWhatAnAgentAnswersIsKeptWithoutSecrets(t *testing.T) {
	y := yardOf(t, store.NewMemory(), coder("a.coder", func(f *fake) { f.contract.Implementation.Stdin = "" }))
	other := "orc_pm_" + "MFZWI3DBNRSXG5DFMQ4DKNBQGA"
	y.script("a.coder", `touch done; printf '%s' '{"x":"\u006f`+theToken[1:]+`","y":["`+other+`"],"`+other+`":{"z":"`+"AKIA"+"Z7Q3W2X5B4N6M8K1"+`"},"n":12345678901234567890}'`)
	trace := y.ask(ada)
	require.Equal(t, planning.OutResolved, trace.Status, trace.Obligations[0].Why)
	raw, err := y.Trace(t.Context(), trace.ID)
	require.NoError(t, err)
	for _, secret := range []string{theToken, other, "Z7Q3W2X5B4N6M8K1"} {
		require.NotContains(t, string(raw), secret)
	}
	require.Contains(t, string(raw), "12345678901234567890")
}

// Agents wait for no tool: they may have asked for it.
func TestAgentsAndToolsDoNotWaitForEachOther(t *testing.T) {
	y := yardOf(t, store.NewMemory(), coder("a.coder"))
	y.script("a.coder", `touch done`)
	for range maxConcurrent {
		y.toolSlots <- struct{}{}
	}
	require.Equal(t, planning.OutResolved, y.ask(ada).Status)
}

// Of an agent that says much, the end is kept; what a program of the usual kind would be refused for.
func TestTheEndOfALongSpeechIsKept(t *testing.T) {
	y := yardOf(t, store.NewMemory(), coder("a.coder"))
	y.script("a.coder", `touch done; yes hello | head -c 100000; echo the end`)
	text := y.ask(ada).Obligations[0].Runs[0].Result["text"].(string)
	require.LessOrEqual(t, len(text), outside.MaxText)
	require.True(t, strings.HasSuffix(text, "the end"))
}
