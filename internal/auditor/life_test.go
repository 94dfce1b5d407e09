package auditor

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// step is one thing that happens to a service: a change, an import, a day that passes, or a choice of the operator.
type step struct {
	who      lifecycle.Actor
	id, body string
	key      string // Idempotency-Key
	document string // imported
	forget   bool   // a day passes, and old keys are forgotten
	workflow lifecycle.Workflow
	branch   string // evidence is looked up from here on, and counts when this branch has it
	report   string // attached by tess
	recheck  bool   // evidence is looked at again; what counted lies elsewhere now, and the other way round
}

var (
	paula = lifecycle.Actor{Name: "paula", Role: lifecycle.PM}
	archy = lifecycle.Actor{Name: "archy", Role: lifecycle.Architect}
	cody  = lifecycle.Actor{Name: "cody", Role: lifecycle.Coder}
	tess  = lifecycle.Actor{Name: "tess", Role: lifecycle.Tester}
)

// remark is a free text in a step that nothing later depends on.
const remark = "as we agreed on the phone"

func move(to lifecycle.Status, more string) string {
	return fmt.Sprintf(`{"status":%q,"justification":{"reason":"because","evidence":[{"kind":"commit","commit":"abcdef1"}]}%s}`, to, more)
}

// walk takes one requirement to done, with refusals on the way.
func walk(id string) []step {
	return []step{
		{who: paula, id: id, body: move(lifecycle.Planned, ""), key: "plan " + id},
		{who: paula, id: id, body: move(lifecycle.Planned, ""), key: "plan " + id}, // given again: leaves no record
		{who: cody, id: id, body: move(lifecycle.Done, "")},                        // refused
		{who: paula, id: id, body: move(lifecycle.DesignInProgress, "")},
		{who: archy, id: id, body: `{"design_spec":{"summary":"a form"}}`},
		{who: paula, id: id, body: `{"pm_notes":[{"text":"` + remark + `"}]}`},
		{who: paula, id: id, body: move(lifecycle.DesignReady, "")},
		{who: paula, id: id, body: move(lifecycle.Done, "")}, // refused
		{who: paula, id: id, body: move(lifecycle.ImplementationInProgress, "")},
		{who: cody, id: id, body: `{"implementation":{"summary":"done","commits":["abcdef1"]}}`, key: "code " + id},
		{who: paula, id: id, body: `{"status":`}, // refused before it is a change
		{who: paula, id: id, body: move(lifecycle.Implemented, "")},
		{who: paula, id: id, body: move(lifecycle.TestInProgress, "")},
		{who: tess, id: id, body: `{"test":{"results":{"passed":2,"failed":0},"evidence":[{"kind":"test","name":"TestLogin","result":"pass"}]}}`},
		{who: tess, id: id, body: move(lifecycle.TestedPass, "")},
		{who: paula, id: id, body: `{"pm_notes":[{"text":"` + remark + ` again"}]}`, key: "note " + id},
		{who: paula, id: id, body: move(lifecycle.Done, `,"approvals":[{"decision":"approved","text":"as required"}]`)},
		{who: cody, id: id, body: `{"implementation":null}`}, // sealed: refused
	}
}

// document has n requirements; one that is long makes its import too large for a record.
func document(n int, long bool) string {
	text := "# Shop\n\n"
	for i := range n {
		text += fmt.Sprintf("- **REQ-%03d**: A customer can do thing %d.\n", i+1, i+1)
	}
	if long {
		text += "- **REQ-900**: " + strings.Repeat("a very long text ", 4000) + "\n"
	}
	return text
}

const documented = 14

// edits is how often the document is edited after each requirement is done: most records are of that, since they cost
// the least to decide again, and the tests do that some ten thousand times.
const edits = 30

// life is what happens in the log that the tests tamper with: more than 600 records.
func life() []step {
	steps := []step{{document: document(3, false)}, {document: document(documented, true)}}
	for i := range documented {
		steps = append(steps, walk(fmt.Sprintf("REQ-%03d", i+1))...)
		switch i {
		case 4:
			steps = append(steps, step{document: document(documented, false)}) // retires one
		case 8:
			steps = append(steps, step{forget: true})
		case 10:
			steps = append(steps, step{branch: "main"})
		case 11:
			steps = append(steps, step{id: "REQ-014", report: green}, step{id: "REQ-014", report: green + "\n"},
				step{recheck: true}, step{branch: "next"}, step{recheck: true})
		case 12:
			steps = append(steps, step{workflow: lifecycle.Rework}, step{who: paula, id: "REQ-014", body: move(lifecycle.Blocked, "")})
		}
		for n := range edits {
			steps = append(steps, step{document: document(documented, false) + fmt.Sprintf("- **REQ-500**: Draft %d of %d.\n", n, i)})
		}
	}
	return steps
}

const green = `<testsuite timestamp="2026-01-01T00:00:00Z"><testcase name="TestThing_REQ014" time="0.5"/></testsuite>`

var dawn = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// living is a service on a store in memory whose clock is the number of steps that it has taken.
type living struct {
	t       testing.TB
	store   *store.Memory
	signer  audit.Signer
	ledger  *ledger.Ledger
	service *requirements.Service
	taken   int
	now     time.Time
	seer    *seer // nil while nothing is looked up
}

