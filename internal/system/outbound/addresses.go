package outbound

import (
	"net/netip"
	"slices"
)

// reach says who may be called at an address.
type reach int

const (
	anyone    reach = iota
	declared        // only an address that is named itself, with its port
	ourselves       // only where AllowLoopback is set
	nobody
)

// ranges are the addresses that are not everybody's, the narrowest first. Among them are all under which clouds hand
// out the credentials of a machine.
var ranges = []struct {
	prefix netip.Prefix
	reach  reach
	why    string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), nobody, "a metadata address"},
	{netip.MustParsePrefix("100.100.100.200/32"), nobody, "a metadata address"},
	{netip.MustParsePrefix("168.63.129.16/32"), nobody, "a metadata address"},
	{netip.MustParsePrefix("192.0.0.192/32"), nobody, "a metadata address"},
	{netip.MustParsePrefix("fd00:ec2::/32"), nobody, "a metadata address"},
	{netip.MustParsePrefix("fd20:ce::/32"), nobody, "a metadata address"},
	{netip.MustParsePrefix("169.254.0.0/16"), nobody, "link-local"},
	{netip.MustParsePrefix("fe80::/10"), nobody, "link-local"},
	{netip.MustParsePrefix("fec0::/10"), nobody, "site-local"},
	{netip.MustParsePrefix("0.0.0.0/8"), nobody, "unspecified"},
	{netip.MustParsePrefix("::/128"), nobody, "unspecified"},
	{netip.MustParsePrefix("224.0.0.0/4"), nobody, "multicast"},
	{netip.MustParsePrefix("ff00::/8"), nobody, "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), nobody, "reserved or broadcast"},
	{netip.MustParsePrefix("127.0.0.0/8"), ourselves, "loopback"},
	{netip.MustParsePrefix("::1/128"), ourselves, "loopback"},
	{netip.MustParsePrefix("10.0.0.0/8"), declared, "private"},
	{netip.MustParsePrefix("172.16.0.0/12"), declared, "private"},
	{netip.MustParsePrefix("192.168.0.0/16"), declared, "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), declared, "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), declared, "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), declared, "private"},
	{netip.MustParsePrefix("fc00::/7"), declared, "private"},
	{netip.MustParsePrefix("2001::/32"), nobody, "a tunnel to an address that cannot be seen"},
}

// embedding are the ranges of IPv6 that stand for an address of IPv4, and the byte at which that begins.
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("64:ff9b:1::/48"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// judge returns who may call an address, and what it is.
func judge(ip netip.Addr) (reach, string) {
	ip = ip.Unmap().WithZone("")
	for _, r := range ranges {
		if r.prefix.Contains(ip) {
			return r.reach, r.why
		}
	}
	for _, e := range embedding {
		if e.prefix.Contains(ip) {
			b := ip.As16()
			return judge(netip.AddrFrom4([4]byte(b[e.at : e.at+4])))
		}
	}
	return anyone, ""
}

// mayDial reports whether the address to be dialled, which is what a name has come to in the end, is one that may be
// reached; if not, why.
func (d Dialling) mayDial(to netip.AddrPort) (bool, string) {
	who, why := judge(to.Addr())
	switch who {
	case anyone:
		return true, ""
	case declared:
		return slices.Contains(d.Hosts, netip.AddrPortFrom(to.Addr().Unmap(), to.Port()).String()), why
	case ourselves:
		return d.AllowLoopback, why
	}
	return false, why
}
