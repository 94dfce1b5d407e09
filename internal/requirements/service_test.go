package requirements

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"orchestrator/internal/auditor/replay"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/lookup"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	paula = lifecycle.Actor{Name: "paula", Role: lifecycle.PM}
	archy = lifecycle.Actor{Name: "archy", Role: lifecycle.Architect}
	cody  = lifecycle.Actor{Name: "cody", Role: lifecycle.Coder}
	tess  = lifecycle.Actor{Name: "tess", Role: lifecycle.Tester}
)

const twoRequirements = "# Demo\n\n- **REQ-001**: The login works.\n- **REQ-002**: The logout works.\n"

// clock is wound by hand.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *clock) wind(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// rig is a service on a memory store, with its export in a folder of its own.
type rig struct {
	*Service
	t      *testing.T
	store  store.Store
	clock  *clock
	export string
	stop   func() // ends Run in order; may be called twice
}

func start(t *testing.T, s store.Store, change ...func(*Options)) *rig {
	t.Helper()
	options := Options{Workflow: lifecycle.V1, ExportPath: filepath.Join(t.TempDir(), "project_status.json"), ExportWait: time.Minute}
	for _, c := range change {
		c(&options)
	}
	r := &rig{t: t, store: s, clock: newClock(), export: options.ExportPath}
	l, err := ledger.Open(t.Context(), s, r.clock.read)
	require.NoError(t, err)
	r.Service, err = Open(t.Context(), l, r.clock.read, options)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = r.Run(ctx) }()
	r.stop = func() { stop(); <-done }
	t.Cleanup(r.stop)
	return r
}

func (r *rig) importText(text string) (drift.Report, error) {
	r.t.Helper()
	return r.Import(r.t.Context(), paula, reading(reqdoc.File{Path: "REQUIREMENTS.md", Content: []byte(text)}), ImportOptions{})
}

func reading(files ...reqdoc.File) func() ([]reqdoc.File, error) {
	return func() ([]reqdoc.File, error) { return files, nil }
}

func (r *rig) mustImport(text string) drift.Report {
	r.t.Helper()
	report, err := r.importText(text)
	require.NoError(r.t, err)
	return report
}

// review is the review of the project, without documents on disk.
func (r *rig) review() review.Project {
	r.t.Helper()
	return r.reviewWith(reading())
}

// reviewWith reviews the project with these documents on disk.
func (r *rig) reviewWith(documents func() ([]reqdoc.File, error)) review.Project {
	r.t.Helper()
	project, err := r.Review(r.t.Context(), documents)
	require.NoError(r.t, err)
	return project.Project()
}

func (r *rig) patch(who lifecycle.Actor, id, body string) (Answer, error) {
	r.t.Helper()
	return r.Patch(r.t.Context(), who, Proposal{ID: id, Body: []byte(body), RequestID: "r"})
}

func (r *rig) must(who lifecycle.Actor, id, body string) Answer {
	r.t.Helper()
	answer, err := r.patch(who, id, body)
	require.NoError(r.t, err)
	return answer
}

func (r *rig) refused(who lifecycle.Actor, id, body, code string) *fault.Error {
	r.t.Helper()
	_, err := r.patch(who, id, body)
	return requireCode(r.t, err, code)
}

func requireCode(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	require.Equal(t, code, string(f.Code), f.Error())
	require.NotEmpty(t, f.Fix)
	return f
}

// verified stops nothing: it opens the store a second time and verifies it against the export of now.
func (r *rig) verified() replay.Verified {
	r.t.Helper()
	var export bytes.Buffer
	_, write := r.Project()
	require.NoError(r.t, write(&export))
	return r.verifiedAgainst(export.Bytes())
}

func (r *rig) verifiedAgainst(export []byte) replay.Verified {
	r.t.Helper()
	l, err := ledger.OpenReadOnly(r.t.Context(), r.store)
	require.NoError(r.t, err)
	v, err := replay.Verify(r.t.Context(), l, projection.ExportOf(export), nil)
	require.NoError(r.t, err)
	return v
}

