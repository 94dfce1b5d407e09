// Package sedscript reads programs of sed.
package sedscript

import "strings"

const labelBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// Harmless reports whether a program of sed is surely one that neither writes files nor runs commands.
func Harmless(program string) bool {
	s := program
	for {
		s = strings.TrimLeft(s, " \t\n;{}")
		if s == "" {
			return true
		}
		var ok bool
		if s, ok = address(s); !ok || s == "" {
			return false
		}
		command := s[0]
		s = s[1:]
		switch {
		case command == '#':
			_, s, _ = strings.Cut(s, "\n")
		case strings.IndexByte(":btT", command) >= 0: // a label ends here, or at the end of the line
			s = strings.TrimLeft(s, " \t")
			s = strings.TrimLeft(s, labelBytes)
		case strings.IndexByte("aic", command) >= 0: // text, to the end of the line
			if strings.Contains(s, `\\`) {
				return false
			}
			_, s, _ = strings.Cut(strings.ReplaceAll(s, "\\\n", ""), "\n")
		case command == 's' || command == 'y':
			if s, ok = substitute(s); !ok {
				return false
			}
		case command == '{' || command == '}':
		case strings.IndexByte("pPdDqQ=nNgGhHxlzF", command) >= 0:
			s = strings.TrimLeft(s, "0123456789")
			if s != "" && strings.IndexByte(" \t\n;{}", s[0]) < 0 {
				return false
			}
		default: // w, W and e write and run; the rest is no command that is known
			return false
		}
	}
}

// address skips the addresses before a command.
func address(s string) (string, bool) {
	for s != "" {
		switch {
		case strings.IndexByte("0123456789$,!~+ \t", s[0]) >= 0:
			s = s[1:]
		case s[0] == '/' || s[0] == '\\' && len(s) > 1:
			if s[0] == '\\' {
				s = s[1:]
			}
			rest, ok := pattern(s[1:], s[0])
			if !ok {
				return "", false
			}
			s = strings.TrimLeft(rest, "IM")
		default:
			return s, true
		}
	}
	return "", true
}

// pattern skips to behind the next delimiter that is not escaped. A bracket expression may hold one; since versions
// of sed differ on that, such a pattern is not told.
func pattern(s string, delimiter byte) (string, bool) {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return s[i+1:], !bracket
		case '[':
			bracket = true
		case ']':
			bracket = false
		}
	}
	return "", false
}

func substitute(s string) (string, bool) {
	if s == "" || s[0] == '\n' || s[0] == '\\' {
		return "", false
	}
	rest, ok := pattern(s[1:], s[0])
	if !ok {
		return "", false
	}
	if rest, ok = replacement(rest, s[0]); !ok {
		return "", false
	}
	rest = strings.TrimLeft(rest, "gpiIM0123456789 \t")
	return rest, rest == "" || strings.IndexByte("\n;}#", rest[0]) >= 0
}

// replacement skips the replacement, in which brackets mean nothing.
func replacement(s string, delimiter byte) (string, bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case delimiter:
			return s[i+1:], true
		}
	}
	return "", false
}
