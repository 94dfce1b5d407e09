package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"orchestrator/cmd/bench/baseline"
	"orchestrator/cmd/bench/fixture"
	"orchestrator/cmd/bench/http1"
	"orchestrator/internal/datadir"
	"orchestrator/internal/system/child"
)

// service is a process that answers HTTP.
type service struct {
	*child.Process
	secret func(role string) string
}

// replica starts the product on a database, "" standing for a file. It takes key and tokens from another replica of the
// same log, if there is one.
func (r *run) replica(ctx context.Context, url string, beside *service, flags ...string) (*service, error) {
	dir := filepath.Join(r.Dir, fmt.Sprintf("replica-%d-%d", r.schemas, len(r.started)))
	files := map[string][]byte{"REQUIREMENTS.md": fixture.Document(0, requirements, 120)}
	if beside != nil {
		key := datadir.Dir(filepath.Join(beside.Dir, datadir.Default)).Key()
		content, err := os.ReadFile(key)
		if err != nil {
			return nil, err
		}
		files[filepath.Join(datadir.Default, filepath.Base(key))] = content
	}
	args := []string{
		"serve", "--addr", "127.0.0.1:0", "--rate-limit", "0", "--log-format", "json", "--evidence", "record",
		"--demo-tokens",
	}
	if url != "" {
		args = append(args, "--store", url)
	}
	s, err := r.start(ctx, dir, files, r.Binary, slices.Concat(args, flags)...)
	if err != nil {
		return nil, err
	}
	s.secret = func(role string) string {
		secret, _ := child.Secret(dir, role) // without one every request fails, and with it the run
		return secret
	}
	if beside != nil {
		s.secret = beside.secret
	}
	return s, nil
}

// handler starts a handler of the comparison on a database of its own.
func (r *run) handler(ctx context.Context, kind string, files map[string][]byte) (*service, error) {
	dir := filepath.Join(r.Dir, fmt.Sprintf("%s-%d", kind, len(r.started)))
	s, err := r.start(ctx, dir, files, r.Self, kind)
	if err == nil {
		s.secret = func(string) string { return "orc_coder_of_a_handler_that_authenticates_nobody_at_all_" }
	}
	return s, err
}

func (r *run) start(ctx context.Context, dir string, files map[string][]byte, program string,
	args ...string) (*service, error) {
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	process, err := child.Start(ctx, child.Command{
		Dir: dir, Log: filepath.Join(dir, "log"), Program: program, Args: args,
		Answers: func(p *child.Process) error {
			_, err := http1.Fetch(p.Addr, fmt.Appendf(nil, "GET /livez HTTP/1.1\r\nHost: %s\r\n\r\n", p.Addr))
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	s := &service{Process: process}
	r.started = append(r.started, s)
	return s, nil
}

// get returns a GET that is always the same.
func (s *service) get(path string, headers ...string) target {
	var b bytes.Buffer
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n", path, s.Addr, s.secret("viewer"))
	for _, header := range headers {
		fmt.Fprintf(&b, "%s\r\n", header)
	}
	b.WriteString("\r\n")
	return target{s.Addr, func(dst []byte, _ int) []byte { return append(dst, b.Bytes()...) }}
}

// patch returns a PATCH of one requirement after the other, round and round.
func (s *service) patch() target {
	head := fmt.Sprintf("HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n", s.Addr, s.secret("coder"), len(fmt.Sprintf(fixture.Change, 0)))
	return target{s.Addr, func(dst []byte, n int) []byte {
		dst = fmt.Appendf(dst, "PATCH /requirements/%s %s", fixture.RequirementID(n%requirements), head)
		return fmt.Appendf(dst, fixture.Change, n)
	}}
}

// once sends so many requests from a few clients, one after the other.
func once(ctx context.Context, to target, n int) error {
	for i := range n {
		if _, err := http1.Fetch(to.addr, to.request(nil, i)); err != nil || ctx.Err() != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
	}
	return nil
}

// asJSON encodes what a handler reads from a file.
func asJSON(puts []baseline.Put) []byte {
	content, err := json.Marshal(puts)
	if err != nil {
		panic(err) // bytes and strings can be encoded
	}
	return content
}