func move(to lifecycle.Status, more ...string) string {
	body := fmt.Sprintf(`{"status":%q,"justification":{"reason":"because","evidence":[{"kind":"commit","commit":"abcdef1"}]}`, to)
	return strings.Join(append([]string{body}, more...), ",") + "}"
}

const (
	designed    = `{"design_spec":{"summary":"a form"}}`
	implemented = `{"implementation":{"summary":"done","commits":["abcdef1"]}}`
	passed      = `"test":{"results":{"passed":2,"failed":0},"evidence":[{"kind":"test","name":"TestLogin","result":"pass"}]}`
	approved    = `"approvals":[{"decision":"approved","text":"as required"}]`
)

// bringToTestedPass walks a requirement up to the sign-off.
func (r *rig) bringToTestedPass(id string) {
	r.t.Helper()
	r.must(paula, id, move(lifecycle.Planned))
	r.must(paula, id, move(lifecycle.DesignInProgress))
	r.must(archy, id, designed)
	r.must(paula, id, move(lifecycle.DesignReady))
	r.must(paula, id, move(lifecycle.ImplementationInProgress))
	r.must(cody, id, implemented)
	r.must(paula, id, move(lifecycle.Implemented))
	r.must(paula, id, move(lifecycle.TestInProgress))
	r.must(tess, id, move(lifecycle.TestedPass, passed))
}

// Verifies: ORC-014, ORC-016
func TestAWholeLife(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	f := r.refused(paula, "REQ-001", move(lifecycle.Done), "gate_unmet")
	require.Equal(t, "approval", string(f.Fields[0].Code))
	answer := r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	require.Equal(t, uint64(11), answer.Revision)
	r.refused(cody, "REQ-001", implemented, "sealed")
	require.Equal(t, replay.Verified{Records: r.State().LogSize, Root: r.ledger.Head().Root, Requirements: 2, Export: "matches"}, r.verified())

	page, err := r.History(t.Context(), "REQ-001", 0, 100)
	require.NoError(t, err)
	require.Equal(t, uint64(12), page.Total, "ten changes and two refusals")
}

