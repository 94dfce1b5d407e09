package setting

import (
	"context"
	"os"
	"path/filepath"

	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/config"

	"github.com/spf13/cobra"
)

// Project is the folder of a project, and what its two files with settings say.
type Project struct {
	Root  string // relative to the working folder where that is possible
	Data  datadir.Dir
	Tree  config.Tree
	Local config.Local
}

// FindProject returns the project that the working folder belongs to. Its data folder is the one that is named; "" is
// the one at the root.
func FindProject(ctx context.Context, data string) (Project, error) {
	return projectAt(ctx, rootOf(), data)
}

// projectHere returns the project that the working folder is, or would be.
func projectHere(ctx context.Context, data string) (Project, error) { return projectAt(ctx, ".", data) }

func projectAt(ctx context.Context, root, data string) (p Project, err error) {
	p.Root, p.Data = root, datadir.Dir(data)
	if data == "" {
		p.Data = datadir.Dir(filepath.Join(p.Root, datadir.Default))
	}
	if p.Tree, err = config.ReadTree(ctx, p.Root); err != nil {
		return p, err
	}
	p.Local, err = config.ReadLocal(ctx, p.Data)
	return p, err
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

// exportDefault is the export of a project whose settings name no other.
const exportDefault = "project_status.json"

// ExportPath returns the path of the export of the project that a command works on.
func ExportPath(cmd *cobra.Command) (string, error) {
	project, err := FindProject(cmd.Context(), givenData(cmd))
	if err != nil {
		return "", err
	}
	path := exportDefault
	if named, _ := project.Setting("export"); len(named) > 0 {
		path = named[0]
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Join(project.Root, path), nil
}

// givenData returns the data folder that a command was given, or "".
func givenData(cmd *cobra.Command) string {
	if f := cmd.Flags().Lookup("data"); f != nil && f.Changed {
		return f.Value.String()
	}
	return ""
}
