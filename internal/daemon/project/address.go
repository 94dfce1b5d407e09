package project

import (
	"fmt"
	"io"
	"sync"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/system/durable"
)

// publishedAddress is the file that says where the service answers. While the service runs it holds an exclusive lock
// on it, which ends with the process however that ends: clients send a token to the address only while the lock is
// held, since the port of a service that has gone may be a stranger's.
type publishedAddress struct {
	mu     sync.Mutex
	unlock func() // nil until it is published
}

// lockPatience is how long a client may look at the lock, which keeps it from being taken.
const lockPatience = time.Second

func (a *publishedAddress) publish(data datadir.Dir, addr string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	err := durable.WriteFile(data.Address(), 0o600, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, addr)
		return err
	})
	if err == nil {
		a.unlock, err = durable.Lock(data.Address(), lockPatience)
	}
	return err
}

func (a *publishedAddress) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unlock != nil {
		a.unlock()
	}
}
