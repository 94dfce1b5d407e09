package apiclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	"orchestrator/internal/fault"
)

// unixPrefix begins the address of a server that listens on a socket in the file system.
const unixPrefix = "unix:"

// way is how a server is reached.
type way struct {
	base string // before the paths
	name string // for people
	by   *http.Transport
}

// reach reads the address of a server, and the authorities that its certificate may be of.
func reach(server, caFile string) (way, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = 64 << 10
	if path, is := strings.CutPrefix(server, unixPrefix); is && path != "" {
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
		return way{"http://localhost", server, transport}, nil
	}
	base, err := url.Parse(server)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return way{}, fault.New(fault.Invalid, "server_url", "%q is not the address of a server", redacted(base, server)).
			WithFix("give http://HOST:PORT, https://HOST or unix:PATH, without a name, a password or a query; the token " +
				"stands in a file")
	}
	if caFile != "" {
		if transport.TLSClientConfig, err = trusting(caFile); err != nil {
			return way{}, err
		}
	}
	address := strings.TrimRight(base.String(), "/")
	return way{address, address, transport}, nil
}

// trusting trusts the authorities in a file, and no others.
func trusting(file string) (*tls.Config, error) {
	pem, err := os.ReadFile(file)
	authorities := x509.NewCertPool()
	if err != nil || !authorities.AppendCertsFromPEM(pem) {
		return nil, fault.New(fault.Invalid, "tls_ca", "%s holds no certificate", file).
			WithFix("name a PEM file with the certificate of the authority with --tls-ca").Because(err)
	}
	return &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}, nil
}

// untrusted makes the error of a server whose certificate is not accepted, or is nil.
func (c *Client) untrusted(err error) error {
	var wrong *tls.CertificateVerificationError
	if !errors.As(err, &wrong) {
		return nil
	}
	return fault.New(fault.Unavailable, "server_certificate", "the certificate of %s is not accepted", c.name).
		WithFix("name the server as its certificate does (--server https://NAME), and the authority that signed it " +
			"with --tls-ca").Because(wrong.Err)
}
