package setup

import (
	"context"
	"os"
	"path/filepath"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/system/tree"
)

// CodePlace is the code of a folder that cannot be a project.
const CodePlace fault.Code = "no_project_folder"

// Place returns the folder that is to become a project, as it is seen from the working folder: the project that this
// belongs to, or else the top of the repository, or else the working folder itself.
func Place() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	top, found := config.Root(here)
	if !found {
		top, found = config.Top(here)
	}
	if !found {
		return ".", nil
	}
	return filepath.Rel(here, top)
}

// CheckPlace refuses a folder that cannot be a project: all that lies in the folders below it would belong to it.
func CheckPlace(folder, home string) error {
	if _, begun := config.Root(folder); begun {
		return nil
	}
	what := ""
	switch folder = tree.Real(folder); {
	case folder == filepath.Dir(folder):
		what = "the top of the file system"
	case home != "" && folder == tree.Real(home):
		what = "your home folder"
	default:
		return nil
	}
	return fault.New(fault.Invalid, CodePlace,
		"%s is %s: every folder in it would belong to this one project", folder, what).
		WithFix("change to the folder with the requirement documents, and run orchestrator init --here")
}

// Home returns the folder of the user, "" where there is none.
func Home() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// CodeClone is the code of a project whose log is elsewhere.
const CodeClone fault.Code = "log_elsewhere"

// refuseClone refuses a project that has an export and no database: its log is on another machine, or was lost.
func (p Project) refuseClone(ctx context.Context) error {
	if p.Export == "" || tree.Exists(p.Data.Database()) {
		return nil
	}
	// One that cannot be read is left to the first start, which refuses it.
	if has, _ := exportfile.ReadStatus(ctx, p.Export); has.Log.Size == 0 {
		return nil
	}
	return fault.New(fault.Conflict, CodeClone,
		"%s shows that this project has a log, and it is not in %s: this is a clone, or the database was lost",
		p.Export, p.Data).
		WithFix("name the service that has the log: orchestrator config set url https://HOST; after a loss, "+
			"orchestrator restore FILE reads a backup; to begin a log of your own, move %s away", p.Export)
}
