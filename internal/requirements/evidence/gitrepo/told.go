package gitrepo

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// Told is what a commit says of itself, which nobody has checked.
type Told struct {
	Subject  string    // the first paragraph of its message, on one line
	Authored time.Time // the zero time where it says none
}

// Told reads what a commit says of itself, given by its full id.
func (r *Repository) Told(ctx context.Context, id string) (Told, error) {
	content, err := r.batch.object(ctx, id, "commit", maxOutput)
	if err != nil {
		return Told{}, err
	}
	return parseTold(string(content)), nil
}

// parseTold reads the headers of a commit, one on a line, and its message behind an empty line.
func parseTold(content string) (t Told) {
	headers, message, _ := strings.Cut(content, "\n\n")
	for line := range strings.SplitSeq(headers, "\n") {
		if author, is := strings.CutPrefix(line, "author "); is {
			t.Authored = authored(author)
			break
		}
	}
	subject, _, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n\n")
	t.Subject = strings.Join(strings.Fields(strings.ToValidUTF8(subject, "\uFFFD")), " ")
	return t
}

// latest is the end of the year 9999, the last that RFC 3339 can write.
const latest = 253402300799

// authored reads when a commit was written from "NAME <MAIL> 1767312000 +0100": seconds since 1970, and an offset.
func authored(author string) time.Time {
	fields := strings.Fields(author[strings.LastIndexByte(author, '>')+1:])
	if len(fields) != 2 {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil || seconds < 0 || seconds > latest {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
