package apiclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"orchestrator/internal/fault"
)

// maxLine is the most bytes of a line of an answer.
const maxLine = 16 << 20

// PostLines sends JSON to a path, and hands over each line of the answer as it comes, without its end. The answer has
// to begin as soon as others do, and may take as long as it takes. An error of each ends it, and is returned; an answer
// that breaks off is an error, and what there was of its last line is not handed over. A line is good until each
// returns.
func (c *Client) PostLines(ctx context.Context, path, media string, body []byte, each func(line []byte) error) error {
	return c.lines(ctx, http.MethodPost, path, media, body, each)
}

// GetLines reads a path as PostLines does.
func (c *Client) GetLines(ctx context.Context, path, media string, each func(line []byte) error) error {
	return c.lines(ctx, http.MethodGet, path, media, nil, each)
}

func (c *Client) lines(ctx context.Context, method, path, media string, body []byte,
	each func(line []byte) error) error {
	endless := *c.http
	endless.Timeout = 0
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(c.timeout, func() { cancel(context.DeadlineExceeded) })
	resp, wait, err := c.request(ctx, &endless, method, path, media, body)
	late.Stop()
	switch {
	case err != nil:
		return err
	case wait > 0:
		return fault.New(fault.RateLimited, "rate_limited", "the token asks too often").
			WithFix("send it again in %v", wait)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxLine)
	lines.Split(wholeLines)
	for lines.Scan() {
		if err := each(lines.Bytes()); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return c.tooLarge(path, "a line of", maxLine)
	case err != nil:
		return c.unreachable(err)
	}
	return nil
}

// wholeLines splits as bufio.ScanLines does, for lines that all have an end: what has none was cut off.
func wholeLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if atEOF && len(data) > 0 && bytes.IndexByte(data, '\n') < 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return bufio.ScanLines(data, atEOF)
}

// Passes reports whether an error is one after which the same request may be answered, once the service is there again
// or has less to do.
func Passes(err error) bool {
	f := fault.As(err)
	return f != nil && (f.Kind == fault.Unavailable || f.Kind == fault.RateLimited || f.Kind == fault.Timeout)
}
