package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

const (
	report = one + "/test-report"
	junit  = `<testsuite name="s"><testcase classname="login" name="Test_REQ_001_wrong_password"/>` +
		`<testcase classname="login" name="Test_REQ_001_locked"><failure message="open"/></testcase>` +
		`<testcase classname="logout" name="Test_REQ_002"/><testcase name="Test_later"><skipped/></testcase></testsuite>`
)

func TestAReviewIsGivenAsTheClientPrefers(t *testing.T) {
	h := newHarness(t)
	const asJSON, asMarkdown = "application/json", "text/markdown; charset=utf-8"
	for accept, want := range map[string]string{
		"*/*":                                     asJSON,
		"application/*":                           asJSON,
		"application/json":                        asJSON,
		"APPLICATION/JSON":                        asJSON,
		"text/html, */*;q=0.1":                    asJSON,
		"text/markdown, application/json":         asJSON,
		"text/markdown;q=0.5, */*;q=0.5":          asJSON,
		" , ,":                                    "",
		"text/markdown":                           asMarkdown,
		"text/*":                                  asMarkdown,
		"text/markdown;charset=utf-8":             asMarkdown,
		"*/*;q=0.1, text/markdown":                asMarkdown,
		"text/*;q=0.3, */*;q=0.2":                 asMarkdown,
		"application/json;q=0, */*":               asMarkdown,
		"application/json;q=0.4, text/*;q=0.5":    asMarkdown,
		"text/markdown;q=0.9, text/*;q=0.1":       asMarkdown,
		"application/xml":                         "",
		"application/json;q=0":                    "",
		"*/*;q=0":                                 "",
		"text/markdown;q=0, application/json;q=0": "",
		"text/markdown;q=2":                       "", // a weight that is none
		"text/markdown;q=-1":                      "",
		"text/markdown;q=NaN":                     "",
		"text/markdown;q=high":                    "",
		"text/markdown;q":                         "",
		"markdown":                                "",
		";;;":                                     "",
	} {
		for _, path := range []string{"/project/review", one + "/review"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				r := h.do("viewer", method, path, "", "Accept", accept)
				require.Equal(t, "Accept", r.Header.Get("Vary"), accept)
				if want == "" {
					require.Equal(t, http.StatusNotAcceptable, r.Status, accept)
					continue
				}
				require.Equal(t, http.StatusOK, r.Status, accept)
				require.Equal(t, want, r.Header.Get("Content-Type"), accept)
			}
		}
	}
	require.Equal(t, asJSON, h.do("viewer", http.MethodGet, one+"/review", "").Header.Get("Content-Type"), "without Accept")
}

func TestReviewsAreGivenAsMarkdown(t *testing.T) {
	h := newHarness(t)
	testedRequirement(t, h)
	project := string(h.expect(200, "", "viewer", "GET", "/project/review", "", "Accept", "text/markdown").Body)
	require.Contains(t, project, "# ")
	require.Contains(t, project, "REQ-001")
	dossier := string(h.expect(200, "", "viewer", "GET", one+"/review", "", "Accept", "text/markdown").Body)
	require.Contains(t, dossier, "# ")
	require.Contains(t, dossier, "All four cases of the plan pass.")
	head := h.expect(200, "", "viewer", "HEAD", one+"/review", "", "Accept", "text/markdown")
	require.Empty(t, head.Body)
	require.Equal(t, strconv.Itoa(len(dossier)), head.Header.Get("Content-Length"))
}

// showingEvidence is a service whose REQ-001 cites a file, its commit and a report, of which the file changed since.
func showingEvidence(t *testing.T, choose ...func(*options)) *harness {
	t.Helper()
	var c clone
	const secret = "\ntoken = \"ghp_R7mQx2Lk9VbT4nYwZ8cHs3JdUf6GaPe5KiWo\"\n"
	h := newHarness(t, append(choose, inRepository(t, &c, map[string]string{
		"plan.md": "a plan\n", "a.go": "package a\n" + secret + "\nfunc A() {}\n", "logo.png": "\x89PNG\x00"}))...)
	h.patch("pm", move(lifecycle.Planned))
	h.patch("pm", move(lifecycle.DesignInProgress))
	h.patch("architect", `{"design_spec":{"summary":"a form"}}`)
	h.patch("pm", move(lifecycle.DesignReady))
	h.patch("pm", move(lifecycle.ImplementationInProgress))
	h.patch("coder", `{"implementation":{"summary":"done","files":[{"path":"a.go","lines":"3-5"},"logo.png"],"commits":["`+
		c.git("rev-parse", "HEAD")+`"]}}`)
	h.patch("pm", move(lifecycle.Implemented))
	h.patch("pm", move(lifecycle.TestInProgress))
	h.expect(200, "", "tester", "POST", report, junit)
	c.write("a.go", "package a\n\nvar x int\n\nfunc A() {}\n", time.Now())
	c.commit("second")
	h.write(strings.Replace(sample, "with name and password", "with a name", 1))
	h.expect(200, "", "pm", "POST", "/project/import", "")
	return h
}

