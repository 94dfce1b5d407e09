package apiclient

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

// Request is a request with headers of its own.
type Request struct {
	Method, Path string // the path is escaped already
	Body         []byte // nil for none
	Media        string // of the body; "" is JSON
	IfMatch      string // as the header has it
	IfNoneMatch  string
	Key          string // Idempotency-Key: with one the request is sent once more if the connection breaks
}

// Answer is what came back. A refusal has one as well, beside its error.
type Answer struct {
	Status int
	Body   []byte
	ETag   string
	Unsure bool // the connection broke, and the request was sent once more with the same key

	Replayed bool // it is the first answer to the key, given again
}

// NewKey makes an Idempotency-Key that nobody has used. It is in lower case: the ids of access keys, which the service
// refuses to keep, begin with capital letters.
func NewKey() string { return strings.ToLower(rand.Text()) }

// Send sends a request, and returns the answer. If the connection breaks, nobody knows whether the service has
// decided; with a key the request is sent once more, and the service gives its first answer again. Where the token asks
// too often, Send waits as long as the service says, once.
func (c *Client) Send(ctx context.Context, r Request) (Answer, error) {
	answer, wait, err := c.exchange(ctx, r)
	if broken := fault.Is(err, CodeUnreachable, codeTimeout); broken && r.Key != "" && ctx.Err() == nil {
		answer, wait, err = c.exchange(ctx, r)
		answer.Unsure = true
	}
	if wait == 0 {
		return answer, err
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return answer, ctx.Err()
	}
	answer, wait, err = c.exchange(ctx, r)
	if wait > 0 {
		err = fault.New(fault.RateLimited, "rate_limited", "the token asks too often").
			WithFix("send it again in %v", wait)
	}
	return answer, err
}

// exchange sends a request once. There is an answer, or a time to wait, or an error; a refusal has an answer and an
// error.
func (c *Client) exchange(ctx context.Context, r Request) (answer Answer, wait time.Duration, err error) {
	if c.own != "" && !Runs(c.own) {
		return answer, 0, c.notRunning()
	}
	if !strings.HasPrefix(r.Path, "/") { // an answer named it; after @ it would lead to another server
		return answer, 0, c.Stranger("the next page is at no path")
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return answer, 0, err
	}
	c.setHeaders(req, r)
	resp, err := c.http.Do(req)
	if err != nil {
		return answer, 0, c.unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < http.StatusOK { // the body of 101 is the connection itself, which no deadline ends
		return answer, 0, c.Stranger(resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.most+1))
	switch {
	case err != nil:
		return answer, 0, c.unreachable(err)
	case int64(len(body)) > c.most:
		return answer, 0, c.tooLarge(r.Path, "", c.most)
	}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); resp.StatusCode == http.StatusTooManyRequests &&
		err == nil && seconds > 0 {
		return answer, min(time.Duration(seconds)*time.Second, patience), nil
	}
	answer = Answer{Status: resp.StatusCode, Body: body, ETag: resp.Header.Get("ETag"),
		Replayed: resp.Header.Get("Idempotent-Replay") == "true"}
	return answer, 0, c.refused(resp, body)
}

func (c *Client) setHeaders(req *http.Request, r Request) {
	h := req.Header
	for name, value := range map[string]string{"If-Match": r.IfMatch, "If-None-Match": r.IfNoneMatch,
		"Idempotency-Key": r.Key} {
		if value != "" {
			h.Set(name, value)
		}
	}
	if r.Body != nil {
		h.Set("Content-Type", "application/json")
		if r.Media != "" {
			h.Set("Content-Type", r.Media)
		}
	}
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
	h.Set("Accept", "application/json, application/problem+json")
	h.Set("User-Agent", c.agent)
}

// refused returns the error that an answer is, or nil.
func (c *Client) refused(resp *http.Response, body []byte) error {
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case media == "application/problem+json":
		resp.Body = io.NopCloser(bytes.NewReader(body))
		return c.problem(resp)
	case resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified,
		resp.StatusCode/100 == 2 && media == "application/json":
		return nil
	}
	return c.Stranger(fmt.Sprintf("%s (%q)", resp.Status, media))
}
