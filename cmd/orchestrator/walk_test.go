package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	journal "orchestrator/internal/boundary/record"
	"orchestrator/internal/httpapi"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
)

// door is a route or a command. What changes the state says how it is used with success and without, and which records
// the two leave; what only reads leaves none.
type door struct {
	reads bool
	may   []string // kinds of records that a reading one may leave all the same

	prepare           func(*walker) // makes what it works on; what that leaves is not looked at
	accepted, refused func(*walker)
	dry               func(*walker) // asks what it would do, where that is possible
	records           []string      // of what was accepted
	refusal           string        // the kind of the record of a refusal, with who and which code is found in it
	unrecorded        string        // why a refusal leaves none
}

// asking asks a route that changes nothing, by its own path or another.
func asking(path string) door {
	return door{reads: true, accepted: func(w *walker) { w.ask("pm", "GET", path, "", 200) }}
}

// running runs a command that changes nothing, while a service runs.
func running(args ...string) door {
	return door{reads: true, accepted: func(w *walker) { w.run(0, args...) }}
}

// routes has a row for each route of the service.
var routes = map[string]door{
	"GET /":                          asking("/"),
	"GET /docs":                      asking("/docs"),
	"GET /problems":                  asking("/problems"),
	"GET /problems/{code}":           asking("/problems/sealed"),
	"GET /healthz":                   asking("/healthz"),
	"GET /livez":                     asking("/livez"),
	"GET /readyz":                    asking("/readyz?verbose"),
	"GET /version":                   asking("/version"),
	"GET /metrics":                   asking("/metrics"),
	"GET /openapi.yaml":              asking("/openapi.yaml"),
	"GET /openapi.json":              asking("/openapi.json"),
	"GET /schemas/{name}":            asking("/schemas/defs.schema.json"),
	"GET /project":                   asking("/project"),
	"GET /requirements":              asking("/requirements"),
	"GET /requirements/{id}":         asking("/requirements/REQ-001"),
	"GET /next":                      asking("/next"),
	"GET /requirements/{id}/next":    asking("/requirements/REQ-001/next"),
	"GET /requirements/{id}/history": asking("/requirements/REQ-001/history"),
	"GET /requirements/{id}/review":  asking("/requirements/REQ-001/review"),
	"GET /workflow":                  asking("/workflow"),
	"GET /project/import":            asking("/project/import"),
	"GET /project/renames":           asking("/project/renames"),
	"GET /audit":                     asking("/audit"),
	"GET /audit/checkpoint":          asking("/audit/checkpoint"),
	"GET /audit/key":                 asking("/audit/key"),
	"GET /audit/proof/consistency":   asking("/audit/proof/consistency?old=1"),
	"GET /audit/proof/inclusion":     asking("/audit/proof/inclusion?index=1"),
	"GET /audit/records/{index}":     asking("/audit/records/1"),
	"GET /audit/tile/*":              {reads: true, accepted: func(w *walker) { w.ask("pm", "GET", "/audit/tile/0/x999/000", "", 404) }},
	"GET /audit/blobs/{sha256}":      {reads: true, accepted: func(w *walker) { w.ask("pm", "GET", "/audit/blobs/0", "", 404) }},
	"GET /boundary/report":           asking("/boundary/report"),
	"GET /boundary/readiness":        asking("/boundary/readiness"),
	"GET /boundary/decisions":        asking("/boundary/decisions"),
	"GET /obligations":               asking("/obligations"),
	"GET /obligations/{run}":         {reads: true, accepted: func(w *walker) { w.ask("pm", "GET", "/obligations/0000000000000000", "", 404) }},
	"GET /traces/{run}":              {reads: true, accepted: func(w *walker) { w.ask("pm", "GET", "/traces/0000000000000000", "", 404) }},
	"GET /events":                    {reads: true, accepted: func(w *walker) { w.stream("/events?since=0") }},
	"GET /forms":                     asking("/forms"),
	"GET /tools":                     asking("/tools"),
	"GET /usage":                     asking("/usage"),
	"GET /schedules":                 asking("/schedules"),
	"GET /schedules/{schedule}":      {reads: true, accepted: func(w *walker) { w.ask("pm", "GET", "/schedules/none", "", 404) }},
	"DELETE /schedules/{schedule}": {
		prepare:  func(w *walker) { w.schedules() },
		accepted: func(w *walker) { w.ask("pm", "DELETE", "/schedules/"+w.scheduled(), "", 200) },
		refused:  func(w *walker) { w.ask("coder", "DELETE", "/schedules/none", "", 404) },
		records:  []string{"conductor.stepped"}, refusal: "request.refused coder unknown_schedule",
	},
	"GET /project/progress": asking("/project/progress"),
	// A review looks at all evidence again, and puts on record what it finds.
	"GET /project/review": {reads: true, may: []string{"evidence.rechecked"}, accepted: asking("/project/review").accepted},

	"PATCH /requirements/{id}": {
		accepted: func(w *walker) { w.ask("pm", "PATCH", "/requirements/REQ-001", note("n"), 200) },
		refused:  func(w *walker) { w.ask("coder", "PATCH", "/requirements/REQ-001", note("n"), 403) },
		dry:      func(w *walker) { w.ask("coder", "PATCH", "/requirements/REQ-001?dry_run=true", note("n"), 403) },
		records:  []string{"requirement.changed"}, refusal: "requirement.refused coder field_forbidden",
	},
	"POST /requirements/{id}/test-report": {
		accepted: func(w *walker) { w.ask("tester", "POST", "/requirements/REQ-001/test-report", oneReport, 200) },
		refused:  func(w *walker) { w.ask("pm", "POST", "/requirements/REQ-001/test-report", oneReport, 403) },
		dry: func(w *walker) {
			w.ask("tester", "POST", "/requirements/REQ-001/test-report?dry_run=true", oneReport, 200)
		},
		records: []string{"requirement.changed"}, refusal: "request.refused pm role_forbidden",
	},
	"POST /requirements/{id}/claim": {
		accepted: func(w *walker) { w.ask("coder", "POST", "/requirements/REQ-001/claim", "{}", 200) },
		refused:  func(w *walker) { w.ask("viewer", "POST", "/requirements/REQ-001/claim", "{}", 422) },
		records:  []string{"requirement.claimed"}, refusal: "request.refused viewer invalid_claim",
	},
	"DELETE /requirements/{id}/claim": {
		prepare:  func(w *walker) { w.ask("coder", "POST", "/requirements/REQ-001/claim", "{}", 200) },
		accepted: func(w *walker) { w.ask("coder", "DELETE", "/requirements/REQ-001/claim", "", 204) },
		refused:  func(w *walker) { w.ask("viewer", "DELETE", "/requirements/REQ-001/claim", "", 422) },
		records:  []string{"requirement.released"}, refusal: "request.refused viewer invalid_claim",
	},
	"POST /project/renames": {
		prepare: func(w *walker) {
			w.document(strings.Replace(shop, "REQ-002", "SHOP-2", 1))
			w.ask("pm", "POST", "/project/import", "", 200)
		},
		accepted: func(w *walker) {
			w.ask("pm", "POST", "/project/renames", `{"renames":[{"from":"REQ-002","to":"SHOP-2"}],"reason":"r"}`, 200)
		},
		refused: func(w *walker) { w.ask("coder", "POST", "/project/renames", "{}", 403) },
		records: []string{"requirements.renamed"}, refusal: "request.refused coder role_forbidden",
	},
	"PUT /workflow": {
		accepted: func(w *walker) { w.ask("pm", "PUT", "/workflow", `{"workflow":"v1","reason":"r"}`, 200) },
		refused:  func(w *walker) { w.ask("coder", "PUT", "/workflow", `{"workflow":"v1","reason":"r"}`, 403) },
		records:  []string{"workflow.chosen"}, refusal: "request.refused coder role_forbidden",
	},
	"POST /project/import": {
		accepted: func(w *walker) {
			w.document(shop + "- **REQ-003**: More.\n")
			w.ask("pm", "POST", "/project/import", "", 200)
		},
		refused: func(w *walker) { w.ask("viewer", "POST", "/project/import", "", 403) },
		dry:     func(w *walker) { w.ask("pm", "POST", "/project/import?dry_run=true", "", 200) },
		records: []string{"requirements.imported"}, refusal: "request.refused viewer role_forbidden",
	},
	"POST /mcp": {
		accepted: func(w *walker) { w.ask("pm", "POST", "/mcp", changeByTool, 200) },
		refused:  func(w *walker) { w.ask("coder", "POST", "/mcp", changeByTool, 200) },
		records:  []string{"requirement.changed"}, refusal: "requirement.refused coder field_forbidden",
	},
	"POST /obligations": {
		accepted: func(w *walker) { w.ask("coder", "POST", "/obligations", sum, 200) },
		refused:  func(w *walker) { w.ask("coder", "POST", "/obligations", `{"obligations":[]}`, 400) },
		dry:      func(w *walker) { w.ask("coder", "POST", "/obligations?plan=true", sum, 200) },
		records:  oneRun, refusal: "request.refused coder invalid_obligations",
	},
	"POST /obligations/{run}/answers": {
		prepare: func(w *walker) {
			w.ask("coder", "POST", "/obligations", aQuestion, 200)
			w.ask("coder", "POST", "/obligations", aQuestion, 200)
		},
		accepted: func(w *walker) { w.ask("coder", "POST", "/obligations/"+w.asks()+"/answers", `{"value":"2+2"}`, 200) },
		refused:  func(w *walker) { w.ask("coder", "POST", "/obligations/"+w.asks()+"/answers", `{"value":2}`, 422) },
		records:  []string{"conductor.stepped", "conductor.stepped"}, refusal: "request.refused coder answer_unfit",
	},
	"POST /drive": {
		accepted: func(w *walker) { w.ask("pm", "POST", "/drive", oneStep, 200) },
		refused:  func(w *walker) { w.ask("coder", "POST", "/drive", `{"roles":["pm"]}`, 403) },
		dry:      func(w *walker) { w.ask("pm", "POST", "/drive?plan=true", oneStep, 200) },
		records:  oneMove, refusal: "request.refused coder drive_forbidden",
	},
	"POST /boundary/attestations": {
		accepted: func(w *walker) {
			w.ask("pm", "POST", "/boundary/attestations", `{"item":"team","note":"briefed"}`, 200)
		},
		refused: func(w *walker) { w.ask("coder", "POST", "/boundary/attestations", `{"item":"team","note":"n"}`, 403) },
		records: []string{"boundary.recorded"}, refusal: "request.refused coder role_forbidden",
	},
	"POST /requests": {
		accepted: func(w *walker) { w.ask("coder", "POST", "/requests", `{"utterance":"what is 2+2"}`, 200) },
		refused:  func(w *walker) { w.ask("coder", "POST", "/requests", `{"utterance":"hm"}`, 422) },
		records:  oneRun, refusal: "request.refused coder not_understood",
	},
	"PUT /boundary/mode": {
		accepted: func(w *walker) { w.ask("pm", "PUT", "/boundary/mode", `{"mode":"off","reason":"a pause"}`, 200) },
		refused:  func(w *walker) { w.ask("coder", "PUT", "/boundary/mode", `{"mode":"enforce","reason":"r"}`, 403) },
		records:  []string{"boundary.recorded"}, refusal: "request.refused coder role_forbidden",
	},
}

