package listen

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
)

// writePair writes a certificate for localhost that is its own authority, and its key.
func writePair(t *testing.T, dir, name string, ends time.Time) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: ends, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	encoded, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}), 0o600))
	return cert, key
}

// presented returns the name on the certificate that a listener shows.
func presented(t *testing.T, l *Listener) string {
	t.Helper()
	go func() {
		if conn, err := l.Accept(); err == nil {
			_ = conn.(*tls.Conn).Handshake()
			_ = conn.Close()
		}
	}()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(l.Address(), "https://"), &tls.Config{InsecureSkipVerify: true})
	require.NoError(t, err)
	defer conn.Close()
	require.GreaterOrEqual(t, conn.ConnectionState().Version, uint16(tls.VersionTLS12))
	return conn.ConnectionState().PeerCertificates[0].Subject.CommonName
}

// Verifies: ORC-133
func TestACertificateIsRenewedWithoutARestart(t *testing.T) {
	dir, later := t.TempDir(), time.Now().Add(90*24*time.Hour)
	cert, key := writePair(t, dir, "first", later)
	l, err := Open(Options{Addr: "127.0.0.1:0", Cert: cert, Key: key})
	require.NoError(t, err)
	defer l.Close()
	require.Equal(t, "first", presented(t, l))
	require.Empty(t, l.Warning())

	again := func() { l.pair.looked = time.Time{} } // as if the second between two looks were over
	writePair(t, dir, "second", later)
	again()
	require.Equal(t, "second", presented(t, l))

	require.NoError(t, os.WriteFile(cert, []byte("not a certificate"), 0o600))
	again()
	require.Equal(t, "second", presented(t, l), "a bad pair leaves the one before in force")
	again()
	require.Contains(t, l.Warning(), "cannot be used")

	writePair(t, dir, "third", time.Now().Add(24*time.Hour))
	again()
	require.Equal(t, "third", presented(t, l))
	require.Contains(t, l.Warning(), "expires at")
	require.Contains(t, l.pair.warning(time.Now().Add(48*time.Hour)), "expired at")

	require.NoError(t, os.Remove(key))
	again()
	require.Equal(t, "third", presented(t, l))
	again()
	require.Contains(t, l.Warning(), "cannot be used")
}

func TestOldVersionsOfTLSAreRefused(t *testing.T) {
	cert, key := writePair(t, t.TempDir(), "x", time.Now().Add(time.Hour))
	l, err := Open(Options{Addr: "127.0.0.1:0", Cert: cert, Key: key})
	require.NoError(t, err)
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			_ = conn.(*tls.Conn).Handshake()
			_ = conn.Close()
		}
	}()
	_, err = tls.Dial("tcp", strings.TrimPrefix(l.Address(), "https://"),
		&tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	require.Error(t, err)
}

func TestAPairThatCannotBeUsedIsRefusedAtTheStart(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, "x", time.Now().Add(time.Hour))
	for name, o := range map[string]Options{
		"no key": {Cert: cert}, "no certificate": {Key: key}, "no such file": {Cert: cert, Key: key + "x"},
		"no certificate in the file": {Cert: key, Key: key}, "a folder": {Cert: dir, Key: key},
	} {
		o.Addr = "127.0.0.1:0"
		_, err := Open(o)
		require.NotNil(t, fault.As(err), name)
		require.NotEmpty(t, fault.As(err).Fix, name)
	}
}

// socketIn returns a path for a socket that is short enough on every system.
func socketIn(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "a.sock")
}

func TestASocketIsTheOwnersAndGoesWithTheService(t *testing.T) {
	path := socketIn(t)
	l, err := Open(Options{Addr: "unix:" + path})
	require.NoError(t, err)
	require.Equal(t, "unix:"+path, l.Address())
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(socketMode)|fs.ModeSocket, info.Mode())
	go func() {
		if conn, err := l.Accept(); err == nil {
			_ = conn.Close()
		}
	}()
	_, err = Open(Options{Addr: "unix:" + path})
	require.ErrorContains(t, err, "in use")
	require.NoError(t, l.Close())
	require.NoFileExists(t, path)
}

// Verifies: ORC-133
func TestAStaleSocketIsReplacedAndNothingElse(t *testing.T) {
	path := socketIn(t)
	left, err := net.Listen("unix", path)
	require.NoError(t, err)
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, left.Close()) // as after a crash
	l, err := Open(Options{Addr: "unix:" + path})
	require.NoError(t, err)

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("another's"), 0o600))
	require.NoError(t, l.Close())
	require.FileExists(t, path, "what was put there by somebody else stays")
	_, err = Open(Options{Addr: "unix:" + path})
	require.ErrorContains(t, err, "is not a socket")
	require.FileExists(t, path)

	link := path + "-link"
	require.NoError(t, os.Symlink(path, link))
	_, err = Open(Options{Addr: "unix:" + link})
	require.ErrorContains(t, err, "is not a socket", "a link is not followed")
}

func TestAddressesThatCannotBeListenedOn(t *testing.T) {
	for _, addr := range []string{"nonsense", "unix:", "unix:/no/such/folder/a.sock", "unix:/" + strings.Repeat("x", 200)} {
		_, err := Open(Options{Addr: addr})
		require.NotNil(t, fault.As(err), addr)
		require.NotEmpty(t, fault.As(err).Fix, addr)
	}
	cert, key := writePair(t, t.TempDir(), "x", time.Now().Add(time.Hour))
	_, err := Open(Options{Addr: "unix:" + socketIn(t), Cert: cert, Key: key})
	require.ErrorContains(t, err, "no use for TLS")
	require.True(t, IsSocket("unix:/a"))
	require.False(t, IsSocket("127.0.0.1:0"))
}

// TestTheMendOfATCPAddressFitsWhatIsWrong: nobody is to be stopped where nobody has the address.
func TestTheMendOfATCPAddressFitsWhatIsWrong(t *testing.T) {
	first, err := Open(Options{Addr: "127.0.0.1:0"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, first.Close()) })
	for addr, mend := range map[string]string{
		first.Address():   "stop what uses it",
		"18399":           "give HOST:PORT",
		"https://x:18399": "give HOST:PORT",
		"192.0.2.1:18399": "give an address of this machine",
	} {
		_, err := Open(Options{Addr: addr})
		require.ErrorIs(t, err, fault.Unavailable, addr)
		require.Contains(t, fault.As(err).Fix, mend, addr)
	}
}
