package localservice

import (
	"errors"
	"hash/fnv"
	"net"
	"path/filepath"
	"strconv"
	"syscall"

	"orchestrator/internal/fault"
)

// Ports that are tried. They lie below those that systems give to connections that go out.
const (
	firstPort = 20000
	ports     = 10000
)

// freeAddress returns an address whose port is free. Which one is tried first depends on the folder, so that projects
// whose services do not run at the same time get different ones, too.
func freeAddress(root string) string {
	if absolute, err := filepath.Abs(root); err == nil {
		root = absolute
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(root))
	for i := range uint32(100) {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+int((h.Sum32()+i)%ports)))
		if l, err := net.Listen("tcp", addr); err == nil {
			_ = l.Close()
			return addr
		}
	}
	return "127.0.0.1:0"
}

// CheckAddress refuses an address that another program has, before a service is started that would not say whose
// setting it is. What else is wrong with an address the service says.
func CheckAddress(addr string, saved bool) error {
	l, err := net.Listen("tcp", addr)
	if err == nil {
		return l.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		return nil
	}
	fix := "give another --addr, or leave it out: up takes a free one"
	if saved {
		fix = "orchestrator config unset addr: the next orchestrator up takes a free one, and remembers it"
	}
	return fault.New(fault.Unavailable, CodeStart,
		"another program listens on %s, the address of this project's service", addr).
		WithFix("%s", fix).Because(err)
}