const sum = `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math","expr":"2+2"}}]}`

// aQuestion asks its caller for the expression.
const aQuestion = `{"obligations":[{"type":"REPORT","payload":{"kind":"query.math"}}]}`

// asks returns the newest run with a question that waits for an answer.
func (w *walker) asks() string {
	w.t.Helper()
	var page struct {
		Runs []struct {
			ID string `json:"id"`
		} `json:"runs"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(w.ask("pm", "GET", "/obligations?waiting=true", "", 200).body), &page))
	require.NotEmpty(w.t, page.Runs)
	return page.Runs[0].ID
}

// schedules makes two schedules, and scheduled returns one that goes on.
func (w *walker) schedules() {
	for range 2 {
		w.ask("coder", "POST", "/obligations", `{"obligations":[{"type":"SCHEDULE","payload":{"every":"24h","obligations":[`+
			`{"type":"REPORT","payload":{"kind":"query.math","expr":"1+1"}}]}}]}`, 200)
	}
}

func (w *walker) scheduled() string {
	w.t.Helper()
	var page struct {
		Schedules []struct {
			ID string `json:"id"`
		} `json:"schedules"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(w.ask("pm", "GET", "/schedules?active=true", "", 200).body), &page))
	require.NotEmpty(w.t, page.Schedules)
	return page.Schedules[0].ID
}

