package secret

import (
	stdbase64 "encoding/base64"
	"math"
	"strings"
)

// random reports whether a value is more than words or a stand-in: its characters vary, and not every part of it is a
// word.
func random(value string) bool { return entropy(value) >= 2.75 && !wordy(value) }

// sample is how much of a value is looked at.
const sample = 64

var times = func() (t [sample + 1]float64) { // n*log2(n)
	for n := 2; n <= sample; n++ {
		t[n] = float64(n) * math.Log2(float64(n))
	}
	return t
}()

// entropy returns Shannon's entropy, in bits for each character of the first ones.
func entropy(value string) float64 {
	value = value[:min(len(value), sample)]
	if value == "" {
		return 0
	}
	var count [256]uint8
	sum := 0.0
	for i := range len(value) {
		n := count[value[i]]
		sum += times[n+1] - times[n]
		count[value[i]]++
	}
	return math.Log2(float64(len(value))) - sum/float64(len(value))
}

// wordy reports whether a value is made of words and numbers, as names, paths and stand-ins are.
func wordy(value string) bool {
	for from := 0; from < len(value); {
		end := from
		for end < len(value) && is[alnum][value[end]] {
			end++
		}
		if !word(value[from:end]) {
			return false
		}
		for from = end; from < len(value) && !is[alnum][value[from]]; from++ {
			if strings.IndexByte("-_./:+,@#~ ", value[from]) < 0 {
				return false
			}
		}
	}
	return true
}

// Of letters alone, a word has at most so many.
const longestWord = 20

func word(part string) bool {
	letters, digits := 0, 0
	for i := range len(part) {
		if part[i] <= '9' {
			digits++
		} else {
			letters++
		}
	}
	return len(part) <= 3 || digits == 0 && letters <= longestWord || letters == 0 || terms[strings.ToLower(part)]
}

// terms have digits in them and are words.
var terms = map[string]bool{
	"sha1": true, "sha224": true, "sha256": true, "sha384": true, "sha512": true, "base64": true, "base32": true,
	"utf8": true, "argon2": true,
	"argon2id": true, "pbkdf2": true, "ed25519": true, "hs256": true, "rs256": true, "es256": true, "oauth2": true,
	"aes128": true, "aes256": true,
}

// identifier reports whether a value reads as one of a program: the words in it, which a capital begins or a sign
// parts, are longer than those that chance makes.
func identifier(value string) bool {
	words, letters, mixed := 0, 0, false
	var before kind
	for i := range len(value) {
		k := kindOf(value[i])
		switch {
		case k == other:
			mixed = true
		case before == other || k != before && !(before == capital && k == small):
			words++
			mixed = mixed || before == small && k == capital
		}
		if k != other {
			letters++
		}
		before = k
	}
	return mixed && letters*2 >= words*7
}

type kind int

const (
	other kind = iota
	small
	capital
	digit
)

func kindOf(c byte) kind {
	switch {
	case !is[alnum][c]:
		return other
	case c <= '9':
		return digit
	case c <= 'Z':
		return capital
	}
	return small
}

// solid reports whether a value is random and not parted all over, as names are.
func solid(value string) bool {
	run := 0
	for i := 0; i < len(value) && run < 16; i++ {
		if run++; !is[alnum][value[i]] {
			run = 0
		}
	}
	return run == 16 && random(value)
}

// ownToken returns what follows orc_: a role, and at least 16 characters of chance.
func ownToken(body string) bool {
	_, chance, parted := strings.Cut(body, "_")
	return parted && len(chance) >= 16 && random(chance)
}

// longestHeader is how far the header of a web token may reach.
const longestHeader = 2048

// webToken returns what follows eyJ, which is `{"` in base64: a header, claims that begin so too, and what signs them.
func webToken(body string) bool {
	claims := strings.IndexByte(body[:min(len(body), longestHeader)], '.')
	return claims >= 8 && strings.HasPrefix(body[claims+1:], "eyJ") && strings.IndexByte(body[claims+1:], '.') > 8
}

// hexadecimal reports whether a value is random and has no letters beyond f.
func hexadecimal(value string) bool {
	return strings.Trim(value, "0123456789abcdef") == "" && random(value)
}

// basic returns what follows the scheme Basic: a name and a password.
func basic(body string) bool {
	decoded, err := stdbase64.RawStdEncoding.DecodeString(strings.TrimRight(body, "="))
	user, password, parted := strings.Cut(string(decoded), ":")
	return err == nil && parted && user != "" && password != "" &&
		strings.IndexFunc(string(decoded), func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
