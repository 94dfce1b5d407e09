package hook

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"orchestrator/internal/rules/boundary"
)

// TestTheWorkingFolderIsAskedForWhereItIsNeeded: to find it takes the system a while, and most clients name the
// project.
func TestTheWorkingFolderIsAskedForWhereItIsNeeded(t *testing.T) {
	p := newProject(t, boundary.Enforce)
	absolute, relative := p.edit(), strings.Replace(p.edit(), `"cwd":"`+p.dir.Root, `"cwd":"x/..`, 1)
	require.NotEqual(t, absolute, relative)
	for _, c := range []struct {
		name, project, root, call string
		asked                     int
	}{
		{"the environment names the project", p.dir.Root, "", absolute, 0},
		{"the command line does", "", p.dir.Root, absolute, 0},
		{"nothing does", "", "", absolute, 1},
		{"the call names no folder of its own", p.dir.Root, "", relative, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			a := Run(Input{
				Client: "claude", Root: c.root, Stdin: strings.NewReader(c.call), Start: time.Now(), Now: time.Now,
				NewID: NewID,
				Getenv: func(name string) string {
					if name == "CLAUDE_PROJECT_DIR" {
						return c.project
					}
					return ""
				},
				Getwd: func() string { asked++; return p.dir.Root },
			})
			require.Equal(t, 2, a.Exit, "%s", a.Stderr)
			require.Equal(t, c.asked, asked)
		})
	}
}
