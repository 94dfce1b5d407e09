// Package fleet runs replicas of the product on one PostgreSQL, sends them changes and reads, breaks the database, the
// network and the replicas, and holds what is in the log against what the clients were told.
package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"orchestrator/internal/datadir"
	"orchestrator/internal/system/child"
)

// Requirements is how many requirements a project has. They are few, so that clients meet.
const Requirements = 12

func requirementID(i int) string { return fmt.Sprintf("REQ-%03d", i+1) }

// role is the role of the clients.
const role = "coder"

// Project is a project that replicas serve from one database, each in a folder of its own.
type Project struct {
	Dir, Binary string
	Flags       []string // of each replica

	replicas []*Replica
	secret   string
}

// Replica is one process.
type Replica struct {
	*child.Process
	Name string

	dir, url string
	project  *Project
}

// Join adds a replica that reaches the database at url, and starts it. Without a url its database is a file. The first
// one makes the key of the log and the tokens; the others are given its key.
func (p *Project) Join(ctx context.Context, url string, flags ...string) (*Replica, error) {
	r := &Replica{Name: fmt.Sprintf("replica-%d", len(p.replicas)+1), url: url, project: p}
	r.dir = filepath.Join(p.Dir, r.Name)
	if err := os.MkdirAll(filepath.Dir(r.data().Address()), 0o700); err != nil {
		return nil, err
	}
	var doc bytes.Buffer
	doc.WriteString("# Fleet\n")
	for i := range Requirements {
		fmt.Fprintf(&doc, "\n### %s: Decision %d is kept\n\nThe service keeps decision %d, whatever happens.\n",
			requirementID(i), i+1, i+1)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "REQUIREMENTS.md"), doc.Bytes(), 0o600); err != nil {
		return nil, err
	}
	if len(p.replicas) > 0 {
		if err := r.takeKey(p.replicas[0]); err != nil {
			return nil, err
		}
	}
	if err := r.Start(ctx, flags...); err != nil {
		return nil, err
	}
	p.replicas = append(p.replicas, r)
	if p.secret == "" {
		var err error
		p.secret, err = child.Secret(r.dir, role)
		return r, err
	}
	return r, nil
}

func (r *Replica) data() datadir.Dir { return datadir.Dir(filepath.Join(r.dir, datadir.Default)) }

func (r *Replica) takeKey(from *Replica) error {
	key, err := os.ReadFile(from.data().Key())
	if err != nil {
		return err
	}
	return os.WriteFile(r.data().Key(), key, 0o600) //nolint:gosec // the folder is one of its own
}

// Start starts the process anew, and returns when it answers.
func (r *Replica) Start(ctx context.Context, flags ...string) error {
	args := []string{
		"serve", "--addr", "127.0.0.1:0", "--rate-limit", "0", "--log-format", "json",
		"--evidence", "record", "--demo-tokens",
	}
	process, err := child.Start(ctx, child.Command{
		Dir: r.dir, Log: filepath.Join(r.dir, "log"), Program: r.project.Binary,
		Args: slices.Concat(args, r.store(), r.project.Flags, flags),
		Answers: func(process *child.Process) error {
			_, err := newCaller(process.Addr, "").get("/version")
			return err
		},
	})
	if err == nil {
		r.Process = process
	}
	return err
}

// Pause stops the process where it is.
func (r *Replica) Pause() error { return syscall.Kill(-r.Pid(), syscall.SIGSTOP) }

// Resume lets the process go on.
func (r *Replica) Resume() error { return syscall.Kill(-r.Pid(), syscall.SIGCONT) }

// Command runs another command of the product in the replica's folder, on the same database.
func (r *Replica) Command(ctx context.Context, args ...string) error {
	return child.Run(ctx, r.project.Binary, slices.Concat(args, []string{
		"--data", string(r.data()),
	}, r.store())...)
}

// store returns the flags that name the database; none is a file.
func (r *Replica) store() []string {
	if r.url == "" {
		return nil
	}
	return []string{"--store", r.url}
}

// Close ends all replicas.
func (p *Project) Close() error {
	var errs []error
	for _, r := range p.replicas {
		errs = append(errs, r.Stop())
	}
	return errors.Join(errs...)
}

// Replicas returns all that have joined.
func (p *Project) Replicas() []*Replica { return slices.Clone(p.replicas) }
