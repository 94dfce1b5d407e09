package projectcmd

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"orchestrator/internal/agentclient"
	boundarydoctor "orchestrator/internal/boundary/doctor"
	"orchestrator/internal/boundary/folder"
	"orchestrator/internal/boundary/install"
	"orchestrator/internal/operator/doctor"
)

// examineBoundary looks at the boundary of the project, where there is one, and for clients that it does not guard.
func examineBoundary(ctx context.Context) (found []doctor.Finding, err error) {
	dir, is := folder.Find(folder.In(".").Root)
	guarded := map[string]bool{}
	if is {
		found, err = examineGuarded(ctx, dir, guarded)
	}
	unguarded := 0
	for _, c := range agentclient.All() {
		if !guarded[c.Name] && isUsed(c) {
			unguarded++
			found = append(found, doctor.Finding{Level: doctor.Warning,
				What: c.Name + " has settings in this project, and the boundary does not guard it",
				Mend: "orchestrator boundary install " + c.Name})
		}
	}
	if !is && unguarded == 0 {
		found = append(found, doctor.Finding{Level: doctor.OK,
			What: "no agent client is set up in this project, and none is guarded"})
	}
	return found, err
}

// examineGuarded runs the examination of the boundary itself, and notes which clients it is about.
func examineGuarded(ctx context.Context, dir folder.Dir, guarded map[string]bool) (found []doctor.Finding, err error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir()
	r, err := boundarydoctor.Examine(ctx, boundarydoctor.Options{Dir: dir, Home: home, Environ: os.Environ(),
		Version: install.ClientVersion, Path: os.Getenv("PATH"), Own: own})
	levels := map[boundarydoctor.Level]doctor.Level{boundarydoctor.OK: doctor.OK, boundarydoctor.Note: doctor.Warning,
		boundarydoctor.Fault: doctor.Problem}
	for _, f := range r.Findings {
		what := f.What
		if f.Client != "" {
			what = f.Client + ": " + what
			guarded[f.Client] = true
		}
		found = append(found, doctor.Finding{Level: levels[f.Level], What: what, Advice: f.Fix})
	}
	return found, err
}

// isUsed reports whether a client has files of its own in the project.
func isUsed(c *agentclient.Client) bool {
	return slices.ContainsFunc(c.ProjectFiles(), func(pattern string) bool {
		files, _ := filepath.Glob(pattern) // fails for bad patterns alone
		return len(files) > 0
	})
}
