package wire

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// Qualities returns how much a client wants a media type, from 0 to 1; the most specific range counts.
func Qualities(r *http.Request) func(mediaType string) float64 {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return func(mediaType string) float64 {
		if strings.TrimSpace(accept) == "" {
			return 1
		}
		major, _, _ := strings.Cut(mediaType, "/")
		rank, quality := 0, 0.0
		for part := range strings.SplitSeq(accept, ",") {
			given, params, err := mime.ParseMediaType(part)
			fits := map[string]int{"*/*": 1, major + "/*": 2, mediaType: 3}[given]
			if err != nil || fits <= rank {
				continue
			}
			rank, quality = fits, 1
			if q, sent := params["q"]; sent {
				quality = weight(q)
			}
		}
		return quality
	}
}

// Choose returns the offer that a client wants most, the first of those that it wants alike, or the first where it wants
// none of them. The answer then depends on Accept.
func Choose(w http.ResponseWriter, r *http.Request, offers ...string) string {
	quality := Qualities(r)
	w.Header().Add("Vary", "Accept")
	best := offers[0]
	for _, offer := range offers[1:] {
		if quality(offer) > quality(best) {
			best = offer
		}
	}
	return best
}

// weight reads a q of Accept. An invalid one counts as 0.
func weight(q string) float64 {
	n, err := strconv.ParseFloat(q, 64)
	if err != nil || !(n >= 0 && n <= 1) {
		return 0
	}
	return n
}
