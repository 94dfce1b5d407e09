// Package apiclient asks a running service over HTTP, for the commands. A refusal of the service comes back as the
// *fault.Error that it was, with its fix; what is no answer of the service is one, too.
package apiclient

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// Limits against a server that is slow or endless.
const (
	patience   = time.Minute // for a whole answer
	maxAnswer  = 256 << 20
	maxProblem = 1 << 20
	maxToken   = 4 << 10
	maxWaits   = 20               // for one answer
	maxWaiting = 10 * time.Minute // for all answers, where the caller has set no deadline
)

// Codes of errors that a caller may want to tell from others.
const (
	CodeNotRunning  fault.Code = "server_not_running" // nothing listens at the address
	CodeUnreachable fault.Code = "server_unreachable" // the connection broke, or cannot be made
	CodeTooLarge    fault.Code = "answer_too_large"   // for GetAtMost
	CodeSlow        fault.Code = "server_waits"       // it asks to wait for longer than anybody should

	codeTimeout     fault.Code = "server_timeout"
	codeCertificate fault.Code = "server_certificate"
	codeStranger    fault.Code = "unexpected_answer"

	codeServerURL fault.Code = "server_url"
	codeTLSCA     fault.Code = "tls_ca"
	codeTokenFile fault.Code = "token_file"
)

// Options say whom to ask, and as whom.
type Options struct {
	Server    string      // http:// or https:// and a host, perhaps with a path before the routes; HOST:PORT; or unix:PATH
	CAFile    string      // with the authorities whose certificates are trusted; "" for those of the system
	Own       datadir.Dir // the token is for the service that runs with this folder, and sent only while it does
	TokenFile string      // a file that holds the token and nothing else
	TokenIn   string      // a folder that TokenFile lies in, and that no link leads out of; "" follows links
	Token     string      // the token itself; TokenFile is then not read
	Saved     datadir.Dir // the settings of this folder name the server: the token has to be saved for it; "" for none
	Anonymous bool        // neither is read, and no token is sent
	UserAgent string
	MaxAnswer int64         // the most bytes of an answer; 0 for 256 MiB
	Timeout   time.Duration // for a whole answer; 0 for a minute
}

// Client asks one server. It is safe for concurrent use.
type Client struct {
	base, token, agent string
	name               string // of the server, for errors
	own                datadir.Dir
	most               int64
	timeout            time.Duration
	mostWaiting        time.Duration
	waited             atomic.Int64 // nanoseconds, because the server asked for it
	http               *http.Client
}

// New reads the token and checks the address; it asks nothing yet.
func New(o Options) (*Client, error) {
	to, err := reach(o.Server, o.CAFile)
	if err != nil {
		return nil, err
	}
	timeout := cmp.Or(o.Timeout, patience)
	if timeout < 0 {
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "%v is not a time to wait for an answer", timeout).
			WithFix("give a time such as 15s")
	}
	token := o.Token
	if token == "" && !o.Anonymous {
		if token, err = readToken(o.TokenIn, o.TokenFile); err != nil {
			return nil, err
		}
	}
	if o.Saved != "" && !o.Anonymous {
		if err := checkSaved(o.Saved, token, o.Server); err != nil {
			return nil, err
		}
	}
	return &Client{
		base: to.base, name: to.name, own: o.Own, token: token, agent: o.UserAgent, most: cmp.Or(o.MaxAnswer, maxAnswer),
		timeout: timeout, mostWaiting: maxWaiting,
		http: &http.Client{Transport: &following{by: to.by}, Timeout: timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // the token is meant for this server alone
			}},
	}, nil
}

// Redacted returns an address without the password that somebody may have put into it.
func Redacted(raw string) string {
	u, _ := url.Parse(raw)
	return redacted(u, raw)
}

func redacted(u *url.URL, raw string) string {
	if u == nil || u.Host == "" {
		return raw[strings.LastIndexByte(raw, '@')+1:] // what cannot be read may have a password all the same
	}
	if u.User != nil {
		return u.Redacted()
	}
	return raw
}

