package apiclient

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
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
	base, err := url.Parse(withScheme(server))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return way{}, fault.New(fault.Invalid, codeServerURL, "%q is not the address of a server", redacted(base, server)).
			WithFix("give HOST:PORT, http://HOST:PORT, https://HOST or unix:PATH, without a name, a password or a query")
	}
	if caFile != "" {
		if transport.TLSClientConfig, err = trusting(caFile); err != nil {
			return way{}, err
		}
	}
	address := strings.TrimRight(base.String(), "/")
	return way{address, address, transport}, nil
}

// CheckServer returns what is wrong with the address of a server, or nil.
func CheckServer(server string) error {
	_, err := reach(server, "")
	return err
}

// withScheme returns the URL of a server that may be given as HOST:PORT, and anything else as it is.
func withScheme(server string) string {
	if strings.Contains(server, "://") {
		return server
	}
	host, port, err := net.SplitHostPort(server)
	if _, notNumber := strconv.ParseUint(port, 10, 16); err != nil || notNumber != nil || strings.ContainsAny(host, "/@") {
		return server
	}
	return "http://" + net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port)
}

// SameServer reports whether two addresses are of one server, as far as can be told without asking: all names of this
// machine's loopback are one.
func SameServer(a, b string) bool {
	one, err := canonical(a)
	other, otherErr := canonical(b)
	return err == nil && otherErr == nil && one == other
}

// canonical returns the one form of an address.
func canonical(server string) (string, error) {
	if path, is := strings.CutPrefix(server, unixPrefix); is {
		absolute, err := filepath.Abs(path)
		return unixPrefix + absolute, err
	}
	u, err := url.Parse(withScheme(server))
	if err != nil || u.Host == "" {
		return "", errors.Join(err, errors.ErrUnsupported)
	}
	host := strings.ToLower(u.Hostname())
	if ip := net.ParseIP(host); ip.IsLoopback() || ip.IsUnspecified() {
		host = "localhost"
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(host, port) + strings.TrimRight(u.Path, "/"), nil
}

// trusting trusts the authorities in a file, and no others.
func trusting(file string) (*tls.Config, error) {
	pem, err := os.ReadFile(file)
	authorities := x509.NewCertPool()
	if err != nil || !authorities.AppendCertsFromPEM(pem) {
		return nil, fault.New(fault.Invalid, codeTLSCA, "%s holds no certificate", file).
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
	return fault.New(fault.Unavailable, codeCertificate, "the certificate of %s is not accepted", c.name).
		WithFix("name the server as its certificate does (--server https://NAME), and the authority that signed it " +
			"with --tls-ca").Because(wrong.Err)
}
