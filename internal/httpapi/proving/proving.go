// Package proving answers what proves the log to an outsider: checkpoints, records, proofs and tiles.
package proving

import (
	"math"
	"net/http"
	"net/url"
	"strconv"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements"
)

var (
	typeText    = []string{"text/plain; charset=utf-8"}
	typeOctets  = []string{"application/octet-stream"}
	neverStales = []string{"private, max-age=31536000, immutable"}
)

// Handlers answer about one log.
type Handlers struct{ Log *requirements.Log }

// Checkpoint answers the signed checkpoint of C2SP tlog-checkpoint.
func (h *Handlers) Checkpoint(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	note, err := h.Log.Checkpoint()
	if err != nil {
		return err
	}
	return wire.WriteAs(w, typeText, wire.NoCache, note)
}

// Key answers the key that verifies checkpoints, a line in the form of signed notes.
func (h *Handlers) Key(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	return wire.WriteAs(w, typeText, wire.NoCache, []byte(h.Log.AuditKey()+"\n"))
}

// Record answers the bytes of one record, exactly as they were hashed.
func (h *Handlers) Record(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	index, err := strconv.ParseUint(r.PathValue("index"), 10, 63)
	if err != nil {
		return fault.New(fault.Malformed, "invalid_parameter", "%q is no number of a record",
			wire.Clip(r.PathValue("index"))).
			WithFix("records are numbered from 0")
	}
	raw, err := h.Log.Record(r.Context(), index)
	if err != nil {
		return err
	}
	return wire.WriteAs(w, wire.TypeJSON, neverStales, raw)
}

// Inclusion answers the proof that a record is in the log.
func (h *Handlers) Inclusion(w http.ResponseWriter, r *http.Request) error {
	index, size, err := twoNumbers(r, "index", "size")
	if err != nil {
		return err
	}
	proof, err := h.Log.Inclusion(r.Context(), index, size)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, proof)
}

// Consistency answers the proof that the log of one size begins the log of another.
func (h *Handlers) Consistency(w http.ResponseWriter, r *http.Request) error {
	old, size, err := twoNumbers(r, "old", "new")
	if err != nil {
		return err
	}
	proof, err := h.Log.Consistency(r.Context(), old, size)
	if err != nil {
		return err
	}
	return wire.WriteJSON(w, http.StatusOK, proof)
}

// twoNumbers reads a parameter that is needed, and one that stands for the present size of the log when left out.
func twoNumbers(r *http.Request, first, second string) (a, b uint64, err error) {
	values, err := wire.Query(r, first, second)
	if err != nil {
		return 0, 0, err
	}
	if !values.Has(first) {
		return 0, 0, wire.Parameter(first, "it is missing").
			WithFix("send it; %s may be left out for the present size of the log", second)
	}
	if a, err = wire.NumberParameter(values, first, 0, 0, math.MaxInt64); err != nil {
		return 0, 0, err
	}
	b, err = wire.NumberParameter(values, second, 0, 1, math.MaxInt64)
	return a, b, err
}

// Tile answers a piece of the log by its path in C2SP tlog-tiles. It never changes.
func (h *Handlers) Tile(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	path := r.PathValue("*")
	if r.URL.RawPath != "" { // clients made from the contract escape its slashes
		if decoded, err := url.PathUnescape(path); err == nil {
			path = decoded
		}
	}
	t, err := audit.ParseTile(path)
	if err != nil {
		return fault.New(fault.NotFound, "unknown_path", "%s", wire.Clip(err.Error())).
			WithFix("tiles are at /audit/tile/<level>/<number> and /audit/tile/entries/<number>, numbers as " +
				"x001/234, with .p/<width> for a partial one")
	}
	data, err := h.Log.Tile(r.Context(), t)
	if err != nil {
		return err
	}
	return wire.WriteAs(w, typeOctets, neverStales, data)
}
