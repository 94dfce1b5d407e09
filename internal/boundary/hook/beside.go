package hook

import (
	"path/filepath"
	"slices"
)

// The names of the programs that run the hook. Package commandline has them too, and more than a hook needs.
const (
	whole = "orchestrator"
	small = "orchestrator-hook"
)

// beside returns where a program may be that was installed with the program at a path: beside what the path leads to,
// and beside the path itself. A client starts the hook by a link, and not every system says where that leads.
func beside(l *links, executable, name string) []string {
	return slices.Compact([]string{
		filepath.Join(filepath.Dir(l.real(executable)), name),
		filepath.Join(filepath.Dir(executable), name),
	})
}
