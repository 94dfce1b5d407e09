package offline

import (
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/reqdoc"
)

// Outcome is what an import did, or would do.
type Outcome struct {
	Report  drift.Report
	DryRun  bool
	Against string // the file that a preview compared the documents with; "" where there is none
	Written bool   // an import changed the state
	Torn    bool   // the export was not what the log amounts to, such as after a power cut; an import writes it anew

	broken *fault.Error // what is wrong with the documents, in which case nothing was imported
}

// Baseline names what a preview compared the documents with.
func (o Outcome) Baseline() string {
	if o.Against == "" {
		return "an empty state"
	}
	return o.Against
}

// Broken returns why the documents cannot be imported, or nil. The report has the single problems.
func (o Outcome) Broken() error {
	if o.broken == nil {
		return nil
	}
	shown := *o.broken
	shown.Fields = nil
	return &shown
}

// Drift returns the error of documents that are not what they were compared with, or nil.
func (o Outcome) Drift() error {
	if !o.Report.Drifted() {
		return nil
	}
	return fault.New(fault.Conflict, "drift", "the documents are not what %s shows: %s", o.Baseline(), o.Report).
		WithFix("import them (orchestrator import, or save them beside a running service), and keep the new export")
}

// documentsError is an error that lies in the documents.
type documentsError struct{ fault *fault.Error }

func (e documentsError) Error() string { return e.fault.Error() }

// inDocuments marks an error that lies in the documents.
func inDocuments(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid || f.Code == drift.CodeExportInvalid {
		return err
	}
	return documentsError{f}
}

// failed returns the report on broken documents. What is wrong with the only one as a whole bears its name.
func failed(err error, dryRun bool, files []reqdoc.File) drift.Report {
	report := drift.Failed(err)
	report.DryRun = dryRun
	for i := range report.Errors {
		if report.Errors[i].Path == "" && len(files) == 1 {
			report.Errors[i].Path = files[0].Path
		}
	}
	return report
}
