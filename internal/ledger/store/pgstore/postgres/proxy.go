package postgres

import (
	"net"
	"slices"
	"sync"
	"time"
)

// Proxy is a network between a server and its clients: it takes time, and may break. It listens on a port of 127.0.0.1.
type Proxy struct {
	listener net.Listener
	target   string // the socket of the server
	done     sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond
	delay   time.Duration
	held    bool
	cut     bool
	closed  bool
	open    map[net.Conn]bool
}

// NewProxy makes a proxy in front of a server.
func (s *Server) NewProxy() (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, target: s.Socket(), open: map[net.Conn]bool{}}
	p.changed.L = &p.mu
	p.done.Go(p.accept)
	return p, nil
}

// URL returns how the superuser reaches a database of the server through the proxy, "" standing for the first one.
func (p *Proxy) URL(database string) string {
	host, port, _ := net.SplitHostPort(p.Addr())
	return urlOf(host, port, database)
}

// Addr returns the host and port that the proxy listens on.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Delay makes every byte take so long in each direction: a round trip takes twice as long.
func (p *Proxy) Delay(d time.Duration) { p.set(func() { p.delay = d }) }

// Aim makes new connections go to another server.
func (p *Proxy) Aim(s *Server) { p.set(func() { p.target = s.Socket() }) }

// Hold keeps all bytes back, as a network does that lost its way: connections stay and nothing arrives. New connections
// are taken and hear nothing. What was held arrives after Heal, even from a client that has given up meanwhile.
func (p *Proxy) Hold() { p.set(func() { p.held = true }) }

// Cut breaks all connections and refuses new ones.
func (p *Proxy) Cut() { p.set(func() { p.cut = true; p.breakAll() }) }

// Reset breaks all connections and takes new ones.
func (p *Proxy) Reset() { p.set(p.breakAll) }

// Heal ends Hold and Cut.
func (p *Proxy) Heal() { p.set(func() { p.held, p.cut = false, false }) }

// Close ends the proxy and its connections.
func (p *Proxy) Close() error {
	p.set(func() { p.closed = true; p.breakAll() })
	err := p.listener.Close()
	p.done.Wait()
	return err
}

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.changed.Broadcast()
}

func (p *Proxy) breakAll() {
	for conn := range p.open {
		_ = conn.Close()
	}
	clear(p.open)
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.done.Go(func() { p.serve(client) })
	}
}

// serve carries one connection.
func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	target, refused := p.target, p.cut || p.closed
	p.mu.Unlock()
	if refused {
		return
	}
	server, err := net.Dial("unix", target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.keep(client, server) {
		return
	}
	defer p.set(func() { delete(p.open, client); delete(p.open, server) })
	var both sync.WaitGroup
	both.Go(func() { p.carry(client, server) })
	both.Go(func() { p.carry(server, client) })
	both.Wait()
}

// keep notes connections that Cut and Close break; too late if either came first.
func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut || p.closed {
		return false
	}
	for _, conn := range conns {
		p.open[conn] = true
	}
	return true
}

// parcel is what was read at once, and when it is due.
type parcel struct {
	bytes []byte
	due   time.Time
}

// carry brings what one side sends to the other, and then the end of it. Where the other has gone, it goes nowhere.
func (p *Proxy) carry(from, to net.Conn) {
	line := make(chan parcel, 1<<12)
	go func() {
		defer close(line)
		buffer := make([]byte, 32<<10)
		for {
			n, err := from.Read(buffer)
			line <- parcel{slices.Clone(buffer[:n]), time.Now().Add(p.delayNow())}
			if err != nil {
				return
			}
		}
	}()
	for next := range line {
		time.Sleep(time.Until(next.due))
		p.waitWhileHeld()
		_, _ = to.Write(next.bytes)
	}
	if half, can := to.(interface{ CloseWrite() error }); can {
		_ = half.CloseWrite()
	}
}

func (p *Proxy) delayNow() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.delay
}

func (p *Proxy) waitWhileHeld() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held && !p.closed {
		p.changed.Wait()
	}
}
