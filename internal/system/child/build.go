package child

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Build builds a program from its package, or from its file, as it is released, and copies it to path, as it is
// installed: a program starts slower from a file that the linker has written. What the compiler says goes to standard
// error.
func Build(ctx context.Context, source, path string) error {
	linked := path + ".linked"
	defer os.Remove(linked)
	for _, command := range [][]string{
		{"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", linked, source},
		{"cp", linked, path}, // in another process: a child of this one could keep the copy open for writing
	} {
		build := exec.CommandContext(ctx, command[0], command[1:]...)
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("%s was not built: %w", source, err)
		}
	}
	return nil
}
