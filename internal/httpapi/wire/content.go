package wire

import (
	"bufio"
	"crypto/sha256"
	"io"
	"net/http"
	"strconv"
)

// pieces is how much of a content is written at once, in bytes.
const pieces = 64 << 10

// WriteContent answers 200 with what content writes, as WriteAs does with a body: an answer of many parts is never in
// memory as a whole. It calls content twice, which must write the same both times.
func WriteContent(w http.ResponseWriter, mediaType, keep []string, content func(io.Writer) error) error {
	var size counter
	sum := sha256.New()
	if err := inPieces(io.MultiWriter(sum, &size), content); err != nil {
		return err
	}
	h := w.Header()
	h["Cache-Control"] = keep
	if c := CallOf(w); c.Read != nil && h["Etag"] == nil && NotModified(w, c.Read, tagOf(sum.Sum(nil))) {
		return nil
	}
	h["Content-Type"] = mediaType
	h["Content-Length"] = []string{strconv.Itoa(int(size))}
	w.WriteHeader(http.StatusOK)
	_ = inPieces(w, content) // the client may be gone; nothing is left to do for it
	return nil
}

func inPieces(w io.Writer, content func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, pieces)
	if err := content(b); err != nil {
		return err
	}
	return b.Flush()
}

// counter counts the bytes that are written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
