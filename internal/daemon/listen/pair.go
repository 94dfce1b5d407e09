package listen

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/system/tree"
)

const (
	maxPEM     = 1 << 20
	lookEvery  = time.Second         // at the files of a certificate
	expiryNote = 14 * 24 * time.Hour // before the end of a certificate it is a warning
)

// pair is a certificate with its key, as they are in their files. It is safe for concurrent use.
type pair struct {
	cert, key string
	mu        sync.Mutex
	current   *tls.Certificate
	seen      [2]stamp
	looked    time.Time
	wrong     error // why what the files hold now is not used
}

// stamp tells one state of a file from another.
type stamp struct {
	size     int64
	modified time.Time
}

// openPair reads a pair; without files there is none.
func openPair(cert, key string) (*pair, error) {
	if cert == "" && key == "" {
		return nil, nil
	}
	if cert == "" || key == "" {
		return nil, fault.New(fault.Invalid, fault.CodeUsage, "TLS needs a certificate and its key").
			WithFix("give both --tls-cert and --tls-key, or neither")
	}
	p := &pair{cert: cert, key: key, looked: time.Now()}
	p.seen = [2]stamp{stampOf(cert), stampOf(key)}
	current, err := readPair(cert, key)
	p.current = current
	return p, err
}

func readPair(cert, key string) (*tls.Certificate, error) {
	wrong := func(file string, cause error) error {
		return fault.New(fault.Invalid, "tls_certificate", "%s cannot be used", file).
			WithFix("give PEM files with a certificate, its chain below it, and its private key without a passphrase").
			Because(cause)
	}
	read := func(file string) ([]byte, error) {
		return tree.ReadFile(context.Background(), tree.Resolve(file), maxPEM)
	}
	public, err := read(cert)
	if err != nil {
		return nil, wrong(cert, err)
	}
	private, err := read(key)
	if err != nil {
		return nil, wrong(key, err)
	}
	made, err := tls.X509KeyPair(public, private)
	if err != nil {
		return nil, wrong(cert+" with "+key, err)
	}
	return &made, nil
}

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// certificate returns the pair to show to a client. One that cannot be used leaves the one before in force.
func (p *pair) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look(time.Now())
	return p.current, nil
}

// look reads the files again if they have changed. The two are written one after the other: while they do not fit
// together, they are read each time.
func (p *pair) look(now time.Time) {
	if now.Sub(p.looked) < lookEvery {
		return
	}
	p.looked = now
	seen := [2]stamp{stampOf(p.cert), stampOf(p.key)}
	if seen == p.seen && p.wrong == nil {
		return
	}
	current, err := readPair(p.cert, p.key)
	p.seen, p.wrong = seen, err
	if err == nil {
		p.current = current
	}
}

// warning says why the files are not used, or that the certificate ends soon.
func (p *pair) warning(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look(now)
	ends := p.current.Leaf.NotAfter
	switch {
	case p.wrong != nil:
		return "the certificate in the files of --tls-cert and --tls-key cannot be used, and the one before stays in force: " +
			"see that both belong together"
	case now.After(ends):
		return fmt.Sprintf("the certificate expired at %s", ends.UTC().Format(time.RFC3339))
	case ends.Sub(now) < expiryNote:
		return fmt.Sprintf("the certificate expires at %s", ends.UTC().Format(time.RFC3339))
	}
	return ""
}
