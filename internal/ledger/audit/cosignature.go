package audit

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

const (
	cosignatureV1 = 4 // the signature type of C2SP tlog-cosignature with Ed25519
	maxSignatures = 100
)

var (
	errNoCosigner = errors.New("it is no private key of a witness")
	errNoNote     = errors.New("it is no signed note")
)

// Cosigner cosigns checkpoints, in the form of C2SP tlog-cosignature: it states that at a time it had seen no larger
// log that is consistent with all it saw before. Key is what verifies its cosignatures, as name+hash+key.
type Cosigner struct {
	Key     string
	name    string
	hash    uint32
	private ed25519.PrivateKey
}

// Cosignature says who cosigned, by the key, and when.
type Cosignature struct {
	Key string    `json:"key"`
	At  time.Time `json:"at"`
}

// GenerateCosigner makes the private key of a new witness with a name, as it is kept in a file.
func GenerateCosigner(random io.Reader, name string) (private string, err error) {
	if err := CheckOrigin(name); err != nil {
		return "", err
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return "", err
	}
	public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	return "PRIVATE+KEY+" + keyText(name, keyHash(name, public), seed), nil
}

// ParseCosigner reads a private key that GenerateCosigner made. The error never holds a part of it.
func ParseCosigner(private string) (Cosigner, error) {
	text, ok := strings.CutPrefix(private, "PRIVATE+KEY+")
	name, hash, seed, err := splitKey(text)
	if !ok || err != nil || CheckOrigin(name) != nil {
		return Cosigner{}, errNoCosigner
	}
	key := ed25519.NewKeyFromSeed(seed)
	public := key.Public().(ed25519.PublicKey)
	if hash != keyHash(name, public) {
		return Cosigner{}, errNoCosigner
	}
	return Cosigner{keyText(name, hash, public), name, hash, key}, nil
}

// Name returns the name of the witness.
func (c Cosigner) Name() string { return c.name }

// Cosign adds the cosignature of a time, which counts in whole seconds, to a signed checkpoint; an older one of the
// same key is replaced. It checks no signature, and nothing that the checkpoint says: that is to be done before.
func (c Cosigner) Cosign(signed []byte, at time.Time) ([]byte, error) {
	if at.Unix() < 0 {
		return nil, fmt.Errorf("%s is no time of a cosignature", at)
	}
	_, err := note.Open(signed, nil)
	var n *note.UnverifiedNoteError
	if !errors.As(err, &n) {
		return nil, errNoNote
	}
	cosigned, err := note.Sign(n.Note, timedSigner{c, at})
	if err == nil && strings.Count(string(cosigned), "\n— ") > maxSignatures {
		err = fmt.Errorf("the checkpoint has %d signatures already, and nobody reads more than that", maxSignatures)
	}
	return cosigned, err
}

// OpenCosigned checks that a checkpoint is signed with the key of its log, and says which of some witnesses cosigned
// it, in the order of the signatures. A cosignature of one of them that is false is an error.
func OpenCosigned(signed []byte, logKey string, witnessKeys []string) (Checkpoint, []Cosignature, error) {
	checkpoint, err := OpenCheckpoint(signed, logKey)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	verifiers, err := cosignatureVerifiers(witnessKeys)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	n, err := note.Open(signed, verifiers)
	if invalid := (*note.InvalidSignatureError)(nil); errors.As(err, &invalid) {
		return Checkpoint{}, nil, fmt.Errorf("the cosignature of %s is false", invalid.Name)
	}
	var found []Cosignature
	for n != nil && len(found) < len(n.Sigs) {
		s := n.Sigs[len(found)]
		raw, _ := base64.StdEncoding.DecodeString(s.Base64) // Open has read it
		at := time.Unix(int64(binary.BigEndian.Uint64(raw[4:])), 0).UTC()
		found = append(found, Cosignature{verifiers[signatureID{s.Name, s.Hash}].key, at})
	}
	return checkpoint, found, nil
}

// timedSigner is a note.Signer of one moment.
type timedSigner struct {
	Cosigner
	at time.Time
}

func (s timedSigner) KeyHash() uint32 { return s.hash }

func (s timedSigner) Sign(text []byte) ([]byte, error) {
	at := uint64(s.at.Unix())
	return append(binary.BigEndian.AppendUint64(nil, at), ed25519.Sign(s.private, cosigned(at, text))...), nil
}

// cosigned returns the message that is signed.
func cosigned(at uint64, text []byte) []byte {
	return fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", at, text)
}

type signatureID struct {
	name string
	hash uint32
}

// cosignatureKeys are note.Verifiers.
type cosignatureKeys map[signatureID]cosignatureKey

type cosignatureKey struct {
	signatureID
	key    string
	public ed25519.PublicKey
}

func cosignatureVerifiers(keys []string) (cosignatureKeys, error) {
	verifiers := cosignatureKeys{}
	for _, key := range keys {
		name, hash, public, err := splitKey(key)
		if err != nil || CheckOrigin(name) != nil || hash != keyHash(name, public) {
			return nil, fmt.Errorf("%q is no key that verifies cosignatures", key)
		}
		id := signatureID{name, hash}
		verifiers[id] = cosignatureKey{id, key, public}
	}
	return verifiers, nil
}

func (k cosignatureKeys) Verifier(name string, hash uint32) (note.Verifier, error) {
	if v, ok := k[signatureID{name, hash}]; ok {
		return v, nil
	}
	return nil, &note.UnknownVerifierError{Name: name, KeyHash: hash}
}

func (k cosignatureKey) Name() string    { return k.name }
func (k cosignatureKey) KeyHash() uint32 { return k.hash }

func (k cosignatureKey) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	at := binary.BigEndian.Uint64(signature)
	return at <= math.MaxInt64 && ed25519.Verify(k.public, cosigned(at, text), signature[8:])
}

func keyHash(name string, public []byte) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n\x04"), public...))
	return binary.BigEndian.Uint32(sum[:])
}

func keyText(name string, hash uint32, key []byte) string {
	return fmt.Sprintf("%s+%08x+%s", name, hash,
		base64.StdEncoding.EncodeToString(append([]byte{cosignatureV1}, key...)))
}

// splitKey reads name+hash+key; the key, a public one or a seed, is 32 bytes behind the type.
func splitKey(text string) (name string, hash uint32, key []byte, err error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 {
		return "", 0, nil, errNoCosigner
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(raw) != 1+ed25519.SeedSize || raw[0] != cosignatureV1 {
		return "", 0, nil, errNoCosigner
	}
	if _, err := fmt.Sscanf(parts[1], "%08x", &hash); err != nil || fmt.Sprintf("%08x", hash) != parts[1] {
		return "", 0, nil, errNoCosigner
	}
	return parts[0], hash, raw[1:], nil
}
