package httpapi

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"orchestrator/internal/requirements"

	jsonv2 "github.com/go-json-experiment/json"
)

// writeJSON answers with a value. Equal values give equal bytes.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	body, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		return err
	}
	return writeBytes(w, status, append(body, '\n'))
}

var (
	typeJSON = []string{"application/json"}
	noCache  = []string{"private, no-cache"}
)

// writeBytes answers with JSON that is already encoded.
func writeBytes(w http.ResponseWriter, status int, body []byte) error {
	h := w.Header()
	h["Content-Type"] = typeJSON
	h["Cache-Control"] = noCache
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone; nothing is left to do for it
	return nil
}

// writeAs answers 200 with a body that is not JSON, or that may be cached.
func writeAs(w http.ResponseWriter, mediaType, keep []string, body []byte) error {
	h := w.Header()
	h["Content-Type"] = mediaType
	h["Cache-Control"] = keep
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // the client may be gone; nothing is left to do for it
	return nil
}

// notModified sets the ETag and reports whether If-None-Match names it (RFC 9110, section 13.1.2); then
// the answer is written.
func notModified(w http.ResponseWriter, r *http.Request, etag string) bool {
	w.Header()["Etag"] = []string{etag}
	sent := r.Header.Values("If-None-Match")
	if len(sent) == 0 {
		return false
	}
	for part := range strings.SplitSeq(strings.Join(sent, ","), ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if part == "*" || part == etag {
			w.Header()["Cache-Control"] = noCache
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// setReceipt sets the header that says where the record of a decision stands, as a dictionary of RFC 9651.
func setReceipt(w http.ResponseWriter, r requirements.Receipt) {
	place := "index=" + strconv.FormatUint(r.Index, 10)
	if r.Folded {
		place = "folded"
	}
	w.Header()["Audit-Receipt"] = []string{fmt.Sprintf("size=%d, %s, root=:%s:", r.Size, place,
		base64.StdEncoding.EncodeToString(r.Root[:]))}
}