// Verifies: ORC-001
func TestImportDrift(t *testing.T) {
	r := start(t, store.NewMemory())
	report := r.mustImport(twoRequirements)
	require.Equal(t, []drift.Added{
		{ID: "REQ-001", Title: "The login works.", Place: drift.Place{Path: "REQUIREMENTS.md", Line: 3}}, {ID: "REQ-002", Title: "The logout works.", Place: drift.Place{Path: "REQUIREMENTS.md", Line: 4}},
	}, report.Added)
	size := r.State().LogSize
	require.Equal(t, 2, r.mustImport(twoRequirements).Unchanged)
	require.Equal(t, size, r.State().LogSize, "an import that changes nothing writes nothing")

	r.must(paula, "REQ-001", move(lifecycle.Planned))
	report = r.mustImport("# Demo\n\n- **REQ-001**: The login works well.\n- **REQ-003**: More.\n")
	require.Equal(t, []drift.Changed{{ID: "REQ-001", Place: drift.Place{Path: "REQUIREMENTS.md", Line: 3}, Suspect: true, Stale: []string{}, Diff: []drift.Edit{
		{Op: "equal", Text: "The login"}, {Op: "delete", Text: "works."}, {Op: "insert", Text: "works well."},
	}}}, report.Changed)
	require.Equal(t, "REQ-003", report.Added[0].ID)
	require.Equal(t, []drift.Retired{{ID: "REQ-002", Title: "The logout works.", Status: lifecycle.NotStarted, Strands: []string{}}}, report.Retired)
	list, err := r.List(lookup.Query{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []string{"REQ-001", "REQ-003", "REQ-002"}, ids(list), "document order, then what was removed")
	require.True(t, list.Requirements[0].Suspect)
	require.True(t, list.Requirements[2].Retired)

	report = r.mustImport(twoRequirements)
	require.Equal(t, []string{"REQ-002"}, report.Restored)
	require.Equal(t, "REQ-003", report.Retired[0].ID)
	require.Empty(t, r.mustImport(twoRequirements).Retired, "it was reported once, and nobody must act")
	sources := r.current.Load().Project.Sources
	require.Equal(t, 2, r.mustImport(twoRequirements+"\n").Unchanged)
	require.NotEqual(t, sources, r.current.Load().Project.Sources, "other bytes, same requirements")

	report = r.mustImport("# Demo\n\nAn introduction.\n\n- **REQ-001**: The login works.\n- **REQ-002**: The logout works.\n")
	require.Equal(t, []drift.Moved{
		{ID: "REQ-001", Place: drift.Place{Path: "REQUIREMENTS.md", Line: 5}, From: drift.Place{Path: "REQUIREMENTS.md", Line: 3}},
		{ID: "REQ-002", Place: drift.Place{Path: "REQUIREMENTS.md", Line: 6}, From: drift.Place{Path: "REQUIREMENTS.md", Line: 4}},
	}, report.Moved)
	r.verified()
}

func ids(l lookup.List) (out []string) {
	for _, s := range l.Requirements {
		out = append(out, s.ID)
	}
	return out
}

// Verifies: ORC-005
func TestASuspectRequirementCannotBecomeDone(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.bringToTestedPass("REQ-001")
	r.mustImport(strings.Replace(twoRequirements, "login", "sign-in", 1))
	f := r.refused(paula, "REQ-001", move(lifecycle.Done, approved), "gate_unmet")
	require.Equal(t, []string{"test_on_current_text", "not_suspect"}, []string{string(f.Fields[0].Code), string(f.Fields[1].Code)})

	next, err := r.Next("REQ-001", paula, "")
	require.NoError(t, err)
	r.refused(paula, "REQ-001", `{"accept_fingerprint":"sha256:`+strings.Repeat("0", 64)+`","pm_notes":[{"text":"read"}]}`, "fingerprint_mismatch")
	r.must(paula, "REQ-001", `{"accept_fingerprint":"`+next.Fingerprint+`","pm_notes":[{"text":"read"}]}`)
	r.must(tess, "REQ-001", "{"+passed+"}")
	r.must(paula, "REQ-001", move(lifecycle.Done, approved))
	r.verified()
}

// Verifies: ORC-003
func TestARefusedImportLeavesTheState(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	size := r.State().LogSize
	for text, code := range map[string]string{
		"":                                     "no_requirements",
		"# Nothing with an id\n":               "no_requirements",
		"- **REQ-001**: a\n- **REQ-001**: b\n": "document_invalid",
		"- **REQ-001**: \xff\n":                "document_encoding",
	} {
		_, err := r.importText(text)
		requireCode(t, err, code)
		require.Equal(t, fault.Code(code), r.reviewImport().Problem.Code)
	}
	_, err := r.Import(t.Context(), paula, reading(
		reqdoc.File{Path: "A.md", Content: []byte(twoRequirements)}, reqdoc.File{Path: "B.md", Content: []byte("- **REQ-002**: again\n")},
	), ImportOptions{})
	requireCode(t, err, "document_invalid")
	require.Equal(t, size, r.State().LogSize)
	_, err = r.Import(t.Context(), paula, func() ([]reqdoc.File, error) { return nil, os.ErrNotExist }, ImportOptions{})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Equal(t, fault.Code("internal"), r.reviewImport().Problem.Code, "not a fault, so no word of it is shown")
	r.mustImport(twoRequirements)
	require.Empty(t, r.State().Import)
}

// Verifies: ORC-025
func TestDryRuns(t *testing.T) {
	r := start(t, store.NewMemory())
	report, err := r.Import(t.Context(), paula, reading(reqdoc.File{Path: "R.md", Content: []byte(twoRequirements)}), ImportOptions{DryRun: true})
	require.NoError(t, err)
	require.True(t, report.DryRun)
	require.Len(t, report.Added, 2)
	require.Zero(t, r.State().Requirements)
	r.mustImport(twoRequirements)
	size := r.State().LogSize

	answer, err := r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned)), DryRun: true})
	require.NoError(t, err)
	require.Contains(t, string(answer.Requirement), `"status":"planned"`)
	for body, code := range map[string]string{move(lifecycle.Done): "illegal_transition", `{`: "json_syntax"} {
		_, err = r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(body), DryRun: true})
		requireCode(t, err, code)
	}
	require.Equal(t, size, r.State().LogSize, "a question is not a decision: nothing is recorded")
	real := r.must(paula, "REQ-001", move(lifecycle.Planned))
	require.Equal(t, len(answer.Requirement), len(real.Requirement))
}