func signerOf(t testing.TB, origin, seed string) audit.Signer {
	t.Helper()
	private, err := audit.GenerateKey(strings.NewReader(strings.Repeat(seed, 64)), origin)
	require.NoError(t, err)
	signer, err := audit.ParseSigner(private)
	require.NoError(t, err)
	return signer
}

// born opens a service on a store.
func born(t testing.TB, s *store.Memory, signer audit.Signer, taken int) *living {
	t.Helper()
	l := &living{t: t, store: s, signer: signer, taken: taken}
	l.tick()
	l.open()
	return l
}

func (l *living) tick() { l.now = dawn.Add(time.Duration(l.taken) * 10 * time.Minute) }

func (l *living) open() {
	l.t.Helper()
	clock := func() time.Time { return l.now }
	var err error
	l.ledger, err = ledger.Open(context.Background(), l.store, clock)
	require.NoError(l.t, err)
	options := requirements.Options{Signer: l.signer}
	if l.seer != nil {
		options.Evidence, options.Repository, options.Branch = projection.EvidenceVerified, l.seer, l.seer.chosen
	}
	l.service, err = requirements.Open(context.Background(), l.ledger, clock, options)
	require.NoError(l.t, err)
}

// seer is a repository that has whatever is cited.
type seer struct {
	chosen    string
	now       func() time.Time
	elsewhere bool // all commits
}

var tip = strings.Repeat("c", 40)

func (s *seer) Look(_ context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	found := &lifecycle.Found{In: lifecycle.InCommit, Commit: tip}
	if e.Kind == lifecycle.EvidenceTest {
		digest := ledger.Digest([]byte(s.now().String()))
		*found = lifecycle.Found{In: lifecycle.InWorktree, Commit: tip, Tip: true, SHA256: digest, Run: digest, Bytes: 99,
			Modified: s.now(), Format: "junit", Counts: &lifecycle.Results{Run: 2, Passed: 2}}
	}
	return found, nil
}

func (s *seer) Recheck(_ context.Context, subjects []evidence.Subject) (evidence.Checked, error) {
	all := evidence.Checked{Standings: make([][]evidence.Standing, len(subjects)), Fixed: make([]bool, len(subjects))}
	for i, subject := range subjects {
		all.Standings[i] = make([]evidence.Standing, len(subject.Cited))
		for k := range all.Standings[i] {
			if s.elsewhere {
				all.Standings[i][k] = evidence.Standing{Reason: lifecycle.Elsewhere, Detail: "it is on another branch"}
			}
		}
	}
	return all, nil
}

func (s *seer) Base(string) string { return "" }

func (s *seer) Dirty(context.Context, []string) (map[string]bool, error) { return nil, nil }
func (s *seer) Show(context.Context, string, lifecycle.Evidence, evidence.Standing) evidence.Shown {
	return evidence.Shown{}
}
func (s *seer) Follow(branch string)                       { s.chosen = branch }
func (s *seer) HeadBranch(context.Context) (string, error) { return "main", nil }
func (s *seer) Tip(context.Context) (string, error)        { return tip, nil }

// live takes steps. What the service refuses is a step like any other.
func (l *living) live(steps ...step) {
	l.t.Helper()
	ctx := context.Background()
	for _, s := range steps {
		l.taken++
		l.tick()
		var err error
		switch {
		case s.document != "":
			files := []reqdoc.File{{Path: "REQUIREMENTS.md", Content: []byte(s.document)}}
			_, err = l.service.Import(ctx, paula, func() ([]reqdoc.File, error) { return files, nil }, requirements.ImportOptions{})
		case s.forget:
			_, err = l.service.ForgetKeys(ctx)
		case s.workflow.Name != "":
			_, err = l.service.SwitchWorkflow(ctx, choices.Switch{By: paula, To: s.workflow.Name, Reason: "work must return"}, requirements.Refused{Request: "PUT /workflow"})
		case s.branch != "":
			l.see(s)
			l.open()
		case s.report != "":
			_, err = l.service.Attach(ctx, tess, requirements.Proposal{Request: "POST", ID: s.id, Body: []byte(s.report)}, requirements.AttachOptions{})
		case s.recheck:
			l.see(s)
			_, err = l.service.Recheck(ctx)
		default:
			_, _ = l.service.Patch(ctx, s.who, requirements.Proposal{Request: "PATCH /requirements/{id}", ID: s.id, Body: []byte(s.body), IdempotencyKey: s.key, RequestID: fmt.Sprint("r", l.taken)})
		}
		require.NoError(l.t, err)
	}
}

// see takes over what a step makes of the repository.
func (l *living) see(s step) {
	switch {
	case s.branch != "":
		l.seer = &seer{chosen: s.branch, now: func() time.Time { return l.now }, elsewhere: l.seer != nil && l.seer.elsewhere}
	case s.recheck:
		l.seer.elsewhere = !l.seer.elsewhere
	}
}

func (l *living) size() uint64 { return l.ledger.Head().Size }