// oneStep is the order to make one move, and oneMove are its records: the run begins, the move is made, the tool has
// run, the run ends.
const oneStep = `{"requirements":["REQ-001"],"max_steps":1}`

var oneMove = []string{"conductor.stepped", "requirement.changed", "conductor.stepped", "conductor.stepped"}

// pmToken is a token of who may change something.
const pmToken = ".orchestrator/tokens/pm.token"

// oneChange is the record of a change.
var oneChange = []string{"requirement.changed"}

// writes is a command that writes what a role may write, and is refused to another.
func writes(role string, args ...string) door {
	other, code := "coder", "field_forbidden"
	if role == other {
		other = "architect"
	}
	return door{
		accepted: func(w *walker) { w.run(0, args...) },
		refused:  func(w *walker) { w.run(1, append(slices.Clone(args), "--as", other)...) },
		records:  oneChange, refusal: "requirement.refused " + other + " " + code,
	}
}

// oneRun is the record of a run of tools that change nothing.
var oneRun = []string{"conductor.stepped"}

// changeByTool is a message whose tool proposes a change.
const changeByTool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"change",` +
	`"arguments":{"id":"REQ-001","pm_notes":[{"text":"n"}]}}}`

const oneReport = `<testsuite><testcase name="TestLogin_REQ001"/></testsuite>`

// commands has a row for each command of the program.
var commands = map[string]door{
	"serve": {
		accepted: func(w *walker) { w.project(); w.boundary(); w.serve() },
		refused:  func(w *walker) { w.stop(); w.document(broken); w.serve(); w.document(shop) },
		records:  []string{"ledger.created", "workflow.chosen", "evidence.chosen", "audit.key_chosen", "tokens.changed", "requirements.imported"},
		refusal:  "request.refused system document_invalid",
	},
	"import": {
		accepted: func(w *walker) { w.stop(); w.document(shop + "- **REQ-004**: More.\n"); w.run(0, "import"); w.serve() },
		refused:  func(w *walker) { w.stop(); w.document(broken); w.run(1, "import"); w.document(shop); w.serve() },
		dry:      func(w *walker) { w.run(0, "import", "--dry-run") },
		records:  []string{"requirements.imported"}, refusal: "request.refused system document_invalid",
	},
	"mcp": running("mcp", "--as", "viewer"), // its client is gone at once
	"token add": {
		accepted: func(w *walker) { w.run(0, "token", "add", "coder", "ada"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(1, "token", "add", "king", "ada"); w.requireTokens("ada") },
		records:  []string{"tokens.changed"}, unrecorded: "it is refused where it was typed, before it reaches a file",
	},
	"token revoke": {
		accepted: func(w *walker) { w.run(0, "token", "revoke", "--name", "ada"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(1, "token", "revoke", "--name", "ada"); w.requireTokens() },
		records:  []string{"tokens.changed"}, unrecorded: "it is refused where it was typed, before it reaches a file",
	},
	"webhook add": {
		accepted: func(w *walker) { w.webhook("walked") },
		refused:  func(w *walker) { w.run(1, "webhook", "add", "ftp://example.com", "--name", "walked") },
		records:  []string{"webhook.added"}, unrecorded: "it is refused where it was typed, before it reaches a file",
	},
	"webhook remove": {
		prepare:  func(w *walker) { w.webhook("removed") },
		accepted: func(w *walker) { w.run(0, "webhook", "remove", "removed"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(1, "webhook", "remove", "removed") },
		records:  []string{"webhook.removed"}, unrecorded: "it is refused where it was typed, before it reaches a file",
	},
	"webhook list": running("webhook", "list"),
	"webhook test": {
		reads: true, may: []string{"webhook.added"}, accepted: func(w *walker) {
			w.webhook("tested")
			w.run(0, "webhook", "test", "tested")
			w.run(1, "webhook", "test", "none")
		},
	},
	"webhook replay": {
		reads: true, may: []string{"webhook.added"}, accepted: func(w *walker) {
			w.webhook("replayed")
			w.run(1, "webhook", "replay", "replayed", "--dead")
			w.run(0, "webhook", "replay", "replayed", "--since", "1")
		},
	},
	"restore": {
		accepted: func(w *walker) {
			w.run(0, "backup", "-o", "state.zip")
			w.stop()
			w.run(0, "restore", "state.zip", "--replace")
			w.serve()
		},
		refused: func(w *walker) { w.run(1, "restore", "state.zip", "--replace") },
		records: []string{"log.restored"}, unrecorded: "the database is a service's, and was not touched",
	},
	"hook": {
		accepted: func(w *walker) { w.hook(0, edit); w.awaitRecord() },
		refused:  func(w *walker) { w.hook(0, "no call"); w.awaitRecord() }, // in validate it is noted, and blocks nothing
		records:  []string{"boundary.recorded"}, refusal: "boundary.recorded system",
	},
	"boundary install": {
		accepted: func(w *walker) {
			w.run(0, "boundary", "install", "claude", "--client-version", "2.1.300")
			w.awaitRecord()
		},
		refused: func(w *walker) {
			w.run(0, "boundary", "install", "claude", "--client-version", "2.1.300")
			w.run(1, "boundary", "install", "nobody")
		},
		records: []string{"boundary.recorded"}, unrecorded: "it is installed already, or there is no such client",
	},
	"boundary doctor": {reads: true, accepted: func(w *walker) { w.run(1, "boundary", "doctor") }}, // the hook is registered with nobody
	"boundary drill": {
		accepted: func(w *walker) { w.run(0, "boundary", "drill"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(1, "boundary", "drill", "--root", "/") },
		records:  []string{"boundary.recorded"}, unrecorded: "there is no boundary",
	},
	"boundary uninstall": {
		prepare: func(w *walker) {
			w.run(0, "boundary", "install", "gemini", "--client-version", "1.0.0")
			w.awaitRecord()
		},
		accepted: func(w *walker) { w.run(0, "boundary", "uninstall", "gemini"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(0, "boundary", "uninstall", "gemini") },
		records:  []string{"boundary.recorded"}, unrecorded: "it was not installed",
	},
	"boundary bypass": journalling(
		[]string{"boundary", "bypass", "--reason", "r", "--for", "1s"},
		[]string{"boundary", "bypass", "--for", "1s"}),
	"boundary import": {
		prepare:  func(w *walker) { w.file("older.jsonl", older) },
		accepted: func(w *walker) { w.run(0, "boundary", "import", "older.jsonl"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(0, "boundary", "import", "older.jsonl"); w.run(1, "boundary", "import", "none") },
		records:  []string{"boundary.recorded"}, unrecorded: "it was imported before, or is no file",
	},
	"boundary label": {
		prepare:  func(w *walker) { w.hook(0, edit); w.awaitRecord() },
		accepted: func(w *walker) { w.run(0, "boundary", "label", w.violation(), "correct"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(1, "boundary", "label", "none", "correct") },
		records:  []string{"boundary.recorded"}, unrecorded: unjournalled,
	},
	"boundary mode": journalling(
		[]string{"boundary", "mode", "enforce", "--reason", "r", "--override", "o"},
		[]string{"boundary", "mode", "validate"}),
	"boundary rollback": journalling( // from the mode that the row before leaves
		[]string{"boundary", "rollback", "--reason", "r"},
		[]string{"boundary", "rollback"}),
	"boundary recovery": {
		prepare: func(w *walker) {
			w.run(0, "boundary", "rollback", "--reason", "r")
			w.awaitRecord()
		},
		accepted: func(w *walker) {
			w.run(0, "boundary", "recovery", "--cause", "c", "--link", "ORC-12", "--mend", "m")
			w.awaitRecord()
		},
		refused: func(w *walker) { w.run(1, "boundary", "recovery", "--cause", "c") },
		records: []string{"boundary.recorded"}, unrecorded: unjournalled,
	},
	"boundary attest": {
		accepted: func(w *walker) { w.run(0, "boundary", "attest", "team", "--note", "briefed", "--token-file", pmToken) },
		refused: func(w *walker) {
			w.run(1, "boundary", "attest", "team", "--note", "n", "--token-file", ".orchestrator/tokens/coder.token")
		},
		records: []string{"boundary.recorded"}, refusal: "request.refused coder role_forbidden",
	},
	"boundary reviewed": {
		prepare: func(w *walker) {
			w.run(0, "boundary", "mode", "enforce", "--reason", "r", "--override", "o")
			w.hook(2, "no call") // of the runs since, more failed than the threshold allows
			w.awaitRecord()
		},
		accepted: func(w *walker) { w.run(0, "boundary", "reviewed", "--note", "n"); w.awaitRecord() },
		refused:  func(w *walker) { w.run(1, "boundary", "reviewed", "48h", "--note", "n") },
		records:  []string{"boundary.recorded"}, unrecorded: unjournalled,
	},
	"boundary explain": {reads: true, accepted: func(w *walker) {
		w.file("edit.json", edit)
		w.run(0, "boundary", "explain", "edit.json")
	}},
	"boundary decisions": running("boundary", "decisions"),
	"boundary export":    running("boundary", "export"),
	"boundary log":       running("boundary", "log"),
	"boundary readiness": {reads: true, accepted: func(w *walker) { w.run(1, "boundary", "readiness") }},
	"boundary replay":    running("boundary", "replay", "--policy", ".orchestrator/boundary/policy.json"),
	"boundary report":    running("boundary", "report"),
	"boundary status":    running("boundary", "status"),
	"boundary tools":     running("boundary", "tools"),

	"backup":       running("backup", "-o", "backup.zip"),
	"audit bundle": running("audit", "bundle", "-o", "log.zip"),
	"audit verify": running("audit", "verify", "log.zip"),
	"audit witness": {reads: true, accepted: func(w *walker) {
		w.run(0, "audit", "witness", "--once", "--name", "example.net/witness", "http://"+w.p.addr)
	}},
	"compact": {reads: true, accepted: func(w *walker) { w.stop(); w.run(0, "compact"); w.serve() }},
	"migrate": {reads: true, accepted: func(w *walker) {
		w.stop()
		w.run(0, "migrate", "--from", "bbolt:.orchestrator", "--to", "bbolt:moved")
		w.run(1, "serve", "--addr", "127.0.0.1:0")
		w.run(0, "migrate", "--from", "bbolt:moved", "--to", "bbolt:.orchestrator/state.db")
		w.serve()
	}},
	"upgrade":         {reads: true, accepted: func(w *walker) { w.stop(); w.run(0, "upgrade"); w.serve() }},
	"token list":      running("token", "list"),
	"version":         running("version"),
	"completion bash": running("completion", "bash"), "completion zsh": running("completion", "zsh"),
	"completion fish": running("completion", "fish"),
	"init":            running("init"),
	"config set": {reads: true, accepted: func(w *walker) {
		w.run(0, "config", "set", "log_level", "info")
		w.run(2, "config", "set", "log_level", "loud")
	}},
	"mcp install": {reads: true, accepted: func(w *walker) {
		w.run(0, "mcp", "install", "claude")
		w.run(1, "mcp", "install", "nobody")
	}},
	"mcp status":    running("mcp", "status", "codex"),
	"mcp uninstall": running("mcp", "uninstall", "claude"),
	"config unset":  running("config", "unset", "log_level"),
	"trace":         running("trace"),
	"review":        running("review"),
	"usage":         running("usage", "--since", "2026-01-01"),
	"tools list":    running("tools", "list"), "tools check": running("tools", "check"),
	"tools show":     running("tools", "show", "math.eval"),
	"schedules list": running("schedules", "list", "--all"),
	"schedules end": {
		prepare:  func(w *walker) { w.schedules() },
		accepted: func(w *walker) { w.run(0, "schedules", "end", "--token-file", pmToken, w.scheduled()) },
		refused:  func(w *walker) { w.run(1, "schedules", "end", w.scheduled()) },
		records:  []string{"conductor.stepped"}, refusal: "request.refused viewer schedule_forbidden",
	},
	"ask": {
		accepted: func(w *walker) { w.run(0, "ask", "--token-file", pmToken, "what is 2+2") },
		refused:  func(w *walker) { w.run(1, "ask", "hm") },
		dry:      func(w *walker) { w.run(0, "ask", "what is 2+2") }, // with the viewer's token
		records:  oneRun, refusal: "request.refused viewer not_understood",
	},
	"answer": {
		prepare: func(w *walker) {
			w.ask("pm", "POST", "/obligations", aQuestion, 200)
			w.ask("coder", "POST", "/obligations", aQuestion, 200)
		},
		accepted: func(w *walker) { w.run(0, "answer", "--token-file", pmToken, w.asks(), "2+2") },
		refused:  func(w *walker) { w.run(1, "answer", w.asks(), "o1", "2+2") },
		dry: func(w *walker) {
			w.run(0, "answer")
			w.run(0, "answer", w.asks())
		},
		records: []string{"conductor.stepped", "conductor.stepped"}, refusal: "request.refused viewer answer_forbidden",
	},
	"conduct": {
		prepare:  func(w *walker) { w.file("sum.json", sum); w.file("none.json", `{"obligations":[]}`) },
		accepted: func(w *walker) { w.run(0, "conduct", "--token-file", pmToken, "sum.json") },
		refused:  func(w *walker) { w.run(1, "conduct", "none.json") },
		dry: func(w *walker) {
			w.run(0, "conduct", "--plan", "--token-file", pmToken, "sum.json")
			w.run(0, "conduct", "sum.json") // with the viewer's token
		},
		records: oneRun, refusal: "request.refused viewer invalid_obligations",
	},
	"drive": {
		accepted: func(w *walker) { w.run(1, "drive", "--requirement", "REQ-001", "--max-steps", "1") },
		refused:  func(w *walker) { w.run(1, "drive", "--parallel", "0") },
		dry:      func(w *walker) { w.run(0, "drive", "--plan") },
		records:  oneMove, refusal: "request.refused pm invalid_drive",
	},
	"prompts": running("prompts", "coder"),
	"health":  running("health"),
	"doctor":  running("doctor"),
	"up":      running("up"), "open": running("open", "--print"),
	"down": {reads: true, accepted: func(w *walker) { w.run(1, "down") }}, // another started the service
	"gate": {reads: true, accepted: func(w *walker) { w.run(1, "gate") }},

	"status": running("status"), "list": running("list"), "next": running("next"), "whoami": running("whoami"),
	"history": running("history", "REQ-001"), "watch": running("watch", "--since", "0", "--once"),
	"show": {reads: true, may: []string{"evidence.rechecked"}, accepted: running("show", "REQ-001").accepted},
	"change": {
		accepted: func(w *walker) {
			w.run(0, "change", "REQ-002", "--status", "needs_changes", "--reason", "r", "--evidence", "file:REQUIREMENTS.md")
		},
		refused: func(w *walker) {
			w.run(1, "change", "REQ-002", "--status", "done", "--reason", "r", "--evidence", "file:REQUIREMENTS.md")
		},
		dry: func(w *walker) {
			w.run(1, "change", "REQ-002", "--status", "done", "--reason", "r", "--evidence", "file:REQUIREMENTS.md", "--dry-run")
		},
		records: oneChange, refusal: "requirement.refused pm illegal_transition",
	},
	"design":    writes("architect", "design", "REQ-001", "--summary", "s"),
	"implement": writes("coder", "implement", "REQ-001", "--summary", "s", "--file", "REQUIREMENTS.md"),
	"test":      writes("tester", "test", "REQ-001", "--plan", "p"),
	"note":      writes("pm", "note", "REQ-001", "n"),
	"attach": {
		prepare:  func(w *walker) { w.file("verbs.xml", oneReport) },
		accepted: func(w *walker) { w.run(0, "attach", "REQ-002", "verbs.xml") },
		refused:  func(w *walker) { w.run(1, "attach", "REQ-002", "verbs.xml", "--as", "pm") },
		dry:      func(w *walker) { w.run(0, "attach", "REQ-002", "verbs.xml", "--dry-run") },
		records:  oneChange, refusal: "request.refused pm role_forbidden",
	},
	"approve": writes("pm", "approve", "REQ-001", "--yes"),
	"accept": {
		prepare: func(w *walker) {
			w.run(0, "change", "REQ-002", "--status", "planned", "--reason", "r", "--evidence", "file:REQUIREMENTS.md")
			w.document(strings.Replace(shop, "log out", "sign out", 1))
			w.ask("pm", "POST", "/project/import", "", 200)
		},
		accepted: func(w *walker) { w.run(0, "accept", "REQ-002", "--yes") },
		refused:  func(w *walker) { w.run(1, "accept", "REQ-002", "--yes") },
		records:  oneChange, unrecorded: "there is no changed text, and nothing is sent",
	},
	"block": {
		accepted: func(w *walker) { w.run(0, "block", "REQ-002", "--reason", "r") },
		refused:  func(w *walker) { w.run(1, "block", "REQ-002", "--reason", "r", "--as", "coder") },
		records:  oneChange, refusal: "requirement.refused coder field_forbidden",
	},
	"defer": {
		accepted: func(w *walker) { w.run(0, "defer", "REQ-002", "--reason", "r") },
		refused:  func(w *walker) { w.run(1, "defer", "REQ-002", "--reason", "r", "--as", "coder") },
		records:  oneChange, refusal: "requirement.refused coder field_forbidden",
	},
	"reopen": {
		prepare: func(w *walker) {
			w.run(0, "change", "REQ-002", "--status", "needs_changes", "--reason", "r", "--evidence", "file:REQUIREMENTS.md")
			w.run(0, "change", "REQ-002", "--status", "blocked", "--reason", "r", "--evidence", "file:REQUIREMENTS.md")
		},
		accepted: func(w *walker) { w.run(0, "reopen", "REQ-002", "--reason", "r") },
		refused:  func(w *walker) { w.run(1, "reopen", "REQ-002", "--reason", "r", "--as", "coder") },
		records:  oneChange, unrecorded: "nothing that the coder could send leads back, and nothing is sent",
	},
	"claim": {
		accepted: func(w *walker) { w.run(0, "claim", "REQ-001") },
		refused:  func(w *walker) { w.run(1, "claim", "REQ-001", "--as", "viewer") },
		records:  []string{"requirement.claimed"}, refusal: "request.refused viewer invalid_claim",
	},
	"workflow": {
		prepare: func(w *walker) { // of v1, where nothing may be stranded
			w.run(0, "workflow", "rework", "--reason", "r")
			w.run(0, "change", "REQ-002", "--status", "planned", "--reason", "r", "--evidence", "file:REQUIREMENTS.md")
		},
		accepted: func(w *walker) { w.run(0, "workflow", "v1", "--reason", "r") },
		refused:  func(w *walker) { w.run(1, "workflow", "rework", "--reason", "r", "--as", "coder") },
		dry:      func(w *walker) { w.run(0, "workflow") },
		records:  []string{"workflow.chosen"}, refusal: "request.refused coder role_forbidden",
	},
	"adopt": running("adopt"),
	"apply": {
		prepare: func(w *walker) {
			const line = `{"role":%q,"requirement":"REQ-001","request":` + "%s}\n"
			w.file("plan.jsonl", fmt.Sprintf(line, "pm", note("planned")))
			w.file("wrong.jsonl", fmt.Sprintf(line, "coder", note("planned")))
		},
		accepted: func(w *walker) { w.run(0, "apply", "plan.jsonl") },
		refused:  func(w *walker) { w.run(1, "apply", "wrong.jsonl") },
		dry:      func(w *walker) { w.run(0, "apply", "plan.jsonl", "--dry-run") },
		records:  oneChange, refusal: "requirement.refused coder field_forbidden",
	},
	"rename": {
		accepted: func(w *walker) { w.run(0, "rename", "--qualify", "folder", "--reason", "r") },
		refused:  func(w *walker) { w.run(1, "rename", "--qualify", "none", "--reason", "r", "--as", "coder") },
		dry: func(w *walker) {
			w.run(0, "rename")
			w.run(0, "rename", "--qualify", "folder", "--reason", "r", "--dry-run")
		},
		records: []string{"requirements.renamed"}, refusal: "request.refused coder role_forbidden",
	},
	"merge-status": {reads: true, accepted: func(w *walker) {
		w.run(0, "merge-status", "none", "project_status.json", "project_status.json", "7", "project_status.json")
	}},
	"verify": {reads: true, accepted: func(w *walker) { w.stop(); w.run(0, "verify"); w.serve() }},
}

const broken = "# Shop\n\n- **REQ-001**: A customer can log in.\n- **REQ-001**: A customer can pay.\n"

// TestNothingIsUnaudited walks every route and every command. What changes the state leaves its records and no others,
// refused or not; what reads leaves none. A route or command that has no row fails it.
//
// Verifies: ORC-107
func TestNothingIsUnaudited(t *testing.T) {
	t.Parallel()
	require.Equal(t, everyRoute(t), slices.Sorted(maps.Keys(routes)), "every route has a row")
	require.Equal(t, everyCommand(), slices.Sorted(maps.Keys(commands)), "every command has a row")

	w := &walker{t: t}
	names := slices.DeleteFunc(everyCommand(), func(name string) bool { return name == "serve" })
	for _, name := range append([]string{"serve"}, names...) { // the others need what it makes
		w.walk(name, commands[name])
	}
	for _, name := range everyRoute(t) {
		w.walk(name, routes[name])
	}
	w.stop()
	requireInOrder(t, w.dir)
}

func everyRoute(t *testing.T) (all []string) {
	router := httpapi.New(httpapi.Config{Service: &requirements.Service{}, Metrics: prometheus.NewRegistry()}).(chi.Routes)
	require.NoError(t, chi.Walk(router, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		all = append(all, method+" "+route)
		return nil
	}))
	slices.Sort(all)
	return all
}

func everyCommand() (all []string) {
	for _, c := range leaves(rootCommand()) {
		all = append(all, strings.TrimPrefix(c.CommandPath(), "orchestrator "))
	}
	slices.Sort(all)
	return all
}

// walker goes through the doors, with a service that runs between them.
type walker struct {
	t    *testing.T
	name string
	dir  string
	p    *process
	size int // of the log before
}

func (w *walker) walk(name string, d door) {
	w.name = name
	require.NotNil(w.t, d.accepted, name)
	if d.reads {
		w.size = w.logSize()
		d.accepted(w)
		for _, r := range w.news() {
			require.Contains(w.t, d.may, r.Kind, "%s only reads", name)
		}
		return
	}
	w.prepare(d)
	if d.dry != nil {
		d.dry(w)
		require.Empty(w.t, w.news(), "%s: a question is no decision", name)
	}
	d.accepted(w)
	var kinds []string
	for _, r := range w.news() {
		if again := slices.Contains(kinds, r.Kind); again && r.Kind == "boundary.recorded" {
			continue // the journal was taken in between two lines of one command
		}
		kinds = append(kinds, r.Kind)
	}
	require.Equal(w.t, d.records, kinds, name)

	w.size = w.logSize()
	d.refused(w)
	news := w.news()
	if d.unrecorded != "" {
		require.Empty(w.t, news, name)
		return
	}
	require.NotEmpty(w.t, news, name)
	var data struct {
		Refusal struct {
			Code string `json:"code"`
		} `json:"refusal"`
	}
	require.NoError(w.t, json.Unmarshal(news[0].Data, &data))
	require.Equal(w.t, d.refusal, strings.TrimSpace(fmt.Sprintf("%s %s %s", news[0].Kind, news[0].Actor.Role, data.Refusal.Code)), name)
	for _, r := range news[1:] {
		require.Equal(w.t, "requirements.imported", r.Kind, "the document is mended, and imported")
	}
}

// prepare makes what a door needs, and notes how large the log is then.
func (w *walker) prepare(d door) {
	w.size = 0
	if w.p == nil {
		return
	}
	w.size = w.logSize()
	if d.prepare != nil {
		d.prepare(w)
		w.size = w.logSize()
	}
}

// news are the records since the door was opened.
func (w *walker) news() (all []audit.Record) {
	w.t.Helper()
	got := w.ask("viewer", "GET", fmt.Sprintf("/audit?from=%d&limit=1000", w.size), "", 200)
	var page struct {
		Records []audit.Record `json:"records"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(got.body), &page))
	return page.Records
}

