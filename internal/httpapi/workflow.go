package httpapi

import (
	"context"
	"net/http"
	"time"

	"orchestrator/internal/httpapi/changing"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
)

// workflow is what the service decides by, and what is left to who asks.
type workflow struct {
	requirements.WorkflowView
	LogBudget logBudget `json:"log_budget"`
}

// logBudget is how many bytes the actor may add to the log on a day.
type logBudget struct {
	Limit  uint64    `json:"limit"` // 0 is no limit
	Spent  uint64    `json:"spent"`
	Resets time.Time `json:"resets"`
}

func (h *requirementHandlers) workflow(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	b, err := h.Service.LogBudget(r.Context(), wire.ActorOf(w))
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, workflow{h.Service.Workflow(), logBudget{b.Limit, b.Spent, b.Resets}})
}

// workflowSwitched answers a switch of the workflow.
type workflowSwitched struct {
	Workflow  string             `json:"workflow"`
	From      string             `json:"from"`
	Unchanged bool               `json:"unchanged"` // it was in force already, and nothing was recorded
	DeadEnds  []lifecycle.Status `json:"dead_ends"`
}

func (h *requirementHandlers) switchWorkflow(w http.ResponseWriter, r *http.Request) error {
	body, err := wire.ReadUnqueried(w, r)
	if err != nil {
		return refuser{h.Service}.refused(w, r, body, err)
	}
	out, err := h.switchTo(r.Context(), wire.ActorOf(w), wire.CallOf(w).ID, body)
	if err != nil {
		return err
	}
	if !out.Unchanged {
		w.Header().Set("Export-Status", string(out.Exported))
		changing.SetReceipt(w, out.Receipt)
	}
	now := h.Service.Workflow()
	return wire.WriteJSON(w, http.StatusOK, workflowSwitched{out.To, out.Before, out.Unchanged, now.DeadEnds})
}

func (h *requirementHandlers) switchTo(ctx context.Context, who lifecycle.Actor, id string,
	body []byte) (requirements.Switched, error) {
	asked := requirements.Refused{Request: "PUT /workflow", Body: body, RequestID: id}
	change := choices.Switch{By: who}
	if _, err := strictjson.Parse(body); err != nil {
		return requirements.Switched{}, h.Service.Refuse(ctx, who, asked, err)
	}
	if err := change.MayBe(); err != nil {
		return requirements.Switched{}, h.Service.Refuse(ctx, who, asked, err)
	}
	if err := strictjson.Fill(body, &change); err != nil {
		err = wire.Misshapen(err, `send {"workflow":"rework","reason":"why"}`)
		return requirements.Switched{}, h.Service.Refuse(ctx, who, asked, err)
	}
	return h.Service.SwitchWorkflow(ctx, change, asked)
}
