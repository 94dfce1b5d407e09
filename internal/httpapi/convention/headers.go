package convention

import (
	"math"
	"strconv"
)

// NextLink returns the Link header of a page that another one follows (RFC 8288).
func NextLink(path string) string { return "<" + path + `>; rel="next"` }

// Policy returns RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers-11): q requests in w seconds.
func Policy(name string, perSecond float64, burst int) string {
	return strconv.Quote(name) + ";q=" + strconv.Itoa(burst) + ";w=" + seconds(burst, perSecond)
}

// Left returns RateLimit: r requests are left, and after t seconds all of them are.
func Left(name string, perSecond float64, burst, left int) string {
	return strconv.Quote(name) + ";r=" + strconv.Itoa(left) + ";t=" + seconds(burst-left, perSecond)
}

// seconds returns how long it takes until so many requests have come back, a day at most.
func seconds(requests int, perSecond float64) string {
	s := math.Ceil(min(float64(requests)/perSecond, longest.Seconds()))
	return strconv.Itoa(int(max(s, 0)))
}
