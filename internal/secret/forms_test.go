package secret

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	stdbase64 "encoding/base64"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/ledger/audit"
)

// finds says that a text holds one secret, and which.
func finds(t *testing.T, rule, text, hidden string) {
	t.Helper()
	found := Find(text)
	require.Len(t, found, 1, text)
	require.Equal(t, rule, string(found[0].Rule), text)
	require.Equal(t, hidden, text[found[0].Start:found[0].End])
	require.Equal(t, strings.Replace(text, hidden, "[masked "+rule+"]", 1), Mask(text))
}

func TestTheSigningKeysOfALogAreFound(t *testing.T) {
	for i := range 200 {
		seed := sha256.Sum256([]byte{byte(i)})
		for _, name := range []string{"o", "log.example.com:8443/orders", `a"b'c\d`, strings.Repeat("n", 255)} {
			log, err := audit.GenerateKey(bytes.NewReader(seed[:]), name)
			require.NoError(t, err)
			cosigner, err := audit.GenerateCosigner(bytes.NewReader(seed[:]), name)
			require.NoError(t, err)
			for _, key := range []string{log, cosigner} {
				finds(t, "note_private_key", key, key)
				finds(t, "note_private_key", "signed with `"+key+"`, see the vault", key)
				finds(t, "note_private_key", `{"signing_key":"`+key+`","next":1}`, key)
				finds(t, "note_private_key", "password="+key+"\nand more", key)
				finds(t, "note_private_key", key[:len(key)-20], key[:len(key)-20])
				require.Empty(t, Find(strings.TrimPrefix(key, notePrefix)), "what is left has the form of a public key")
			}
		}
	}
	for _, text := range []string{
		notePrefix, "PRIVATE+KEY+<name>+<hash>+<key>", notePrefix + "a b+0123abcd+" + chance32, notePrefix + "a+0123abcg+" + chance32,
		notePrefix + "a+0123abcd-" + chance32, notePrefix + "+0123abcd+" + chance32, notePrefix + "a+0123abcd+" + chance32[:shortestKey-1] + " ",
		notePrefix + "a+0123abcd+" + strings.Repeat("A", 44), notePrefix + strings.Repeat("n", 256) + "+0123abcd+" + chance32,
	} {
		require.Empty(t, Find(text), text)
	}
}

func TestAPrivateKeyIsFoundWithoutItsHeader(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ecOnly, err := x509.MarshalECPrivateKey(ec)
	require.NoError(t, err)
	keys := [][]byte{x509.MarshalPKCS1PrivateKey(rsaKey), ecOnly}
	for _, key := range []any{rsaKey, ec, ed} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		keys = append(keys, der)
	}
	for _, der := range keys {
		body := stdbase64.StdEncoding.EncodeToString(der)
		finds(t, "private_key", "the key is "+body+", for now", body)
		lines := strings.Split(strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: "X", Bytes: der}))), "\n")
		bare := strings.Join(lines[1:len(lines)-1], "\n")
		require.Len(t, Find("key:\n"+bare), 1)
		require.Equal(t, "private_key", string(Find("key:\n" + bare)[0].Rule))
		require.Empty(t, Find(body[:40]), "too short to tell")
	}
	long := stdbase64.StdEncoding.EncodeToString(keys[0])
	require.Empty(t, Find(long[:shortestBody-1]))
	require.Len(t, Find(long[:shortestBody]), 1)
	for _, public := range []any{&rsaKey.PublicKey, &ec.PublicKey, ed.Public()} {
		der, err := x509.MarshalPKIXPublicKey(public)
		require.NoError(t, err)
		require.Empty(t, Find(stdbase64.StdEncoding.EncodeToString(der)), "a public key")
	}
	require.Empty(t, Find(stdbase64.StdEncoding.EncodeToString(x509.MarshalPKCS1PublicKey(&rsaKey.PublicKey))))
	for _, other := range []string{"\x30\x82\x04\xa4\x02\x01\x02", "\x30\x82\x04\xa4\x04\x01\x00", "\x30\x83\x04\xa4\x02\x01\x00", "\x30\x8f\x04\xa4\x02\x01\x00"} {
		require.Empty(t, Find(stdbase64.StdEncoding.EncodeToString(append([]byte(other), keys[0][len(other):]...))), "no version of a key: %x", other)
	}
	require.Empty(t, Find("MIIEpDCCA4ygAwIBAgIQ"+strings.Repeat(chance32, 8)), "a certificate")
}