// Verifies: ORC-329, ORC-330
func TestAReviewShowsWhatEvidenceIsAbout(t *testing.T) {
	h := showingEvidence(t)
	plain := string(h.expect(200, "", "viewer", "GET", one+"/review", "").Body)
	require.Equal(t, plain, string(h.expect(200, "", "viewer", "GET", one+"/review?cited=false", "").Body))
	require.NotContains(t, plain, "func A")
	var d review.Dossier
	body := h.expect(200, "", "viewer", "GET", one+"/review?cited=true", "").Body
	require.NoError(t, json.Unmarshal(body, &d))
	cited := d.Parts[1].Evidence
	require.Equal(t, review.Stale, cited[0].Recheck.Verdict)
	require.Equal(t, "var x int\n\nfunc A() {}\n", cited[0].Lines.Text)
	require.Equal(t, 3, cited[0].Lines.From)
	require.Equal(t, "token = \"[masked github_token]\"\n\nfunc A() {}\n", cited[0].Cited.Text)
	require.NotEqual(t, cited[0].Lines.Commit, cited[0].Cited.Commit)
	require.True(t, cited[1].Lines.Binary)
	require.Equal(t, "first", cited[2].Commit.Subject)
	require.Equal(t, []review.TestCase{{Name: "login.Test_REQ_001_locked", Result: "fail"}}, d.Parts[2].Evidence[0].Tests.Cases)
	require.Equal(t, "a plan\n", d.History[0].Evidence[0].Lines.Text)
	require.Equal(t, "text", d.Texts[0].Fields[0].Field)

	shown := string(h.expect(200, "", "viewer", "GET", one+"/review?cited=true", "", "Accept", "text/markdown").Body)
	require.Contains(t, shown, "    5  func A() {}\n")
	require.Contains(t, shown, "\\[-name and password.-\\] {+a name.+}")
	h.expect(400, "invalid_parameter", "viewer", "GET", one+"/review?cited=yes", "")
	h.expect(400, "unknown_parameter", "viewer", "GET", one+"/review?lines=true", "")
}

// provokeReports attaches test reports, good and bad.
func provokeReports(t *testing.T, all *seen) {
	h := newHarness(t, into(all))
	post := func(status int, code, body string, headers ...string) response {
		h.t.Helper()
		return h.expect(status, code, "tester", "POST", report, body, headers...)
	}
	keyed := func(status int, code, body string, headers ...string) {
		h.t.Helper()
		headers = append(headers, "Idempotency-Key", code)
		post(status, code, body, headers...)
		require.Equal(t, "true", post(status, code, body, headers...).Header.Get("Idempotent-Replay"))
	}
	require.Equal(t, "true", h.expect(200, "", "tester", "POST", report+"?dry_run=true", junit).Header.Get("Dry-Run"))
	post(200, "", junit, "Content-Type", "text/xml", "If-Match", `"1"`)
	require.Equal(t, "true", twice(func() response { return post(200, "", junit, "Idempotency-Key", "k") }).Header.Get("Idempotent-Replay"))

	post(400, "invalid_if_match", junit, "If-Match", "3")
	post(400, "invalid_idempotency_key", junit, "Idempotency-Key", "a b")
	h.expect(400, "invalid_parameter", "tester", "POST", report+"?dry_run=yes", junit)
	h.expect(403, "role_forbidden", "coder", "POST", report, junit)
	post(403, "cross_origin", junit, "Sec-Fetch-Site", "cross-site")
	keyed(412, "stale_revision", junit, "If-Match", `"77"`)
	post(413, "body_too_large", strings.Repeat(" ", 8<<20+1))
	post(415, "content_encoding", junit, "Content-Encoding", "gzip")
	post(422, "report_empty", " \n")
	post(422, "report_empty", "")
	post(422, "report_unreadable", "\x1f\x8b\x08\x00") // gzip that does not say so
	post(422, "report_unknown", "PASS\nok  	login	0.1s\n")
	post(422, "report_unreadable", junit[:40])
	post(422, "report_too_large", strings.Repeat("ok\n", 300_000))
	post(422, "report_without_tests", `<testsuite/>`)
	ambiguousTestName(newHarness(t, into(all)))
	strict := newHarness(t, into(all), func(o *options) { o.RequireIfMatch = true })
	strict.expect(428, "if_match_required", "tester", "POST", report, junit)
	strict.expect(200, "", "tester", "POST", report, junit, "If-Match", `"1"`)
	h.write(strings.Replace(sample, "REQ-001", "REQ-007", 1))
	h.expect(200, "", "pm", "POST", "/project/import", "")
	keyed(409, "retired", junit)
	for _, path := range []string{"/project/review", one + "/review"} {
		h.expect(406, "not_acceptable", "viewer", "GET", path, "", "Accept", "application/xml")
	}
	h.expect(400, "invalid_parameter", "viewer", "GET", one+"/review?cited=yes", "")
	showingEvidence(t, into(all)).expect(200, "", "viewer", "GET", one+"/review?cited=true", "")
}

