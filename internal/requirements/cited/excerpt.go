package cited

import (
	"bytes"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/secret"
)

// Limits of an excerpt.
const (
	mostLines = 40
	mostBytes = 8 << 10
	around    = 8 << 10 // bytes before and behind it in which the rest of a secret is looked for
)

// excerptOf returns the beginning of cited lines; nil where the file has none of them.
func excerptOf(c *evidence.Content) *review.Excerpt {
	if c == nil {
		return nil
	}
	e := &review.Excerpt{Path: secret.Mask(c.Path), From: max(1, c.First), Commit: c.Commit}
	if bytes.IndexByte(c.Bytes, 0) >= 0 {
		e.Binary = true
		return e
	}
	start, skipped := endOfLines(c.Bytes, e.From-1)
	if skipped < e.From-1 || start == len(c.Bytes) && c.First > 0 {
		return nil
	}
	wanted := c.Last - c.First + 1
	if c.First == 0 {
		wanted = linesIn(c.Bytes)
	}
	length, shown := endOfLines(c.Bytes[start:], min(mostLines, wanted))
	for ; length > mostBytes && shown > 1; shown-- {
		length = 1 + bytes.LastIndexByte(c.Bytes[start:start+length-1], '\n')
	}
	e.Text = masked(c.Bytes, start, start+min(length, mostBytes))
	if length > mostBytes {
		e.Text += "…"
	}
	e.More = min(wanted, linesIn(c.Bytes[start:])) - shown
	return e
}

// endOfLines returns where the first n lines end, and how many of them there are.
func endOfLines(b []byte, n int) (end, lines int) {
	for ; lines < n && end < len(b); lines++ {
		length := bytes.IndexByte(b[end:], '\n')
		if length < 0 {
			return len(b), lines + 1
		}
		end += length + 1
	}
	return end, lines
}

func linesIn(b []byte) int {
	_, lines := endOfLines(b, len(b))
	return lines
}

// masked returns a part of a text without the secrets that reach into it. A secret leaves its line feeds behind, so
// that every other line keeps its number.
func masked(text []byte, from, to int) string {
	first := max(0, from-around)
	window := string(text[first:min(len(text), to+around)])
	var b strings.Builder
	at := from - first
	for _, f := range secret.Find(window) {
		start, end := max(f.Start, at), min(f.End, to-first)
		if start >= end {
			continue
		}
		b.WriteString(window[at:start] + "[masked " + string(f.Rule) + "]" +
			strings.Repeat("\n", strings.Count(window[start:end], "\n")))
		at = end
	}
	b.WriteString(window[at : to-first])
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// line returns a text of others as one line without secrets.
func line(text string) string { return fault.Clip(secret.Mask(text), mostName) }

// mostName is how many bytes of the name of a test and of the subject of a commit are shown.
const mostName = 300
