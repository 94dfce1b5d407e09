package httpapi

import (
	"net/http"

	"orchestrator/internal/httpapi/changing"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/requirements"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/strictjson"
)

// claimAsked is the body of a claim. Without a field it is of the field of the role.
type claimAsked struct {
	Field string `json:"field"`
	For   string `json:"for"`
}

// claimed answers a claim.
type claimed struct {
	claiming.Claim
	Renewed bool `json:"renewed"`
}

func (h *requirementHandlers) claim(w http.ResponseWriter, r *http.Request) error {
	asked := requirements.Refused{Request: "POST /requirements/{id}/claim", RequestID: wire.CallOf(w).ID}
	a := askedBy(w, "")
	id, err := requirementID(r)
	if asked.ID = id; err == nil {
		asked.Body, err = wire.ReadUnqueried(w, r)
	}
	if err == nil {
		err = readClaim(asked.Body, &a)
	}
	if err != nil {
		return h.Service.Refuse(r.Context(), a.By, asked, err)
	}
	c, renewed, receipt, err := h.Service.Claim(r.Context(), id, a, asked)
	if err != nil {
		return err
	}
	changing.SetReceipt(w, receipt)
	return wire.WriteJSON(w, http.StatusOK, claimed{c, renewed})
}

func askedBy(w http.ResponseWriter, field string) claiming.Asked {
	who := wire.ActorOf(w)
	if field == "" {
		field = claiming.FieldOf(who.Role)
	}
	return claiming.Asked{By: who, Holder: wire.CallOf(w).Holder, Field: field}
}

func readClaim(body []byte, a *claiming.Asked) (err error) {
	if _, err := strictjson.Parse(body); err != nil {
		return err
	}
	var sent claimAsked
	if err := strictjson.Fill(body, &sent); err != nil {
		return wire.Misshapen(err, `send {"field":"implementation","for":"30m"}`)
	}
	if sent.Field != "" {
		a.Field = sent.Field
	}
	a.For, err = claiming.Length(sent.For)
	return err
}

func (h *requirementHandlers) release(w http.ResponseWriter, r *http.Request) error {
	asked := requirements.Refused{Request: "DELETE /requirements/{id}/claim", RequestID: wire.CallOf(w).ID}
	values, err := wire.Query(r, "field")
	var id string
	if err == nil {
		id, err = requirementID(r)
		asked.ID = id
	}
	a := askedBy(w, values.Get("field"))
	if err != nil {
		return h.Service.Refuse(r.Context(), a.By, asked, err)
	}
	found, receipt, err := h.Service.Release(r.Context(), id, a, asked)
	if err != nil {
		return err
	}
	if found {
		changing.SetReceipt(w, receipt)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
