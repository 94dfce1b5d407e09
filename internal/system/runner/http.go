package runner

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/outbound"
)

const maxHops = 3

// HTTP calls a server: JSON out, JSON in.
//
// It dials the host of URL and those of Hosts, and no other, whoever redirects to it. What is judged is the address
// that a name has come to in the moment it is dialled, so a name that changes its meaning gains nothing: link-local,
// metadata, multicast and unspecified addresses are never dialled, private ones only if URL or Hosts has the very
// address, loopback only with AllowLoopback. No proxy, no cookies, no connection that outlives the run; TLS 1.2 or
// later. Of a redirect to another host the headers of Header are held back, and none leads from TLS to plain text.
type HTTP struct {
	URL           string
	Method        string            // "" is POST
	Hosts         []string          // host:port pairs that may be dialled besides that of URL
	Header        map[string]string // besides Content-Type and Accept
	Timeout       time.Duration     // of the whole run; 0 is 30 s
	MaxBody       int64             // bytes of the answer, after it was unpacked; 0 is 1 MiB
	AllowLoopback bool

	resolver *net.Resolver // for tests; nil is the system's
	roots    *tls.Config   // for tests; nil trusts what the system trusts
}

// Run sends body and gives the answer. Errors: tool_undeclared, host_refused, redirect_refused, tool_unreachable,
// tool_timeout, tool_cancelled, tool_output_too_large, tool_status (not 2xx), tool_answer_not_json.
func (h HTTP) Run(ctx context.Context, body []byte) (Result, error) {
	began := time.Now()
	ctx, cancel := within(ctx, h.Timeout)
	defer cancel()
	request, hosts, err := h.request(ctx, body)
	if err != nil {
		return Result{}, err
	}
	transport := h.transport(hosts)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: h.followable(hosts)}
	var result Result
	response, err := client.Do(request)
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		result.Exit = response.StatusCode
	}
	if err == nil && result.Exit >= 200 { // the body of 101 is the connection itself, which no deadline ends
		result.Stdout, err = io.ReadAll(io.LimitReader(response.Body, atMost(h.MaxBody)+1))
	}
	result.Took = time.Since(began)
	if err != nil {
		result.Stdout = nil
		return result, h.broken(ctx, request.URL, err, began)
	}
	return h.accept(result, response)
}

// accept holds an answer to what was agreed.
func (h HTTP) accept(r Result, response *http.Response) (Result, error) {
	where := response.Request.URL.Host
	if r.Exit < 200 || r.Exit > 299 {
		words := head(string(r.Stdout[:min(len(r.Stdout), quoted)]))
		r.Stdout = nil
		return r, fault.New(fault.Unavailable, "tool_status", "%s answered %d %s: %s", where, r.Exit,
			http.StatusText(r.Exit), words).
			WithFix("see to what the server says; a result is answered with a status from 200 to 299")
	}
	if int64(len(r.Stdout)) > atMost(h.MaxBody) {
		r.Stdout = nil
		return r, tooLarge(where, atMost(h.MaxBody))
	}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if len(r.Stdout) > 0 && (err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json")) {
		r.Stdout = nil
		return r, fault.New(fault.Invalid, "tool_answer_not_json", "%s answered %q, not application/json", where,
			head(kind)).
			WithFix("let the server answer JSON, and say so in Content-Type")
	}
	return r, nil
}

// request makes the request, and the list of host:port pairs that may be dialled for it.
func (h HTTP) request(ctx context.Context, body []byte) (*http.Request, []string, error) {
	method := h.Method
	if method == "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, h.URL, bytes.NewReader(body))
	if err != nil {
		return nil, nil, undeclared("its URL or method cannot be read", "correct url and method in its contract")
	}
	u := request.URL
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return nil, nil, undeclared("its URL is not http or https with a host and without a password",
			"correct url in its contract; credentials go into headers")
	}
	hosts := []string{outbound.HostPort(u)}
	for _, declared := range h.Hosts {
		host, port, err := net.SplitHostPort(declared)
		if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || n == 0 || host == "" {
			return nil, nil, undeclared("the host "+fault.Clip(declared, 200)+" is not host:port",
				"correct hosts in its contract")
		}
		hosts = append(hosts, outbound.Joined(host, port))
	}
	for name, value := range h.Header {
		request.Header.Set(name, value)
	}
	request.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	return request, hosts, nil
}

// howToDeclare says how a contract names a host.
const howToDeclare = "declare host:port in hosts of the contract, a private address by its digits; link-local and " +
	"metadata addresses are never called"

func (h HTTP) transport(hosts []string) *http.Transport {
	return outbound.Dialling{Hosts: hosts, AllowLoopback: h.AllowLoopback, Fix: howToDeclare, Resolver: h.resolver,
		Roots: h.roots}.Transport()
}

// followable judges each redirect before anything is sent.
func (h HTTP) followable(hosts []string) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, before []*http.Request) error {
		first, last := before[0].URL, before[len(before)-1].URL
		switch to := outbound.HostPort(next.URL); {
		case len(before) > maxHops:
			return misled("%s redirected more than %d times", first.Host, maxHops)
		case next.URL.Scheme != "http" && next.URL.Scheme != "https":
			return misled("%s redirected to another scheme", last.Host)
		case last.Scheme == "https" && next.URL.Scheme != "https":
			return misled("%s redirected from TLS to plain text", last.Host)
		case !slices.Contains(hosts, to):
			return misled("%s redirected to %s, which is not declared", last.Host, fault.Clip(outbound.Readable(to), 200))
		case to != outbound.HostPort(first):
			for name := range h.Header {
				next.Header.Del(name)
			}
		}
		next.Header.Del("Referer")
		return nil
	}
}

func misled(format string, args ...any) error {
	return fault.New(fault.Forbidden, "redirect_refused", format, args...).
		WithFix("give the final URL in the contract, or declare the other host in hosts")
}

// broken returns why there is no answer.
func (h HTTP) broken(ctx context.Context, u *url.URL, err error, began time.Time) error {
	if ours := fault.As(err); ours != nil {
		return ours
	}
	if ctx.Err() != nil {
		return ended(ctx, u.Host, began)
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err // the outer one repeats the URL
	}
	return fault.New(fault.Unavailable, CodeUnreachable, "%s did not answer: %s", u.Host, head(err.Error())).
		WithFix("see that the server runs, and that its name, port and certificate are right")
}
