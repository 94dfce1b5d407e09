package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/lifecycle"
)

// lead is what an answer says comes next.
type lead struct {
	By      string          `json:"by"`
	To      string          `json:"to"`
	Field   string          `json:"field"`
	Request string          `json:"request"`
	Example json.RawMessage `json:"example"`
}

// follower knows nothing but what answers tell.
type follower struct {
	h                    *harness
	calls, refused, read int
}

func (f *follower) do(who, method, path, body string, headers ...string) response {
	r := f.h.do(who, method, path, body, headers...)
	f.calls++
	f.read += len(r.Body)
	if r.Status != http.StatusOK {
		f.refused++
		f.h.t.Logf("%s %s by %s: %d %s\n%s", method, path, who, r.Status, r.Body, body)
	}
	return r
}

// filled replaces what stands in angle brackets.
var filled = strings.NewReplacer("<why>", "agreed in the meeting", "<what is to be built, and how>", "A form, checked by the server.",
	"<what was built>", "The form and its check.", "<path of a file in the repository>", "login.go")

const greenReport = `<testsuite name="s" tests="1"><testcase classname="login" name="Test_REQ_001_login"/></testsuite>`

// take does what a lead says.
func (f *follower) take(l lead, id, etag string, headers ...string) response {
	f.h.Clock.Advance(time.Minute)
	if method, path, is := strings.Cut(l.Request, " "); is && l.Field == "test" {
		return f.do(l.By, method, path, greenReport, append(headers, "Content-Type", "application/xml", "If-Match", etag)...)
	}
	return f.do(l.By, http.MethodPatch, "/requirements/"+id, filled.Replace(string(l.Example)), append(headers, "If-Match", etag)...)
}

// TestAWholeLifeByAnswersAlone takes a requirement from not_started to done by four roles that read one answer of
// GET /next, and from then on do what each answer says comes next. It measures the bytes that they read.
func TestAWholeLifeByAnswersAlone(t *testing.T) {
	recorded := func(*options) {}
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
			f := &follower{h: h}
			var agenda struct {
				First struct {
					ID      string `json:"id"`
					IfMatch string `json:"if_match"`
					Next    []lead `json:"next"`
				} `json:"first"`
			}
			require.NoError(t, json.Unmarshal(f.do("pm", http.MethodGet, "/next", "").Body, &agenda))
			id, etag, next := agenda.First.ID, agenda.First.IfMatch, agenda.First.Next
			require.Equal(t, "REQ-001", id)
			steps := 0
			for ; len(next) > 0; steps++ {
				require.Less(t, steps, 20)
				r := f.take(next[0], id, etag, c.headers...)
				var answer struct {
					WaitingFor []string `json:"waiting_for"`
					Next       []lead   `json:"next"`
				}
				require.NoError(t, json.Unmarshal(r.Body, &answer))
				require.Equal(t, len(answer.Next) == 0, len(answer.WaitingFor) == 0)
				etag, next = r.Header.Get("ETag"), answer.Next
				for _, role := range []string{"pm", "architect", "coder", "tester", "viewer"} {
					view := h.do(role, http.MethodGet, "/requirements/"+id+"/next", "")
					require.Less(t, len(view.Body), 4096, "%s: %s", role, view.Body)
				}
			}
			done, err := h.Service.Stored(id)
			require.NoError(t, err)
			require.Equal(t, lifecycle.Done, done.Status)
			t.Logf("%d calls for %d legal steps, %d refused, %d bytes read", f.calls, steps, f.refused, f.read)
			require.Zero(t, f.refused)
			require.LessOrEqual(t, 2*f.calls, 3*steps)
			require.LessOrEqual(t, f.read, c.most)
		})
	}
}
