package hook

import (
	"os"
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
func beside(executable, name string) []string {
	return slices.Compact([]string{
		filepath.Join(filepath.Dir(realPath(executable)), name),
		filepath.Join(filepath.Dir(executable), name),
	})
}

// realPath returns where the links of a path lead, as far as it exists.
func realPath(abs string) string {
	rest := ""
	for at := abs; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if link, err := os.Readlink(at); err == nil { // it leads to what does not exist yet
			if !filepath.IsAbs(link) {
				link = filepath.Join(filepath.Dir(at), link)
			}
			return filepath.Join(link, rest)
		}
		if at == filepath.Dir(at) {
			return abs
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
