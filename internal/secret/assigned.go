package secret

import "strings"

// assigned knows a secret by the name that it is given to: password=…, "api_key": "…", or by its place in a URL. at is
// the = or the colon.
func (s *scanner) assigned(at int) (Finding, bool) {
	if strings.HasPrefix(s.text[at:], "://") {
		return s.inURL(at + len("://"))
	}
	if s.text[at] == ':' {
		if f, found := s.telegram(at); found {
			return f, true
		}
		if f, found := s.user(at); found {
			return f, true
		}
	}
	least, known := s.leastBefore(at)
	if !known {
		return Finding{}, false
	}
	from, end, quoted := s.valueAfter(at)
	if from < end && anchors[s.text[from]] == begins {
		if f, found := s.prefixed(from); found {
			return f, true
		}
	}
	value := s.text[from:end]
	if len(value) < least || len(value) > longestValue || standsIn(value) || !random(value) || least == short &&
		len(value) < long && !chancy(value) {
		return Finding{}, false
	}
	called := end < len(s.text) && s.text[end] == '('
	if !quoted && called || identifier(value) && !(quoted && strings.ContainsAny(value, "0123456789")) {
		return Finding{}, false
	}
	return Finding{"assigned_secret", "the value of a password, token or key", from, end}, true
}

const longestValue = 300

// leastBefore returns how long a value must be to be a secret under the name that stands before an = or a colon; false
// for a name that says nothing of secrets. Case does not matter, nor what parts the words of the name.
func (s *scanner) leastBefore(sign int) (least int, known bool) {
	at := sign
	for at > 0 && is[closing][s.text[at-1]] {
		at--
	}
	var letters [longestName]byte // the end of the name
	n := longestName
	for at > 0 && n > 0 {
		at--
		c := s.text[at]
		if is[alnum][c] {
			n--
			letters[n] = c | 0x20
		} else if !is[joining][c] {
			break
		}
		if n == longestName-3 && !endings[start(string(letters[n:]))] {
			return 0, false
		}
	}
	if n > longestName-3 {
		return 0, false
	}
	for _, w := range names {
		if strings.HasSuffix(string(letters[n:]), w.name) {
			return w.least, w.least > 0 && !(w.name == "pass" && s.verdict(sign))
		}
	}
	return 0, false
}

// verdict reports whether the pass before a colon is the outcome of a test, as in PASS: TestLogin.
func (s *scanner) verdict(sign int) bool {
	return s.text[sign] == ':' && is[alnum][s.text[sign-1]] && !strings.HasSuffix(s.text[:sign-len("pass")], "_")
}

// longestName is that of names, or more.
const longestName = 13

// A value under a name that much else is given to is a secret from short on, if it is chancy, and from long on, if it
// is random.
const (
	short = 8
	long  = 16
)

// names are the ends of names that secrets are given to, and how long a secret is at least; 0 where none is meant.
var names = []struct {
	name  string
	least int
}{
	{"password", 6}, {"passwd", 6}, {"passphrase", 6}, {"passwort", 6}, {"pwd", 6},
	{"bypass", 0}, {"compass", 0}, {"pass", 6},
	{"pagetoken", 0}, {"nexttoken", 0}, {"continuetoken", 0}, {"synctoken", 0}, {"secret", short}, {"token", short},
	{"apikey", short}, {"secretkey", 16}, {"accesskey", 16}, {"privatekey", 16}, {"accountkey", 16},
	{"signingkey", 16}, {"encryptionkey", 16}, {"authkey", 16}, {"credential", 16}, {"credentials", 16}, {"secretkeybase", 16},
}

// endings has the last three letters of every name.
var endings = func() (all [1 << 15]bool) {
	for _, w := range names {
		all[start(w.name[len(w.name)-3:])] = true
	}
	return all
}()

// valueAfter returns the value behind an = or a colon, without its quotes. One with white space in it is no value.
func (s *scanner) valueAfter(at int) (from, end int, quoted bool) {
	from = at + 1
	for skipped := 0; from < len(s.text) && skipped < 6 && strings.IndexByte("=:> \t\\", s.text[from]) >= 0; skipped++ {
		from++
	}
	if from == len(s.text) {
		return from, from, false
	}
	if quote := s.text[from]; strings.IndexByte("\"'`", quote) >= 0 {
		from++
		end = from
		for end < len(s.text) && end-from <= longestValue && s.text[end] > ' ' && s.text[end] != quote {
			end++
		}
		if end == len(s.text) || s.text[end] != quote {
			return from, from, true
		}
		return from, from + len(strings.TrimRight(s.text[from:end], "\\")), true
	}
	end = s.run(free, from)
	for pad := 0; pad < 2 && end < len(s.text) && s.text[end] == '='; pad++ {
		end++
	}
	for end > from && strings.IndexByte(".:!?", s.text[end-1]) >= 0 {
		end--
	}
	return from, end, false
}