func TestValuesAreKnownByWhatTheyAreGivenTo(t *testing.T) {
	const short, aws = "Zx9QwErTy12", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	for _, s := range []struct{ rule, before, value, after string }{
		{"assigned_secret", "pass=", "hunter2", " and"}, {"assigned_secret", "SMTP_PASS: ", "Tr0ub4dor", ""}, {"assigned_secret", `"pass": "`, short, `"`},
		{"assigned_secret", "client_secret=", short, "&scope=all"}, {"assigned_secret", "token: ", short, "."}, {"assigned_secret", "secret = '", "x9k2m4p7", "'"},
		{"assigned_secret", "X-Api-Key: ", short, ""}, {"assigned_secret", "curl -H 'x-api-key: ", chance32, "' https://a"},
		{"assigned_secret", "aws_secret_access_key ", aws, ""}, {"assigned_secret", "aws configure set AWS_SECRET_ACCESS_KEY   ", aws, " --profile a"},
		{"command_password", "curl -u deploy:", "Value", " https://a"}, {"command_password", "curl --user 'deploy:", "s3cr", "' https://a"},
		{"command_password", "curl -sS -udeploy:", "hunter2", ""}, {"command_password", "curl --user=a@b.c:", "Tr0ub4dor&3"[:9], ""},
		{"command_password", "sshpass -p ", "Value", " ssh a@b"}, {"command_password", "sshpass -p '", "hunter2", "' ssh a@b"},
		{"command_password", `sshpass -p "`, "hunter2", `" ssh a@b`}, {"command_password", "sshpass -p", "hunter2", " ssh a@b"},
	} {
		finds(t, s.rule, s.before+s.value+s.after, s.value)
	}
	for _, text := range []string{
		"--- PASS: TestREQ001 (0.00s)", "PASS: TestLogin2REQ7", "bypass=hunter2", "compass=N42E7x9", "class=hunter2", "pass=true", "pass=<pass>",
		"token: REQ-0012", "token: TestREQ001", "token: 4f2a9c1d", "token = -0x3f879678", "token: v1alpha1", "secret: auth/k8s1x2", "token: a1:b2:c3", "token: base64url", "secret=Zx9QwEr",
		"curl -u $USER:$PASSWORD", "curl -u user:password https://a", "curl -u admin:admin", "curl -u a:bcd", "docker run -u 1000:1000", "docker run -u app:Staff", "curl -u :Value", "curl\n-u a:Value",
		"curl https://a -H name:Value", "sshpass -p <password> ssh", "sshpass -p $PASSWORD", "sshpass -p option", "sshpass -p is not safe", "sshpass -p abc",
		"aws_secret_access_key is kept in the vault", "aws_secret_access_key " + aws[:39], "aws_secret_access_key " + strings.Repeat("A", 40),
	} {
		require.Empty(t, Find(text), text)
	}
}

func TestCharactersWithoutWidthHideNothing(t *testing.T) {
	key := "AK" + "IAIOSFODNN7EXAMPLE"
	for _, gap := range []string{"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"} {
		parted := strings.Join(strings.Split(key, ""), gap)
		finds(t, "aws_access_key", parted, parted)
		finds(t, "aws_access_key", "é… "+gap+parted+gap+", then", parted)
		finds(t, "assigned_secret", "pass"+gap+"word=hun"+gap+"ter2", "hun"+gap+"ter2")
		require.Len(t, Find(parted+" "+parted), 2)
		require.Empty(t, Find("no"+gap+"thing"+gap))
	}
	require.Empty(t, Find("\u2026\xe2\x80"), "cut off in a character")
	require.Empty(t, Find("AKIA\u2026IOSFODNN7EXAMPLE"), "a character with a width parts it")
}
