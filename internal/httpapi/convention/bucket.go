package convention

import (
	"maps"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	maxAddresses = 4096           // are told apart; the rest share one quota
	longest      = 24 * time.Hour // until a request is allowed
	othersQuota  = "others"
)

// Addresses limits the requests of each remote address that shows no token. It is safe for concurrent use.
type Addresses struct {
	perSecond float64
	burst     int
	mu        sync.Mutex
	full      map[string]time.Time // when the quota of each address is whole again
	swept     time.Time            // when those that are whole were forgotten
}

// NewAddresses gives every address a quota; with 0 requests a second there is no limit.
func NewAddresses(perSecond float64, burst int) *Addresses {
	return &Addresses{perSecond: perSecond, burst: burst, full: map[string]time.Time{}}
}

// Allow counts one request from an address. Where it is not ok, it is not counted, and wait is how long it takes until
// one is allowed. left is how many are allowed at once after it.
func (a *Addresses) Allow(remote string, now time.Time) (left int, wait time.Duration, ok bool) {
	if a.perSecond <= 0 {
		return a.burst, 0, true
	}
	each := time.Duration(min(float64(time.Second)/a.perSecond, float64(longest)))
	a.mu.Lock()
	defer a.mu.Unlock()
	who := a.bucket(client(remote), now)
	full := a.full[who]
	if full.Before(now) {
		full = now
	}
	behind := full.Add(each).Sub(now) // how much of the quota is used with this request
	if most := time.Duration(a.burst) * each; behind > most {
		return 0, behind - most, false
	}
	a.full[who] = full.Add(each)
	return a.burst - int((behind+each-1)/each), 0, true
}

// bucket returns whose quota an address uses: its own, or, where too many are known, the one of all the others.
func (a *Addresses) bucket(who string, now time.Time) string {
	if _, known := a.full[who]; known || len(a.full) < maxAddresses {
		return who
	}
	if now.Sub(a.swept) >= time.Second { // not for each request of a flood
		a.swept = now
		maps.DeleteFunc(a.full, func(_ string, full time.Time) bool { return full.Before(now) })
	}
	if len(a.full) < maxAddresses {
		return who
	}
	return othersQuota
}

// client returns what tells clients apart: an IPv4 address, the network of an IPv6 address, which one client has all of,
// or "" for all that come over a socket of the machine.
func client(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return ""
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	network, _ := ip.WithZone("").Prefix(64)
	return network.String()
}
