package secret

import (
	stdbase64 "encoding/base64"
	"strings"
)

// The parts of a signing key of a log, PRIVATE+KEY+name+hash+key: its name has so many bytes at most, its hash so many
// digits, and its key so many characters at least, of 44: one that is cut off is a secret still.
const (
	longestKeyName = 255
	hashDigits     = 8
	shortestKey    = 24
)

// noteKey returns how far a signing key of a log reaches that a text begins with; 0 where there is none.
func noteKey(text string) int {
	end := noteKeyParts(text[len(notePrefix):])
	if end == 0 {
		return 0
	}
	return len(notePrefix) + end
}

const notePrefix = "PRIVATE+KEY+"

func noteKeyParts(text string) int {
	name := strings.IndexByte(text[:min(len(text), longestKeyName+1)], '+')
	if name < 1 || strings.ContainsAny(text[:name], " \t\r\n") {
		return 0
	}
	hash, key := name+1, name+1+hashDigits+1
	if len(text) < key+shortestKey || text[key-1] != '+' ||
		strings.Trim(text[hash:key-1], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	end := key
	for end < len(text) && end < key+sample && is[base64][text[end]] {
		end++
	}
	if end < key+shortestKey || entropy(text[key:end]) < 2.75 {
		return 0
	}
	return end
}

// shortestBody is the least length, in characters, of the base64 of a private key that stands without its header.
const shortestBody = 100

// keyBody returns how far a private key reaches that stands without its header, on one line or on several; 0 where
// there is none. A certificate and a public key begin otherwise: they have no version number in front.
func keyBody(text string) int {
	const head = 12 // characters, which are nine bytes
	if len(text) < head {
		return 0
	}
	der, err := stdbase64.StdEncoding.DecodeString(text[:head])
	if err != nil || der[0] != 0x30 {
		return 0
	}
	content := 2 // behind the tag of the sequence and its length
	if der[1] > 0x80 {
		content += int(der[1] & 0x7f)
	}
	if content > 4 || der[content] != 2 || der[content+1] != 1 || der[content+2] > 1 {
		return 0
	}
	if end := keyLines(text); end >= shortestBody || strings.HasPrefix(text, ed25519Body) && end >= shortestEd25519 {
		return end
	}
	return 0
}

// An Ed25519 key is short, and is known by the number of its algorithm.
const (
	ed25519Body     = "MC4CAQAwBQYDK2Vw"
	shortestEd25519 = 60
)

// given reports whether a value that a command is given for a password is more than a word or a stand-in.
func given(value string) bool {
	return entropy(value) >= 1.5 && !standsIn(value) && !standIns[strings.ToLower(value)] &&
		strings.Trim(value, "abcdefghijklmnopqrstuvwxyz-.") != ""
}

// longestUser is how long the name before a password may be, in bytes, and farthest how far before it its command may
// stand.
const (
	longestUser = 64
	farthest    = 200
)

// user knows the password that a command is given behind a name: curl -u name:password. at is the colon.
func (s *scanner) user(at int) (Finding, bool) {
	from := at
	for from > 0 && at-from < longestUser && s.text[from-1] != '=' &&
		(is[header][s.text[from-1]] || s.text[from-1] == '@') {
		from--
	}
	if from == at {
		return Finding{}, false
	}
	flag := strings.TrimRight(s.text[max(0, from-farthest):from], " =\"'\\")
	name := s.text[from:at]
	if strings.HasPrefix(name, "-u") && strings.HasSuffix(s.text[:from], " ") { // -uname:password
		flag, name = flag+" -u", name[2:]
	}
	if !strings.HasSuffix(flag, " -u") && !strings.HasSuffix(flag, " --user") || name == "" {
		return Finding{}, false
	}
	line := flag[strings.LastIndexByte(flag, '\n')+1:]
	end := s.run(free, at+1)
	value := s.text[at+1 : end]
	if !strings.Contains(line, "curl") || len(value) < 4 || strings.EqualFold(name, value) || !given(value) {
		return Finding{}, false
	}
	return Finding{"command_password", "a password on a command line", at + 1, end}, true
}

// chancy reports whether a value that is too short to be told by its entropy alone is one of chance: its letters and
// digits change places all over, and it is no commit id and no number.
func chancy(value string) bool {
	words, digits, letters := 0, false, false
	before := other
	for i := range len(value) {
		k := kindOf(value[i])
		if k == other && strings.IndexByte("./:", value[i]) >= 0 {
			return false
		}
		if k != before && !(before == capital && k == small) {
			words++
		}
		digits, letters, before = digits || k == digit, letters || k == small || k == capital, k
	}
	return digits && letters && len(value)*2 < words*5 &&
		strings.Trim(strings.TrimPrefix(strings.TrimPrefix(value, "-"), "0x"), "0123456789abcdef") != ""
}
