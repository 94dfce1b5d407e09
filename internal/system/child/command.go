package child

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Run runs a program, to its end even when ctx ends or the terminal interrupts: a mount that is cut short would be left
// behind.
func Run(ctx context.Context, name string, args ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Lacks returns why programs cannot be run here that need root; "" when they can, or when there are none.
func Lacks(programs ...string) string {
	if len(programs) > 0 && os.Geteuid() != 0 {
		return "needs root"
	}
	var missing []string
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, program)
		}
	}
	if len(missing) > 0 {
		return "needs " + strings.Join(missing, ", ")
	}
	return ""
}
