package normalize

import (
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	maxHost  = 253 // bytes: RFC 1035, 2.3.4, as written
	maxLabel = 63
)

// international maps a name for its look-up (RFC 5891, 5, with the mapping of UTS 46), and checks what the RFC does:
// hyphens and combining marks (4.2.3.1, 4.2.3.2), joiners (RFC 5892, A), and the order of scripts (RFC 5893).
var international = idna.New(idna.MapForLookup(), idna.StrictDomainName(true), idna.CheckHyphens(true),
	idna.CheckJoiners(true), idna.BidiRule(), idna.VerifyDNSLength(true))

var errHostname = errors.New("the name has an empty or long label, or one with other characters than letters, digits " +
	"and hyphens, none of which stands at its edge")

// hostname returns the name of a host in lower case and, where it has characters outside of ASCII, in its xn-- form.
// Labels of ASCII may have underscores, as hosts do that DNS does not know by the rules of RFC 1123.
func hostname(name string) (string, error) {
	name = strings.ToLower(name)
	if !ascii(name) || strings.HasPrefix(name, "xn--") || strings.Contains(name, ".xn--") {
		return international.ToASCII(name)
	}
	if name == "" || len(name) > maxHost+1 {
		return "", errHostname
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return "", errHostname
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", errHostname
		}
	}
	return name, nil
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
