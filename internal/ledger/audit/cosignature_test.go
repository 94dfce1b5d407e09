package audit

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

var moment = time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)

func newCosigner(t *testing.T, name, seed string) (c Cosigner, private string) {
	t.Helper()
	private, err := GenerateCosigner(strings.NewReader(strings.Repeat(seed, 32)), name)
	require.NoError(t, err)
	c, err = ParseCosigner(private)
	require.NoError(t, err)
	require.Equal(t, name, c.Name())
	return c, private
}

func signedCheckpoint(t *testing.T) (signed []byte, key string) {
	t.Helper()
	s := newSigner(t, "example.org/log", "a")
	head, _, _ := grow(t, 5)
	signed, err := s.Sign(head)
	require.NoError(t, err)
	return signed, s.Key
}

// Another implementation of the format verifies our cosignatures, and we verify its.
func TestCosignaturesAreReadByOthers(t *testing.T) {
	signed, logKey := signedCheckpoint(t)
	ours, private := newCosigner(t, "example.net/witness", "w")
	cosigned, err := ours.Cosign(signed, moment)
	require.NoError(t, err)

	theirVerifier, err := formats.NewVerifierForCosignatureV1(ours.Key)
	require.NoError(t, err)
	n, err := note.Open(cosigned, note.VerifierList(theirVerifier))
	require.NoError(t, err)
	require.Len(t, n.Sigs, 1)
	require.Len(t, n.UnverifiedSigs, 1)
	at, err := formats.CoSigV1Timestamp(n.Sigs[0])
	require.NoError(t, err)
	require.Equal(t, moment.Truncate(time.Second), at.UTC())

	theirSigner, err := formats.NewSignerForCosignatureV1(private)
	require.NoError(t, err)
	opened, err := note.Open(signed, theirs(t, logKey))
	require.NoError(t, err)
	before := time.Now().Truncate(time.Second)
	byThem, err := note.Sign(opened, theirSigner)
	require.NoError(t, err)
	checkpoint, found, err := OpenCosigned(byThem, logKey, []string{ours.Key})
	require.NoError(t, err)
	require.EqualValues(t, 5, checkpoint.Size)
	require.Len(t, found, 1)
	require.Equal(t, ours.Key, found[0].Key)
	require.WithinRange(t, found[0].At, before, time.Now())

	byUs, err := ours.Cosign(signed, found[0].At)
	require.NoError(t, err)
	require.Equal(t, string(byThem), string(byUs), "byte for byte")
}

func theirs(t *testing.T, key string) note.Verifiers {
	t.Helper()
	v, err := note.NewVerifier(key)
	require.NoError(t, err)
	return note.VerifierList(v)
}

// The bytes of the format, with a fixed key and time.
func TestBytesOfACosignature(t *testing.T) {
	signed, _ := signedCheckpoint(t)
	c, private := newCosigner(t, "example.net/witness", "w")
	require.Equal(t, "PRIVATE+KEY+example.net/witness+5467b731+BHd3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3d3", private)
	require.Regexp(t, `^example\.net/witness\+5467b731\+B`, c.Key)
	cosigned, err := c.Cosign(signed, moment)
	require.NoError(t, err)
	line, ok := strings.CutPrefix(string(cosigned), string(signed)+"— example.net/witness ")
	require.True(t, ok)
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(line, "\n"))
	require.NoError(t, err)
	require.Len(t, raw, 4+8+64)
	require.Equal(t, "5467b731", fmt.Sprintf("%x", raw[:4]))
	require.EqualValues(t, moment.Unix(), binary.BigEndian.Uint64(raw[4:]))
	require.Equal(t, "cosignature/v1\ntime 1772600767\n"+"a\n1\nroot\n", string(cosignedMessage(moment, "a\n1\nroot\n")))
}

func cosignedMessage(at time.Time, text string) []byte {
	return cosigned(uint64(at.Unix()), []byte(text))
}

func TestSeveralWitnesses(t *testing.T) {
	signed, logKey := signedCheckpoint(t)
	first, _ := newCosigner(t, "example.net/first", "1")
	second, _ := newCosigner(t, "example.net/second", "2")
	third, _ := newCosigner(t, "example.net/third", "3")
	_, found, err := OpenCosigned(signed, logKey, []string{first.Key})
	require.NoError(t, err)
	require.Empty(t, found)

	both, err := first.Cosign(signed, moment)
	require.NoError(t, err)
	both, err = second.Cosign(both, moment.Add(time.Hour))
	require.NoError(t, err)
	_, found, err = OpenCosigned(both, logKey, []string{third.Key, second.Key, first.Key, first.Key})
	require.NoError(t, err)
	at := moment.Truncate(time.Second)
	require.Equal(t, []Cosignature{{first.Key, at}, {second.Key, at.Add(time.Hour)}}, found)

	again, err := first.Cosign(both, moment.Add(2*time.Hour))
	require.NoError(t, err)
	_, found, err = OpenCosigned(again, logKey, []string{first.Key})
	require.NoError(t, err)
	require.Equal(t, []Cosignature{{first.Key, at.Add(2 * time.Hour)}}, found, "the newer one replaced the older")
}

