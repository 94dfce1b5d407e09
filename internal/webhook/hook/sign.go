package hook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
)

const (
	secretPrefix  = "whsec_"
	shortestKey   = 24 // bytes, as the specification says
	longestKey    = 64
	mostSecrets   = 3 // of one hook, while they are changed
	versionOfSign = "v1,"
)

// CodeSecret is the code of a secret that cannot be used.
const CodeSecret fault.Code = "webhook_secret"

// Secrets are the keys that a message is signed with, each for itself: more than one while a receiver changes from one
// to the other.
type Secrets [][]byte

// NewSecret returns the text of a secret for random bytes.
func NewSecret(random [32]byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(random[:])
}

// ParseSecrets reads secrets, one a line. No error repeats one.
func ParseSecrets(text string) (all Secrets, err error) {
	for line := range strings.FieldsSeq(text) {
		encoded, is := strings.CutPrefix(line, secretPrefix)
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !is || err != nil || len(key) < shortestKey || len(key) > longestKey {
			return nil, badSecret("it is not %s and the base64 of %d to %d bytes", secretPrefix, shortestKey,
				longestKey)
		}
		all = append(all, key)
	}
	if len(all) == 0 || len(all) > mostSecrets {
		return nil, badSecret("there are %d of them, and not 1 to %d", len(all), mostSecrets)
	}
	return all, nil
}

func badSecret(format string, args ...any) error {
	return fault.New(fault.Invalid, CodeSecret, "the secret of a webhook cannot be used: "+format, args...).
		WithFix("write one a line, as Standard Webhooks has them, such as the receiver shows it")
}

// Sign returns the signatures of a message, as Standard Webhooks has them.
//
// Implements: ORC-322
func (s Secrets) Sign(id string, at time.Time, body []byte) string {
	signatures := make([]string, len(s))
	for i, key := range s {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures[i] = versionOfSign + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " ")
}
