package apiclient

import (
	"context"
	"fmt"
	"net"
	"strings"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// maxAddress is the most bytes that the file with the address of a service may have.
const maxAddress = 64 << 10

// LocalAddress reads the address on which the service of a data folder listens, or last did. The error is
// fs.ErrNotExist where none has.
func LocalAddress(ctx context.Context, data datadir.Dir) (string, error) {
	b, err := tree.ReadFile(ctx, data.Address(), maxAddress)
	return strings.TrimSpace(string(b)), err
}

// Runs reports whether the service that wrote the address into a data folder runs still. It holds a lock on the file,
// which ends with its process: as long as the lock is held, the address is that service's, and nobody else can have
// the port. That anybody answers there proves nothing, and neither does what it knows: the key of the log is public.
func Runs(data datadir.Dir) bool { return durable.Locked(data.Address()) }

// LocalServer returns the URL of the service of a data folder, whether it runs or not, if that is what server names.
// Another name of this machine may lead to another program on the same port, so only a certificate makes the name
// that was given good enough.
func LocalServer(ctx context.Context, data datadir.Dir, server string) (url string, is bool) {
	addr, err := LocalAddress(ctx, data)
	if err != nil || !SameServer(server, LocalURL(addr)) {
		return "", false
	}
	if strings.HasPrefix(addr, "https:") {
		return server, true
	}
	return LocalURL(addr), true
}

// LocalURL returns the URL of a service on this machine that listens on addr: host:port, or https:// before it. A
// socket, unix:PATH, is its own.
func LocalURL(addr string) string {
	if strings.HasPrefix(addr, unixPrefix) {
		return addr
	}
	scheme, hostPort, found := strings.Cut(addr, "://")
	if !found {
		scheme, hostPort = "http", addr
	}
	host, port, _ := net.SplitHostPort(hostPort)
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// CurlURL returns the options and the URL with which curl reaches what LocalURL names.
func CurlURL(addr string) (options, base string) {
	if path, is := strings.CutPrefix(addr, unixPrefix); is {
		return "--unix-socket " + shellquote.Quote(path) + " ", "http://localhost"
	}
	return "", LocalURL(addr)
}

// CurlToken returns the argument of curl that sends the token of a file.
func CurlToken(file string) string {
	return fmt.Sprintf(`-H "Authorization: Bearer $(cat %s)"`, shellquote.Quote(file))
}

// NotRunning reports whether an error means that there is no service to ask.
func NotRunning(err error) bool {
	return fault.Is(err, CodeNotRunning)
}

// Unanswered reports whether an error means that no service answered: none runs, it cannot be reached or does not
// answer in time, or what answers is none.
func Unanswered(err error) bool {
	return fault.Is(err, CodeNotRunning, CodeUnreachable, CodeSlow, codeTimeout, codeCertificate, codeStranger)
}

// Misused reports whether an error means that the options of a client cannot be used: nothing was asked.
func Misused(err error) bool { return fault.Is(err, codeServerURL, codeTLSCA, codeTokenFile) }