// readToken reads a file that holds one token, in a folder or anywhere. What it holds is in no error.
func readToken(folder, path string) (string, error) {
	wrong := func(why string, cause error) error {
		return fault.New(fault.Invalid, codeTokenFile, "the token file %s %s", path, why).
			WithFix("name a file with one token in it with --token-file; orchestrator token add ROLE NAME --out " +
				"FILE makes one").Because(cause)
	}
	f, err := openToken(folder, path)
	if role, is := strings.CutSuffix(filepath.Base(path), ".token"); is && folder != "" && errors.Is(err, fs.ErrNotExist) {
		return "", lacking(folder, role, path)
	}
	if err != nil {
		return "", wrong("cannot be read", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", wrong("cannot be read", err)
	}
	token := strings.TrimSpace(string(raw))
	printable := func(r rune) bool { return r > ' ' && r < 0x7F }
	if token == "" || len(raw) > maxToken || strings.IndexFunc(token, func(r rune) bool { return !printable(r) }) >= 0 {
		return "", wrong("holds no token", nil)
	}
	return token, nil
}

// lacking makes the error of a role that has no token in a data folder.
func lacking(folder, role, path string) error {
	command := "orchestrator token add " + shellquote.Quote(role) + " " + shellquote.Quote(role) + " --out " +
		shellquote.Quote(path)
	if folder != datadir.Default {
		command += " --data " + shellquote.Quote(folder)
	}
	return fault.New(fault.Invalid, codeTokenFile, "nobody has a token for the role %s here: there is no %s", role, path).
		WithFix("%s makes one; whoever has one already names its file with --token-file", command)
}

func openToken(folder, path string) (io.ReadCloser, error) {
	if folder == "" {
		return os.Open(path)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	name, err := filepath.Rel(folder, path)
	if err != nil {
		return nil, err
	}
	in, err := tree.OpenFolder(folder)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Open(context.Background(), name, maxToken)
}

// Base returns the address that is asked.
func (c *Client) Base() string { return c.name }

// GetJSON reads the answer to GET path, which must be JSON, into v, and returns its bytes. The path is escaped already.
func (c *Client) GetJSON(ctx context.Context, path string, v any) ([]byte, error) {
	body, err := c.Get(ctx, path, "application/json")
	if err != nil {
		return nil, err
	}
	if err := jsonv2.Unmarshal(body, v); err != nil {
		return nil, c.Stranger("JSON of another shape").Because(err)
	}
	return body, nil
}

// Get returns the body of the answer to GET path, which must be of a media type. Where the service answers that the
// token asks too often, it waits as long as it is told to, and asks again: ten minutes in all in the life of a Client,
// or until the deadline of ctx if it has one.
func (c *Client) Get(ctx context.Context, path, media string) ([]byte, error) {
	return c.GetAtMost(ctx, path, media, c.most)
}

// PostJSON sends JSON to a path, and returns the body of the answer, which is JSON. It is sent once: a request that is
// to be repeated needs a key of its own.
func (c *Client) PostJSON(ctx context.Context, path string, body []byte) ([]byte, error) {
	answer, wait, err := c.send(ctx, http.MethodPost, path, "application/json", c.most, body)
	if wait > 0 {
		err = fault.New(fault.RateLimited, "rate_limited", "the token asks too often").
			WithFix("send it again in %v", wait)
	}
	return answer, err
}

// GetAtMost does what Get does, for an answer that has at most so many bytes; no more than that are read.
func (c *Client) GetAtMost(ctx context.Context, path, media string, most int64) ([]byte, error) {
	for range maxWaits {
		body, wait, err := c.send(ctx, http.MethodGet, path, media, min(most, c.most), nil)
		if wait == 0 {
			return body, err
		}
		if _, bounded := ctx.Deadline(); !bounded && time.Duration(c.waited.Add(int64(wait))) > c.mostWaiting {
			return nil, fault.New(fault.Unavailable, CodeSlow,
				"the service at %s asks to wait again and again, in all for more than %v", c.name, c.mostWaiting).
				WithFix("raise its --rate-limit, or let it write a file to look at instead (orchestrator audit " +
					"bundle); if it is not yours, do not rely on it")
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, c.Stranger(fmt.Sprintf("it asks to wait, and after %d times still does", maxWaits))
}

// request sends a request. The answer is one of the media type, whose body the caller closes, or there is none and a
// time to wait.
func (c *Client) request(ctx context.Context, by *http.Client, method, path, media string,
	content []byte) (_ *http.Response, wait time.Duration, err error) {
	if c.own != "" && !Runs(c.own) {
		return nil, 0, c.notRunning()
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(content))
	if err != nil {
		return nil, 0, err
	}
	if content != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	req.Header.Set("Accept", media+", application/problem+json")
	req.Header.Set("User-Agent", c.agent)
	resp, err := by.Do(req)
	if err != nil {
		return nil, 0, c.unreachable(err)
	}
	got, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && got == media {
		return resp, 0, nil
	}
	defer resp.Body.Close()
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); resp.StatusCode == http.StatusTooManyRequests &&
		err == nil && seconds > 0 {
		return nil, min(time.Duration(seconds)*time.Second, patience), nil
	}
	if got == "application/problem+json" {
		return nil, 0, c.problem(resp)
	}
	return nil, 0, c.Stranger(fmt.Sprintf("%s (%q)", resp.Status, got))
}

func (c *Client) send(ctx context.Context, method, path, media string, most int64,
	content []byte) (body []byte, wait time.Duration, err error) {
	resp, wait, err := c.request(ctx, c.http, method, path, media, content)
	if resp == nil {
		return nil, wait, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, 0, c.unreachable(err)
	}
	if int64(len(body)) > most {
		return nil, 0, c.tooLarge(path, "", most)
	}
	return body, 0, nil
}

// tooLarge makes the error of an answer, or a part of one, with more than so many bytes.
func (c *Client) tooLarge(path, part string, most int64) error {
	what := strings.TrimSpace(part + " " + path)
	return fault.New(fault.Unavailable, CodeTooLarge,
		"what answers at %s does not come to an end: %s has more than %d KiB", c.name, what, (most+1023)>>10).
		WithFix("check that --server names the service itself, and that it is of the same version as this program")
}

func (c *Client) unreachable(err error) error {
	if late := (interface{ Timeout() bool })(nil); errors.As(err, &late) && late.Timeout() {
		return fault.New(fault.Unavailable, codeTimeout, "the service at %s did not answer within %v", c.name,
			c.timeout).
			WithFix("see whether it hangs (GET /readyz?verbose, and its log), or give it longer with --timeout")
	}
	if untrusted := c.untrusted(err); untrusted != nil {
		return untrusted
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") {
		return fault.New(fault.Unavailable, CodeUnreachable, "the service at %s answers without TLS", c.name).
			WithFix("name it by http:// instead of https://")
	}
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) { // of a port, of a socket
		return c.notRunning().Because(err)
	}
	return fault.New(fault.Unavailable, CodeUnreachable, "the service at %s did not answer", c.name).
		WithFix("see whether it runs and can be reached from here, then try again").Because(err)
}

func (c *Client) notRunning() *fault.Error {
	return fault.New(fault.Unavailable, CodeNotRunning, "no service answers at %s", c.name).
		WithFix("start it with orchestrator up")
}

// Stranger makes the error of an answer that this program's service does not give.
func (c *Client) Stranger(what string) *fault.Error {
	return fault.New(fault.Unavailable, codeStranger,
		"what answers at %s is no orchestrator of this version: %s", c.name, what).
		WithFix("check that --server names the service itself, and that it is of the same version as this program")
}

// kindOf is the class of an error by its HTTP status.
var kindOf = map[int]fault.Kind{
	http.StatusBadRequest: fault.Malformed, http.StatusUnauthorized: fault.Unauthenticated,
	http.StatusForbidden: fault.Forbidden,
	http.StatusNotFound:  fault.NotFound, http.StatusMethodNotAllowed: fault.Method,
	http.StatusRequestTimeout: fault.Timeout,
	http.StatusConflict:       fault.Conflict, http.StatusPreconditionFailed: fault.Stale,
	http.StatusRequestEntityTooLarge: fault.TooLarge,
	http.StatusUnsupportedMediaType:  fault.MediaType, http.StatusMisdirectedRequest: fault.Misdirected,
	http.StatusUnprocessableEntity: fault.Invalid, http.StatusPreconditionRequired: fault.NeedsCondition,
	http.StatusTooManyRequests: fault.RateLimited, http.StatusServiceUnavailable: fault.Unavailable,
}

// problem returns the fault that an RFC 9457 problem tells of.
func (c *Client) problem(resp *http.Response) error {
	var p struct {
		Code    fault.Code     `json:"code"`
		Detail  string         `json:"detail"`
		Fix     string         `json:"fix"`
		Errors  []fault.Field  `json:"errors"`
		Current *fault.Current `json:"current"`
		Allowed []fault.Move   `json:"allowed"`
		IDs     []string       `json:"ids"`
		Renamed string         `json:"renamed_to"`
		Answers []struct {
			Text string `json:"text"`
		} `json:"answers"` // of a run of the conductor
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	if err == nil {
		err = jsonv2.Unmarshal(body, &p)
	}
	if err != nil || p.Code == "" {
		return c.Stranger(resp.Status).Because(err)
	}
	kind, known := kindOf[resp.StatusCode]
	if !known {
		kind = fault.Internal
	}
	f := &fault.Error{Kind: kind, Code: p.Code, Detail: p.Detail, Fix: p.Fix, Current: p.Current, Allowed: p.Allowed,
		IDs: p.IDs, RenamedTo: p.Renamed}
	if len(p.Answers) == 0 {
		return f.WithFields(p.Errors...)
	}
	answered := &Answered{fault: f.WithFields(p.Errors...)}
	for _, a := range p.Answers {
		answered.Texts = append(answered.Texts, a.Text)
	}
	return answered
}
