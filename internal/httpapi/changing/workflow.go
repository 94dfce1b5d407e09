package changing

import (
	"net/http"
	"time"

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

// Workflow answers with the rules that the service decides by.
func Workflow(s *requirements.Service) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := wire.Query(r); err != nil {
			return err
		}
		b, err := s.LogBudget(r.Context(), wire.ActorOf(w))
		if err != nil {
			return err
		}
		return wire.WriteJSON(w, http.StatusOK, workflow{s.Workflow(), logBudget{b.Limit, b.Spent, b.Resets}})
	}
}

// workflowSwitched answers a switch of the workflow.
type workflowSwitched struct {
	Workflow  string             `json:"workflow"`
	From      string             `json:"from"`
	Unchanged bool               `json:"unchanged"` // it was in force already, and nothing was recorded
	DeadEnds  []lifecycle.Status `json:"dead_ends"`
}

// SwitchWorkflow answers a switch: it puts another workflow in force.
func SwitchWorkflow(s *requirements.Service) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		asked := requirements.Refused{Request: "PUT /workflow", RequestID: wire.CallOf(w).ID}
		change := choices.Switch{By: wire.ActorOf(w)}
		var err error
		if asked.Body, err = wire.ReadUnqueried(w, r); err == nil {
			err = readSwitch(asked.Body, &change)
		}
		if err != nil {
			return s.Refuse(r.Context(), change.By, asked, err)
		}
		out, err := s.SwitchWorkflow(r.Context(), change, asked)
		if err != nil {
			return err
		}
		if !out.Unchanged {
			w.Header().Set("Export-Status", string(out.Exported))
			SetReceipt(w, out.Receipt)
		}
		now := s.Workflow()
		return wire.WriteJSON(w, http.StatusOK, workflowSwitched{out.To, out.Before, out.Unchanged, now.DeadEnds})
	}
}

func readSwitch(body []byte, change *choices.Switch) error {
	if _, err := strictjson.Parse(body); err != nil {
		return err
	}
	if err := change.MayBe(); err != nil {
		return err
	}
	if err := strictjson.Fill(body, change); err != nil {
		return wire.Misshapen(err, `send {"workflow":"rework","reason":"why"}`)
	}
	return nil
}