// Verifies: ORC-023
func TestIdempotency(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	send := func(who lifecycle.Actor, key, body string) (Answer, error) {
		return r.Patch(t.Context(), who, Proposal{ID: "REQ-001", Body: []byte(body), IdempotencyKey: key})
	}
	first, err := send(paula, "k1", move(lifecycle.Planned))
	require.NoError(t, err)
	size := r.State().LogSize
	again, err := send(paula, "k1", move(lifecycle.Planned))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Requirement, again.Requirement)
	require.Equal(t, size, r.State().LogSize)

	_, err = send(paula, "k1", move(lifecycle.Blocked))
	requireCode(t, err, "idempotency_key_reused")
	_, err = send(tess, "k1", "{"+passed+"}")
	require.NoError(t, err, "a key belongs to an actor")

	_, err = send(paula, "k2", move(lifecycle.Done))
	requireCode(t, err, "illegal_transition")
	replay, err := send(paula, "k2", move(lifecycle.Done))
	requireCode(t, err, "illegal_transition")
	require.True(t, replay.Replayed, "a refusal is an answer too")
	_, err = r.Patch(t.Context(), paula, Proposal{
		ID: "REQ-001", Body: []byte(move(lifecycle.Done)), IdempotencyKey: "k3", DryRun: true,
	})
	requireCode(t, err, "illegal_transition")
	require.NotContains(t, fault.As(err).Fix, "Idempotency-Key", "a dry run keeps no key")
	r.verified()

	r.clock.wind(record.KeepKeys)
	n, err := r.ForgetKeys(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, n)
	n, err = r.ForgetKeys(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	answer, err := send(paula, "k1", move(lifecycle.Blocked))
	require.NoError(t, err)
	require.False(t, answer.Replayed)
	r.verified()
}

func TestAnExpiredKeyIsNewEvenBeforeItIsSwept(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	p := Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Planned)), IdempotencyKey: "k"}
	_, err := r.Patch(t.Context(), paula, p)
	require.NoError(t, err)
	r.clock.wind(record.KeepKeys)
	p.IfMatch = []string{"1"}
	answer, err := r.Patch(t.Context(), paula, p)
	require.NoError(t, err)
	require.False(t, answer.Replayed)
	require.True(t, answer.Unchanged)
	r.verified()
}

func TestAReplayShowsWhatItsAnswerSays(t *testing.T) {
	r := start(t, store.NewMemory(), func(o *Options) { o.ExportWait = 0 })
	r.mustImport(twoRequirements)
	for round := range 200 {
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				answer, err := r.Patch(context.Background(), cody, Proposal{ID: "REQ-001", Body: []byte(implemented), IdempotencyKey: fmt.Sprint(round)})
				if err != nil {
					t.Error(err)
					return
				}
				if next, err := r.Next("REQ-001", cody, ""); err != nil || next.Revision < answer.Revision {
					t.Errorf("answered revision %d, and shows %d: %v", answer.Revision, next.Revision, err)
				}
			})
		}
		running.Wait()
	}
}

