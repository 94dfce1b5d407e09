package normalize

import (
	"net/mail"
	"net/netip"
	"strings"
	"unicode"

	"orchestrator/internal/fault"
)

const (
	maxEmail = 254 // bytes: RFC 5321, 4.5.3.1.3, without the brackets
	maxLocal = 64  // RFC 5321, 4.5.3.1.1
)

// Email normalizes an address, the Mailbox of RFC 5321, 4.1.2, as RFC 6531 extends it. The local part is the receiver's
// own and keeps its case (RFC 5321, 2.4); one in quotes has as few of them as it needs (4.1.2). The domain is in lower
// case, and in its xn-- form if it has characters outside of ASCII (RFC 5891). An address literal is written as RFC
// 5952 says. Names beside the address, comments and brackets around it are refused, since they belong to a header.
//
// Implements: ORC-270
func Email(text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxEmail {
		return "", badEmail("it has more than %d bytes", maxEmail)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return "", badEmail("it has characters that cannot be printed")
	}
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return "", badEmail("it has no @")
	}
	local, err := localPart(text[:at])
	if err != nil {
		return "", err
	}
	if len(local) > maxLocal {
		return "", badEmail("what stands before the @ has more than %d bytes", maxLocal)
	}
	domain, err := mailDomain(text[at+1:])
	if err != nil {
		return "", err
	}
	if len(local)+1+len(domain) > maxEmail {
		return "", badEmail("it has more than %d bytes in its normal form", maxEmail)
	}
	return local + "@" + domain, nil
}

// localPart returns the local part of an address with as few quotes as it needs.
func localPart(text string) (string, error) {
	const domain = "@example.org" // what follows is looked at by itself
	parsed, err := mail.ParseAddress(text + domain)
	if err != nil || parsed.Name != "" {
		return "", badEmail("what stands before the @ is no local part").Because(err)
	}
	quoted := strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`)
	if !quoted && parsed.Address != text+domain {
		return "", badEmail("what stands before the @ is no local part")
	}
	written := strings.TrimPrefix((&mail.Address{Address: parsed.Address}).String(), "<")
	return strings.TrimSuffix(written, domain+">"), nil
}

// mailDomain returns what follows the @: the name of a host, or an address literal (RFC 5321, 4.1.3).
func mailDomain(text string) (string, error) {
	if inner, is := strings.CutPrefix(text, "["); is {
		return literal(strings.TrimSuffix(inner, "]"), text)
	}
	domain, err := hostname(text)
	if err != nil || strings.Contains(domain, "_") || strings.HasSuffix(domain, ".") {
		return "", badEmail("what follows the @ is no domain").Because(err)
	}
	return domain, nil
}

func literal(inner, text string) (string, error) {
	tag := "IPv6:"
	six := len(inner) > len(tag) && strings.EqualFold(inner[:len(tag)], tag)
	if six {
		inner = inner[len(tag):]
	} else {
		tag = ""
	}
	ip, err := netip.ParseAddr(inner)
	if err != nil || ip.Zone() != "" || ip.Is6() != six || !strings.HasSuffix(text, "]") {
		return "", badEmail("what stands in the brackets is no IP address").Because(err).
			WithFix("write [192.0.2.1] or [IPv6:2001:db8::1]")
	}
	return "[" + tag + ip.String() + "]", nil
}

func badEmail(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "email_invalid", "this is not an email address: "+format, args...).
		WithFix("write it as name@example.com")
}