func twice(do func() response) response { do(); return do() }

func TestATestReportBecomesTheTestRecord(t *testing.T) {
	h := newHarness(t)
	h.expect(200, "", "tester", "PATCH", one, `{"test":{"plan":"Wrong password, lock-out.","notes":"first"}}`)
	got := h.expect(200, "", "tester", "POST", report, junit)
	require.Equal(t, `"3"`, got.Header.Get("ETag"))
	a := got.json(t)
	require.Equal(t, []any{"junit", true, 2.0, []any{"REQ-001", "REQ-002"}}, []any{a["format"], a["covers"], a["cited"], a["named"]})
	require.Equal(t, map[string]any{"run": 3.0, "passed": 2.0, "failed": 1.0, "skipped": 1.0}, a["counts"])
	test := a["requirement"].(map[string]any)["test"].(map[string]any)
	require.Equal(t, "Wrong password, lock-out.", test["plan"])
	require.Equal(t, a["counts"], test["results"])
	var cited []any
	for _, e := range test["evidence"].([]any) {
		e := e.(map[string]any)
		require.Equal(t, a["report"], e["report"])
		require.Equal(t, "attached", e["found"].(map[string]any)["in"])
		cited = append(cited, e["name"], e["result"])
	}
	require.Equal(t, []any{"Test_REQ_001_locked", "fail", "Test_REQ_001_wrong_password", "pass"}, cited, "what failed first")
	other := h.expect(200, "", "tester", "POST", "/requirements/REQ-003/test-report", junit).json(t)
	require.Equal(t, []any{false, 3.0, a["report"]}, []any{other["covers"], other["cited"], other["report"]})

	records := h.do("viewer", "GET", one+"/history", "").json(t)["records"].([]any)
	require.Equal(t, "requirement.changed", records[0].(map[string]any)["kind"])
	require.Contains(t, records[0].(map[string]any)["data"], "report")
	require.NoError(t, h.Ledger.Err())
}

func TestARefusedReportChangesNothingAndIsOnRecord(t *testing.T) {
	h := newHarness(t)
	before := h.Ledger.Head().Size
	h.expect(403, "role_forbidden", "coder", "POST", report, junit)
	h.expect(422, "report_unknown", "tester", "POST", report, "no report")
	h.expect(422, "report_unknown", "tester", "POST", report+"?dry_run=true", "no report")
	require.Equal(t, before+2, h.Ledger.Head().Size, "dry runs are not on record")
	require.Equal(t, `"1"`, h.do("viewer", "GET", one, "").Header.Get("ETag"))
	records := h.do("viewer", "GET", "/audit", "").json(t)["records"].([]any)
	last := records[len(records)-1].(map[string]any)
	require.Equal(t, "request.refused", last["kind"])
	require.Equal(t, "POST /requirements/{id}/test-report", last["data"].(map[string]any)["request"])
}

// credulous finds everything that is cited; again is called when the service looks again.
type credulous struct{ again func() error }

func (c credulous) Look(_ context.Context, e lifecycle.Evidence) (*lifecycle.Found, *fault.Field) {
	if e.Commit == "0000000" {
		return nil, &fault.Field{Code: "commit_unknown", Detail: "there is no commit 0000000"}
	}
	if e.Path == "missing" {
		return nil, &fault.Field{Code: "file_missing", Detail: "there is no missing"}
	}
	found := &lifecycle.Found{In: lifecycle.InHead, Commit: strings.Repeat("a", 40)}
	if e.Kind == lifecycle.EvidenceTest {
		found.SHA256, found.Counts = strings.Repeat("b", 64), &lifecycle.Results{Run: 4, Passed: 4}
		found.Modified = newClock().Now()
	}
	return found, nil
}

