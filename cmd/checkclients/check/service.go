package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"orchestrator/cmd/checkclients/sandbox"
)

// storyFiles are the project at the beginning.
var storyFiles = Files{
	"REQUIREMENTS.md": "# The shop\n\n- **SHOP-001**: The shop greets a customer by name.\n",
	"go.mod":          "module shop\n\ngo 1.22\n",
	"greet.go": "// Package shop greets customers.\npackage shop\n\n// Greet greets a customer.\n" +
		storyBefore + "\n",
}

// What the requirement wants changed.
const (
	storyBefore = `func Greet() string { return "hello" }`
	storyAfter  = `func Greet(name string) string { return "hello, " + name }`
)

// serve gives the project a requirement, and starts the service.
func (p *place) serve(ctx context.Context) (stop func(), err error) {
	for name, text := range storyFiles {
		if err := os.WriteFile(p.file(name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"git", "add", "-A"}, {"git", "commit", "-qm", "Greet"}} {
		if _, err := p.run(ctx, args...); err != nil {
			return nil, err
		}
	}
	env := append(p.env(), "TMPDIR="+p.dir("service")) // it does not end with a session
	stop, err = sandbox.Start(sandbox.Command{Dir: p.at.Project, Env: env, Args: []string{
		filepath.Join(p.dir("bin"), "orchestrator"), "serve", "--demo-tokens", "--addr", "127.0.0.1:0"}})
	if err != nil {
		return nil, err
	}
	for range 100 {
		if _, err = p.run(ctx, "orchestrator", "status"); err == nil {
			return stop, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	return nil, fmt.Errorf("the service does not answer: %w", err)
}