func TestAReplayedRefusalSaysHowToGoOn(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	p := Proposal{ID: "REQ-001", Body: []byte(move(lifecycle.Done)), IdempotencyKey: "k"}
	_, err := r.Patch(t.Context(), paula, p)
	require.Contains(t, requireCode(t, err, "illegal_transition").Fix, "new Idempotency-Key")
	_, err = r.Patch(t.Context(), paula, p)
	require.Contains(t, requireCode(t, err, "illegal_transition").Fix, "with a new key")
	p.Body = []byte(move(lifecycle.Planned))
	_, err = r.Patch(t.Context(), paula, p)
	f := requireCode(t, err, "idempotency_key_reused")
	require.Equal(t, "not_started", f.Current.Status)
	require.NotEmpty(t, f.Allowed)
	r.verified()
}

func TestRefusalsCannotFillTheDisk(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	large := `{"implementation":{"summary":"` + strings.Repeat("x", 10_000) + `"}}`
	before := r.State().LogSize
	r.refused(tess, "REQ-001", large, "field_forbidden")
	_, err := r.Patch(t.Context(), tess, Proposal{ID: "REQ-001", Body: []byte(large), IdempotencyKey: "k"})
	requireCode(t, err, "field_forbidden")
	page, err := r.Audit(t.Context(), before, 10)
	require.NoError(t, err)
	for _, record := range page.Records {
		require.Less(t, len(record), 2000)
		require.Contains(t, string(record), `"omitted":{"sha256":"`)
	}
	r.verified()
}

func TestARequirementCannotGrowForEver(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	note := `{"text":"` + strings.Repeat("n", 19_000) + `"}`
	large := `{"pm_notes":[` + strings.TrimSuffix(strings.Repeat(note+",", 50), ",") + `]}`
	r.must(paula, "REQ-001", large)
	f := r.refused(paula, "REQ-001", large, "requirement_full")
	require.NotNil(t, f.Current)
	require.Equal(t, "/pm_notes", f.Fields[0].Pointer)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	r.verified()
}

// TestEveryRoleFieldAndForm sends every field in every form as every role: its own in a good form is taken, null
// clears what can be cleared, everything else is against the schema, and what is another's is forbidden.
//
// Verifies: ORC-011
func TestEveryRoleFieldAndForm(t *testing.T) {
	good := map[string]string{
		"status": "", "pm_notes": `[{"text":"n"}]`, "deviations": `[{"id":"D","text":"t"}]`, "approvals": `[{"decision":"approved"}]`,
		"accept_fingerprint": "", "design_spec": `{"summary":"s"}`, "implementation": `{"summary":"s"}`, "test": `{"plan":"p"}`, "justification": "",
	}
	clears := map[string]bool{"design_spec": true, "implementation": true, "test": true}
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	for field, set := range good {
		for _, role := range lifecycle.Roles() {
			for form, value := range map[string]string{"set": set, "null": "null", "nested": `{"a":{"b":[1]}}`, "wrong type": "7"} {
				if value == "" {
					continue // the table of moves and other tests send it
				}
				want := "schema_violation"
				switch {
				case !slices.Contains(lifecycle.FieldsOf(role), field):
					want = "field_forbidden"
				case form == "set", form == "null" && clears[field]:
					want = ""
				}
				_, err := r.Patch(t.Context(), lifecycle.Actor{Name: "x", Role: role}, Proposal{ID: "REQ-001", Body: fmt.Appendf(nil, `{%q:%s}`, field, value), DryRun: true})
				got := ""
				if f := fault.As(err); f != nil {
					got = string(f.Code)
				}
				require.Equal(t, want, got, "%s sends %s %s", role, field, form)
			}
		}
	}
}

// Verifies: ORC-024
func TestConditions(t *testing.T) {
	r := start(t, store.NewMemory(), func(o *Options) { o.RequireIfMatch = true })
	r.mustImport(twoRequirements)
	send := func(tags ...string) error {
		_, err := r.Patch(t.Context(), paula, Proposal{ID: "REQ-001", Body: []byte(`{"pm_notes":[{"text":"n"}]}`), IfMatch: tags})
		return err
	}
	require.ErrorIs(t, send(), fault.NeedsCondition)
	require.NoError(t, send("1"))
	f := requireCode(t, send("1"), "stale_revision")
	require.Equal(t, uint64(2), f.Current.Revision)
	require.NoError(t, send("7", "2"))
	require.NoError(t, send("*"))
	requireCode(t, send(`W/"4"`), "stale_revision")
	r.verified()
}

