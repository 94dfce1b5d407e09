package cli

import (
	"context"
	"os"
	"path/filepath"

	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"
)

// Project is the folder of a project, and what its two files with settings say.
type Project struct {
	Root  string // as a command names it: relative to the working folder where that is possible
	Data  datadir.Dir
	Tree  config.Tree
	Local config.Local
}

// FindProject returns the project that the working folder belongs to, or whose data folder is given; "" is none.
func FindProject(ctx context.Context, data string) (p Project, err error) {
	p.Root, p.Data = rootOf(data), datadir.Dir(data)
	if data == "" {
		p.Data = datadir.Dir(filepath.Join(p.Root, datadir.Default))
	}
	if p.Tree, err = config.ReadTree(ctx, p.Root); err != nil {
		return p, err
	}
	p.Local, err = config.ReadLocal(ctx, p.Data)
	return p, err
}

// rootOf returns the root of the project of a data folder, or else of the working folder.
func rootOf(data string) string {
	if data != "" && filepath.Base(data) == datadir.Default {
		return filepath.Dir(data)
	}
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
