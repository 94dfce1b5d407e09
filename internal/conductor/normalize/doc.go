// Package normalize writes email addresses and URLs in one form, so that two that are the same compare equal. It looks
// nothing up: what is written well need not exist. What it cannot be sure of it refuses. The package is pure.
//
// Libraries do the work, and the RFCs say what is to be done: net/mail reads addresses (RFC 5321, RFC 5322, RFC 6531),
// net/url reads URLs and removes dot segments (RFC 3986), net/netip reads and writes IP addresses (RFC 5952), and
// golang.org/x/net/idna maps and checks the names of hosts in other scripts (RFC 5891, with the mapping of UTS 46).
package normalize
