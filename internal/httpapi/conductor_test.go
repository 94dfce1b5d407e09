package httpapi_test

import (
	"context"
	"errors"
	"strings"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/audit"
	"orchestrator/internal/ir"
	"orchestrator/internal/rules/planning"
)

// obligation is a request with one REPORT.
func obligation(kind, members string) string {
	return `{"obligations":[{"type":"REPORT","payload":{"kind":"` + kind + `",` + members + `}}]}`
}

const sum = `"expr":"1+1"`

func provokeConductor(h *harness) {
	trace := h.expect(200, "", "coder", "POST", "/obligations", obligation("query.math", sum)).json(h.t)
	h.expect(200, "", "coder", "POST", "/obligations?plan=true", obligation("query.math", sum))
	h.expect(200, "", "coder", "POST", "/requests", `{"utterance":"what is 1+1"}`)
	h.expect(200, "", "coder", "POST", "/requests", `{"utterance":"what is 1+1","idempotency_key":"k"}`)
	for _, path := range []string{"/obligations", "/obligations/" + trace["id"].(string), "/traces/" + trace["id"].(string), "/tools"} {
		h.expect(200, "", "viewer", "GET", path, "")
		h.expect(200, "", "viewer", "HEAD", path, "")
	}
	next := h.expect(200, "", "viewer", "GET", "/obligations?limit=2", "").json(h.t)["next"].(string)
	require.Nil(h.t, h.expect(200, "", "viewer", "GET", next, "").json(h.t)["next"])
	h.expect(404, "unknown_run", "viewer", "GET", "/traces/0000000000000000", "")
	h.expect(404, "unknown_run", "viewer", "GET", "/obligations/0000000000000000", "")
	h.expect(400, "invalid_parameter", "viewer", "GET", "/obligations?before=0", "")
	h.expect(400, "invalid_parameter", "viewer", "POST", "/obligations?plan=perhaps", "{}")

	for path, understood := range map[string]string{"/obligations": obligation("query.math", `"expr":"2+2"`), "/requests": `{"utterance":"what is 2+2"}`} {
		refused := func(status int, code, body string, headers ...string) {
			h.t.Helper()
			require.NotEmpty(h.t, h.expect(status, code, "coder", "POST", path, body, headers...).Header.Get("Audit-Receipt"), "it is not on record")
		}
		refused(400, "json_syntax", "{")
		refused(413, "body_too_large", strings.Repeat(" ", 1<<20+1))
		refused(415, "media_type", understood, "Content-Type", "text/plain")
		refused(415, "content_encoding", understood, "Content-Encoding", "gzip")
		keyed := strings.TrimSuffix(understood, "}") + `,"idempotency_key":"of` + path + `"}`
		first := h.expect(200, "", "coder", "POST", path, keyed)
		require.Equal(h.t, first.Body, h.expect(200, "", "coder", "POST", path, keyed).Body, "the first answer")
		refused(409, "idempotency_conflict", strings.Replace(keyed, "2+2", "3+3", 1))
	}
	require.NoError(h.t, ir.New(h.Ledger).Step(context.Background(), "00000000000000aa", "begun", audit.Actor{Name: "coder", Role: "coder"}, func(w *ir.Writer) error {
		under := planning.Request{Obligations: []planning.Obligation{{Type: planning.Report, Payload: map[string]any{"kind": "query.math", "expr": "1+1"}}}, IdempotencyKey: "slow"}
		return errors.Join(w.Key("coder", "slow"), w.Request(ir.Request{ID: "00000000000000aa", Number: 100, Request: under}))
	}))
	h.expect(409, "run_under_way", "coder", "POST", "/obligations", strings.TrimSuffix(obligation("query.math", sum), "}")+`,"idempotency_key":"slow"}`)
	h.expect(400, "invalid_obligations", "coder", "POST", "/obligations", `{"obligations":[]}`)
	h.expect(422, "secret_in_text", "coder", "POST", "/obligations", obligation("status.name", `"n":"`+awsKey+`"`))
	h.expect(422, "missing_capability", "coder", "POST", "/obligations", obligation("query.astronauts", `"n":1`))
	both := strings.Replace(obligation("query.math", sum), "[", `[{"type":"REPORT","payload":{"kind":"query.astronauts"}},`, 1)
	answers := h.expect(422, "missing_capability", "coder", "POST", "/obligations", both).json(h.t)["answers"].([]any)
	require.Equal(h.t, "1+1 = 2", answers[0].(map[string]any)["text"], "the others are answered")
	h.expect(422, "condition_invalid", "coder", "POST", "/obligations", `{"obligations":[{"type":"AVOID","payload":{"condition":"nobody("}}]}`)
	h.expect(422, "secret_in_text", "coder", "POST", "/requests", `{"utterance":"how many a's in `+awsKey+`"}`)
	h.expect(422, "schema_violation", "coder", "POST", "/requests", `{"utterance":"what is 2+2","role":"pm"}`)
	h.expect(422, "not_understood", "coder", "POST", "/requests", `{"utterance":"colourless green ideas sleep furiously"}`)
	h.expect(422, "utterance_too_long", "coder", "POST", "/requests", `{"utterance":"`+strings.Repeat("a ", 1001)+`"}`)
}