func TestFalseCosignatures(t *testing.T) {
	signed, logKey := signedCheckpoint(t)
	c, _ := newCosigner(t, "example.net/witness", "w")
	cosigned, err := c.Cosign(signed, moment)
	require.NoError(t, err)
	for i := range len(cosigned) { // no byte of it can be changed without losing the cosignature
		changed := append([]byte{}, cosigned...)
		changed[i] ^= 1
		_, found, err := OpenCosigned(changed, logKey, []string{c.Key})
		require.True(t, err != nil || len(found) == 0, "byte %d", i)
	}
	line := func(payload []byte) []byte {
		raw := append(binary.BigEndian.AppendUint32(nil, c.hash), payload...)
		return append(append([]byte{}, signed...), "— example.net/witness "+base64.StdEncoding.EncodeToString(raw)+"\n"...)
	}
	late := timedSigner{c, time.Unix(-1, 0)}
	text, _, _ := strings.Cut(string(signed), "\n\n")
	raw, err := late.Sign([]byte(text + "\n"))
	require.NoError(t, err)
	for name, payload := range map[string][]byte{"a byte": {0}, "short": make([]byte, 64), "long": make([]byte, 73), "beyond the range of times": raw} {
		_, _, err = OpenCosigned(line(payload), logKey, []string{c.Key})
		require.EqualError(t, err, "the cosignature of example.net/witness is false", name)
	}
	_, _, err = OpenCosigned(cosigned, c.Key, []string{c.Key})
	require.ErrorContains(t, err, "no key that verifies notes", "a witness is no log")
	_, _, err = OpenCosigned(cosigned, newSigner(t, "example.org/log", "b").Key, []string{c.Key})
	require.ErrorContains(t, err, "not signed", "a cosignature is no signature of the log")
}

func TestWhatCannotBeCosigned(t *testing.T) {
	signed, _ := signedCheckpoint(t)
	c, _ := newCosigner(t, "example.net/witness", "w")
	_, err := c.Cosign([]byte("nonsense"), moment)
	require.ErrorIs(t, err, errNoNote)
	_, err = c.Cosign(signed, time.Unix(-1, 0))
	require.ErrorContains(t, err, "no time")

	full := string(signed)
	for i := range maxSignatures - 1 {
		full += fmt.Sprintf("— w%d AAAAAAAA\n", i)
	}
	_, err = note.Open([]byte(full), nil)
	require.ErrorAs(t, err, new(*note.UnverifiedNoteError), "it can be read")
	_, err = c.Cosign([]byte(full), moment)
	require.ErrorContains(t, err, "100 signatures already", "or nobody could read what was cosigned")
}

func TestKeysOfCosigners(t *testing.T) {
	for _, bad := range []string{"", "with blank", "with+plus"} {
		_, err := GenerateCosigner(strings.NewReader(strings.Repeat("a", 64)), bad)
		require.ErrorContains(t, err, "no origin", "%q", bad)
	}
	broken := errors.New("no randomness")
	_, err := GenerateCosigner(iotest.ErrReader(broken), "w")
	require.ErrorIs(t, err, broken)

	good, private := newCosigner(t, "w", "w")
	log, err := GenerateKey(strings.NewReader(strings.Repeat("a", 64)), "w")
	require.NoError(t, err)
	hash := strings.Split(private, "+")[3]
	otherType := base64.StdEncoding.EncodeToString(append([]byte{1}, strings.Repeat("w", 32)...))
	for _, bad := range []string{
		"", "PRIVATE+KEY+w", "PRIVATE+KEY+w+" + hash + "+" + otherType, good.Key, log, private[:len(private)-4], strings.Replace(private, "+w+", "+v+", 1), strings.Replace(private, "+w+", "+ü+", 1),
		strings.Replace(private, hash, "0000000g", 1), strings.Replace(private, hash, "1", 1), strings.Replace(private, hash, strings.ToUpper(hash), 1),
	} {
		_, err := ParseCosigner(bad)
		require.EqualError(t, err, "it is no private key of a witness", "and no part of it is said")
	}
	signed, logKey := signedCheckpoint(t)
	for _, bad := range []string{"", logKey, private, strings.Replace(good.Key, "w+", "v+", 1)} {
		_, _, err := OpenCosigned(signed, logKey, []string{bad})
		require.ErrorContains(t, err, "no key that verifies cosignatures")
	}
}

func TestKeysOfLogs(t *testing.T) {
	require.NoError(t, CheckKey(newSigner(t, "example.org/log", "a").Key))
	c, _ := newCosigner(t, "example.net/witness", "w")
	require.ErrorContains(t, CheckKey(c.Key), "no key that verifies notes")
	key, err := note.NewEd25519VerifierKey("ü", make([]byte, 32))
	require.NoError(t, err)
	require.ErrorContains(t, CheckKey(key), "no origin")
}

func TestACheckpointIsReadWhoeverSignedIt(t *testing.T) {
	signed, key := signedCheckpoint(t)
	want, err := OpenCheckpoint(signed, key)
	require.NoError(t, err)
	got, err := ReadCheckpoint(signed)
	require.NoError(t, err)
	require.Equal(t, want, got)
	for _, bad := range []string{"", want.Text(), "hello\n\n— a AAAAAAAA\n"} {
		_, err = ReadCheckpoint([]byte(bad))
		require.ErrorContains(t, err, "checkpoint", "%q", bad)
	}
}
