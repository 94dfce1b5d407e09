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

// URL normalizes an absolute URL as RFC 3986, 6.2.2 and 6.2.3 say: scheme and host are in lower case (6.2.2.1), escapes
// are in upper case and stand only where they must (6.2.2.2), dot segments are resolved (6.2.2.3), the usual port of
// the scheme is left out, and an empty path is "/" (6.2.3). Characters that no URL has are escaped, and a host outside
// of ASCII is written in its xn-- form (RFC 3987, 3.1, RFC 5891). The parts of the query stay in their order.
//
// Implements: ORC-270
func URL(text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return "", badURL("it has more than %d bytes", maxURL)
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
	}
	if u.Host, err = hostOf(u); err != nil {
		return "", err
	}
	if err := unescape(u); err != nil {
		return "", err
	}
	u = new(url.URL).ResolveReference(u)
	if u.Path == "" {
		u.Path, u.RawPath = "/", ""
	}
	written := u.String()
	if u.Fragment == "" && strings.HasSuffix(text, "#") {
		written += "#" // which is not the same as none (6.2.3)
	}
	if len(written) > maxURL {
		return "", badURL("it has more than %d bytes in its normal form", maxURL)
	}
	return written, nil
}

// hostOf returns the host of a URL with the port, if it is not the usual one.
func hostOf(u *url.URL) (string, error) {
	host := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		ip, err := netip.ParseAddr(host)
		if err != nil || ip.Zone() != "" {
			return "", badURL("what stands in the brackets is no IPv6 address").Because(err)
		}
		host = "[" + ip.String() + "]"
	} else {
		name, err := hostname(host)
		if err != nil {
			return "", badURL("its host is no name of a host").Because(err)
		}
		host = name
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

// The characters of RFC 3986, 2.2 and 2.3, that stand for themselves in a part of a URL.
const (
	unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
	inPath     = unreserved + "!$&'()*+,;=:@/"
	inQuery    = inPath + "?"
)

// unescape escapes in each part of a URL what must be escaped, and nothing else.
func unescape(u *url.URL) (err error) {
	path, err := escaped(u.EscapedPath(), inPath)
	if err != nil {
		return err
	}
	if u.Path, err = url.PathUnescape(path); err != nil {
		return badURL("its path cannot be read").Because(err)
	}
	u.RawPath = path
	if u.RawQuery, err = escaped(u.RawQuery, inQuery); err != nil {
		return err
	}
	fragment, err := escaped(u.EscapedFragment(), inQuery)
	if err != nil {
		return err
	}
	if u.Fragment, err = url.PathUnescape(fragment); err != nil {
		return badURL("its fragment cannot be read").Because(err)
	}
	u.RawFragment = fragment
	return nil
}

// escaped returns a part of a URL in which only what is not allowed there is escaped. An escape of a character that is
// not reserved is that character (RFC 3986, 6.2.2.2); any other stays, in upper case.
func escaped(text, allowed string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' {
			if i+2 >= len(text) {
				return "", badURL("a %% in it has no two hexadecimal digits behind it")
			}
			n, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
			if err != nil {
				return "", badURL("a %% in it has no two hexadecimal digits behind it").Because(err)
			}
			c, i = byte(n), i+2
			if strings.IndexByte(unreserved, c) >= 0 {
				b.WriteByte(c)
				continue
			}
		} else if strings.IndexByte(allowed, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hexDigits[c>>4])
		b.WriteByte(hexDigits[c&0xf])
	}
	return b.String(), nil
}

const hexDigits = "0123456789ABCDEF"

func badURL(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "url_invalid", "this is not an absolute URL: "+format, args...).
		WithFix("write it as https://example.com/path")
}
