package applying

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/adoption"
)

// Verifies: ORC-190

// service keeps a revision for each requirement, and remembers the answer to each key, as the real one does.
type service struct {
	at     map[string]int
	keys   map[string]func() (apiclient.Answer, error)
	log    map[string][]string // bodies, by the revision that they made
	refuse map[string]bool     // bodies that are refused
	lost   int                 // requests until it is lost; 0 is never
	busy   int                 // requests for which it asks to wait
	asked  []string
}

func newService() *service {
	return &service{at: map[string]int{}, keys: map[string]func() (apiclient.Answer, error){}, log: map[string][]string{},
		refuse: map[string]bool{}}
}

func (s *service) Send(_ context.Context, r apiclient.Request) (apiclient.Answer, error) {
	if s.lost == 1 {
		return apiclient.Answer{}, fault.New(fault.Unavailable, apiclient.CodeUnreachable, "gone")
	}
	s.lost = max(0, s.lost-1)
	if s.busy > 0 {
		s.busy--
		return apiclient.Answer{}, fault.New(fault.RateLimited, "rate_limited", "later")
	}
	id := strings.Split(r.Path, "/")[2]
	if r.Method == http.MethodGet {
		return s.history(id), nil
	}
	s.asked = append(s.asked, id+" "+string(r.Body))
	if first := s.keys[r.Key]; first != nil {
		answer, err := first()
		answer.Replayed = true
		return answer, err
	}
	answer, err := s.decide(id, r)
	s.keys[r.Key] = func() (apiclient.Answer, error) { return answer, err }
	return answer, err
}

func (s *service) decide(id string, r apiclient.Request) (apiclient.Answer, error) {
	if r.IfMatch != "" && r.IfMatch != fmt.Sprintf(`"%d"`, s.at[id]) {
		f := fault.New(fault.Stale, "stale_revision", "stale")
		f.Current = &fault.Current{Status: "planned", Revision: uint64(s.at[id])}
		return apiclient.Answer{}, f
	}
	if s.refuse[string(r.Body)] {
		return apiclient.Answer{}, fault.New(fault.Conflict, "gate_unmet", "not yet").
			WithFields(fault.Field{Detail: "there is no design_spec"}).WithFix("GET /requirements/{id}/next")
	}
	s.at[id]++
	s.log[id] = append(s.log[id], digestOf([]byte(id+"\x00"+string(r.Body))))
	return apiclient.Answer{Body: fmt.Appendf(nil, `{"id":%q,"status":"planned","revision":%d}`, id, s.at[id])}, nil
}

func (s *service) history(id string) apiclient.Answer {
	var records []string
	for n, digest := range s.log[id] {
		records = append(records, fmt.Sprintf(`{"kind":"requirement.changed","data":{"revision":%d,"body_sha256":%q,"report":{"sha256":"%064d"}}}`,
			n+2, digest, 7))
	}
	return apiclient.Answer{Body: []byte(`{"records":[` + strings.Join(records, ",") + `]}`)}
}

func (s *service) run(t *testing.T, plan []adoption.Line) (Report, error) {
	t.Helper()
	told := 0
	r, err := Run(t.Context(), plan, Options{Clients: map[adoption.Role]Client{"pm": s, "tester": s},
		Progress: func(done, total int) { told++; require.Equal(t, len(plan), total) }})
	require.Equal(t, len(plan), told)
	require.Len(t, r.Lines, len(plan))
	return r, err
}

func planOf(t *testing.T, lines ...string) []adoption.Line {
	t.Helper()
	plan, err := adoption.Read([]byte(strings.Join(lines, "\n")))
	require.NoError(t, err)
	return plan
}

func line(id string, revision int, body string) string {
	return fmt.Sprintf(`{"role":"pm","requirement":%q,"revision":%d,"request":%s}`, id, revision, body)
}

func outcomes(r Report) (all []string) {
	for _, l := range r.Lines {
		all = append(all, l.Requirement+" "+l.Outcome)
	}
	return all
}

const move, note = `{"status":"planned"}`, `{"pm_notes":[{"text":"n"}]}`

// A second run changes nothing, whether the service remembers the keys or the log alone tells.
func TestASecondRunFindsWhatIsThere(t *testing.T) {
	s := newService()
	s.at["A"], s.at["B"] = 1, 1
	plan := planOf(t, line("A", 1, move), line("A", 2, note), line("B", 1, move))
	r, err := s.run(t, plan)
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.Equal(t, []string{"A sent", "A sent", "B sent"}, outcomes(r))
	require.Equal(t, Requirement{ID: "A", Status: "planned", Revision: 3, Sent: 2}, r.Requirements[0])
	for range 2 {
		r, err = s.run(t, plan)
		require.NoError(t, err)
		require.NoError(t, r.Err())
		require.Equal(t, []string{"A there", "A there", "B there"}, outcomes(r))
		require.Equal(t, map[string]int{"A": 3, "B": 2}, s.at)
		clear(s.keys) // a day later
	}
}

