package convention

import "strings"

// RightPath returns the path that a client may have meant by one that no route has: without a final or doubled slash,
// and with the words of a route in its case. Parameters, such as {id}, are left as they are sent. It is "" where no
// route is that near, or where the path is right.
func RightPath(routes []string, path string) string {
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if part != "" {
			parts = append(parts, part)
		}
	}
	best, words := "", -1
	for _, route := range routes {
		if right, n := along(strings.Split(strings.Trim(route, "/"), "/"), parts); right != path && n > words {
			best, words = right, n
		}
	}
	return best
}

// along returns the path of parts along a route, and how many words of the route are in it; -1 where it does not fit.
func along(route, parts []string) (string, int) {
	if len(route) != len(parts) {
		return "", -1
	}
	words := 0
	right := make([]string, len(parts))
	for i, word := range route {
		switch {
		case strings.HasPrefix(word, "{"):
			right[i] = parts[i]
		case strings.EqualFold(word, parts[i]):
			right[i] = word
			words++
		default:
			return "", -1
		}
	}
	return "/" + strings.Join(right, "/"), words
}
