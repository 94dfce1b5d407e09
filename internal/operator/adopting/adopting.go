// Package adopting looks through a working tree for what shows that requirements are finished which their document
// calls finished, and has a plan made of it. It writes nothing.
package adopting

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"slices"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/requirements/trace"
	"orchestrator/internal/system/tree"
)

// Limits of what is read of a working tree.
const (
	maxSource = 4 << 20 // bytes of a file with a mark; of a larger one the whole is cited
	maxReport = 8 << 20 // bytes of a test report, as the service takes it
)

// Options are the choices of whoever asks.
type Options struct {
	Reports  []string // files, from the working folder on
	Commit   string   // that the reports are of, as git names it; "" leaves it to the service
	Exclude  []string // what is not searched for marks
	Approve  bool
	Progress func(done, total int) // of the files that are searched; may be nil
}

// Plan makes the plan of a project, whose state is given as the export has it, and whose root is the working folder.
func Plan(ctx context.Context, state []byte, o Options, now time.Time) (adoption.Result, error) {
	snap, err := projection.ReadFile(bytes.NewReader(state))
	if err != nil {
		return adoption.Result{}, fault.New(fault.Unavailable, projection.CodeExportUnreadable,
			"the state of the project cannot be read").
			WithFix("use the program of the same version as the service").Because(err)
	}
	git, err := proposal.TreeAt(ctx, ".")
	if err != nil {
		return adoption.Result{}, err
	}
	project := adoption.Of(snap, now)
	project.Approve = o.Approve
	project.Cited = func(typed string) string { return cited(git, typed) }
	if project.Reports, err = readReports(ctx, git, o, now); err != nil {
		return adoption.Result{}, err
	}
	l := look{ctx: ctx, git: git, contents: map[string][]byte{}}
	if project.Material, err = l.material(project, o); err != nil {
		return adoption.Result{}, err
	}
	return project.Plan(), nil
}

// cited returns the path by which evidence cites a file. One outside of the repository keeps its path: the service says
// what is wrong with it.
func cited(git proposal.Tree, typed string) string {
	if path, err := git.Path(filepath.FromSlash(typed)); err == nil {
		return path
	}
	return typed
}

func readReports(ctx context.Context, git proposal.Tree, o Options, now time.Time) (all []adoption.Report, err error) {
	commit := ""
	if o.Commit != "" {
		if commit, err = git.Commit(ctx, o.Commit); err != nil {
			return nil, err
		}
	}
	for _, name := range o.Reports {
		if name, err = inside(name); err != nil {
			return nil, err
		}
		content, err := tree.ReadFile(ctx, name, maxReport)
		if err != nil {
			return nil, fault.New(fault.Invalid, fault.CodeUsage, "the report %s cannot be read", name).
				WithFix("run the tests, and name the report of the run").Because(err)
		}
		r, err := adoption.ReadReport(filepath.ToSlash(name), content, commit, now)
		if err != nil {
			f := *fault.As(err)
			return nil, f.WithDetail("%s: %s", name, f.Detail)
		}
		all = append(all, r)
	}
	return all, nil
}

// inside returns the path of a report from the root of the project on: a plan reads nothing from elsewhere.
func inside(name string) (string, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	if path, err := filepath.Rel(root, whole); err == nil && filepath.IsLocal(path) {
		return path, nil
	}
	return "", fault.Misuse("the report %s lies outside of the project, and no plan reads it there", name).
		WithFix("copy it into the project, and name the copy")
}

// look looks through a working tree.
type look struct {
	ctx      context.Context
	git      proposal.Tree
	contents map[string][]byte // of files that were read; nil of one that cannot be
	tests    map[string]bool   // files in which a test names a requirement
}

// material finds what there is of the requirements that their documents call finished.
func (l *look) material(p adoption.Project, o Options) (map[string]adoption.Material, error) {
	var named []trace.Requirement
	documents := map[string]bool{}
	wanted := map[string]string{} // documents by the id of the requirement
	for _, req := range p.Requirements {
		one := trace.Requirement{ID: req.ID, Title: req.Title, Path: req.Source.Path}
		for _, former := range req.FormerIDs {
			one.Former = append(one.Former, former.ID)
		}
		named = append(named, one)
		documents[filepath.ToSlash(filepath.Clean(req.Source.Path))] = true
		if finished.ByDocument(req) {
			wanted[req.ID] = req.Source.Path
		}
	}
	found := map[string]adoption.Material{}
	if len(wanted) == 0 {
		return found, nil
	}
	except := []string{}
	for d := range documents {
		except = append(except, d)
	}
	report, err := trace.Run(l.ctx, ".", named, trace.Options{Except: except, Exclude: o.Exclude, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	l.tests = testFiles(report)
	designs := map[string][]string{}
	for _, t := range report.Requirements {
		document, is := wanted[t.ID]
		if !is {
			continue
		}
		if _, looked := designs[document]; !looked {
			designs[document] = adoption.DesignFiles(document, filesAround(document))
		}
		found[t.ID] = l.materialOf(t, designs[document])
	}
	return found, nil
}

func testFiles(r trace.Report) map[string]bool {
	files := map[string]bool{}
	for _, t := range r.Requirements {
		for _, p := range t.Places {
			if p.Kind == trace.KindTest {
				files[p.Path] = true
			}
		}
	}
	return files
}

// filesAround lists the files beside a document, and the specifications of the finished changes of OpenSpec above it.
func filesAround(document string) (files []string) {
	folder := path.Dir(filepath.ToSlash(document))
	list := func(folder string) (names []string) {
		entries, err := tree.ReadDir(filepath.FromSlash(folder))
		if err != nil {
			return nil
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	for _, name := range list(folder) {
		files = append(files, path.Join(folder, name))
	}
	archive := path.Join(path.Dir(path.Dir(folder)), "changes", "archive")
	capability := path.Base(folder)
	for _, change := range list(archive) {
		for _, file := range []string{"design.md", path.Join("specs", capability, "spec.md")} {
			if name := path.Join(archive, change, file); tree.Exists(filepath.FromSlash(name)) {
				files = append(files, name)
			}
		}
	}
	slices.Sort(files)
	return files
}
