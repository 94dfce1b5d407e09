package changing

import (
	"net/http"

	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/renames"
	"orchestrator/internal/strictjson"
)

// Implements: ORC-175, ORC-176

const renameRequest = "POST /project/renames"

// Rename gives requirements other ids.
func Rename(s *requirements.Service) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		asked, body, err := readRename(w, r)
		refused := requirements.Refused{Request: renameRequest, Body: body, RequestID: wire.CallOf(w).ID,
			DryRun: asked.dry}
		if err != nil {
			return s.Refuse(r.Context(), wire.ActorOf(w), refused, err)
		}
		out, err := s.Rename(r.Context(), asked.Asked, refused)
		if err != nil {
			return err
		}
		switch {
		case out.DryRun:
			w.Header().Set("Dry-Run", "true")
		case !out.Unchanged:
			w.Header().Set("Export-Status", string(out.Exported))
			SetReceipt(w, out.Receipt)
		}
		if out.Replayed {
			w.Header().Set("Idempotent-Replay", "true")
		}
		return wire.WriteJSON(w, http.StatusOK, out.Done)
	}
}

// askedRename is a renaming as it was sent.
type askedRename struct {
	renames.Asked
	dry bool
}

// readRename reads a request. Of one that cannot be read it returns the body as far as it was.
func readRename(w http.ResponseWriter, r *http.Request) (asked askedRename, body []byte, err error) {
	asked.By, asked.RequestID = wire.ActorOf(w), wire.CallOf(w).ID
	values, err := wire.Query(r, "dry_run")
	if err != nil {
		return asked, nil, err
	}
	dry, err := wire.BoolParameter(values, "dry_run")
	if err != nil {
		return asked, nil, err
	}
	asked.dry = dry != nil && *dry
	if asked.Key, err = wire.IdempotencyKey(r); err != nil {
		return asked, nil, err
	}
	if body, err = wire.ReadBody(w, r, wire.MaxBody); err != nil {
		return asked, body, err
	}
	if err := asked.MayBe(); err != nil {
		return asked, body, err
	}
	if _, err := strictjson.Parse(body); err != nil {
		return asked, body, err
	}
	if err := strictjson.Fill(body, &asked.Asked); err != nil {
		return asked, body, wire.Misshapen(err, "send "+renames.Example)
	}
	if asked.Key != "" {
		asked.Digest = ledger.Digest(append([]byte(renameRequest+"\x00"), body...))
	}
	return asked, body, nil
}
