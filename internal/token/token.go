// Package token holds the credentials that say who a caller is and which role it has.
//
// A token is a text of the form orc_<role>_<random>, shown once, when it is made. The file tokens.json
// in the data folder (mode 0600) keeps its SHA-256 and never the token itself; a fast hash is enough,
// because the text carries at least 128 random bits. A token holds one role; a name may hold several
// tokens. No error of this package shows a token or anything that a person may have put in its place. Where several
// processes serve one log, Shared keeps the same in its store, and the file is not read.
//
// The package reads and writes tokens.json, tokens.json.lock and, at the first start and for a demonstration,
// tokens/<role>.token.
// Unix only: durable locks with flock.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
)

const (
	maxName  = 64 // characters
	idLength = 12 // hexadecimal digits of the token's SHA-256
)

// Token is one credential as the file keeps it.
type Token struct {
	ID      string     `json:"id"`   // the start of SHA256, unless edited by hand; unique in the file
	Name    string     `json:"name"` // who acts; the same name on several tokens is the same actor
	Role    string     `json:"role"`
	SHA256  string     `json:"sha256"` // of the token's text, in lower-case hexadecimal; unique in the file
	Created time.Time  `json:"created"`
	Expires time.Time  `json:"expires,omitzero"` // the first moment at which it no longer works; zero is never
	Bound   `json:"-"` // of a minted one
}

// Bound says what a minted token is for.
type Bound struct {
	Only string `json:"only,omitzero"` // the only requirement that it may change; "" is any
	Run  string `json:"run,omitzero"`  // that it was minted for; "" is none
}

// Expired reports whether the token no longer works at now.
func (t Token) Expired(now time.Time) bool {
	return !t.Expires.IsZero() && !now.Before(t.Expires)
}

// Holds reports whether the content of a file is one of tokens, with or without white space around it.
func Holds(tokens []Token, content string) bool {
	sum := digest(strings.TrimSpace(content))
	return slices.ContainsFunc(tokens, func(t Token) bool { return t.SHA256 == sum })
}

// Same reports whether two tokens are alike in every member.
func (t Token) Same(other Token) bool {
	return t.ID == other.ID && t.Name == other.Name && t.Role == other.Role && t.SHA256 == other.SHA256 &&
		t.Expires.Equal(other.Expires) && t.Bound == other.Bound
}

// Mark returns what tells tokens apart and proves none: the start of SHA256, whatever was made of ID by hand.
func (t Token) Mark() string { return t.SHA256[:idLength] }

// create makes a token that existing does not hold, and the secret text that proves it.
func create(name, role string, expires, now time.Time, existing []Token) (secret string, made Token) {
	for {
		secret = "orc_" + role + "_" + rand.Text()
		sum := digest(secret)
		made = Token{
			ID: sum[:idLength], Name: name, Role: role, SHA256: sum,
			Created: wholeSecond(now), Expires: wholeSecond(expires),
		}
		if !taken(existing, made.ID) {
			return secret, made
		}
	}
}

func taken(tokens []Token, id string) bool {
	for _, t := range tokens {
		if t.ID == id {
			return true
		}
	}
	return false
}

func digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func wholeSecond(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// validRole reports whether there is a role that a token may hold.
func validRole(role string) bool {
	_, err := lifecycle.ParseRole(role)
	return err == nil
}

// checkNew returns why Add refuses a name, role or expiry, or nil.
func checkNew(name, role string, expires, now time.Time) error {
	switch {
	case !validName(name):
		return fault.New(fault.Invalid, "token_name", "a token's name cannot be used").
			WithFix("give 1 to %d visible characters: no white space, control or invisible characters", maxName)
	case len(secret.Find(name)) > 0:
		return fault.New(fault.Invalid, "token_name",
			"a token's name looks like a secret, and would stand in every record").
			WithFix("give the name of who acts; if it was a token, revoke it")
	case !validRole(role):
		return fault.New(fault.Invalid, "token_role", "a token's role is unknown").
			WithFix("give a role of the workflow, in lower case")
	case !expires.IsZero() && !wholeSecond(expires).After(now):
		return fault.New(fault.Invalid, "token_expiry", "the token would expire at %s, which has passed",
			wholeSecond(expires).Format(time.RFC3339)).WithFix("give a later moment, or none")
	}
	return nil
}

func validName(name string) bool {
	if !utf8.ValidString(name) || name == "" || utf8.RuneCountInString(name) > maxName {
		return false
	}
	for _, r := range name {
		if !visible(r) {
			return false
		}
	}
	return true
}

// visible refuses what would let two names look the same and differ. IsPrint already refuses white space
// other than U+0020, control and format characters; some letters and marks are invisible all the same.
func visible(r rune) bool {
	const brailleBlank = '\u2800'
	return unicode.IsPrint(r) && r != ' ' && r != brailleBlank &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
