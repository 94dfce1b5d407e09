package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/conductor"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/strictjson"
	"orchestrator/schemas"
)

// drivePlan is what a drive would do.
type drivePlan struct {
	Requirements []drive.Plan `json:"requirements"`
}

// order is the body of POST /drive.
type order struct {
	Roles        []string `json:"roles,omitempty"`
	Requirements []string `json:"requirements,omitempty"`
	MaxSteps     int      `json:"max_steps,omitzero"`
	Parallel     int      `json:"parallel,omitzero"`
	MaxTokens    int64    `json:"max_tokens,omitzero"`
	MaxCostUSD   float64  `json:"max_cost_usd,omitzero"`
}

// drive drives requirements towards done. It answers with the report at its end, or, to those who accept
// drive.MediaType, with each event as it happens.
func (h *conductorHandlers) drive(w http.ResponseWriter, r *http.Request) error {
	body, plan, err := readPlanned(w, r)
	var o drive.Order
	if err == nil {
		o, err = orderOf(body, callerOf(w))
	}
	if err == nil && !plan {
		err = mayDrive(o)
	}
	if err != nil {
		return h.refused(w, r, body, err)
	}
	wire.CallOf(w).Held.Rest()
	if plan {
		planned, err := h.Driver.Plan(r.Context(), o)
		if err != nil {
			return err
		}
		return wire.WriteJSON(w, http.StatusOK, drivePlan{planned})
	}
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{}) // agents take their time; a line, and the report, do not
	if !slices.ContainsFunc(r.Header.Values("Accept"),
		func(accept string) bool { return strings.Contains(accept, drive.MediaType) }) {
		report, err := h.Driver.Drive(r.Context(), o, func(drive.Event) {})
		if err != nil {
			return err
		}
		_ = control.SetWriteDeadline(time.Now().Add(lineTime))
		return wire.WriteJSON(w, http.StatusOK, report)
	}
	return h.driveInLines(w, r, o)
}

// lineTime is how long a client may take to read a line, or the report: all requirements wait for it.
const lineTime = 30 * time.Second

// driveInLines answers with each event as it happens. Nothing is written before the first: until then the answer may be
// a problem.
func (h *conductorHandlers) driveInLines(w http.ResponseWriter, r *http.Request, o drive.Order) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	control := http.NewResponseController(w)
	_, err := h.Driver.Drive(ctx, o, func(e drive.Event) {
		w.Header().Set("Content-Type", drive.MediaType)
		w.Header()["Cache-Control"] = wire.NoCache
		_ = control.SetWriteDeadline(time.Now().Add(lineTime))
		if err := writeLine(w, e); err != nil || control.Flush() != nil {
			cancel() // nobody reads it
		}
	})
	return err
}

func writeLine(w http.ResponseWriter, e drive.Event) error {
	line, err := jsonv2.Marshal(e, jsonv2.Deterministic(true))
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// orderOf reads an order. A pm has the work of all roles done, others that of their own.
func orderOf(body []byte, caller conductor.Caller) (o drive.Order, err error) {
	value, err := strictjson.Parse(body)
	if err != nil {
		return o, err
	}
	if violations := schemas.Violations(schemas.Drive, value); len(violations) > 0 {
		return o, fault.New(fault.Malformed, "invalid_drive", "this does not say what is to be driven").
			WithFix("GET /schemas/drive.schema.json; {} drives all that is not done").WithFields(violations...)
	}
	var asked order
	if err := strictjson.Fill(body, &asked); err != nil {
		return o, err
	}
	if caller.Role != string(lifecycle.PM) && caller.Role != string(lifecycle.Viewer) && len(asked.Roles) == 0 {
		asked.Roles = []string{caller.Role}
	}
	return drive.Order{Caller: caller, Roles: asked.Roles, Requirements: asked.Requirements, MaxSteps: asked.MaxSteps,
		Parallel: asked.Parallel, MaxTokens: asked.MaxTokens, MaxCostUSD: asked.MaxCostUSD}, nil
}

// mayDrive refuses an order whose caller may not have the work of its roles done.
func mayDrive(o drive.Order) error {
	own := o.Caller.Role
	other := slices.IndexFunc(o.Roles, func(role string) bool { return role != own })
	switch {
	case own == string(lifecycle.Viewer):
		return fault.New(fault.Forbidden, "drive_forbidden", "a viewer changes nothing").
			WithFix("send plan=true, or use a token of another role")
	case own != string(lifecycle.PM) && other >= 0:
		return fault.New(fault.Forbidden, "drive_forbidden",
			"a token of role %s does not have the work of the role %s done", own, o.Roles[other]).
			WithFix("leave roles out, or use a token of the pm")
	}
	return nil
}
