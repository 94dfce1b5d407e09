package evidence

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git names its objects by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

const maxSearch = 64 << 20 // bytes that are hashed to find lines that have moved

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// countLines counts lines; a last one without line feed counts.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// cut is the bytes of the lines in s with their line feeds; ok is false where b has not all of them. The whole file is
// in every b.
func cut(b []byte, s span) (lines []byte, ok bool) {
	if s.whole() {
		return b, true
	}
	starts := lineStarts(b)
	if s.last >= len(starts) {
		return nil, false
	}
	return b[starts[s.first-1]:starts[s.last]], true
}

// lineStarts is where each line begins, and at the end where the last one ends.
func lineStarts(b []byte) []int {
	starts := make([]int, 1, countLines(b)+1)
	for i, c := range b {
		if c == '\n' && i+1 < len(b) {
			starts = append(starts, i+1)
		}
	}
	if len(b) > 0 {
		starts = append(starts, len(b))
	}
	return starts
}

// search finds the places in b where count lines have the digest sum. It gives up, with none, where that would hash
// more than maxSearch bytes.
func search(b []byte, count int, sum string) (places []span) {
	starts := lineStarts(b)
	if count < 1 || len(b) > maxSearch/count {
		return nil
	}
	for i := 0; i+count < len(starts); i++ {
		if digest(b[starts[i]:starts[i+count]]) == sum {
			places = append(places, span{i + 1, i + count})
		}
	}
	return places
}

// blobID is the id that git gives to content, with no filter applied; length is that of the repository's ids.
func blobID(content []byte, length int) string {
	h := sha1.New() //nolint:gosec // git names its objects by it
	if length == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}
