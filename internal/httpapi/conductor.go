package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"orchestrator/internal/conductor"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/httpapi/spoken"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
	"orchestrator/internal/rules/planning"
	"orchestrator/internal/secret"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// conduct runs obligations. Whatever their outcome, the answer is their trace; without a tool for one it is 422.
func (h *conductorHandlers) conduct(w http.ResponseWriter, r *http.Request) error {
	body, plan, err := readPlanned(w, r)
	var request planning.Request
	if err == nil {
		request, err = obligations(body)
	}
	if err != nil {
		return h.refused(w, r, body, err)
	}
	if plan {
		planned, err := h.Conductor.Plan(r.Context(), callerOf(w), request)
		if err != nil {
			return err
		}
		return wire.WriteJSON(w, http.StatusOK, planned)
	}
	return h.conducted(w, r, body, conductor.Asked{Request: request})
}

func readPlanned(w http.ResponseWriter, r *http.Request) (body []byte, plan bool, err error) {
	values, err := wire.Query(r, "plan")
	if err != nil {
		return nil, false, err
	}
	asked, err := wire.BoolParameter(values, "plan")
	if err != nil {
		return nil, false, err
	}
	body, err = wire.ReadBody(w, r, wire.MaxBody)
	return body, asked != nil && *asked, err
}

// answerTime is how long a client may take to read the answer of a run.
const answerTime = time.Minute

func (h *conductorHandlers) conducted(w http.ResponseWriter, r *http.Request, body []byte,
	asked conductor.Asked) error {
	// A run may take longer than the server's own time for an answer.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(conductor.Limit(asked.Budgets) + answerTime))
	asked.OnWait, asked.Token = wire.CallOf(w).Held.Rest, wire.CallOf(w).Holder
	trace, err := h.Conductor.Ask(r.Context(), callerOf(w), asked)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime))
	if err != nil {
		return h.refused(w, r, body, err)
	}
	for t := range trace.Each() {
		switch {
		case asked.Utterance == "":
		case len(trace.Obligations) == 1:
			t.Refusal = spoken.Reasoned(t.Refusal, asked.Utterance, t.Obligation, h.Conductor.Clock())
		default:
			t.Refusal = spoken.Reasoned(t.Refusal, "", t.Obligation, h.Conductor.Clock())
		}
	}
	if len(trace.Missing) > 0 {
		return &missingCapabilities{trace}
	}
	if len(trace.Obligations) == 1 && trace.Obligations[0].Refusal != nil {
		return &refusedRun{trace}
	}
	return writeTrace(w, &trace, slices.Collect(trace.Each())...)
}

// writeTrace answers with the trace of a run, and with what its refusals say to who asked for it.
func writeTrace(w http.ResponseWriter, trace any, live ...*conductor.ObligationTrace) error {
	var refusals []*fault.Error
	for _, o := range live {
		if o.Refusal != nil {
			refusals = append(refusals, o.Refusal)
		}
	}
	if kept, is := trace.(*conductor.Trace); is && refusals == nil && kept.Encoded() != nil {
		trace = kept.Encoded()
	}
	body, err := problem.Told(trace, refusals...)
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, append(body, '\n'))
}

// obligations reads a request, and holds it against its schema.
func obligations(body []byte) (request planning.Request, err error) {
	value, err := strictjson.Parse(body)
	if err != nil {
		return request, err
	}
	if err := refuseSecrets(body); err != nil {
		return request, err
	}
	if violations := schemas.Violations(schemas.Obligations, value); len(violations) > 0 {
		return request, fault.New(fault.Malformed, "invalid_obligations", "the obligations do not fit their schema").
			WithFix("GET /schemas/obligations.schema.json; each obligation is {type, payload}").
			WithFields(violations...)
	}
	return request, strictjson.Fill(body, &request)
}

// refuseSecrets refuses a body, known to be JSON, with what looks like a secret: in a string, or by the name of its
// member.
func refuseSecrets(body []byte) error {
	if err := requirements.RefuseSecrets(body); err != nil {
		return err
	}
	return secret.Refuse("request", "", string(body))
}

func callerOf(w http.ResponseWriter) conductor.Caller {
	who := wire.ActorOf(w)
	return audit.Actor{Name: who.Name, Role: string(who.Role)}
}

// runPage is a page of runs.
type runPage struct {
	Runs []conductor.RunSummary `json:"runs"`
	Next *string                `json:"next"`
}

func (h *conductorHandlers) listRuns(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, "before", "limit", "waiting")
	if err != nil {
		return err
	}
	before, err := wire.NumberParameter(values, "before", 0, 1, 1<<53)
	if err != nil {
		return err
	}
	limit, err := wire.NumberParameter(values, "limit", defaultPage, 1, largestPage)
	if err != nil {
		return err
	}
	waiting, err := wire.BoolParameter(values, "waiting")
	if err != nil {
		return err
	}
	var waitsFor *conductor.Caller
	if waiting != nil && *waiting {
		who := callerOf(w)
		waitsFor = &who
	}
	page, next, err := h.Conductor.List(r.Context(), before, int(limit), waitsFor)
	if err != nil {
		return err
	}
	answer := runPage{Runs: page}
	if next > 0 {
		values.Set("before", strconv.FormatUint(next, 10))
		values.Set("limit", strconv.FormatUint(limit, 10))
		answer.Next = wire.PathTo(w, r, values)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}

func (h *conductorHandlers) showRun(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	one, err := h.Conductor.Summary(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, one)
}

func (h *conductorHandlers) showTrace(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	raw, err := h.Conductor.Trace(r.Context(), chi.URLParam(r, "run"))
	if err != nil {
		return err
	}
	return writeTrace(w, raw)
}

func (h *conductorHandlers) listTools(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	body, err := json.Marshal(map[string][]planning.Contract{"tools": h.Conductor.Tools.Contracts()}) // the numbers of schemas as numbers
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, append(body, '\n'))
}
