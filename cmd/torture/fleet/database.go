package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"orchestrator/internal/ledger/store/pgstore/postgres"
)

// connections is how many connections a server takes.
const connections = 100

// Database is a primary with one standby. Replicas reach whichever is the primary, each through a network of its own.
type Database struct {
	Primary, Standby *postgres.Server

	options  StandbyOptions
	link     *postgres.Proxy // between the two; nil: nothing lies between
	networks []*postgres.Proxy
	made     int // standbys
}

// StandbyOptions say what the standby of a database is like.
type StandbyOptions struct {
	Synchronous bool          // an acknowledged commit is on it
	Behind      time.Duration // how late it hears of everything
}

// NewDatabase starts a primary and a standby in folders below parent, which the user that runs them can enter.
func NewDatabase(ctx context.Context, parent string, o StandbyOptions, settings ...string) (d *Database, err error) {
	d = &Database{options: o}
	if d.Primary, err = postgres.Start(ctx, parent, connections, settings...); err != nil {
		return nil, err
	}
	if err := d.renew(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// renew makes a standby of the primary.
func (d *Database) renew(ctx context.Context) (err error) {
	d.made++
	o := postgres.StandbyOptions{Name: fmt.Sprintf("standby_%d", d.made), Synchronous: d.options.Synchronous}
	if d.options.Behind > 0 {
		if d.link, err = d.Primary.NewProxy(); err != nil {
			return err
		}
		o.Via = d.link
	}
	if d.Standby, err = d.Primary.Standby(ctx, o); err != nil {
		return err
	}
	if d.link != nil {
		d.link.Delay(d.options.Behind)
	}
	return nil
}

// Network makes a network between one replica and the primary.
func (d *Database) Network() (*postgres.Proxy, error) {
	p, err := d.Primary.NewProxy()
	if err == nil {
		d.networks = append(d.networks, p)
	}
	return p, err
}

// FailOver kills the primary, promotes the standby, and has every network lead there. It returns when the standby took
// writes. What is left of the old primary is removed.
func (d *Database) FailOver(ctx context.Context) (promoted time.Time, err error) {
	old := d.Primary
	if err := old.Kill(); err != nil {
		return promoted, err
	}
	if err := d.unlink(); err != nil {
		return promoted, err
	}
	if err := d.Standby.Promote(ctx); err != nil {
		return promoted, err
	}
	promoted = time.Now()
	d.Primary, d.Standby = d.Standby, nil
	for _, p := range d.networks {
		p.Aim(d.Primary)
		p.Reset()
	}
	return promoted, old.Stop()
}

// Renew makes a new standby of the present primary.
func (d *Database) Renew(ctx context.Context) error { return d.renew(ctx) }

func (d *Database) unlink() error {
	if d.link == nil {
		return nil
	}
	link := d.link
	d.link = nil
	return link.Close()
}

// Close ends all of it, and leaves nothing behind.
func (d *Database) Close() error {
	errs := []error{d.unlink()}
	for _, p := range d.networks {
		errs = append(errs, p.Close())
	}
	for _, s := range []*postgres.Server{d.Standby, d.Primary} {
		if s != nil {
			errs = append(errs, s.Stop())
		}
	}
	return errors.Join(errs...)
}
