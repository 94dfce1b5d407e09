package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// lead is what an answer says comes next: a request with its body, or an example to send with PATCH.
type lead struct {
	By      string          `json:"by"`
	Request string          `json:"request"`
	Example json.RawMessage `json:"example"`
}

// first is what an agenda or an import says is to be done.
type first struct {
	ID      string `json:"id"`
	IfMatch string `json:"if_match"`
	Next    []lead `json:"next"`
}

// spent counts what answers cost.
type spent struct{ calls, steps, refused, read int }

// follower knows nothing but what answers tell. It counts by what it is about: a requirement, or "project".
type follower struct {
	h       *harness
	about   string
	spent   map[string]*spent
	order   []string
	headers []string // of each change
}

func following(h *harness, headers ...string) *follower {
	return &follower{h: h, about: "project", spent: map[string]*spent{}, headers: headers}
}

func (f *follower) do(who, method, path, body string, headers ...string) response {
	r := f.h.do(who, method, path, body, headers...)
	if f.spent[f.about] == nil {
		f.spent[f.about], f.order = &spent{}, append(f.order, f.about)
	}
	s := f.spent[f.about]
	s.calls++
	s.read += len(r.Body)
	if method != http.MethodGet && r.Status == http.StatusOK {
		s.steps++
	}
	if r.Status != http.StatusOK {
		s.refused++
	}
	f.h.t.Logf("%-9s %-6s %-45s %d %6d bytes, for %s", who, method, path, r.Status, len(r.Body), f.about)
	return r
}

func (f *follower) total() (all spent) {
	for _, s := range f.spent {
		all.calls, all.steps, all.refused, all.read = all.calls+s.calls, all.steps+s.steps, all.refused+s.refused, all.read+s.read
	}
	return all
}

// fill replaces what stands in angle brackets.
func (f *follower) fill(text, id string) string {
	return strings.NewReplacer("<why>", "agreed in the meeting", "<why the new text is accepted>", "the work still fits",
		"<what is to be built, and how>", "A form, checked by the server.", "<what was built>", "The form and its check.",
		"<path of a file in the repository>", "login.go", "<the report as the test tool wrote it>",
		`<testsuite name="s" tests="1"><testcase classname="c" name="Test_`+strings.ReplaceAll(id, "-", "_")+`_works"/></testsuite>`,
	).Replace(text)
}

// take does what a lead says.
func (f *follower) take(l lead, id, etag string) response {
	f.h.Clock.Advance(time.Minute)
	method, rest, is := strings.Cut(l.Request, " ")
	path, body, _ := strings.Cut(rest, " ")
	if !is {
		method, path, body = http.MethodPatch, "/requirements/"+id, string(l.Example)
	}
	return f.do(l.By, method, path, f.fill(body, id), append([]string{"If-Match", etag}, f.headers...)...)
}

// ask reads what a role has to do first.
func (f *follower) ask(who string) (a struct{ First *first }) {
	require.NoError(f.h.t, json.Unmarshal(f.do(who, http.MethodGet, "/next", "").Body, &a))
	return a
}

// follow does what answers say comes next until a requirement is in a status, and returns what comes next there.
func (f *follower) follow(at first, until lifecycle.Status) first {
	t := f.h.t
	t.Helper()
	for range 20 {
		if len(at.Next) == 0 {
			break
		}
		r := f.take(at.Next[0], at.ID, at.IfMatch)
		require.Equal(t, http.StatusOK, r.Status, "%s", r.Body)
		var answer struct {
			WaitingFor []string `json:"waiting_for"`
			Next       []lead   `json:"next"`
		}
		require.NoError(t, json.Unmarshal(r.Body, &answer))
		require.Equal(t, len(answer.Next) == 0, len(answer.WaitingFor) == 0)
		at.IfMatch, at.Next = r.Header.Get("ETag"), answer.Next
		if f.status(at.ID) == until {
			break
		}
	}
	require.Equal(t, until, f.status(at.ID))
	return at
}

// status looks past the answers, for the test alone.
func (f *follower) status(id string) lifecycle.Status {
	stored, err := f.h.Service.Stored(id)
	require.NoError(f.h.t, err)
	return stored.Status
}

// table prints what answers cost.
func (f *follower) table() {
	f.h.t.Logf("%-10s %6s %6s %8s %8s", "about", "steps", "calls", "refused", "bytes")
	for _, name := range f.order {
		s := f.spent[name]
		f.h.t.Logf("%-10s %6d %6d %8d %8d", name, s.steps, s.calls, s.refused, s.read)
	}
	s := f.total()
	f.h.t.Logf("%-10s %6d %6d %8d %8d: %.2f calls a step", "all", s.steps, s.calls, s.refused, s.read, float64(s.calls)/float64(s.steps))
}

// recorded leaves evidence as its sender gave it.
func recorded(*options) {}

