package convention

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Choose returns the offer that an Accept header prefers (RFC 9110, section 12.5.1): the one of the highest quality, and
// of equal ones the first. It is "" where none is accepted.
func Choose(accept []string, offers ...string) string {
	ranges := strings.Split(strings.Join(accept, ","), ",")
	if strings.TrimSpace(strings.Join(accept, "")) == "" {
		return offers[0]
	}
	best, most := "", 0.0
	for _, offer := range offers {
		if q := quality(ranges, offer); q > most {
			best, most = offer, q
		}
	}
	return best
}

// quality returns how much a media type is wanted: what the most specific range says that has it.
func quality(ranges []string, offer string) float64 {
	kind, _, _ := strings.Cut(offer, "/")
	q, specific := 0.0, -1
	for _, r := range ranges {
		name, params, _ := strings.Cut(r, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		at := map[string]int{"*/*": 0, kind + "/*": 1, offer: 2}
		if n, matches := at[name]; matches && n > specific {
			q, specific = weight(params), n
		}
	}
	return q
}

// weight returns the parameter q; what is not readable counts as nothing wanted.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if name, value, is := strings.Cut(strings.TrimSpace(p), "="); is && strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil || q < 0 || q > 1 {
				return 0
			}
			return q
		}
	}
	return 1
}

// NextLink returns the Link header of a page that another one follows (RFC 8288).
func NextLink(path string) string { return "<" + path + `>; rel="next"` }

// Quota is how many requests somebody has, and has left.
type Quota struct {
	PerSecond float64 // that come back
	Burst     int     // at once
	Left      int
}

// RateLimit returns the headers RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-11) of a quota: q
// requests in w seconds, of which r are left, and t seconds until all are back.
func (q Quota) RateLimit(name string) (policy, limit string) {
	window := wholeSeconds(float64(q.Burst) / q.PerSecond)
	back := wholeSeconds(float64(q.Burst-q.Left) / q.PerSecond)
	return fmt.Sprintf("%q;q=%d;w=%d", name, q.Burst, max(window, 1)), fmt.Sprintf("%q;r=%d;t=%d", name, q.Left, back)
}

func wholeSeconds(s float64) int {
	return int(math.Ceil(min(s, (24 * time.Hour).Seconds())))
}
