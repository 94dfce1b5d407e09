package project

import (
	"context"
	"errors"
	"io"
	"time"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
)

// ImportGC is by how many per cent the heap may grow between collections while documents are imported: a large one is
// read once, and memory matters more than the collector's time.
const ImportGC = 25

// Offline is a project that no service has open. It is opened for one import.
type Offline struct {
	Data         datadir.Dir
	Export       string
	Requirements []string // paths and patterns of the documents
	Reading      reqdoc.Options
	OnDisplaced  func(projection.Displaced)
}

// DocumentsError is an error that lies in the documents.
type DocumentsError struct{ Fault *fault.Error }

// Error returns what is wrong.
func (e DocumentsError) Error() string { return e.Fault.Error() }

// Unwrap returns the fault.
func (e DocumentsError) Unwrap() error { return e.Fault }

// inDocuments marks an error that lies in the documents.
func (o Offline) inDocuments(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid || f.Code == drift.CodeExportInvalid {
		return err
	}
	return DocumentsError{documents.HintAssign(f, o.Reading)}
}

// Preview compares documents with the export, else with the database, else with nothing. It returns what it compared
// them with; "" is nothing.
func (o Offline) Preview(ctx context.Context, files []reqdoc.File) (drift.Report, string, error) {
	f, err := projection.OpenExport(ctx, o.Export)
	if err != nil {
		return drift.Report{}, "", err
	}
	if f == nil {
		return o.previewWithoutExport(ctx, files)
	}
	defer f.Close()
	if !projection.StartsAsExport(f) {
		return drift.Report{}, "", fault.New(fault.Invalid, "export_path", "%s is no export", o.Export).
			WithFix("name the project_status.json of this project with --export")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return drift.Report{}, "", err
	}
	report, err := drift.Preview(f, files, o.Reading)
	return report, o.Export, o.inDocuments(err)
}

func (o Offline) previewWithoutExport(ctx context.Context,
	files []reqdoc.File) (report drift.Report, against string, err error) {
	path := o.Data.Database()
	if !tree.Exists(path) {
		report, err = drift.Preview(nil, files, o.Reading)
		return report, "", o.inDocuments(err)
	}
	store, err := boltstore.Open(path, boltstore.Options{ReadOnly: true, LockTimeout: database.LockPatience})
	if err != nil {
		return report, "", o.whenLocked(ctx, err, "give the export of that service with --export", "?dry_run=true")
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l, err := ledger.OpenReadOnly(ctx, store)
	if err != nil {
		return report, "", err
	}
	service, err := requirements.Open(ctx, l, time.Now, requirements.Options{Reading: o.Reading})
	if err != nil {
		return report, "", err
	}
	report, err = service.Import(ctx, systemActor(), given(files), requirements.ImportOptions{DryRun: true})
	return report, path, o.inDocuments(err)
}

// Import takes documents over, as a service would, and writes the export. It reports whether the state is another now.
func (o Offline) Import(ctx context.Context,
	files []reqdoc.File) (report drift.Report, changed bool, err error) {
	path := o.Data.Database()
	if !tree.Exists(path) {
		return report, false, fault.New(fault.NotFound, "database_missing", "there is no database %s", path).
			WithFix("orchestrator serve creates it, and imports the documents; give --data if it is elsewhere, or " +
				"only look with --dry-run")
	}
	if err := checkExportPath(ctx, o.Data, o.Export, o.Requirements); err != nil {
		return report, false, err
	}
	store, err := boltstore.Open(path, boltstore.Options{LockTimeout: database.LockPatience})
	if err != nil {
		return report, false, o.whenLocked(ctx, err, "save the document, which a running service imports by itself", "")
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	service, err := o.open(ctx, store)
	if err != nil {
		return report, false, err
	}
	before := service.State().LogSize
	report, err = service.Import(ctx, systemActor(), given(files), requirements.ImportOptions{})
	if err != nil {
		err = service.Refuse(ctx, systemActor(), requirements.Refused{Request: "orchestrator import"}, err)
		return report, false, o.inDocuments(err)
	}
	return report, service.State().LogSize != before, o.writeExport(ctx, service)
}

// open makes the service on a database that agrees with what lies beside it.
func (o Offline) open(ctx context.Context, store *boltstore.Store) (*requirements.Service, error) {
	l, err := ledger.Open(ctx, store, time.Now)
	if err != nil {
		return nil, err
	}
	if err := checkMoments(ctx, l, o.Export); err != nil {
		return nil, err
	}
	service, err := requirements.Open(ctx, l, time.Now, requirements.Options{
		ExportPath: o.Export, Reading: o.Reading, OnDisplaced: o.OnDisplaced,
	})
	if err != nil {
		return nil, err
	}
	return service, compareExport(ctx, service, o.Export)
}

// writeExport writes the export once.
func (o Offline) writeExport(ctx context.Context, service *requirements.Service) error {
	ended, end := context.WithCancel(ctx)
	end()
	if err := service.Run(ended); err != nil {
		return fault.New(fault.Unavailable, "export_unwritable",
			"the documents are imported, but the export %s could not be written", o.Export).
			WithFix("make its folder writable; orchestrator serve, or another import, writes it").Because(err)
	}
	return nil
}

// whenLocked adds to an error how to get the same from the service that has the database.
func (o Offline) whenLocked(ctx context.Context, err error, instead, query string) error {
	locked := fault.As(err)
	if !fault.Is(err, store.CodeLocked) {
		return err
	}
	addr, err := apiclient.LocalAddress(ctx, o.Data)
	if err != nil {
		addr = "127.0.0.1:8080"
	}
	return locked.WithFix("%s; or ask that service: curl -sS -X POST %s '%s/project/import%s'",
		instead, apiclient.CurlToken(o.Data.Token("pm")), apiclient.LocalURL(addr), query)
}

func given(files []reqdoc.File) func() ([]reqdoc.File, error) {
	return func() ([]reqdoc.File, error) { return files, nil }
}
