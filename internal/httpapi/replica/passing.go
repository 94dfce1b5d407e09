package replica

import (
	"context"
	"errors"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/httpapi/problem"
	"orchestrator/internal/httpapi/wire"
)

// passing passes requests on to the replica on duty. The other side trusts nothing but the token.
type passing struct {
	*Config
	log    Published
	by     http.RoundTripper
	refuse func(http.ResponseWriter, *http.Request, error)
}

const (
	dialTime  = 2 * time.Second
	pieceTime = 30 * time.Second // that a client may take to read a piece of an answer
	mostIdle  = 64               // connections to the replica on duty
)

func newPassing(c *Config, log Published, refuse func(http.ResponseWriter, *http.Request, error)) *passing {
	p := &passing{c, log, c.Transport, refuse}
	if p.by == nil {
		p.by = &http.Transport{DialContext: (&net.Dialer{Timeout: dialTime}).DialContext, TLSHandshakeTimeout: dialTime,
			MaxIdleConnsPerHost: mostIdle, IdleConnTimeout: time.Minute, DisableCompression: true}
	}
	return p
}

// pass passes a request on, and its answer back, each as it comes. An error means that nothing was answered yet.
//
// Implements: ORC-358
func (p *passing) pass(w http.ResponseWriter, r *http.Request) error {
	holder, err := p.holderOf(r)
	if err != nil {
		return err
	}
	to, err := url.Parse(holder)
	if err != nil || to.Host == "" {
		return vacant("the replica on duty has no usable address").Because(err)
	}
	p.passed.Add(1)
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	go p.watch(ctx, holder, stop)
	body := &sentBody{ReadCloser: r.Body}
	passed := r.WithContext(ctx)
	if r.Body != nil {
		passed.Body = body
	}
	control := http.NewResponseController(w) // the other side has the deadlines of what it serves
	_ = control.SetWriteDeadline(time.Time{})
	proxy := httputil.ReverseProxy{
		Transport: p.by, ErrorLog: stdlog.New(io.Discard, "", 0),
		Rewrite:        func(pr *httputil.ProxyRequest) { p.rewrite(pr, to, wire.CallOf(w).ID) },
		ModifyResponse: func(answer *http.Response) error { return p.answered(w, answer) },
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, failed error) {
			p.refuse(w, r, p.failed(ctx, body, failed))
		},
	}
	proxy.ServeHTTP(&patient{w, control}, passed)
	return nil
}

// rewrite makes of a request the one that is sent to the replica on duty.
func (p *passing) rewrite(pr *httputil.ProxyRequest, to *url.URL, id string) {
	pr.SetURL(to)
	pr.Out.URL.RawQuery = pr.In.URL.RawQuery // a query that cannot be read is refused there
	pr.Out.Header["X-Forwarded-For"] = pr.In.Header["X-Forwarded-For"]
	pr.SetXForwarded()
	h := pr.Out.Header
	h.Set(Forwarded, p.Name)
	h.Set("X-Request-Id", id)
	for _, name := range []string{
		"Cookie", "Expect", "Connection", "Upgrade", LeastSize, // of this side alone
		"Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest", // checked here, for the name of this side
	} {
		h.Del(name)
	}
}

// answered prepares an answer of the other side: what this side has said of the request stays, and what is on record
// there is published here before the client hears of it.
func (p *passing) answered(w http.ResponseWriter, answer *http.Response) error {
	set := w.Header()
	for name := range answer.Header {
		if set[name] == nil {
			continue
		}
		if answer.StatusCode == http.StatusTooManyRequests {
			set.Del(name) // the limit that was reached is the one over there
		} else {
			answer.Header.Del(name)
		}
	}
	if size := receiptSize(answer.Header.Get("Audit-Receipt")); size > 0 {
		_ = awaitSize(answer.Request.Context(), p.log, size, reachTime) // it is told all the same
	}
	return nil
}

// receiptSize returns the size in an Audit-Receipt, or 0.
func receiptSize(receipt string) uint64 {
	first, _, _ := strings.Cut(strings.TrimPrefix(receipt, "size="), ",")
	size, _ := strconv.ParseUint(first, 10, 63)
	return size
}

// watch stops a request that was passed on when its replica is no longer on duty: nobody may answer there.
func (p *passing) watch(ctx context.Context, holder string, stop context.CancelCauseFunc) {
	ticks := time.NewTicker(watching)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		if now, err := p.holders.holder(ctx, p.Duty, watching/2); err == nil && now != holder {
			stop(errPassedOn)
			return
		}
	}
}

// errPassedOn is why a request was stopped that another replica had.
var errPassedOn = errors.New("the duty has passed to another replica")

// failed returns the error of a request that got no answer.
//
// Implements: ORC-359
func (p *passing) failed(ctx context.Context, body *sentBody, failed error) error {
	var dial *net.OpError
	switch cause := context.Cause(ctx); {
	case body.failed() != nil:
		return problem.Unread(body.failed())
	case errors.Is(cause, errPassedOn):
		failed = cause
	case cause != nil:
		return cause // the client is gone
	case errors.As(failed, &dial) && dial.Op == "dial":
		return fault.New(fault.Unavailable, "duty_unreachable",
			"the replica on duty cannot be reached; nothing was done").
			WithFix("send the request again, as Retry-After says: another replica takes over when the lease has ended").
			After(retry).Because(failed).ForClients()
	}
	return fault.New(fault.Unavailable, "duty_unreachable",
		"the replica on duty has not answered; whether the request was carried out is unknown").
		WithFix("repeat the request with the same Idempotency-Key, or idempotency_key of its body, or read what it " +
			"changes").
		After(retry).Because(failed).ForClients()
}

// sentBody remembers why a body could not be read.
type sentBody struct {
	io.ReadCloser
	err atomic.Pointer[error]
}

func (b *sentBody) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err.Store(&err)
	}
	return n, err
}

func (b *sentBody) failed() error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// patient gives each piece of an answer its own time: the whole may take as long as the other side takes.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(piece []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(pieceTime))
	return p.ResponseWriter.Write(piece)
}

// Unwrap serves http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }
