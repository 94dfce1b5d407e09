// Package posting sends one message to the address of a webhook, as Standard Webhooks has it, and says what became of
// it. It dials nobody whom a tool may not dial either, and follows no redirect.
package posting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/outbound"
	"orchestrator/internal/webhook/hook"
)

const (
	defaultPatience = 15 * time.Second
	mostQuote       = 200 // bytes of an answer in an error; no more of it is read
)

// CodeFailed is the code of a message that did not arrive.
const CodeFailed fault.Code = "webhook_failed"

// howToAllow says how an address is named.
const howToAllow = "name it when you add the webhook: --allow-address IP:PORT, by its digits; link-local and " +
	"metadata addresses are never called"

// Message is what is sent.
type Message struct {
	ID   string
	At   time.Time // of this try
	Body []byte
}

// Outcome is what became of a message.
type Outcome struct {
	Status int // 0 where there was no answer
	Took   time.Duration
	Wait   time.Duration // how long the receiver asks to wait; 0 where it does not
	Err    error         // nil where it has arrived
}

// Gone reports whether the receiver says that it is not there any more.
func (o Outcome) Gone() bool { return o.Status == http.StatusGone }

// Sender sends messages.
type Sender struct {
	Agent    string            // in User-Agent
	Patience time.Duration     // for the whole of one try; 0 is 15 seconds
	Dial     outbound.Dialling // its resolver and its roots; the rest is each hook's
}

// Post sends a message, and waits for its answer. The message has arrived if that is 2xx.
//
// Implements: ORC-321, ORC-322
func (s Sender) Post(ctx context.Context, h hook.Hook, secrets hook.Secrets, m Message) (o Outcome) {
	began := time.Now()
	if s.Patience == 0 {
		s.Patience = defaultPatience
	}
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	request, err := s.request(ctx, h, secrets, m)
	if err != nil {
		return Outcome{Err: err}
	}
	transport := s.transport(h, request.URL)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	o.Took = time.Since(began)
	if err != nil {
		o.Err = s.broken(ctx, h, err)
		return o
	}
	defer func() { _ = response.Body.Close() }()
	o.Status = response.StatusCode
	if o.Status < 200 || o.Status > 299 {
		o.Wait = asked(response.Header.Get("Retry-After"))
		o.Err = refused(h, response)
	}
	return o
}

func (s Sender) request(ctx context.Context, h hook.Hook, secrets hook.Secrets, m Message) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, fault.New(fault.Invalid, hook.CodeInvalid, "the URL of the webhook %s cannot be used", h.Name).
			WithFix("remove it, and add it again")
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "User-Agent": s.Agent,
		"Webhook-Id": m.ID, "Webhook-Timestamp": strconv.FormatInt(m.At.Unix(), 10),
		"Webhook-Signature": secrets.Sign(m.ID, m.At, m.Body),
	} {
		request.Header.Set(name, value)
	}
	return request, nil
}

func (s Sender) transport(h hook.Hook, u *url.URL) *http.Transport {
	return dialling(s.Dial, h, u).Transport()
}

// dialling returns who may be called for a hook.
func dialling(d outbound.Dialling, h hook.Hook, u *url.URL) outbound.Dialling {
	d.Hosts, d.AllowLoopback, d.Fix = append([]string{outbound.HostPort(u)}, allowed(h)...),
		outbound.NamesLoopback(h.URL), howToAllow
	return d
}

// Check refuses a hook whose URL has an address, by its digits, that is never called. A name is judged when it is
// dialled.
func Check(h hook.Hook) error {
	if u, err := url.Parse(h.URL); err == nil { // the roster refuses others
		to := outbound.HostPort(u)
		if _, err := netip.ParseAddrPort(to); err == nil {
			return dialling(outbound.Dialling{}, h, u).Check(to)
		}
	}
	return nil
}

// allowed returns the addresses that a hook names, in one spelling.
func allowed(h hook.Hook) (all []string) {
	for _, address := range h.Allow {
		if at := strings.LastIndexByte(address, ':'); at > 0 {
			all = append(all, outbound.Joined(strings.Trim(address[:at], "[]"), address[at+1:]))
		}
	}
	return all
}

// broken says why there is no answer, without the URL, which may be a secret.
func (s Sender) broken(ctx context.Context, h hook.Hook, err error) error {
	if ours := fault.As(err); ours != nil {
		return ours
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failed("%s did not answer within %v", h.Host(), s.Patience)
	}
	if outer, is := errors.AsType[*url.Error](err); is {
		err = outer.Err
	}
	return failed("%s did not answer: %s", h.Host(), line(err.Error()))
}

// refused says what another answer than 2xx was.
func refused(h hook.Hook, response *http.Response) error {
	what := fmt.Sprintf("%s answered %d %s", h.Host(), response.StatusCode, http.StatusText(response.StatusCode))
	if response.StatusCode < 200 { // the body of 101 is the connection itself, which no deadline ends
		return failed("%s", what)
	}
	if response.StatusCode >= 300 && response.StatusCode <= 399 {
		return failed("%s, and redirects are not followed: give the URL that it leads to", what)
	}
	said, err := io.ReadAll(io.LimitReader(response.Body, mostQuote))
	if words := line(string(said)); err == nil && words != "" {
		what += ": " + words
	}
	return failed("%s", what)
}

func failed(format string, args ...any) error {
	return fault.New(fault.Unavailable, CodeFailed, format, args...).
		WithFix("see that the receiver runs, and answers 2xx to a message that it has taken")
}

// line returns foreign words, fit for one line of a log.
func line(words string) string {
	return fault.Clip(strings.Join(strings.Fields(outbound.Readable(words)), " "), mostQuote)
}

// asked reads Retry-After, in seconds. What nobody waits for is as long as longest.
func asked(after string) time.Duration {
	n, err := strconv.ParseUint(after, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0
	}
	return min(time.Duration(min(n, uint64(longest/time.Second)))*time.Second, longest)
}

// longest is the most that Retry-After is understood to ask for.
const longest = 24 * time.Hour

// Stays reports whether what is sent to a hook does not leave this machine.
func Stays(h hook.Hook) bool { return outbound.NamesLoopback(h.URL) }
