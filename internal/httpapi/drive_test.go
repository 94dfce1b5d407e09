package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/token"
)

// secretInAPath is a made-up token, which nobody may read in the log.
const secretInAPath = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"

func TestNoSecretOfAPathIsRecorded(t *testing.T) {
	h := newHarness(t)
	h.mint("agents.pm", "pm", "REQ-001")
	h.expect(403, "agent_bound", "agents.pm", "PATCH", "/requirements/"+secretInAPath, "{}")
	log := string(h.do("pm", "GET", "/audit", "").Body)
	require.Contains(t, log, "agent_bound")
	require.NotContains(t, log, secretInAPath)
}

func provokeDrive(h *harness) {
	h.mint("agents.pm", "pm", "REQ-001")
	for _, request := range []string{"PATCH /requirements/REQ-002", "POST /requirements/REQ-002/test-report", "POST /project/import", "PUT /boundary/mode", "PUT /workflow", "POST /project/renames", "POST /drive", "POST /obligations/0000000000000000/answers"} {
		method, path, _ := strings.Cut(request, " ")
		require.NotEmpty(h.t, h.expect(403, "agent_bound", "agents.pm", method, path, "{}").Header.Get("Audit-Receipt"), "it is not on record")
	}
	h.expect(403, "cross_origin", "pm", "POST", "/drive", "{}", "Sec-Fetch-Site", "cross-site")
	h.expect(200, "", "viewer", "POST", "/drive?plan=true", "{}")
	h.expect(200, "", "pm", "POST", "/drive", `{"max_steps":1,"requirements":["REQ-001"]}`)
	h.expect(200, "", "pm", "POST", "/drive", `{"max_steps":1,"requirements":["REQ-001"]}`, "Accept", "application/x-ndjson")
	h.expect(400, "invalid_drive", "pm", "POST", "/drive", `{"parallel":0}`)
	h.expect(400, "invalid_parameter", "pm", "POST", "/drive?plan=perhaps", "{}")
	h.expect(403, "drive_forbidden", "viewer", "POST", "/drive", "{}")
	h.expect(404, "unknown_requirement", "pm", "POST", "/drive", `{"requirements":["REQ-999"]}`)
	h.expect(404, "unknown_requirement", "pm", "POST", "/drive?plan=true", `{"requirements":["REQ-999"]}`)
}

// A project without agents is led as far as moves alone go, and is told what it waits for.
func TestADriveWithoutAgents(t *testing.T) {
	h := newHarness(t)
	var report drive.Report
	require.NoError(t, json.Unmarshal(h.expect(200, "", "pm", "POST", "/drive", "{}").Body, &report))
	require.Equal(t, 3, report.Outcomes[drive.Waiting])
	for _, end := range report.Requirements {
		require.Equal(t, lifecycle.DesignInProgress, end.Status)
		require.Equal(t, "for the architect: ACHIEVE(requirement.design_spec): a design_spec; there is no agent for it: declare one in the folder tools, or do the work yourself", end.Why)
	}
}

// Each event is a line, which arrives when it happens; the report is the last.
//
// Verifies: ORC-291
func TestADriveInLines(t *testing.T) {
	h := newHarness(t)
	answer := h.expect(200, "", "pm", "POST", "/drive", `{"requirements":["REQ-002"],"max_steps":2}`, "Accept", "application/x-ndjson")
	require.Equal(t, "application/x-ndjson", answer.Header.Get("Content-Type"))
	var told []string
	for line := range strings.Lines(string(answer.Body)) {
		var e map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		for name := range e {
			told = append(told, name)
		}
	}
	require.Equal(t, []string{"order", "begun", "step", "begun", "step", "end", "report"}, told)
}

// Who is no pm has the work of its own role done, and nobody else's.
//
// Verifies: ORC-291
func TestWhoDrives(t *testing.T) {
	h := newHarness(t)
	var report drive.Report
	require.NoError(t, json.Unmarshal(h.expect(200, "", "coder", "POST", "/drive", `{"requirements":["REQ-001"]}`).Body, &report))
	require.Equal(t, "for the pm: ACHIEVE(requirement.status) to planned", report.Requirements[0].Why)
	require.Zero(t, report.Steps)
	h.expect(403, "drive_forbidden", "coder", "POST", "/drive", `{"roles":["coder","pm"]}`)
	h.expect(200, "", "pm", "POST", "/drive", `{"roles":["coder","pm"],"max_steps":1}`)
	var plan struct{ Requirements []drive.Plan }
	require.NoError(t, json.Unmarshal(h.expect(200, "", "viewer", "POST", "/drive?plan=true", `{}`).Body, &plan))
	require.Equal(t, "pm", plan.Requirements[0].Role)
	size := h.Ledger.Head().Size
	h.expect(200, "", "pm", "POST", "/drive?plan=true", `{}`)
	require.Equal(t, size, h.Ledger.Head().Size, "a plan is no record")
}

// slow is a conductor that takes its time.
type slow struct{ drive.Conductor }

func (s slow) Conduct(ctx context.Context, caller conductor.Caller, request planning.Request) (conductor.Trace, error) {
	time.Sleep(1600 * time.Millisecond)
	return s.Conductor.Conduct(ctx, caller, request)
}

// A drive may take longer than any other answer.
func TestADriveTakesItsTime(t *testing.T) {
	h := newHarness(t, func(o *options) {
		o.WriteTimeout, o.Driven = 1500*time.Millisecond, func(c drive.Conductor) drive.Conductor { return slow{c} }
	})
	for _, accept := range []string{"application/json", "application/x-ndjson"} {
		answer := h.expect(200, "", "pm", "POST", "/drive", `{"requirements":["REQ-001"],"max_steps":1}`, "Accept", accept)
		require.Contains(t, string(answer.Body), "max_steps is exhausted")
	}
}

// What a requirement depends on is done before; what the documents do not have, or no more, holds nothing up.
func TestADriveGoesByWhatDependsOnWhat(t *testing.T) {
	h := newHarness(t)
	h.write("# Requirements\n\n## Pay\n`req~pay~1`\n\nA customer pays.\n\nDepends:\n\n* `req~login~1`\n\n## Log in\n`req~login~1`\n\nA customer logs in.\n\nDepends:\n\n* `req~gone~1`\n")
	h.expect(200, "", "pm", "POST", "/project/import", "")
	var report drive.Report
	require.NoError(t, json.Unmarshal(h.expect(200, "", "pm", "POST", "/drive", "{}").Body, &report))
	require.Len(t, report.Requirements, 2, "those that the documents no longer have are not driven")
	require.Contains(t, report.Requirements[0].Why, "it depends on req~login~1, which is not done")
	require.Equal(t, lifecycle.DesignInProgress, report.Requirements[1].Status)
}

// mint makes a token as a run of an agent has it.
func (h *harness) mint(name, role, only string) token.Token {
	h.t.Helper()
	return h.mintFor(name, role, only, "run-of-"+name)
}

// mintFor makes one for a run.
func (h *harness) mintFor(name, role, only, run string) token.Token {
	h.t.Helper()
	secret, made, err := h.auth.Mint(context.Background(), name, role, token.Bound{Only: only, Run: run}, time.Now().Add(time.Hour), time.Now())
	require.NoError(h.t, err)
	h.secrets[name] = secret
	return made
}

// The token of an agent is for its requirement; what only asks is everybody's.
//
// Verifies: ORC-288
func TestAnAgentKeepsToItsRequirement(t *testing.T) {
	h := newHarness(t)
	h.mint("agents.pm", "pm", "REQ-001")
	h.expect(200, "", "agents.pm", "PATCH", "/requirements/REQ-001", `{"pm_notes":[{"text":"seen"}]}`)
	h.expect(200, "", "agents.pm", "PATCH", "/requirements/%52EQ-001", `{"pm_notes":[{"text":"seen, by its id in other letters"}]}`)
	h.expect(403, "agent_bound", "agents.pm", "PATCH", "/requirements/REQ-002", `{"pm_notes":[{"text":"seen"}]}`)
	h.expect(200, "", "agents.pm", "GET", "/requirements/REQ-002", "")
	h.expect(200, "", "agents.pm", "POST", "/requests", `{"utterance":"what is 2+2"}`)
}

// A request that began while its token worked, and came to its end when it did no more, decides nothing.
//
// Verifies: ORC-288
func TestATokenThatIsRevokedWhileItsRequestArrives(t *testing.T) {
	h := newHarness(t)
	made := h.mint("agents.pm", "pm", "REQ-001")
	body := `{"pm_notes":[{"text":"too late"}]}`
	conn, err := net.Dial("tcp", h.Server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "PATCH /requirements/REQ-001 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", h.secrets["agents.pm"], len(body), body[:5])
	h.holds(func(held int) bool { return held > 0 }) // the request has begun
	require.NoError(t, h.auth.Unmint(context.Background(), made))
	fmt.Fprint(conn, body[5:])
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, 401, answer.StatusCode)
	require.Contains(t, answer.Header.Get("WWW-Authenticate"), "invalid_token")
	require.NotContains(t, string(h.expect(200, "", "pm", "GET", "/requirements/REQ-001", "").Body), "too late")
}
