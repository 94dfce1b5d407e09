package postgres

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Require makes the server ask a user for a password by a method, such as scram-sha-256.
func (s *Server) Require(user, method string) error {
	path := filepath.Join(s.data(), "pg_hba.conf")
	rules, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rules = append([]byte("local all "+user+" "+method+"\n"), rules...)
	if err := os.WriteFile(path, rules, 0o600); err != nil { //nolint:gosec // the folder is the server's own
		return err
	}
	return s.run(context.Background(), "pg_ctl", "-D", s.data(), "reload")
}

// ListenTLS starts the server again, with TLS and a certificate of its own on a port of 127.0.0.1, and returns its
// address.
func (s *Server) ListenTLS(ctx context.Context) (address string, err error) {
	if err := s.writeCertificate(); err != nil {
		return "", err
	}
	if err := s.Halt(); err != nil {
		return "", err
	}
	s.settings = append(s.settings, "listen_addresses=127.0.0.1", "ssl=on")
	for range 5 { // another process may take the port meanwhile
		if address, err = freeAddress(); err == nil {
			_, s.port, err = net.SplitHostPort(address)
		}
		if err == nil {
			err = s.Resume(ctx)
		}
		if err == nil {
			return address, nil
		}
	}
	return "", err
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// writeCertificate writes a key and a certificate that nobody else has signed.
func (s *Server) writeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for name, block := range map[string]*pem.Block{
		"server.crt": {Type: "CERTIFICATE", Bytes: certificate}, "server.key": {Type: "PRIVATE KEY", Bytes: private},
	} {
		path := filepath.Join(s.data(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			return err
		}
		if s.credential == nil {
			continue
		}
		if err := os.Chown(path, int(s.credential.Uid), int(s.credential.Gid)); err != nil {
			return err
		}
	}
	return nil
}
