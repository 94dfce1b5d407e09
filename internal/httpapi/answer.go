package httpapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-chi/chi/v5"

	"orchestrator/internal/conductor"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// answer answers a question of a run, which goes on then. It is answered with the trace: once the answer is recorded,
// what becomes of the run is no error of the answer.
func (h *conductorHandlers) answer(w http.ResponseWriter, r *http.Request) error {
	body, err := wire.ReadUnqueried(w, r)
	var reply conductor.Reply
	if err == nil {
		reply, err = replyIn(body)
	}
	if err != nil {
		return h.refused(w, r, body, err)
	}
	control := http.NewResponseController(w) // a run may take longer than the server's own time for an answer
	_ = control.SetWriteDeadline(time.Now().Add(conductor.Limit(planning.Budgets{TimeMS: longestRun}) + answerTime))
	wire.CallOf(w).Held.Rest()
	trace, err := h.Conductor.Answer(r.Context(), callerOf(w), chi.URLParam(r, "run"), reply)
	_ = control.SetWriteDeadline(time.Now().Add(answerTime))
	if err != nil {
		return h.refused(w, r, body, err)
	}
	return writeTrace(w, &trace, slices.Collect(trace.Each())...)
}

// longestRun is the most milliseconds that a request may give its run.
const longestRun = 86_400_000

// replyIn reads an answer, and holds it against its schema.
func replyIn(body []byte) (reply conductor.Reply, err error) {
	value, err := strictjson.Parse(body)
	if err != nil {
		return reply, err
	}
	if err := refuseSecrets(body); err != nil {
		return reply, err
	}
	if violations := schemas.Violations(schemas.Answer, value); len(violations) > 0 {
		return reply, fault.New(fault.Malformed, "invalid_answer", "the answer does not fit its schema").
			WithFix("GET /schemas/answer.schema.json; {\"obligation\":\"o2\",\"value\":\"Jeff\"} answers what o2 asks").
			WithFields(violations...)
	}
	return reply, strictjson.Fill(body, &reply)
}
