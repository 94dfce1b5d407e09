package wire

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
)

// Fixed is an answer that stays the same while the process lives.
type Fixed struct {
	media         []string
	plain, packed []byte
	tags          [2]string // of plain, of packed
}

// worthPacking is how many bytes an answer has that is compressed: fewer fit into a packet as they are.
const worthPacking = 1400

// NewFixed makes an answer of a media type.
func NewFixed(mediaType string, body []byte) *Fixed {
	f := &Fixed{media: []string{mediaType}, plain: body}
	f.tags[0] = Tag(body)
	if len(body) > worthPacking {
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is a valid one
		_, _ = z.Write(body)                                       // into memory
		_ = z.Close()
		f.packed, f.tags[1] = packed.Bytes(), Tag(packed.Bytes())
	}
	return f
}

// Serve answers with it, compressed if the client takes that.
func (f *Fixed) Serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	body, tag := f.plain, f.tags[0]
	if f.packed != nil {
		h.Add("Vary", "Accept-Encoding")
		if takesGzip(r) {
			body, tag = f.packed, f.tags[1]
			h["Content-Encoding"] = []string{"gzip"}
		}
	}
	if NotModified(w, r, tag) {
		return nil
	}
	return WriteAs(w, f.media, NoCache, body)
}

// takesGzip reports whether Accept-Encoding names gzip, with any weight but 0.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, weighted := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			return !weighted || weight(q) > 0
		}
	}
	return false
}