// TestLostUpdates: of many changes with the same condition exactly one is applied.
//
// Verifies: ORC-024
func TestLostUpdates(t *testing.T) {
	r := start(t, store.NewMemory(), func(o *Options) { o.ExportWait = 0 })
	r.mustImport(twoRequirements)
	var running sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 32 {
		running.Go(func() {
			_, err := r.Patch(context.Background(), cody, Proposal{
				ID: "REQ-001", IfMatch: []string{"1"}, Body: fmt.Appendf(nil, `{"implementation":{"summary":"by %d"}}`, i),
			})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else {
				requireCode(t, err, "stale_revision")
			}
		})
	}
	running.Wait()
	require.Equal(t, 1, won)
	r.verified()
}

// Verifies: ORC-007
func TestUnknownIDsGetAHint(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	for _, id := range []string{"req-001", "REQ_001", "REQ001", "REQ\u2010001"} {
		_, err := r.Requirement(id)
		f := requireCode(t, err, "unknown_requirement")
		require.Contains(t, f.Fix, "REQ-001", id)
	}
	r.refused(paula, "REQ-009", move(lifecycle.Planned), "unknown_requirement")
	r.refused(paula, "REQ-\x00", move(lifecycle.Planned), "invalid_id")
	r.verified()
}

func TestList(t *testing.T) {
	r := start(t, store.NewMemory())
	var text strings.Builder
	for i := range 600 {
		fmt.Fprintf(&text, "- **REQ-%03d**: number %d\n", i, i)
	}
	r.mustImport(text.String())
	r.must(paula, "REQ-007", move(lifecycle.Planned))
	r.must(paula, "REQ-007", move(lifecycle.DesignInProgress))
	yes := true
	for _, c := range []struct {
		q    lookup.Query
		want []string
		all  int
	}{
		{lookup.Query{Status: lifecycle.DesignInProgress, Limit: 5}, []string{"REQ-007"}, 1},
		{lookup.Query{Role: lifecycle.Architect, Limit: 5}, []string{"REQ-007"}, 1},
		{lookup.Query{Role: lifecycle.Coder, Limit: 5}, nil, 0},
		{lookup.Query{Text: "NUMBER 59", Limit: 2}, []string{"REQ-059", "REQ-590"}, 11},
		{lookup.Query{Text: "req-599", Limit: 2}, []string{"REQ-599"}, 1},
		{lookup.Query{Suspect: &yes, Limit: 2}, nil, 0},
		{lookup.Query{Retired: &yes, Limit: 2}, nil, 0},
		{lookup.Query{After: "REQ-597", Limit: 9}, []string{"REQ-598", "REQ-599"}, 600},
	} {
		list, err := r.List(c.q)
		require.NoError(t, err)
		require.Equal(t, c.want, ids(list))
		require.Equal(t, c.all, list.Total)
	}
	_, err := r.List(lookup.Query{After: "nobody", Limit: 1})
	requireCode(t, err, "unknown_cursor")

	var walked []string
	for after := ""; ; {
		page, err := r.List(lookup.Query{After: after, Limit: 250})
		require.NoError(t, err)
		walked = append(walked, ids(page)...)
		if after = page.After; after == "" {
			break
		}
	}
	require.Len(t, walked, 600)
}

// Verifies: ORC-020, ORC-021
func TestRefusalsAreOnRecord(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	for body, code := range map[string]string{
		`{"status":"planned","implementation":null}`: "field_forbidden",
		`nonsense`:             "json_syntax",
		`{"a":1,"a":2}`:        "json_duplicate_name",
		`[]`:                   "json_not_an_object",
		`{"STATUS":"planned"}`: "schema_violation",
		`{"status":"planned"}`: "justification_required",
	} {
		before := r.State().LogSize
		r.refused(paula, "REQ-001", body, code)
		page, err := r.Audit(t.Context(), before, 10)
		require.NoError(t, err)
		require.Len(t, page.Records, 1, body)
		require.Contains(t, string(page.Records[0]), `"code":"`+code+`"`)
		require.Contains(t, string(page.Records[0]), `"name":"paula"`)
	}
	doc, err := r.Requirement("REQ-001")
	require.NoError(t, err)
	require.Equal(t, `"1"`, doc.ETag, "nothing was applied")
	r.verified()
}

