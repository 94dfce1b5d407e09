// Package fixed serves answers that stay the same while the process lives, compressed for those who take that.
package fixed

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"

	"orchestrator/internal/httpapi/wire"
)

// Answer is an answer that stays the same while the process lives.
type Answer struct {
	media         []string
	plain, packed []byte
	tags          [2]string // of plain, of packed
}

// worthPacking is how many bytes an answer has that is compressed: fewer fit into a packet as they are.
const worthPacking = 1400

// New makes an answer of a media type.
func New(mediaType string, body []byte) *Answer {
	f := &Answer{media: []string{mediaType}, plain: body}
	f.tags[0] = wire.Tag(body)
	if len(body) > worthPacking {
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is a valid one
		_, _ = z.Write(body)                                       // into memory
		_ = z.Close()
		f.packed, f.tags[1] = packed.Bytes(), wire.Tag(packed.Bytes())
	}
	return f
}

// Serve answers with it, compressed if the client takes that.
func (f *Answer) Serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	if f.packed != nil {
		h.Add("Vary", "Accept-Encoding")
	}
	packed := f.packed != nil && takesGzip(r)
	body, tag := f.plain, f.tags[0]
	if packed {
		body, tag = f.packed, f.tags[1]
	}
	if wire.NotModified(w, r, tag) {
		return nil
	}
	if packed {
		h["Content-Encoding"] = []string{"gzip"}
	}
	return wire.WriteAs(w, f.media, wire.NoCache, body)
}

// takesGzip reports whether Accept-Encoding names gzip, with any weight but 0.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, weighted := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			return !weighted || strings.Trim(q, "0.") != ""
		}
	}
	return false
}
