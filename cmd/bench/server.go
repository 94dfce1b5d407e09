package main

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/internal/system/child"
)

// calmPatience is how long a server may take to catch up with its export.
const calmPatience = 30 * time.Second

// server is a child process that answers HTTP in a folder of its own.
type server struct {
	*child.Process
	dir     string
	addr    string
	exports bool          // it is the product
	ready   time.Duration // from its start to its first answer
}

// product starts the product in dir, where its requirement documents are.
func (b *bench) product(ctx context.Context, dir string, flags ...string) (*server, error) {
	args := append([]string{"serve", "--addr", "127.0.0.1:0", "--rate-limit", "0", "--log-format", "json",
		"--log-level", "info", "--evidence", "record", "--demo-tokens"}, flags...)
	documents, err := filepath.Glob(filepath.Join(dir, "REQUIREMENTS-*.md"))
	for _, path := range documents {
		args = append(args, "--requirements", filepath.Base(path))
	}
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, dir, "/requirements/"+requirementID(0), b.binary, args...)
	if err == nil {
		s.exports = true
	}
	return s, err
}

// baseline starts a baseline in dir, where the bytes are that it serves or commits.
func (b *bench) baseline(ctx context.Context, kind, dir string) (*server, error) {
	return start(ctx, dir, "/", b.self, kind)
}

// start runs a program in dir and waits for its first answer to a GET of path.
func start(ctx context.Context, dir, path, program string, args ...string) (*server, error) {
	s := &server{dir: dir}
	var err error
	s.Process, err = child.Start(ctx, child.Command{
		Dir: dir, Log: filepath.Join(dir, "log"), Program: program, Args: args,
		Answers: func(p *child.Process) error {
			s.addr = p.Addr
			_, err := fetch(s.addr, s.get("pm", path)(nil, 0))
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	s.ready = s.Ready
	return s, nil
}

// secret returns the token that the product made for a role; a baseline has none and gets a text of the same length.
func (s *server) secret(role string) string {
	secret, err := child.Secret(s.dir, role)
	if err != nil {
		return strings.Repeat("x", len("orc_coder_")+43)
	}
	return secret
}

// stop ends the child and what it may have started, at first kindly. A second call does nothing.
func (s *server) stop() error { return s.Stop() }
