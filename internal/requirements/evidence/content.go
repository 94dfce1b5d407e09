package evidence

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git names its objects by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

const maxSearch = 256 << 20 // bytes that one Recheck hashes to find lines that have moved

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// dos returns text with the ends of lines that it had before git stored it, where git replaces them.
func dos(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }

// countLines counts lines; a last one without line feed counts.
func countLines(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}

// cut returns the bytes of the lines in s with their line feeds; ok is false where b has not all of them. The whole
// file is in every b.
func cut(b []byte, s span) (lines []byte, ok bool) {
	if s.whole() {
		return b, true
	}
	from, ok := skipLines(b, s.first-1)
	if !ok {
		return nil, false
	}
	length, ok := skipLines(b[from:], s.count())
	return b[from : from+length], ok
}

// skipLines returns how many bytes the first n lines of b have; ok is false where b has fewer.
func skipLines(b []byte, n int) (at int, ok bool) {
	for ; n > 0; n-- {
		switch i := bytes.IndexByte(b[at:], '\n'); {
		case i >= 0:
			at += i + 1
		case at < len(b):
			at = len(b)
		default:
			return at, false
		}
	}
	return at, true
}

// search finds the first line in b where lines stand, which are count lines, and whether they stand elsewhere, too. No
// line is 0.
func search(b, lines []byte, count int) (first int, again bool) {
	if len(lines) == 0 || len(lines) > len(b) {
		return 0, false
	}
	if lines[len(lines)-1] != '\n' { // the end of a file, and so only the end is like it
		if at := len(b) - len(lines); bytes.HasSuffix(b, lines) && (at == 0 || b[at-1] == '\n') {
			return countLines(b) - count + 1, false
		}
		return 0, false
	}
	if bytes.HasPrefix(b, lines) {
		return 1, bytes.Contains(b, inside(lines))
	}
	at := bytes.Index(b, inside(lines))
	if at < 0 {
		return 0, false
	}
	return countLines(b[:at+1]) + 1, bytes.Contains(b[at+1:], inside(lines))
}

// inside returns lines as they stand behind others. The line feed before them makes every match begin a line.
func inside(lines []byte) []byte { return append([]byte{'\n'}, lines...) }

// searchDigest finds lines by their digest alone, and adds up in spent how many bytes it has hashed. It finds nothing
// where that would come to more than maxSearch.
func searchDigest(b []byte, count int, sum string, spent *int) []byte {
	for rest := b; ; {
		length, ok := skipLines(rest, count)
		if *spent += length; !ok || *spent > maxSearch {
			return nil
		}
		if digest(rest[:length]) == sum {
			return rest[:length]
		}
		next, _ := skipLines(rest, 1)
		rest = rest[next:]
	}
}

// blobID returns the id that git gives to content, with no filter applied; length is that of the repository's ids.
func blobID(content []byte, length int) string {
	h := sha1.New() //nolint:gosec // git names its objects by it
	if length == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}
