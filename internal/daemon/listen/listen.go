// Package listen opens where a service answers: a TCP address or a unix socket, with TLS or without. It reads the
// certificate again when its files change, so that it is renewed without a restart.
package listen

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"orchestrator/internal/fault"
)

// Options say where to listen, and with what certificate.
type Options struct {
	Addr      string // host:port, or unix:PATH; port 0 takes a free one
	Cert, Key string // PEM files; both or none
}

// unixPrefix begins an address that is a socket in the file system.
const unixPrefix = "unix:"

// IsSocket reports whether an address is that of a socket.
func IsSocket(addr string) bool { return strings.HasPrefix(addr, unixPrefix) }

// socketMode lets the owner and the group connect. Who may reach the socket, the folder that it lies in decides.
const socketMode = 0o660

// maxSocketPath is the longest path that a socket may have on every system that this runs on.
const maxSocketPath = 103

// Listener accepts connections until it is closed.
type Listener struct {
	net.Listener
	addr   string
	socket string // its path; "" for TCP
	made   fs.FileInfo
	pair   *pair // nil without TLS
}

// Open begins to listen.
func Open(o Options) (*Listener, error) {
	p, err := openPair(o.Cert, o.Key)
	if err != nil {
		return nil, err
	}
	l := &Listener{pair: p}
	if path, is := strings.CutPrefix(o.Addr, unixPrefix); is {
		err = l.openSocket(path)
	} else {
		err = l.openTCP(o.Addr)
	}
	if err != nil {
		return nil, err
	}
	if p != nil {
		l.Listener = tls.NewListener(l.Listener, &tls.Config{
			MinVersion: tls.VersionTLS12, GetCertificate: p.certificate, NextProtos: []string{"http/1.1"},
		})
	}
	return l, nil
}

// Address returns where clients find the service: host:port, https://host:port or unix:PATH.
func (l *Listener) Address() string { return l.addr }

// Warning returns what is wrong with the certificate, or nothing.
func (l *Listener) Warning() string {
	if l.pair == nil {
		return ""
	}
	return l.pair.warning(time.Now())
}

// Close stops listening, and removes the socket if it is still the one that was made.
func (l *Listener) Close() error {
	if l.socket != "" {
		if now, err := os.Lstat(l.socket); err == nil && os.SameFile(now, l.made) {
			_ = os.Remove(l.socket) // the next start replaces one that stays
		}
	}
	return l.Listener.Close()
}

func (l *Listener) openTCP(addr string) error {
	inner, err := net.Listen("tcp", addr)
	if err != nil {
		return fault.New(fault.Unavailable, "address", "cannot listen on %s", addr).
			WithFix("%s", mendTCP(addr, err)).Because(err)
	}
	l.Listener, l.addr = inner, inner.Addr().String()
	if l.pair != nil {
		l.addr = "https://" + l.addr
	}
	return nil
}

// mendTCP returns what to do about an address that cannot be listened on: only one that is in use has somebody to stop.
func mendTCP(addr string, err error) string {
	_, _, malformed := net.SplitHostPort(addr)
	switch {
	case malformed != nil || strings.Contains(addr, "//"):
		return "give HOST:PORT, such as 127.0.0.1:18399, or unix:PATH; for TLS add --tls-cert and --tls-key"
	case errors.Is(err, syscall.EADDRINUSE):
		return "stop what uses it, or give another --addr; port 0 takes a free one"
	case errors.Is(err, syscall.EACCES):
		return "give a port above 1023, or let this user take lower ones; port 0 takes a free one"
	}
	return "give an address of this machine as HOST:PORT, such as 127.0.0.1:0; port 0 takes a free one"
}

func (l *Listener) openSocket(path string) error {
	if l.pair != nil {
		return refused(path, "has no use for TLS", "leave --tls-cert and --tls-key out: nobody listens on the way", nil)
	}
	path, err := filepath.Abs(path)
	if err != nil || len(path) > maxSocketPath {
		return refused(path, "is too long for the path of a socket", "give a shorter one, such as /run/orchestrator.sock", err)
	}
	if err := clear(path); err != nil {
		return err
	}
	inner, err := net.Listen("unix", path)
	if err != nil {
		return refused(path, "cannot be listened on", "give a path in a folder that this user can write, or another --addr", err)
	}
	inner.(*net.UnixListener).SetUnlinkOnClose(false) // what stands there by then may be another's
	l.Listener, l.addr, l.socket = inner, unixPrefix+path, path
	if err = os.Chmod(path, socketMode); err == nil {
		l.made, err = os.Lstat(path)
	}
	if err != nil {
		return errors.Join(err, inner.Close())
	}
	return nil
}

// answerTime is how long a service that uses a socket may take to accept a connection.
const answerTime = time.Second

// clear removes a socket that nobody answers on any more. Nothing else is removed.
func clear(path string) error {
	there, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || there.Mode()&fs.ModeSocket == 0 {
		return refused(path, "is not a socket", "give another --addr, or move away what stands there", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err == nil {
		_ = conn.Close()
		return refused(path, "is in use", "stop the service that answers there, or give another --addr", nil)
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return refused(path, "may be in use", "stop the service that answers there, or give another --addr", err)
	}
	return os.Remove(path)
}

func refused(path, why, fix string, cause error) error {
	return fault.New(fault.Unavailable, "address", "the socket %s %s", path, why).WithFix("%s", fix).Because(cause)
}