// standsIn reports whether a value is in the place of a secret, or is known to be none: a variable, a template, a path,
// a UUID, or a digest that says so.
func standsIn(value string) bool {
	switch {
	case strings.IndexByte("$%<{[(*/~.&", value[0]) >= 0, strings.Contains(value, "..."),
		strings.Contains(value, "…"), strings.Contains(value, "${"), strings.Contains(value, "://"):
		return true
	case isUUID(value):
		return true
	}
	kind, digest, parted := strings.Cut(value, ":")
	return parted && terms[strings.ToLower(kind)] && strings.Trim(digest, "0123456789abcdefABCDEF") == ""
}

func isUUID(value string) bool {
	if len(value) != 36 {
		return false
	}
	for i := range len(value) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (value[i] == '-') || !dash && strings.IndexByte("0123456789abcdefABCDEF", value[i]) < 0 {
			return false
		}
	}
	return true
}

// longestAuthority bounds what is searched for the password of a URL.
const longestAuthority = 256

// inURL knows a password that stands before the host of a URL.
func (s *scanner) inURL(from int) (Finding, bool) {
	authority := s.text[from:min(len(s.text), from+longestAuthority)]
	if end := strings.IndexAny(authority, "/?# \t\r\n\"'`<>\\"); end >= 0 {
		authority = authority[:end]
	}
	host := strings.LastIndexByte(authority, '@')
	if host < 0 {
		return Finding{}, false
	}
	user, password, parted := strings.Cut(authority[:host], ":")
	if !parted || len(password) < 4 || strings.EqualFold(user, password) || standsIn(password) ||
		standIns[strings.ToLower(password)] || entropy(password) < 1.5 {
		return Finding{}, false
	}
	start := from + len(user) + 1
	return Finding{"url_password", "a password in a URL", start, start + len(password)}, true
}

// standIns are written in the place of a password.
var standIns = map[string]bool{
	"pass": true, "passwd": true, "password": true, "secret": true, "token": true, "your-password": true,
	"yourpassword": true, "redacted": true,
	"your_password": true, "mypassword": true, "changeme": true, "example": true,
}

// telegram knows the token of a bot: a number, a colon, and 35 characters that begin with AA.
func (s *scanner) telegram(at int) (Finding, bool) {
	if !strings.HasPrefix(s.text[at+1:], "AA") {
		return Finding{}, false
	}
	start := at
	for start > 0 && at-start < 12 && '0' <= s.text[start-1] && s.text[start-1] <= '9' {
		start--
	}
	end := s.run(urlish, at+1)
	if at-start < 6 || end-at-1 != 35 || !random(s.text[at+1:end]) {
		return Finding{}, false
	}
	return Finding{"telegram_token", "the token of a Telegram bot", start, end}, true
}

// privateKey knows the block of a private key, whole or cut off. Its line ends may be written \n.
func (s *scanner) privateKey(at int) (Finding, bool) {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	rest, found := strings.CutPrefix(s.text[at:], begin)
	if !found {
		return Finding{}, false
	}
	title, _, found := strings.Cut(rest[:min(len(rest), 64)], dashes)
	if !found || !strings.HasSuffix(title, "PRIVATE KEY") && title != "PGP PRIVATE KEY BLOCK" {
		return Finding{}, false
	}
	from := at + len(begin) + len(title) + len(dashes)
	key, left, _ := strings.Cut(s.text[from:], dashes)
	f := Finding{"private_key", "a private key", at, from + len(key)}
	if strings.HasPrefix(left, end[len(dashes):]) {
		f.End = min(f.End+len(end)+len(title)+len(dashes), len(s.text))
		return f, keyLines(key) > 0
	}
	f.End = from + keyLines(key)
	return f, f.End > from
}

// keyLines returns how far the lines of a key reach that is cut off: 16 characters and more each, or 4 on a line of
// their own.
func keyLines(text string) (end int) {
	for at := 0; at < len(text); {
		from, least := at, 16
		for ; at < len(text) && strings.IndexByte(" \t\r\n\\", text[at]) >= 0; at++ {
			if text[at] == '\\' && at+1 < len(text) && strings.IndexByte("nrt", text[at+1]) >= 0 {
				at++
			}
		}
		if end == 0 && strings.ContainsAny(text[from:at], "\n\\") {
			least = 4
		}
		from = at
		for at < len(text) && is[base64][text[at]] {
			at++
		}
		if at-from < least {
			break
		}
		end = at
	}
	return end
}
