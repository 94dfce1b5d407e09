package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// base is the URL before the paths of a server.
func (p *process) base() string {
	switch {
	case strings.HasPrefix(p.addr, "unix:"):
		return "http://localhost"
	case strings.Contains(p.addr, "://"):
		return p.addr
	}
	return "http://" + p.addr
}

// client reaches a server wherever it listens; whose certificate it shows is for other tests to see.
func (p *process) client() *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // on this machine
	if path, is := strings.CutPrefix(p.addr, "unix:"); is {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	}
	return &http.Client{Transport: transport}
}

// certificate: certificate CERT KEY [LASTING] writes a certificate for 127.0.0.1 that is its own authority, and its key.
func (s *script) certificate(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: certificate CERT KEY [LASTING]")
	}
	lasting := 90 * 24 * time.Hour
	if len(args) == 3 {
		var err error
		if lasting, err = time.ParseDuration(args[2]); err != nil {
			return err
		}
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "script"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lasting), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return err
	}
	key, err := x509.MarshalECPrivateKey(private)
	return errors.Join(err,
		os.WriteFile(s.ts.MkAbs(args[0]), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(s.ts.MkAbs(args[1]), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: key}), 0o600))
}
