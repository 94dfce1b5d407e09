package child

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// Build builds a program from its package, or from its file, as it is released. What the compiler says goes to standard
// error.
func Build(ctx context.Context, source, path string) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("%s was not built: %w", source, err)
	}
	return nil
}