// TestAWholeLifeByAnswersAlone takes a requirement from not_started to done by four roles that read one answer of
// GET /next, and from then on do what each answer says comes next. It measures the bytes that they read.
//
// Verifies: ORC-152
func TestAWholeLifeByAnswersAlone(t *testing.T) {
	verified := inRepository(t, &clone{}, map[string]string{"REQUIREMENTS.md": sample, "login.go": "package login\n"})
	for _, c := range []struct {
		name    string
		headers []string
		most    int // bytes
		choose  func(*options)
	}{
		{"as it comes", nil, 30_000, recorded}, {"little", []string{"Prefer", "return=minimal"}, 10_000, recorded},
		{"evidence is looked up", nil, 30_000, verified},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, c.choose)
			f := following(h, c.headers...)
			at := f.ask("pm").First
			require.Equal(t, "REQ-001", at.ID)
			require.Empty(t, f.follow(*at, lifecycle.Done).Next)
			for _, role := range []string{"pm", "architect", "coder", "tester", "viewer"} {
				view := h.do(role, http.MethodGet, "/requirements/REQ-001/next", "")
				require.Less(t, len(view.Body), 4096, "%s: %s", role, view.Body)
			}
			f.table()
			all := f.total()
			require.Zero(t, all.refused)
			require.LessOrEqual(t, 2*all.calls, 3*all.steps)
			require.LessOrEqual(t, all.read, c.most)
		})
	}
}

// view is what a role may do with a requirement.
type view struct {
	IfMatch string `json:"if_match"`
	Moves   []struct {
		To      lifecycle.Status `json:"to"`
		Leads   bool             `json:"leads_to_done"`
		Why     string           `json:"why"`
		Example json.RawMessage  `json:"example"`
	} `json:"moves"`
}

// choose makes a move of a requirement's view that a person has decided on, and returns what comes next.
func (f *follower) choose(who, id string, leads bool, to ...lifecycle.Status) first {
	var v view
	require.NoError(f.h.t, json.Unmarshal(f.do(who, http.MethodGet, "/requirements/"+id+"/next", "").Body, &v))
	for _, m := range v.Moves {
		if len(to) > 0 && m.To != to[0] || len(to) == 0 && m.Leads != leads {
			continue
		}
		require.Equal(f.h.t, leads, m.Leads, m.Why)
		require.Equal(f.h.t, leads, m.Why == "")
		r := f.take(lead{By: who, Example: m.Example}, id, v.IfMatch)
		require.Equal(f.h.t, http.StatusOK, r.Status, "%s", r.Body)
		at := first{ID: id, IfMatch: r.Header.Get("ETag")}
		require.NoError(f.h.t, json.Unmarshal(r.Body, &at))
		return first{ID: id, IfMatch: r.Header.Get("ETag"), Next: at.Next}
	}
	require.Fail(f.h.t, "no such move", "%s: %+v", id, v)
	return first{}
}

// TestThreeRequirementsByAnswersAlone is the measure of the answers: four roles who know nothing else bring three
// requirements to done, through a change of text after work began, a block and the way back, and a refusal that is
// looked up. No call is wasted but the one that is refused on purpose.
func TestThreeRequirementsByAnswersAlone(t *testing.T) {
	verified := inRepository(t, &clone{}, map[string]string{"REQUIREMENTS.md": sample, "login.go": "package login\n"})
	for name, choose := range map[string]func(*options){"recorded": recorded, "looked up": verified} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, choose)
			f := following(h)
			f.about = "REQ-001"
			at := f.follow(*f.ask("pm").First, lifecycle.ImplementationInProgress)

			h.write(strings.Replace(sample, "name and password", "an address and a password", 1))
			var read struct {
				Next       *first           `json:"next"`
				WaitingFor []map[string]any `json:"waiting_for"`
			}
			require.NoError(t, json.Unmarshal(f.do("pm", http.MethodPost, "/project/import", "").Body, &read))
			require.Equal(t, "pm", read.WaitingFor[0]["for"])
			require.Equal(t, at.ID, read.Next.ID, "what changed comes first")
			require.Empty(t, f.follow(*read.Next, lifecycle.Done).Next)

			f.about = "REQ-002"
			at = f.follow(*f.ask("pm").First, lifecycle.DesignInProgress)
			blocked := f.choose("pm", at.ID, false, lifecycle.Blocked)
			require.Equal(t, http.StatusOK, f.take(blocked.Next[0], at.ID, blocked.IfMatch).Status)
			require.Equal(t, "REQ-003", f.ask("pm").First.ID, "what is put aside comes first for nobody")
			require.Empty(t, f.follow(f.choose("pm", at.ID, true), lifecycle.Done).Next)

			f.about = "REQ-003"
			at = *f.ask("pm").First
			early := f.do("coder", http.MethodPatch, "/requirements/"+at.ID, `{"approvals":[{"decision":"approved","text":"mine"}]}`)
			var problem struct{ Code string }
			require.NoError(t, json.Unmarshal(early.Body, &problem))
			found := f.do("pm", http.MethodGet, "/audit?"+url.Values{"code": {problem.Code}, "requirement": {at.ID}}.Encode(), "")
			require.Contains(t, string(found.Body), problem.Code)
			require.Empty(t, f.follow(at, lifecycle.Done).Next)
			require.Nil(t, f.ask("pm").First, "nothing is left")

			f.table()
			all := f.total()
			require.Equal(t, 1, all.refused, "the one on purpose")
			require.LessOrEqual(t, 2*all.calls, 3*all.steps)
			for id, s := range f.spent {
				require.LessOrEqual(t, s.read, 30_000, id)
			}
		})
	}
}
