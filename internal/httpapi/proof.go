package httpapi

import (
	"math"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger/audit"
)

var (
	typeText    = []string{"text/plain; charset=utf-8"}
	typeOctets  = []string{"application/octet-stream"}
	neverStales = []string{"private, max-age=31536000, immutable"}
)

// checkpoint answers the signed checkpoint of C2SP tlog-checkpoint.
func (h *logHandlers) checkpoint(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	note, err := h.Log.Checkpoint()
	if err != nil {
		return err
	}
	return wire.WriteAs(w, typeText, wire.NoCache, note)
}

// auditKey answers the key that verifies checkpoints, a line in the form of signed notes.
func (h *logHandlers) auditKey(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	return wire.WriteAs(w, typeText, wire.NoCache, []byte(h.Log.AuditKey()+"\n"))
}

// record answers the bytes of one record, exactly as they were hashed.
func (h *logHandlers) record(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	index, err := strconv.ParseUint(chi.URLParam(r, "index"), 10, 63)
	if err != nil {
		return fault.New(fault.Malformed, "invalid_parameter", "%q is no number of a record",
			wire.Clip(chi.URLParam(r, "index"))).
			WithFix("records are numbered from 0")
	}
	raw, err := h.Log.Record(r.Context(), index)
	if err != nil {
		return err
	}
	return wire.WriteAs(w, wire.TypeJSON, neverStales, raw)
}

func (h *logHandlers) inclusion(w http.ResponseWriter, r *http.Request) error {
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

func (h *logHandlers) consistency(w http.ResponseWriter, r *http.Request) error {
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

// tile answers a piece of the log by its path in C2SP tlog-tiles. It never changes.
func (h *logHandlers) tile(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	path, err := pathParam(r, "*") // clients made from the contract escape its slashes
	if err != nil {
		path = r.URL.RawPath
	}
	t, err := audit.ParseTile(path)
	if err != nil {
		return fault.New(fault.NotFound, "unknown_path", "%s", wire.Clip(err.Error())).
			WithFix("tiles are at /audit/tile/<level>/<number> and /audit/tile/entries/<number>, numbers as x001/234, with .p/<width> for a partial one")
	}
	data, err := h.Log.Tile(r.Context(), t)
	if err != nil {
		return err
	}
	return wire.WriteAs(w, typeOctets, neverStales, data)
}
