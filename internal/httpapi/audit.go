package httpapi

import (
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/filter"
	"orchestrator/internal/httpapi/wire"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
)

// logPage is a part of the log: the records exactly as they were hashed.
type logPage struct {
	Size    uint64           `json:"size"`
	Root    audit.Hash       `json:"root"`
	Total   *uint64          `json:"total,omitempty"` // absent where records were looked for: nobody counts them
	Records []jsontext.Value `json:"records"`
	Next    *string          `json:"next"`
}

// audit reads the log from a number on, or looks for records.
func (h *logHandlers) audit(w http.ResponseWriter, r *http.Request) error {
	values, err := wire.Query(r, filter.Searching...)
	if err != nil {
		return err
	}
	q, err := filter.Records(values, h.Kinds)
	if err != nil {
		return err
	}
	if !filter.Searches(values) {
		page, err := h.Log.Audit(r.Context(), q.At, q.Limit)
		if err != nil {
			return err
		}
		return writePage(w, r, values, "from", page, &page.Total)
	}
	page, err := h.Log.Find(r.Context(), q)
	if err != nil {
		return err
	}
	return writePage(w, r, values, filter.CursorOf(q), page, nil)
}

func (h *logHandlers) history(w http.ResponseWriter, r *http.Request) error {
	id, err := requirementID(r)
	if err != nil {
		return err
	}
	values, before, limit, err := pageOf(r, "before")
	if err != nil {
		return err
	}
	page, err := h.Log.History(r.Context(), id, before, limit)
	if err != nil {
		return err
	}
	return writePage(w, r, values, "before", page, &page.Total)
}

func (h *logHandlers) blob(w http.ResponseWriter, r *http.Request) error {
	if _, err := wire.Query(r); err != nil {
		return err
	}
	data, err := h.Log.Blob(r.Context(), chi.URLParam(r, "sha256"))
	if err != nil {
		return err
	}
	return wire.WriteBytes(w, http.StatusOK, data)
}

// pageOf reads where a page starts, under the name of its cursor, and how long it is.
func pageOf(r *http.Request, cursor string) (values url.Values, start uint64, limit int, err error) {
	if values, err = wire.Query(r, cursor, "limit"); err != nil {
		return nil, 0, 0, err
	}
	if start, err = wire.NumberParameter(values, cursor, 0, 0, math.MaxInt64); err != nil {
		return nil, 0, 0, err
	}
	n, err := wire.NumberParameter(values, "limit", defaultPage, 1, largestPage)
	return values, start, int(n), err
}

func writePage(w http.ResponseWriter, r *http.Request, values url.Values, cursor string, page ledger.Page,
	total *uint64) error {
	answer := logPage{Size: page.Head.Size, Root: page.Head.Root, Total: total,
		Records: make([]jsontext.Value, len(page.Records))}
	for i, record := range page.Records {
		answer.Records[i] = jsontext.Value(record)
	}
	if page.Next != 0 {
		values.Set(cursor, strconv.FormatUint(page.Next, 10))
		answer.Next = wire.PathTo(w, r, values)
	}
	return wire.WriteJSON(w, http.StatusOK, answer)
}
