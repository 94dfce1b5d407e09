package normalize

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
)

const maxURL = 8000 // bytes; RFC 9110, 4.1 wants at least that much to be taken

// usualPorts are left out of URLs.
var usualPorts = map[string]int{"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}

// URL normalizes an absolute URL: scheme and host in lower case, without the usual port of its scheme, with its dot
// segments resolved and "/" for an empty path. Query and fragment stay as they are, and in their order.
func URL(text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return "", badURL("it has more than %d characters", maxURL)
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", badURL("it cannot be read").Because(err)
	}
	switch {
	case u.Scheme == "":
		return "", badURL("it has no scheme")
	case u.Opaque != "" || u.Host == "":
		return "", badURL("it names no host")
	case !ascii(u.Host):
		return "", badURL("its host has characters outside of ASCII").WithFix("write the host in its xn-- form")
	}
	host, err := hostOf(u)
	if err != nil {
		return "", err
	}
	u.Host = host
	u = new(url.URL).ResolveReference(u)
	if u.Path == "" {
		u.Path, u.RawPath = "/", ""
	}
	return strings.TrimSpace(u.String()), nil // an empty fragment is gone, and a query may end in a space
}

// hostOf returns the host of a URL with the port, if it is not the usual one.
func hostOf(u *url.URL) (string, error) {
	host := strings.ToLower(u.Hostname())
	if strings.HasPrefix(u.Host, "[") {
		ip, err := netip.ParseAddr(host)
		if err != nil || ip.Zone() != "" {
			return "", badURL("what stands in the brackets is no IPv6 address").Because(err)
		}
		host = "[" + ip.String() + "]"
	} else if !hostname(strings.TrimSuffix(host, ".")) {
		return "", badURL("its host is no name of a host")
	}
	if u.Port() == "" {
		return host, nil
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil || port < 1 || port > 65535 {
		return "", badURL("its port is not between 1 and 65535").Because(err)
	}
	if port == usualPorts[u.Scheme] {
		return host, nil
	}
	return host + ":" + strconv.Itoa(port), nil
}

func badURL(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "url_invalid", "this is not an absolute URL: "+format, args...).
		WithFix("write it as https://example.com/path")
}
