package workflow

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/pagetest"
)

// shown returns the page of a workflow while so many requirements are blocked.
func shown(t *testing.T, workflow, blocked, role string, form url.Values, refused *ask.Refusal) string {
	t.Helper()
	api := &pagetest.API{Answers: map[string]string{"GET /workflow": workflow,
		"GET /next": `{"counts":{"total":3,"by_status":{"blocked":` + blocked + `}}}`}}
	v := api.Visit(role, "/workflow")
	v.Form, v.Refused = form, refused
	return pagetest.Show(t, Page(), v)
}

// TestTheSwitchSaysWhatItChanges, above the button, and only a pm has one.
//
// Verifies: ORC-338
func TestTheSwitchSaysWhatItChanges(t *testing.T) {
	v1 := pagetest.Recorded(t, "v1")
	got := shown(t, v1, "0", "pm", url.Values{"reason": {"a <b> reason"}}, nil)
	require.Contains(t, got, "Workflow v1 is in force; from two statuses nothing leads to done.")
	require.Contains(t, got, "Workflow rework adds seven moves.")
	require.Contains(t, got, "where it stood before, by the PM")
	require.Contains(t, got, "a &lt;b&gt; reason</textarea>")
	require.Contains(t, got, "looked up on &lt;main&gt; before")
	require.Contains(t, got, "status and pm notes")
	require.Contains(t, got, "nothing: it reads")
	require.Contains(t, got, `rowspan="2"`)
	require.Less(t, strings.Index(got, "adds seven moves"), strings.Index(got, "Put workflow rework in force"))

	got = shown(t, v1, "0", "viewer", nil, nil)
	require.NotContains(t, got, "<textarea")
	require.Contains(t, got, "A PM can put it in force.")
}

// TestTheWayBackIsClosedWhileItWouldStrand: the button gives way to what stands against it.
func TestTheWayBackIsClosedWhileItWouldStrand(t *testing.T) {
	rework := pagetest.Recorded(t, "rework")
	got := shown(t, rework, "2", "pm", nil, nil)
	require.Contains(t, got, "Workflow rework is in force: every status leads to done.")
	require.Contains(t, got, "takes seven moves away")
	require.Contains(t, got, "2 that are blocked</a>. Move them on first.")
	require.NotContains(t, got, "Put workflow v1 in force")
	require.Contains(t, shown(t, rework, "0", "pm", nil, nil), "Put workflow v1 in force")
}

// TestTheSwitchIsTheRequestOfThePM: what is sent is what a program would send, and a refusal is one of the API.
func TestTheSwitchIsTheRequestOfThePM(t *testing.T) {
	const call = "PUT /workflow"
	api := &pagetest.API{
		Answers: map[string]string{call: `{"detail":"not yours","code":"role_forbidden","status":403}`},
		Header:  http.Header{"Audit-Receipt": {"index=41, root=x"}},
	}
	v := api.Visit("pm", "/workflow")
	v.Form = url.Values{"workflow": {"rework"}, "reason": {" why "}}
	done, err := act(v)
	require.NoError(t, err)
	require.Equal(t, []string{call}, api.Asked)
	require.JSONEq(t, `{"workflow":"rework","reason":"why"}`, api.Bodies[0])
	require.Equal(t, "Workflow rework is in force. It is record 41 of the log.", done.Said)

	api.Status = map[string]int{call: http.StatusForbidden}
	_, err = act(v)
	var refused *ask.Refusal
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "not yours", refused.Detail)
	require.Contains(t, shown(t, pagetest.Recorded(t, "v1"), "0", "pm", nil, refused), ">Not yours</h2>")
}
