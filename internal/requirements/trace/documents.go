package trace

import (
	"bytes"
	"context"
	"io"
	"path/filepath"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
)

// Documents are the requirement documents whose requirements are looked for.
type Documents struct {
	Paths   []string // paths and patterns; none is REQUIREMENTS.md in the folder that is looked through
	Reading reqdoc.Options

	former map[string][]string // ids that each requirement had, as the export shows them
}

// RunDocuments looks through the files of a folder as Run does, for what names the requirements of documents. The
// documents themselves are left out.
func RunDocuments(ctx context.Context, folder string, d Documents, o Options) (Report, error) {
	if len(d.Paths) == 0 {
		d.Paths = []string{filepath.Join(folder, "REQUIREMENTS.md")}
	}
	if err := documents.CheckReading(d.Reading); err != nil {
		return Report{}, err
	}
	if err := d.takeForm(ctx, folder); err != nil {
		return Report{}, err
	}
	files, err := documents.Read(ctx, d.Paths)
	if err != nil {
		return Report{}, err
	}
	all, err := d.defined(files)
	if err != nil {
		return Report{}, err
	}
	o.Except = append(o.Except, inFolder(folder, files)...)
	return Run(ctx, folder, all, o)
}

// defined returns the requirements that documents define, of which there must be one.
func (d Documents) defined(files []reqdoc.File) ([]Requirement, error) {
	set, err := reqdoc.Read(files, d.Reading)
	if err != nil {
		return nil, err
	}
	if len(set.Requirements) == 0 {
		return nil, documents.HintAssign(fault.New(fault.Invalid, documents.CodeNoRequirements,
			"the documents define no requirement").
			WithFix("orchestrator import --dry-run lists what looks like one and was not accepted"), d.Reading)
	}
	all := make([]Requirement, len(set.Requirements))
	for i, r := range set.Requirements {
		all[i] = Requirement{ID: r.ID, Title: r.Title, Path: r.Path, Former: d.former[r.ID]}
	}
	return all, nil
}

// inFolder returns the documents as files of the folder that is looked through.
func inFolder(folder string, files []reqdoc.File) []string {
	var all []string
	root := tree.Real(folder)
	for _, d := range files {
		if path, err := filepath.Rel(root, tree.Real(filepath.FromSlash(d.Path))); err == nil {
			all = append(all, filepath.ToSlash(path))
		}
	}
	return all
}

// takeForm has the ids read in the form that the export in the folder shows, if there is one, and takes over which ids
// requirements had.
func (d *Documents) takeForm(ctx context.Context, folder string) error {
	f, err := projection.OpenExport(ctx, filepath.Join(folder, projection.DefaultExport))
	if err != nil || f == nil {
		return err
	}
	defer f.Close()
	if !projection.StartsAsExport(f) {
		return nil // another file with this name
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	content, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	head, err := projection.ExportOf(content).Head()
	if err != nil {
		return err
	}
	if bytes.Contains(content, []byte(`"former_ids"`)) {
		all, err := projection.ReadFile(bytes.NewReader(content))
		if err != nil {
			return err
		}
		d.former = all.Former()
	}
	of := projection.Project{Qualify: head.Qualify, Sources: head.Project.Sources}
	if err := of.CheckForm(d.Reading.Qualify); err != nil {
		return err
	}
	d.Reading.Qualify = of.Form(d.Reading.Qualify)
	return nil
}

// CheckMarks returns the error of marks that name no requirement, or none in particular, or nil.
func (r Report) CheckMarks() error {
	switch {
	case r.Summary.Unknown > 0:
		return fault.New(fault.Conflict, "unknown_marks", "marks that name no requirement: %d", r.Summary.Unknown).
			WithFix("name requirements of the documents that were read, or remove the marks")
	case r.Summary.Ambiguous > 0:
		return fault.New(fault.Conflict, "ambiguous_marks", "marks and tests with an id that several requirements have: %d",
			r.Summary.Ambiguous).
			WithFix("write the whole id, with its folder in front; ./ID is the one without a folder")
	}
	return nil
}
