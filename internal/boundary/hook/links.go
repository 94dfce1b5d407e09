package hook

import (
	"path/filepath"
	"strings"
	"syscall"
)

// links finds where the links of paths lead. Most paths of one call lie in the same few folders, so it asks the system
// about a name once. tree.Resolve keeps a link that leads nowhere, takes away ".." before it looks, and asks each time.
type links struct{ seen []name }

// name is what stands at a path whose folder is no link.
type name struct {
	path  string
	to    string // where it leads; "" where it is no link
	there bool
}

// Limits of what is remembered, which is looked through for each name, and of the links of one path.
const (
	mostSeen  = 64
	mostLinks = 255
)

// real returns where the links of an absolute path lead, as far as it exists. What comes after that stays as it is.
func (l *links) real(abs string) string {
	if !filepath.IsAbs(abs) {
		return abs
	}
	done := 0 // up to here there are no links, and no dots
	for followed := 0; done < len(abs) && followed < mostLinks; {
		end := len(abs)
		if n := strings.IndexByte(abs[done+1:], '/'); n >= 0 {
			end = done + 1 + n
		}
		switch abs[done+1 : end] {
		case "", ".":
			abs = abs[:done] + abs[end:]
			continue
		case "..":
			above := max(strings.LastIndexByte(abs[:done], '/'), 0)
			abs, done = abs[:above]+abs[end:], above
			continue
		}
		at := l.look(abs[:end])
		switch {
		case !at.there:
			return filepath.Clean(abs)
		case at.to == "":
			done = end
		default:
			followed++
			if filepath.IsAbs(at.to) {
				abs, done = at.to+abs[end:], 0
			} else {
				abs = abs[:done+1] + at.to + abs[end:]
			}
		}
	}
	return filepath.Clean("/" + abs)
}

// look returns what stands at a path.
func (l *links) look(path string) name {
	for i := range l.seen {
		if l.seen[i].path == path {
			return l.seen[i]
		}
	}
	at := name{path: path}
	at.to, at.there = readLink(path)
	if len(l.seen) < mostSeen {
		if l.seen == nil {
			l.seen = make([]name, 0, mostSeen/4)
		}
		l.seen = append(l.seen, at)
	}
	return at
}

// readLink returns where a link leads, "" for what is none, and whether there is anything at the path. It takes one
// call of the system, and nothing from the heap but the answer.
func readLink(path string) (to string, there bool) {
	var buffer [4 << 10]byte // the longest path
	for {
		n, err := syscall.Readlink(path, buffer[:])
		switch err { // a number of the system, never wrapped
		case nil:
			return string(buffer[:n]), true
		case syscall.EINVAL: // it is no link
			return "", true
		case syscall.EINTR:
		default:
			return "", false
		}
	}
}
