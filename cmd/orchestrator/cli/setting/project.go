package setting

import (
	"context"
	"os"
	"path/filepath"

	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/requirements/projection"

	"github.com/spf13/cobra"
)

// project is the folder of a project. Its two files with settings are read when something is taken from them: whoever
// can break one of them stops only what needs it.
type project struct {
	ctx  context.Context
	root string // relative to the working folder where that is possible
	data datadir.Dir

	tree  *config.Tree
	local *config.Local
}

// projectAt returns the project at a root. Its data folder is the one that is named; "" is the one at the root.
func projectAt(ctx context.Context, root, data string) *project {
	if data == "" {
		data = filepath.Join(root, datadir.Default)
	}
	return &project{ctx: ctx, root: root, data: datadir.Dir(data)}
}

// ofTree returns what orchestrator.yaml says.
func (p *project) ofTree() (config.Tree, error) {
	if p.tree == nil {
		t, err := config.ReadTree(p.ctx, p.root)
		if err != nil {
			return t, err
		}
		p.tree = &t
	}
	return *p.tree, nil
}

// ofFolder returns what settings.yaml of the data folder says.
func (p *project) ofFolder() (config.Local, error) {
	if p.local == nil {
		l, err := config.ReadLocal(p.ctx, p.data)
		if err != nil {
			return l, err
		}
		p.local = &l
	}
	return *p.local, nil
}

// Qualify returns what orchestrator.yaml of the project of the working folder says of ids, "" for nothing.
func Qualify(ctx context.Context) (string, error) {
	t, err := projectAt(ctx, rootOf(), "").ofTree()
	return t.Qualify, err
}

// rootOf returns the root of the project of the working folder; where there is none yet, it is the working folder.
func rootOf() string {
	here, err := os.Getwd()
	if err != nil {
		return "."
	}
	root, found := config.Root(here)
	if !found {
		return "."
	}
	if rel, err := filepath.Rel(here, root); err == nil {
		return rel
	}
	return root
}

// ExportPath returns the path of the export of the project that a command works on.
func ExportPath(cmd *cobra.Command) (string, error) {
	p := projectAt(cmd.Context(), rootOf(), givenData(cmd))
	path := projection.DefaultExport
	named, _, err := p.setting("export")
	if err != nil {
		return "", err
	}
	if len(named) > 0 {
		path = named[0]
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Join(p.root, path), nil
}

// givenData returns the data folder that a command was given, or "".
func givenData(cmd *cobra.Command) string {
	if f := cmd.Flags().Lookup("data"); f != nil && f.Changed {
		return f.Value.String()
	}
	return ""
}