func TestSchemaHints(t *testing.T) {
	for name, hint := range map[string]string{"STATUS": "did you mean status", "ſtatuſ": "did you mean status", "role": "token", "x/y": "use "} {
		c, err := decision.Read(fmt.Appendf(nil, `{%q:"x"}`, name), lifecycle.PM)
		require.NoError(t, err)
		require.Len(t, c.Violations, 1)
		require.Contains(t, c.Violations[0].Fix, hint)
	}
	c, err := decision.Read([]byte(`{"test":{"results":{"passed":1.0,"failed":0}}}`), lifecycle.Tester)
	require.NoError(t, err)
	require.Equal(t, "/test/results/passed", c.Violations[0].Pointer, "an integer to the schema, not to us")
	c, err = decision.Read([]byte(`{`+manyUnknown(80)+`}`), lifecycle.PM)
	require.NoError(t, err)
	require.Len(t, c.Violations, decision.MaxViolations+1)
	require.Equal(t, "and 30 more", c.Violations[decision.MaxViolations].Detail)
	c, err = decision.Read([]byte(`{`+manyUnknown(19_000)+`}`), lifecycle.PM)
	require.NoError(t, err)
	require.Len(t, c.Violations, decision.MaxViolations+1)
	require.Equal(t, "and at least 50 more", c.Violations[decision.MaxViolations].Detail, "the search for them stopped")
}

// TestRightsAreLookedAtBeforeTheSchema: a change that its role may not make is not held against the schema, however wrong it is.
func TestRightsAreLookedAtBeforeTheSchema(t *testing.T) {
	body := []byte(`{"pm_notes":[` + strings.Repeat(`1,`, 15_000) + `1],"more":1}`)
	for _, role := range []lifecycle.Role{lifecycle.Viewer, lifecycle.Coder, lifecycle.Architect, lifecycle.Tester} {
		c, err := decision.Read(body, role)
		require.NoError(t, err)
		require.Equal(t, []string{"more", "pm_notes"}, c.Fields)
		require.Empty(t, c.Violations, role)
	}
	c, err := decision.Read(body, lifecycle.PM)
	require.NoError(t, err)
	require.NotEmpty(t, c.Violations)
}

// TestAnOldLogWithManyValuesStaysVerifiable: what a body may hold is bounded at the door, and not in the log.
func TestAnOldLogWithManyValuesStaysVerifiable(t *testing.T) {
	body := []byte(`{"more":[` + strings.Repeat(`1,`, strictjson.MaxValues) + `1]}`)
	_, err := decision.Read(body, lifecycle.PM)
	require.ErrorIs(t, err, fault.Malformed)
	require.Equal(t, "json_values", string(fault.As(err).Code))
	_, err = decision.ReadRecorded(body, lifecycle.PM)
	require.NoError(t, err)
}

func manyUnknown(n int) string {
	var members []string
	for i := range n {
		members = append(members, fmt.Sprintf(`"u%d":1`, i))
	}
	return strings.Join(members, ",")
}

func TestGetOfAFileThatIsOnlyPartOfTheExport(t *testing.T) {
	r := start(t, store.NewMemory())
	r.mustImport(twoRequirements)
	r.must(paula, "REQ-001", move(lifecycle.Planned))
	file, err := os.ReadFile(r.export)
	require.NoError(t, err)
	var now bytes.Buffer
	_, write := r.Project()
	require.NoError(t, write(&now))
	require.Equal(t, now.String(), string(file), "GET /project and the file are the same bytes")
}