// A refusal stops its requirement alone, and is asked for anew by the next run.
func TestARefusalStopsItsRequirement(t *testing.T) {
	s := newService()
	s.at["A"], s.at["B"] = 1, 1
	s.refuse[note] = true
	plan := planOf(t, line("A", 1, move), line("A", 2, note), line("B", 1, move), line("A", 3, move))
	for n := range 2 {
		r, err := s.run(t, plan)
		require.NoError(t, err)
		require.ErrorIs(t, r.Err(), fault.Conflict)
		first := []string{"A sent", "A there"}[n]
		require.Equal(t, []string{first, "A refused", []string{"B sent", "B there"}[n], "A left"}, outcomes(r))
		require.Equal(t, &Stopped{2, Refusal{"gate_unmet", "not yet; there is no design_spec", "orchestrator next A"}}, r.Requirements[0].Stopped)
		require.Equal(t, "1", r.Requirements[0].Refusals())
	}
	s.refuse[note] = false
	r, err := s.run(t, plan)
	require.NoError(t, err)
	require.Equal(t, []string{"A there", "A sent", "B there", "A sent"}, outcomes(r))
}

// What somebody else changed since the plan was written is left as it is.
func TestAPlanDoesNotOverwrite(t *testing.T) {
	s := newService()
	s.at["A"] = 1
	_, err := s.decide("A", apiclient.Request{Body: []byte(`{"pm_notes":[{"text":"of somebody else"}]}`)})
	require.NoError(t, err)
	r, err := s.run(t, planOf(t, line("A", 1, move), line("A", 2, note)))
	require.NoError(t, err)
	require.Equal(t, []string{"A refused", "A left"}, outcomes(r))
	require.Equal(t, "A is at revision 2 (planned), and the line was written for revision 1: it has changed since", r.Requirements[0].Stopped.Detail)
	require.Contains(t, r.Requirements[0].Stopped.Fix, "orchestrator adopt")
	require.Equal(t, 2, s.at["A"])

	// Lines without a revision are for the one that the line before them made.
	plan := planOf(t, strings.Replace(line("A", 0, move), `"revision":0,`, "", 1), strings.Replace(line("A", 0, note), `"revision":0,`, "", 1))
	r, err = s.run(t, plan)
	require.NoError(t, err)
	require.Equal(t, []string{"A sent", "A sent"}, outcomes(r))
	r, err = s.run(t, plan)
	require.NoError(t, err)
	require.Equal(t, []string{"A there", "A there"}, outcomes(r))
}

// Where the service is lost, the report says how far it came, and the next run goes on.
func TestALostServiceIsNotARefusal(t *testing.T) {
	s := newService()
	s.at["A"], s.at["B"] = 1, 1
	s.lost, s.busy = 4, 2
	plan := planOf(t, line("A", 1, move), line("A", 2, note), line("B", 1, move))
	r, err := s.run(t, plan)
	require.True(t, apiclient.Unanswered(err))
	require.Equal(t, []string{"A sent", "A not sent", "B not sent"}, outcomes(r))
	s.lost = 0
	r, err = s.run(t, plan)
	require.NoError(t, err)
	require.Equal(t, []string{"A there", "A sent", "B sent"}, outcomes(r))
}

// A report is sent only as it was when the plan was written; one that was attached before is there, whatever the file
// holds by now.
func TestAReportThatChanged(t *testing.T) {
	s := newService()
	s.at["A"] = 1
	t.Chdir(t.TempDir())
	const file = "r.xml"
	attach := func(sum string) []adoption.Line {
		return planOf(t, fmt.Sprintf(`{"role":"tester","requirement":"A","revision":1,"report":{"path":%q,"tests":"A","sha256":%q}}`, file, sum))
	}
	r, err := s.run(t, attach(digestOf([]byte("one"))))
	require.NoError(t, err)
	require.Equal(t, fault.Code("report_unreadable"), r.Requirements[0].Stopped.Code)
	require.NoError(t, os.WriteFile(file, []byte("two"), 0o600))
	r, err = s.run(t, attach(digestOf([]byte("one"))))
	require.NoError(t, err)
	require.Equal(t, fault.Code("report_changed"), r.Requirements[0].Stopped.Code)
	require.Empty(t, s.asked)
	r, err = s.run(t, attach(digestOf([]byte("two"))))
	require.NoError(t, err)
	require.Equal(t, []string{"A sent"}, outcomes(r))
	require.NoError(t, os.Remove(file))
	r, err = s.run(t, attach(fmt.Sprintf("%064d", 7)))
	require.NoError(t, err)
	require.Equal(t, []string{"A there"}, outcomes(r))
}

func TestWhatALineIsAbout(t *testing.T) {
	for body, want := range map[string]string{move: "planned", note: "pm_notes", `{"design_spec":null}`: "design_spec", `{}`: "change"} {
		require.Equal(t, want, what(planOf(t, line("A", 1, body))[0]))
	}
}

// A plan sends nothing from outside of the project: not by its path, and not through a link.
func TestAReportStaysInTheProject(t *testing.T) {
	for _, path := range []string{"../outside.xml", "/etc/hostname", "a/../../b.xml"} {
		_, err := adoption.Read(fmt.Appendf(nil, `{"role":"tester","requirement":"R-1","report":{"path":%q}}`, path))
		require.True(t, fault.Is(err, adoption.CodeLine), path)
		require.ErrorContains(t, err, "leaves the project")
	}
	dir := t.TempDir()
	project := filepath.Join(dir, "project")
	require.NoError(t, os.Mkdir(project, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "outside.xml"), []byte("secret"), 0o600))
	require.NoError(t, os.Symlink("../outside.xml", filepath.Join(project, "r.xml")))
	require.NoError(t, os.Symlink("..", filepath.Join(project, "up")))
	t.Chdir(project)
	for _, path := range []string{"r.xml", "up/outside.xml"} {
		_, err := readReport(t.Context(), adoption.ReportFile{Path: path})
		require.True(t, fault.Is(err, "report_unreadable"), path)
	}
}