func (w *walker) logSize() int {
	w.t.Helper()
	var page struct {
		Size int `json:"size"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(w.ask("viewer", "GET", "/audit?limit=1", "", 200).body), &page))
	return page.Size
}

func (w *walker) ask(role, method, path, body string, status int) answer {
	w.t.Helper()
	got, err := w.p.call(request{role: role, method: method, path: path, body: body})
	require.NoError(w.t, err, w.name)
	require.Equal(w.t, status, got.status, "%s: %s", w.name, got.body)
	return got
}

// stream reads the first line of a stream.
func (w *walker) stream(path string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.p.base()+path, nil)
	require.NoError(w.t, err)
	secret, err := w.p.token("pm")
	require.NoError(w.t, err)
	req.Header.Set("Authorization", "Bearer "+secret)
	res, err := w.p.client().Do(req)
	require.NoError(w.t, err)
	defer res.Body.Close()
	require.Equal(w.t, http.StatusOK, res.StatusCode)
	_, err = bufio.NewReader(res.Body).ReadString('\n')
	require.NoError(w.t, err)
}

func (w *walker) run(code int, args ...string) {
	w.t.Helper()
	out, got := orchestrate(w.t, w.dir, args...)
	require.Equal(w.t, code, got, "%s: %s", w.name, out)
}

func (w *walker) project() { w.dir = newProject(w.t) }
func (w *walker) serve()   { w.p = startServer(w.t, w.dir, "--rate-limit", "0") }
func (w *walker) stop()    { require.NoError(w.t, w.p.stop(0), w.name) }

// document replaces the requirement document at once, as an editor does that renames it into place.
func (w *walker) document(text string) {
	path := filepath.Join(w.dir, "REQUIREMENTS.md")
	require.NoError(w.t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(w.t, os.Rename(path+".new", path))
}

// webhook adds a webhook whose receiver takes everything.
func (w *walker) webhook(name string) {
	w.t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w.t.Cleanup(receiver.Close)
	w.run(0, "webhook", "add", receiver.URL, "--name", name)
	w.awaitRecord()
}

// awaitRecord returns when the service has put something on record and, where that is of the journal, all of its file.
func (w *walker) awaitRecord() {
	require.NoError(w.t, poll(func() error {
		news := w.news()
		if len(news) == 0 {
			return fmt.Errorf("%s left no record", w.name)
		}
		last := news[len(news)-1]
		if last.Kind != journal.KindRecorded {
			return nil
		}
		var read journal.Recorded
		require.NoError(w.t, json.Unmarshal(last.Data, &read))
		file, err := os.Stat(filepath.Join(w.dir, ".orchestrator/boundary/journal", read.File))
		if err == nil && file.Size() != read.To {
			return fmt.Errorf("of %d bytes of %s, %d are on record", file.Size(), read.File, read.To)
		}
		return err
	}))
}

// requireTokens wants these names, and those of the first start, in the list of tokens.
func (w *walker) requireTokens(names ...string) {
	out, code := orchestrate(w.t, w.dir, "token", "list", "--json")
	require.Zero(w.t, code)
	require.Equal(w.t, 5+len(names), strings.Count(out, `"name":`))
	for _, name := range names {
		require.Contains(w.t, out, name)
	}
}
