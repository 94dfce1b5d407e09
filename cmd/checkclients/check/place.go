// Package check runs agent clients against a model that follows a script, with and without the hook of the boundary,
// and compares what they did.
package check

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/recorder"
	"orchestrator/cmd/checkclients/sandbox"
)

// Bed is where clients are checked.
type Bed struct {
	Programs string // folder with orchestrator and orchestrator-hook
	Clients  string // folder with NAME@VERSION
	Goldens  string // folder with the calls that are kept
	Work     string // temporary
	Limit    time.Duration
	Update   bool // keep what clients print of their usage
}

// program returns what starts an installed client.
func (b *Bed) program(c *client.Client, version string) []string {
	return c.Start(filepath.Join(b.Clients, c.Name+"@"+version))
}

// Missing returns why a client cannot be checked, or "".
func (b *Bed) Missing(c *client.Client, version string) string {
	start := b.program(c, version)
	if _, err := os.Stat(start[len(start)-1]); err != nil {
		return "it is not installed"
	}
	if _, err := exec.LookPath(start[0]); err != nil {
		return "there is no " + start[0]
	}
	return ""
}

// place is the folders of one session.
type place struct {
	bed    *Bed
	root   string
	client *client.Client
	at     client.Place
	mode   mode
	token  string // the file of the token that the session has; "" is none
}

// The files of the project that a session is to change, and what it does to each.
const (
	before = "old"
	after  = "changed"
)

var targets = []string{"edit.txt", "redirect.txt", "sed.txt", "here.txt", "python.txt", "agent.txt", typed.file}

// newPlace makes the folders of a session: a home of its own, a project in git, and the hook's program in between,
// which keeps what the client sent.
func (b *Bed) newPlace(c *client.Client, version string, m mode) (*place, error) {
	root := filepath.Join(b.Work, c.Title()+"@"+version, m.name)
	p := &place{bed: b, root: root, client: c, mode: m, at: client.Place{Home: filepath.Join(root, "home", "pm"),
		Project: filepath.Join(root, "home", "pm", "shop"), Version: version, Untrusted: m.strict}}
	folders := []string{p.folder(), p.dir("tmp"), p.dir("bin"), p.dir("calls"), p.dir("requests"), p.dir("service")}
	for _, note := range append(p.notes(), p.lookAlike()) { // one client's tool makes no folder
		folders = append(folders, filepath.Dir(note))
	}
	for _, dir := range folders {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	files := map[string]string{"README.md": "# A shop\n", "Makefile": "build:\n\tmkdir -p build && date > build/out\n",
		".gitignore": "build/\n.orchestrator/\n"}
	for _, name := range targets {
		files[filepath.Join(m.folder, name)] = before + "\n"
	}
	for name, text := range files {
		if err := os.WriteFile(p.project(name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	if err := p.programs(); err != nil {
		return nil, err
	}
	return p, p.git()
}

func (p *place) dir(name string) string { return filepath.Join(p.root, name) }

// programs puts orchestrator and the recorder into a folder of the session's PATH.
func (p *place) programs() error {
	program := filepath.Join(p.bed.Programs, "orchestrator")
	if err := recorder.LinkOrCopy(program, filepath.Join(p.dir("bin"), "orchestrator")); err != nil {
		return err
	}
	hook := filepath.Join(p.bed.Programs, "orchestrator-hook")
	if err := recorder.Write(filepath.Join(p.dir("bin"), "orchestrator-hook"), hook, p.dir("calls")); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dir("bin"), p.client.Name), []byte(p.starter()), 0o700)
}

// starter is the client's program in PATH, by which orchestrator learns its version.
func (p *place) starter() string {
	return "#!/bin/sh\nexec " + strings.Join(p.bed.program(p.client, p.at.Version), " ") + ` "$@"` + "\n"
}

func (p *place) git() error {
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "the shop"}} {
		if _, err := p.run(context.Background(), append([]string{"git"}, args...)...); err != nil {
			return err
		}
	}
	return nil
}

// env is the whole environment of a session: nothing of the person who runs the check is in it.
func (p *place) env() []string {
	env := []string{"HOME=" + p.at.Home, "PATH=" + p.dir("bin") + ":" + os.Getenv("PATH"), "TMPDIR=" + p.dir("tmp"),
		"LANG=C.UTF-8", "TERM=dumb", "USER=pm", "SHELL=/bin/bash", "NO_COLOR=1",
		"GIT_AUTHOR_NAME=pm", "GIT_AUTHOR_EMAIL=pm@example.org",
		"GIT_COMMITTER_NAME=pm", "GIT_COMMITTER_EMAIL=pm@example.org"}
	if p.token != "" {
		env = append(env, "ORCHESTRATOR_TOKEN_FILE="+p.token)
	}
	if p.at.Model != "" {
		env = append(env, p.client.Env(p.at)...)
	}
	return env
}

// writeProfile keeps the PATH of the session in the shell of one client, which is a login shell.
func writeProfile(p *place) error {
	text := "PATH=" + p.dir("bin") + ":" + os.Getenv("PATH") + "\n"
	file := filepath.Join(p.at.Home, ".profile")
	return os.WriteFile(file, []byte(text), 0o600) //nolint:gosec // a folder of our own
}

// run runs a program in the project, and returns what it said. An exit code other than 0 is an error.
func (p *place) run(ctx context.Context, args ...string) (string, error) {
	result, err := p.result(ctx, p.at.Project, args...)
	if err != nil {
		return "", err
	}
	if result.Exit != 0 {
		return "", fmt.Errorf("%s: exit code %d: %.500s", strings.Join(args, " "), result.Exit, result.Output)
	}
	return string(result.Output), nil
}

// result runs a program in a folder, whatever its exit code.
func (p *place) result(ctx context.Context, folder string, args ...string) (sandbox.Result, error) {
	if !strings.Contains(args[0], "/") && args[0] != "git" {
		args[0] = filepath.Join(p.dir("bin"), args[0])
	}
	return sandbox.Run(ctx, sandbox.Command{Dir: folder, Args: args, Env: p.env(), Limit: time.Minute, Mark: p.mark()})
}

func (p *place) mark() string { return "TMPDIR=" + p.dir("tmp") }
