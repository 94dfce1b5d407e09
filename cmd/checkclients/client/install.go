package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// patience is how long npm may take for one client.
const patience = 10 * time.Minute

// Newest returns the newest version that npm has.
func (c *Client) Newest(ctx context.Context) (string, error) {
	said, err := npm(ctx, "", "view", c.Package, "version")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(said), nil
}

// Install installs a version below a folder, unless it is there. No script of a package runs.
func (c *Client) Install(ctx context.Context, clients, version string) error {
	folder := filepath.Join(clients, c.Name+"@"+version)
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	if err := os.MkdirAll(clients, 0o755); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(clients, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := os.WriteFile(filepath.Join(temporary, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
		return err
	}
	args := []string{"install", "--ignore-scripts", "--no-audit", "--no-fund", c.Package + "@" + version}
	if _, err := npm(ctx, temporary, args...); err != nil {
		return err
	}
	return os.Rename(temporary, folder)
}

// npm runs npm, and returns what it printed.
func npm(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	program := exec.CommandContext(ctx, "npm", append(args, "--loglevel=error")...)
	program.Dir = dir
	said, err := program.Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("there is no npm in PATH; install Node 22 or newer")
	case errors.As(err, &exit):
		return "", fmt.Errorf("npm %s: %w: %.300s", strings.Join(args, " "), err, exit.Stderr)
	}
	return string(said), err
}
