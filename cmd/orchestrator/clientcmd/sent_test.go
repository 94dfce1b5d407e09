package clientcmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verifies: ORC-158, ORC-159

// sent is a request as the service gets it.
type sent struct{ line, ifMatch, key, body string }

// answers are what the service says, by method and path.
var answers = map[string]string{
	"GET /requirements/R-1/review": `{"definition":{"id":"R-1","title":"One","text":"One"},"revision":7,` +
		`"standing":{"id":"R-1","status":"tested_pass"}}`,
	"GET /requirements/R-1/next": `{"id":"R-1","revision":7,"if_match":"\"7\"","actor":{"name":"t","role":"tester"},` +
		`"report_request":"POST","fields":[{"field":"accept_fingerprint","example":{"accept_fingerprint":"f"}}],` +
		`"moves":[{"to":"tested_pass","example":{}},{"to":"deferred","example":{"status":"deferred","justification":` +
		`{"reason":"<why>","evidence":[{"kind":"commit","commit":"4f2a9c1d"}]}}}]}`,
	"GET /requirements/R-1":              `{"id":"R-1","title":"One","revision":7,"status":"tested_pass"}`,
	"PATCH /requirements/R-1":            `{"id":"R-1","status":"done","revision":8}`,
	"POST /requirements/R-1/claim":       `{"requirement":"R-1","field":"test","by":{"name":"t","role":"tester"}}`,
	"POST /requirements/R-1/test-report": `{"requirement":{"id":"R-1","status":"test_in_progress","revision":8}}`,
	"GET /requirements":                  `{"total":0,"requirements":[]}`,
	"GET /requirements/R-1/history":      `{"size":1,"records":[],"next":null}`,
	"GET /audit":                         `{"size":1,"records":[],"next":null}`,
	"DELETE /requirements/R-1/claim":     `{}`,
}

// run runs a command against a service that takes everything, and returns what it was sent.
func run(t *testing.T, line ...string) (all []sent, told string, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.EscapedPath(), "/.%2F") { // it asks whether the id is that of others, too
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		all = append(all, sent{r.Method + " " + r.URL.RequestURI(), r.Header.Get("If-Match"),
			r.Header.Get("Idempotency-Key"), string(body)})
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, answers[r.Method+" "+r.URL.Path])
	}))
	t.Cleanup(server.Close)
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("orc_secret"), 0o600))
	for _, cmd := range Commands() {
		if cmd.Name() == line[0] {
			var out strings.Builder
			cmd.SetArgs(append(line[1:], "--server", server.URL, "--token-file", token))
			cmd.SetOut(&out)
			cmd.SetErr(&out)
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			err = cmd.ExecuteContext(t.Context())
			return all, out.String(), err
		}
	}
	t.Fatal("there is no command " + line[0])
	return nil, "", nil
}

// last is the last request, which changes something.
func last(t *testing.T, line ...string) sent {
	t.Helper()
	all, told, err := run(t, line...)
	require.NoError(t, err, told)
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

func report(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("r.xml", []byte(`<testsuite><testcase name="a"/></testsuite>`), 0o600))
	return "r.xml"
}

// What a person was shown is what they sign: the change names its revision, and has a key of its own.
func TestWhatIsSignedIsWhatWasShown(t *testing.T) {
	first := last(t, "approve", "R-1", "--yes")
	require.Equal(t, "PATCH /requirements/R-1", first.line)
	require.Equal(t, `"7"`, first.ifMatch)
	require.NotEmpty(t, first.key)
	second := last(t, "approve", "R-1", "--yes")
	require.NotEqual(t, first.key, second.key)
}

// A dry run is one for the service, whichever command makes it.
func TestADryRunIsSentAsOne(t *testing.T) {
	for _, line := range [][]string{
		{"design", "R-1", "--summary", "s"}, {"defer", "R-1", "--reason", "later"}, {"attach", "R-1", report(t)},
		{"change", "R-1", "--status", "planned", "--reason", "r", "--evidence", "commit:4f2a9c1d"},
		{"change", "R-1", "--status", "tested_pass", "--reason", "r", "--evidence", "test:a@r.xml"},
	} {
		require.NotContains(t, last(t, line...).line, "dry_run", line)
		all, told, err := run(t, append(line, "--dry-run")...)
		require.NoError(t, err, told)
		require.Contains(t, told, "would be accepted", line)
		for _, s := range all {
			if !strings.HasPrefix(s.line, "GET ") {
				require.Contains(t, s.line, "dry_run=true", line)
			}
		}
	}
}

// A report is sent before the move that waits for it, for the revision that was named; the move is for the next one.
func TestAReportGoesBeforeItsMove(t *testing.T) {
	report(t)
	all, told, err := run(t, "change", "R-1", "--status", "tested_pass", "--reason", "r", "--evidence", "test:a@r.xml",
		"--if-match", "7")
	require.NoError(t, err, told)
	require.Equal(t, []string{"GET /requirements/R-1/next", "POST /requirements/R-1/test-report", "PATCH /requirements/R-1"},
		[]string{all[0].line, all[1].line, all[2].line})
	require.Equal(t, `"7"`, all[1].ifMatch)
	require.Equal(t, `"8"`, all[2].ifMatch)
	require.NotEmpty(t, all[1].key)
	all, _, _ = run(t, "change", "R-1", "--status", "implemented", "--reason", "r", "--evidence", "test:a@r.xml")
	require.Len(t, all, 2, "the move is not offered: %v", all)
}

func TestTheEvidenceOfAMoveAside(t *testing.T) {
	require.Contains(t, last(t, "defer", "R-1", "--reason", "later").body, "4f2a9c1d", "that of the service, if none is given")
	given := last(t, "defer", "R-1", "--reason", "later", "--evidence", "file:a.go").body
	require.Contains(t, given, "a.go")
	require.NotContains(t, given, "4f2a9c1d")
}

func TestFiltersAreSent(t *testing.T) {
	for flag, want := range map[string]string{"--status=planned": "status=planned", "--role=coder": "waiting_for=coder",
		"--waiting-for=document": "waiting_for=document", "--text=log in": "q=log+in", "--suspect": "suspect=true",
		"--limit=3": "limit=3"} {
		require.Contains(t, last(t, "list", flag).line, want)
	}
}

func TestAClaimNamesItsField(t *testing.T) {
	require.JSONEq(t, `{"for":"10m","field":"test"}`, last(t, "claim", "R-1", "--for", "10m", "--field", "test").body)
	require.Equal(t, "DELETE /requirements/R-1/claim?field=test", last(t, "claim", "R-1", "--release", "--field", "test").line)
}

// What is refused for how it was typed is not sent.
func TestNothingIsSentOfWhatCannotBeMeant(t *testing.T) {
	for _, line := range [][]string{
		{"change", "R-1", "--status", "planned", "--reason", "<why>", "--evidence", "commit:4f2a9c1d"},
		{"note", "R-1", "<a remark>"}, {"list", "--status", "foo"}, {"list", "--role", "coder", "--waiting-for", "pm"},
		{"status", "--as", "archtect"}, {"design", "R-1", "--from", "r.xml", "--summary", "s"},
	} {
		all, _, err := run(t, line...)
		require.Error(t, err, line)
		for _, s := range all {
			require.True(t, strings.HasPrefix(s.line, "GET /requirements/R-1"), "%v sent %v", line, s)
		}
	}
}
