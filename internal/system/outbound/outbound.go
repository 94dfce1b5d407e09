// Package outbound decides whom the service calls over the network: the hosts that somebody has named, and no address
// of this machine, of a private network or of a cloud's metadata that was not named itself.
//
// What is judged is the address that a name has come to in the moment it is dialled, so a name that changes its meaning
// gains nothing.
package outbound

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"orchestrator/internal/fault"
)

// CodeRefused is the code of an address that is none that may be called.
const CodeRefused fault.Code = "host_refused"

const maxHeaders = 64 << 10 // bytes of an answer's

// Dialling says who may be called. Link-local, metadata, multicast and unspecified addresses are never dialled, private
// ones only if Hosts has the very address, loopback only with AllowLoopback.
type Dialling struct {
	Hosts         []string // as HostPort and Joined write them; no others are dialled
	AllowLoopback bool
	Fix           string // says how somebody names a host

	Resolver *net.Resolver // nil is the system's
	Roots    *tls.Config   // has the roots that are trusted; nil trusts what the system trusts
}

// NamesLoopback reports whether a URL names this machine itself, as localhost or by its address. A name that only
// resolves to it does not count.
func NamesLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// HostPort returns whom a URL would have dialled, in one spelling.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return Joined(u.Hostname(), port)
}

// Joined returns a host and its port in one spelling.
func Joined(host, port string) string {
	if ip, err := netip.ParseAddr(host); err == nil {
		host = ip.Unmap().String()
	}
	return net.JoinHostPort(strings.ToLower(strings.TrimSuffix(host, ".")), port)
}

// Transport returns what dials nobody else: no proxy, no connection that outlives its request, TLS 1.2 or later.
func (d Dialling) Transport() *http.Transport {
	dialer := &net.Dialer{Resolver: d.Resolver, KeepAlive: -1,
		Control: func(_, address string, _ syscall.RawConn) error { return d.Check(address) }}
	settings := &tls.Config{MinVersion: tls.VersionTLS12}
	if d.Roots != nil {
		settings.RootCAs = d.Roots.RootCAs
	}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(address)
			if err != nil || !slices.Contains(d.Hosts, Joined(host, port)) {
				return nil, d.refused(address, "is not declared")
			}
			return dialer.DialContext(ctx, network, address)
		},
		TLSClientConfig:        settings,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxHeaders,
	}
}

// Check refuses an address, by its digits and with its port, that may not be dialled.
func (d Dialling) Check(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return d.refused(address, "cannot be read")
	}
	if ok, why := d.mayDial(to); !ok {
		return d.refused(address, "is "+why)
	}
	return nil
}

func (d Dialling) refused(address, why string) error {
	return fault.New(fault.Forbidden, CodeRefused, "%s %s, and is not called", fault.Clip(Readable(address), 200), why).
		WithFix("%s", d.Fix)
}

// Readable returns text without what could steer a terminal or hide in a log.
func Readable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}
