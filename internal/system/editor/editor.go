// Package editor lets a person edit a text in the editor of their choice.
package editor

import (
	"context"
	"os"
	"os/exec"

	"orchestrator/internal/fault"
)

// Command returns the editor of the person: $VISUAL, else $EDITOR, else vi.
func Command() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if command := os.Getenv(name); command != "" {
			return command
		}
	}
	return "vi"
}

// Edit opens a file in the editor, on the terminal of this process, and waits until it is closed.
func Edit(ctx context.Context, path string) error {
	command := Command()
	// As git does: what the variable holds is a command of the shell, which may have arguments.
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command+` "$@"`, command, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fault.New(fault.Invalid, "editor", "the editor %s did not end well", command).
			WithFix("set EDITOR to an editor that runs in this terminal, or give the text with flags or --from FILE").
			Because(err)
	}
	return nil
}