func (c credulous) Recheck(_ context.Context, subjects []evidence.Subject) (evidence.Checked, error) {
	all := evidence.Checked{Standings: make([][]evidence.Standing, len(subjects)), Fixed: make([]bool, len(subjects))}
	for i, subject := range subjects {
		all.Standings[i] = make([]evidence.Standing, len(subject.Cited))
	}
	if c.again != nil {
		return all, c.again()
	}
	return all, nil
}

func (c credulous) Base(string) string { return "" }

func (credulous) Dirty(context.Context, []string) (map[string]bool, error) { return nil, nil }
func (credulous) Show(context.Context, string, lifecycle.Evidence, evidence.Standing) evidence.Shown {
	return evidence.Shown{}
}
func (credulous) Follow(string)                              {}
func (credulous) HeadBranch(context.Context) (string, error) { return "main", nil }
func (credulous) Tip(context.Context) (string, error)        { return strings.Repeat("a", 40), nil }

// provokeEvidence has evidence looked up by a repository of the test.
func provokeEvidence(t *testing.T, all *seen) {
	repository := &credulous{}
	h := newHarness(t, into(all), func(o *options) { o.Evidence, o.Repository = projection.EvidenceVerified, repository })
	h.expect(422, "invalid_evidence", "pm", "PATCH", one, strings.Replace(move(lifecycle.Planned), "plan.md", "../plan.md", 1))
	h.expect(422, "evidence_not_found", "pm", "PATCH", one, strings.Replace(move(lifecycle.Planned), "plan.md", "missing", 1))
	testedRequirement(t, h)

	h.expect(422, "evidence_not_found", "tester", "POST", report+"?commit=0000000", junit)
	h.expect(422, "tests_pattern_invalid", "tester", "POST", report+"?tests=%28", junit)
	h.expect(422, "tests_pattern_matches_nothing", "tester", "POST", report+"?tests=Nothing", junit)
	h.expect(422, "report_from_future", "tester", "POST", report, strings.Replace(junit, "<testsuite", `<testsuite timestamp="2999-01-01T00:00:00Z"`, 1))
	h.expect(400, "invalid_parameter", "tester", "POST", report+"?commit=HEAD", junit)
	h.expect(400, "invalid_parameter", "tester", "POST", report+"?tests=", junit)

	repository.again = func() error { return errors.New("git is gone") }
	h.expect(503, "evidence_unreadable", "tester", "POST", report, junit)
	failed := h.expect(503, "evidence_unreadable", "pm", "PATCH", one, exampleBody(t, "pm_signs_off"))
	require.Equal(t, "nothing was applied; send the change again", failed.json(t)["fix"])
	require.Equal(t, []any{"evidence"}, h.do("viewer", "GET", "/project/review", "").json(t)["unchecked"])

	repository.again = func() error { // as if others kept changing it
		_, err := h.Service.Patch(t.Context(), lifecycle.Actor{Name: "pm", Role: lifecycle.PM}, requirements.Proposal{
			ID: "REQ-001", Body: []byte(`{"pm_notes":[{"text":"x"}]}`),
		})
		return err
	}
	h.expect(409, "changed_meanwhile", "pm", "PATCH", one, exampleBody(t, "pm_signs_off"))
	h.expect(409, "changed_meanwhile", "tester", "POST", report, junit)
	repository.again = nil
	h.patch("pm", exampleBody(t, "pm_signs_off"))
	sealed := func() response {
		return h.expect(409, "sealed", "tester", "POST", report, junit, "Idempotency-Key", "sealed")
	}
	require.Equal(t, "true", twice(sealed).Header.Get("Idempotent-Replay"))
}

// ambiguousTestName attaches a report whose test is named by what two requirements are called.
func ambiguousTestName(h *harness) {
	h.t.Helper()
	for _, folder := range []string{"003-timeout", "004-retries"} {
		h.specs = append(h.specs, reqdoc.File{Path: "specs/" + folder + "/spec.md", Content: []byte("- **FR-001**: " + folder + ".\n")})
	}
	h.expect(200, "", "pm", "POST", "/project/import", "")
	const path, tests = "/requirements/003-timeout%2FFR-001/test-report", `<testsuite name="s"><testcase name="stops FR-001"/><testcase name="waits"/></testsuite>`
	refused := h.expect(422, "test_name_ambiguous", "tester", "POST", path, tests)
	require.Contains(h.t, string(refused.Body), "003-timeout/FR-001, 004-retries/FR-001")
	h.expect(200, "", "tester", "POST", path+"?tests=stops", tests)
	whole := strings.ReplaceAll(tests, "FR-001", "003-timeout/FR-001")
	require.Contains(h.t, string(h.expect(200, "", "tester", "POST", path, whole).Body), `"covers":true`)
}
