// Package fixed serves answers that stay the same while the process lives, compressed for those who take that.
package fixed

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"sync"

	"orchestrator/internal/httpapi/wire"
)

// Answer is an answer that stays the same while the process lives. It is made when it is first asked for.
type Answer struct {
	media []string
	forms func() forms
}

// forms are the bytes as they are, and compressed where that is worth it, each with its tag.
type forms struct {
	plain, packed       []byte
	plainTag, packedTag string
}

// WorthPacking is how many bytes an answer has that is compressed: fewer fit into a packet as they are.
const WorthPacking = 1400

// New makes an answer of a media type.
func New(mediaType string, body []byte) *Answer {
	return &Answer{[]string{mediaType}, sync.OnceValue(func() forms { return formsOf(body) })}
}

func formsOf(body []byte) forms {
	f := forms{plain: body, plainTag: wire.Tag(body)}
	if len(body) > WorthPacking {
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is a valid one
		_, _ = z.Write(body)                                       // into memory
		_ = z.Close()
		f.packed, f.packedTag = packed.Bytes(), wire.Tag(packed.Bytes())
	}
	return f
}

// Serve answers with it, compressed if the client takes that. The client compares its copy each time.
func (a *Answer) Serve(w http.ResponseWriter, r *http.Request) error {
	return a.ServeKept(w, r, wire.NoCache)
}

// ServeKept answers as Serve does, and says in Cache-Control how long a copy may be kept.
func (a *Answer) ServeKept(w http.ResponseWriter, r *http.Request, keep []string) error {
	h, f := w.Header(), a.forms()
	if f.packed != nil {
		h.Add("Vary", "Accept-Encoding")
	}
	h["Cache-Control"] = keep
	packed := f.packed != nil && TakesGzip(r)
	body, tag := f.plain, f.plainTag
	if packed {
		body, tag = f.packed, f.packedTag
	}
	if wire.NotModified(w, r, tag) {
		return nil
	}
	if packed {
		h["Content-Encoding"] = []string{"gzip"}
	}
	return wire.WriteAs(w, a.media, keep, body)
}

// TakesGzip reports whether Accept-Encoding names gzip, with any weight but 0.
func TakesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(strings.Join(r.Header["Accept-Encoding"], ","), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, weighted := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			return !weighted || strings.Trim(q, "0.") != ""
		}
	}
	return false
}
