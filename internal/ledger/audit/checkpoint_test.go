package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
)

func newSigner(t *testing.T, origin, seed string) Signer {
	t.Helper()
	private, err := GenerateKey(strings.NewReader(strings.Repeat(seed, 64)), origin)
	require.NoError(t, err)
	s, err := ParseSigner(private + "")
	require.NoError(t, err)
	require.Equal(t, origin, s.Origin())
	require.Equal(t, origin, OriginOf(s.Key))
	return s
}

// The parser of another project, which other logs and witnesses use, reads our checkpoints.
//
// Verifies: ORC-100
func TestCheckpointsAreReadByOthers(t *testing.T) {
	s := newSigner(t, "example.org/log", "a")
	head, _, _ := grow(t, 5)
	signed, err := s.Sign(head)
	require.NoError(t, err)
	verifier, err := note.NewVerifier(s.Key)
	require.NoError(t, err)
	theirs, rest, n, err := log.ParseCheckpoint(signed, "example.org/log", verifier)
	require.NoError(t, err)
	require.Empty(t, rest)
	require.Len(t, n.Sigs, 1)
	require.EqualValues(t, 5, theirs.Size)
	require.Equal(t, head.Root[:], theirs.Hash)

	ours, err := OpenCheckpoint(signed, s.Key)
	require.NoError(t, err)
	require.Equal(t, Checkpoint{"example.org/log", 5, head.Root}, ours)
	require.Equal(t, string(theirs.Marshal()), ours.Text())
}

func TestACheckpointOfAnotherIsRefused(t *testing.T) {
	s, other, elsewhere := newSigner(t, "example.org/log", "a"), newSigner(t, "example.org/log", "b"), newSigner(t, "example.org/other", "a")
	head, _, _ := grow(t, 5)
	signed, err := s.Sign(head)
	require.NoError(t, err)
	_, err = OpenCheckpoint(signed, other.Key)
	require.ErrorContains(t, err, "not signed with the key of example.org/log")
	_, err = OpenCheckpoint(signed, elsewhere.Key)
	require.ErrorContains(t, err, "not signed with the key of example.org/other")
	_, err = OpenCheckpoint(signed, "nonsense")
	require.ErrorContains(t, err, "no key")
	_, err = OpenCheckpoint([]byte("nonsense"), s.Key)
	require.ErrorContains(t, err, "cannot be read")

	// Signed with the right key, but in the name of another log.
	private, err := GenerateKey(strings.NewReader(strings.Repeat("a", 64)), "example.org/log")
	require.NoError(t, err)
	raw, err := note.NewSigner(private)
	require.NoError(t, err)
	forged, err := note.Sign(&note.Note{Text: Checkpoint{"example.org/other", 5, head.Root}.Text()}, raw)
	require.NoError(t, err)
	_, err = OpenCheckpoint(forged, s.Key)
	require.ErrorContains(t, err, `of the log "example.org/other"`)
	forged, err = note.Sign(&note.Note{Text: "hello\n"}, raw)
	require.NoError(t, err)
	_, err = OpenCheckpoint(forged, s.Key)
	require.ErrorContains(t, err, "no checkpoint")

	for i := range signed { // no byte of it can be changed
		for flip := 1; flip < 256; flip++ {
			changed := append([]byte{}, signed...)
			changed[i] ^= byte(flip)
			c, err := OpenCheckpoint(changed, s.Key)
			require.Error(t, err, "byte %d ^ %d: %+v", i, flip, c)
		}
	}
}

func TestReadingACheckpointBeforeItsKeyIsKnown(t *testing.T) {
	s := newSigner(t, "example.org/log", "a")
	head, _, _ := grow(t, 5)
	signed, err := s.Sign(head)
	require.NoError(t, err)
	c, err := ReadCheckpoint(signed)
	require.NoError(t, err)
	require.Equal(t, Checkpoint{"example.org/log", 5, head.Root}, c)
	_, err = ReadCheckpoint([]byte("nonsense"))
	require.ErrorContains(t, err, "cannot be read")
	_, err = ReadCheckpoint([]byte(strings.Replace(string(signed), "\n5\n", "\n05\n", 1)))
	require.ErrorContains(t, err, "no size")
}

func TestTextOfCheckpoints(t *testing.T) {
	root := base64.StdEncoding.EncodeToString(make([]byte, 32))
	good := "a\n0\n" + root + "\n"
	c, err := ParseText(good)
	require.NoError(t, err)
	require.Equal(t, good, c.Text())
	c, err = ParseText(good + "an extension\n")
	require.NoError(t, err)
	require.Equal(t, good, c.Text())
	for _, bad := range []string{
		"", "a\n", "a\n1\n" + root, "\n1\n" + root + "\n", "a\n01\n" + root + "\n", "a\n+1\n" + root + "\n", "a\n-1\n" + root + "\n",
		"a\n9223372036854775808\n" + root + "\n", "a\nx\n" + root + "\n", "a\n1\n" + root[4:] + "\n", "a\n1\n!" + root[1:] + "\n",
		"a\n1\n" + root[:42] + "B=\n",
	} {
		_, err := ParseText(bad)
		require.ErrorContains(t, err, "no checkpoint", "%q", bad)
	}
}

func TestKeys(t *testing.T) {
	for _, bad := range []string{"", "with blank", "with+plus", "ü", "line\nbreak", strings.Repeat("x", 256)} {
		_, err := GenerateKey(strings.NewReader(strings.Repeat("a", 64)), bad)
		require.ErrorContains(t, err, "no origin", "%q", bad)
	}
	_, err := GenerateKey(strings.NewReader("short"), "example.org/log")
	require.Error(t, err)

	private, err := GenerateKey(strings.NewReader(strings.Repeat("a", 64)), "example.org/log")
	require.NoError(t, err)
	for _, bad := range []string{"", private[:len(private)-4], strings.Replace(private, "example", "exampel", 1), newSigner(t, "a", "a").Key} {
		_, err := ParseSigner(bad)
		require.EqualError(t, err, "it is no private key of a log", "and no part of it is said")
	}
	// A key of another kind of signature, or with a name that no origin can have, is refused too.
	seed := ed25519.NewKeyFromSeed([]byte(strings.Repeat("a", 32))).Seed()
	require.Len(t, seed, ed25519.SeedSize)
	_, err = ParseSigner(fmt.Sprintf("PRIVATE+KEY+%s+%08x+%s", "ü", 0, base64.StdEncoding.EncodeToString(append([]byte{1}, seed...))))
	require.Error(t, err)
}
