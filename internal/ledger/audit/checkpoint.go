package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Checkpoint is the claim of a log about itself at one size, in the form of C2SP tlog-checkpoint: a note whose
// text is the origin, the size and the root, a line each. Signed, it is Encoded; anybody who keeps it can hold
// the log to it later.
type Checkpoint struct {
	Origin string `json:"origin"`
	Size   uint64 `json:"size"`
	Root   Hash   `json:"root"`
}

// Text returns what is signed.
func (c Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// ParseText reads the text of a checkpoint. Lines after the third are extensions, which this log does not write
// and does not mind.
func ParseText(text string) (Checkpoint, error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) < 4 || lines[0] == "" {
		return Checkpoint{}, errors.New("it is no checkpoint: a checkpoint has an origin, a size and a root, a line each")
	}
	size, err := strconv.ParseUint(lines[1], 10, 63)
	if err != nil || size > maxSize || strconv.FormatUint(size, 10) != lines[1] {
		return Checkpoint{}, fmt.Errorf("it is no checkpoint: %q is no size", lines[1])
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != len(Hash{}) {
		return Checkpoint{}, fmt.Errorf("it is no checkpoint: %q is no root", lines[2])
	}
	return Checkpoint{lines[0], size, Hash(root)}, nil
}

// Signer signs the checkpoints of one log. Key is what verifies them, in the form name+hash+key of signed notes;
// its name is the origin of the log.
type Signer struct {
	Key    string
	signer note.Signer
}

// GenerateKey makes the private key of a new log with an origin, as it is kept in a file.
func GenerateKey(random io.Reader, origin string) (private string, err error) {
	if err := CheckOrigin(origin); err != nil {
		return "", err
	}
	private, _, err = note.GenerateKey(random, origin)
	return private, err
}

// CheckOrigin refuses what cannot be the name of a key, or the first line of a checkpoint.
func CheckOrigin(origin string) error {
	if origin == "" || len(origin) > 255 || strings.ContainsFunc(origin,
		func(r rune) bool { return r <= ' ' || r == '+' || r > '~' }) {
		return fmt.Errorf("%q is no origin: 1 to 255 printable ASCII characters without blanks and without +", origin)
	}
	return nil
}

// OriginOf returns the name in a public key: the origin of the log that it belongs to.
func OriginOf(key string) string {
	origin, _, _ := strings.Cut(key, "+")
	return origin
}

// ParseSigner reads a private key that GenerateKey made. The error never holds a part of it.
func ParseSigner(private string) (Signer, error) {
	signer, err := note.NewSigner(private)
	if err != nil || CheckOrigin(signer.Name()) != nil {
		return Signer{}, errors.New("it is no private key of a log")
	}
	parts := strings.SplitN(private, "+", 5) // PRIVATE+KEY+name+hash+key, which NewSigner has checked
	key, _ := base64.StdEncoding.DecodeString(parts[4])
	public := ed25519.NewKeyFromSeed(key[1:]).Public().(ed25519.PublicKey)
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), public)
	return Signer{verifier, signer}, err
}

// Origin returns the name of the log.
func (s Signer) Origin() string { return s.signer.Name() }

// Sign makes the signed checkpoint of the log at a head.
func (s Signer) Sign(h Head) ([]byte, error) {
	text := Checkpoint{s.Origin(), h.Size, h.Root}.Text()
	return note.Sign(&note.Note{Text: text}, s.signer)
}

// CheckKey refuses what is no key that verifies the checkpoints of a log.
func CheckKey(key string) error {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return fmt.Errorf("%q is no key that verifies notes: %w", key, err)
	}
	return CheckOrigin(verifier.Name())
}

// OpenCheckpoint checks that a checkpoint is signed with a key, and that its origin is the name of the key. Other
// signatures on it, as witnesses add them, are left alone.
func OpenCheckpoint(signed []byte, key string) (Checkpoint, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%q is no key that verifies notes: %w", key, err)
	}
	n, err := note.Open(signed, note.VerifierList(verifier))
	var unsigned *note.UnverifiedNoteError
	if errors.As(err, &unsigned) {
		return Checkpoint{}, fmt.Errorf("the checkpoint is not signed with the key of %s", verifier.Name())
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	signature, _ := base64.StdEncoding.DecodeString(n.Sigs[0].Base64) // which Open has read
	if base64.StdEncoding.EncodeToString(signature) != n.Sigs[0].Base64 {
		return Checkpoint{}, errors.New("the checkpoint was changed: nobody writes its signature like that")
	}
	c, err := ParseText(n.Text)
	if err == nil && c.Origin != verifier.Name() {
		err = fmt.Errorf("the checkpoint is of the log %q, the key of %q", c.Origin, verifier.Name())
	}
	return c, err
}

// ReadCheckpoint reads a checkpoint without checking who signed it.
func ReadCheckpoint(signed []byte) (Checkpoint, error) {
	_, err := note.Open(signed, note.VerifierList())
	var unsigned *note.UnverifiedNoteError
	if !errors.As(err, &unsigned) {
		return Checkpoint{}, fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	return ParseText(unsigned.Note.Text)
}
