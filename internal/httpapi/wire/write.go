package wire

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
)

// WriteJSON answers with a value. Equal values give equal bytes.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	body, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		return err
	}
	return WriteBytes(w, status, append(body, '\n'))
}

var (
	TypeJSON = []string{"application/json"}
	NoCache  = []string{"private, no-cache"}
)

// WriteBytes answers with JSON that is already encoded.
func WriteBytes(w http.ResponseWriter, status int, body []byte) error {
	return write(w, status, TypeJSON, NoCache, body)
}

// WriteAs answers 200 with a body that is not JSON, or that may be cached.
func WriteAs(w http.ResponseWriter, mediaType, keep []string, body []byte) error {
	return write(w, http.StatusOK, mediaType, keep, body)
}

func write(w http.ResponseWriter, status int, mediaType, keep []string, body []byte) error {
	h := w.Header()
	h["Cache-Control"] = keep
	if c := CallOf(w); c.Read != nil && status == http.StatusOK && h["Etag"] == nil && NotModified(w, c.Read, Tag(body)) {
		return nil
	}
	h["Content-Type"] = mediaType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone; nothing is left to do for it
	return nil
}

// Tag returns the entity tag of an answer that has no version of its own: it is made of its bytes.
func Tag(body []byte) string {
	sum := sha256.Sum256(body)
	return tagOf(sum[:])
}

func tagOf(sum []byte) string { return `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"` }

// NotModified sets the ETag and reports whether If-None-Match names it (RFC 9110, section 13.1.2); then
// the answer is written, or noted where the call holds it.
func NotModified(w http.ResponseWriter, r *http.Request, etag string) bool {
	w.Header()["Etag"] = []string{etag}
	sent := r.Header.Values("If-None-Match")
	if len(sent) == 0 {
		return false
	}
	for part := range strings.SplitSeq(strings.Join(sent, ","), ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if part == "*" || part == etag {
			if c := CallOf(w); c.Hold {
				c.Current = true
				return true
			}
			delete(w.Header(), "Content-Security-Policy") // the copy has it
			if w.Header()["Cache-Control"] == nil {
				w.Header()["Cache-Control"] = NoCache
			}
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}
