// Package normalize writes email addresses, URLs and telephone numbers in one form, so that two that are the same
// compare equal. It looks nothing up: what is written well need not exist. What it cannot be sure of it refuses. The
// package is pure.
package normalize

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"orchestrator/internal/fault"
)

const (
	maxEmail = 254 // RFC 5321, 4.5.3.1.3, without the brackets
	maxLocal = 64  // RFC 5321, 4.5.3.1.1
	maxHost  = 253 // RFC 1035, 2.3.4, as written
	maxLabel = 63
)

// Email normalizes an address: its domain is in lower case; the local part is the receiver's own and stays as it is.
// Names beside the address, comments, quoted local parts, addresses in brackets, and characters outside of ASCII are
// refused.
func Email(text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxEmail {
		return "", badEmail("it has more than %d characters", maxEmail)
	}
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return "", badEmail("it has no @")
	}
	local, domain := text[:at], strings.ToLower(text[at+1:])
	if !ascii(text) {
		return "", badEmail("it has characters outside of ASCII").WithFix("write the domain in its xn-- form")
	}
	if parsed, err := mail.ParseAddress(text); err != nil || parsed.Name != "" || parsed.Address != text {
		return "", badEmail("it is no plain address").Because(err)
	}
	if len(local) > maxLocal {
		return "", badEmail("what stands before the @ has more than %d characters", maxLocal)
	}
	if !hostname(domain) || strings.Contains(domain, "_") {
		return "", badEmail("what follows the @ is no domain")
	}
	return local + "@" + domain, nil
}

func badEmail(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "email_invalid", "this is not an email address: "+format, args...).
		WithFix("write it as name@example.com")
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hostname reports whether a name is made of labels of letters, digits, hyphens and underscores, no hyphen at the edge
// of one.
func hostname(name string) bool {
	if name == "" || len(name) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}
