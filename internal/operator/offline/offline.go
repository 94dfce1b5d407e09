// Package offline imports documents into a project that no service has open, or says what an import would change.
package offline

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/requirements/origin"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
)

// Project is a project that no service has open. It is opened for one import.
type Project struct {
	Data         datadir.Dir
	Store        storage.Place // where the log lies; the zero value is the file in Data
	Export       string        // "" compares with none, and writes none
	Requirements []string      // paths and patterns of the documents
	Reading      reqdoc.Options
	OnDisplaced  func(projection.Displaced)
}

// Import takes the documents over, as a service would, and writes the export. Documents that are broken are no error:
// the outcome says what is wrong with them.
func (p Project) Import(ctx context.Context) (Outcome, error) {
	return p.run(ctx, Outcome{}, p.take)
}

// Preview compares the documents with the export, else with the database, else with nothing, and changes nothing.
func (p Project) Preview(ctx context.Context) (Outcome, error) {
	return p.run(ctx, Outcome{DryRun: true}, p.preview)
}

// place returns where the log lies.
func (p Project) place() storage.Place { return p.Store.In(p.Data) }

// run reads the documents, and lets do make the outcome of them.
func (p Project) run(ctx context.Context, o Outcome, do func(context.Context, []reqdoc.File, *Outcome) error) (Outcome,
	error) {
	if err := documents.CheckReading(p.Reading); err != nil {
		return o, err
	}
	files, err := documents.Read(ctx, p.Requirements)
	if err != nil {
		return o, p.atTheBeginning(err)
	}
	err = do(ctx, files, &o)
	if broken, is := errors.AsType[documentsError](err); is {
		o.broken = documents.HintAssign(broken.fault, p.Reading)
		o.Report = failed(o.broken, o.DryRun, files)
		return o, nil
	}
	return o, err
}

// atTheBeginning leads whoever has no project yet to the command that finds its documents.
func (p Project) atTheBeginning(err error) error {
	f := fault.As(err)
	if f == nil || !errors.Is(err, fs.ErrNotExist) || p.place().Exists() || tree.Exists(p.Export) {
		return err
	}
	begin := *f
	return begin.WithFix("orchestrator init finds the documents of a project, and imports them")
}

// preview compares documents with the export, else with what there is without it.
func (p Project) preview(ctx context.Context, files []reqdoc.File, o *Outcome) error {
	f, err := projection.OpenExport(ctx, p.Export)
	if err != nil {
		return err
	}
	if f == nil {
		return p.previewWithoutExport(ctx, files, o)
	}
	defer f.Close()
	if !projection.StartsAsExport(f) {
		return fault.New(fault.Invalid, "export_path", "%s is no export", p.Export).
			WithFix("name the project_status.json of this project with --export")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	o.Against = p.Export
	o.Report, err = drift.Preview(f, files, p.Reading)
	return inDocuments(err)
}

// previewWithoutExport compares documents with the database, else with nothing.
func (p Project) previewWithoutExport(ctx context.Context, files []reqdoc.File, o *Outcome) (err error) {
	place := p.place()
	if !place.Exists() {
		o.Report, err = drift.Preview(nil, files, p.Reading)
		return inDocuments(err)
	}
	store, err := place.Open(ctx, storage.Options{ReadOnly: true, LockTimeout: database.LockPatience})
	if err != nil {
		return p.whenLocked(ctx, err, p.besideService())
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l, err := ledger.OpenReadOnly(ctx, store)
	if err != nil {
		return database.NameUpgrade(err, p.Data)
	}
	service, err := requirements.Open(ctx, l, time.Now, requirements.Options{Reading: p.Reading})
	if err != nil {
		return err
	}
	o.Against = place.String()
	o.Report, err = service.Import(ctx, record.System(), given(files), requirements.ImportOptions{DryRun: true})
	return inDocuments(err)
}

// take imports documents into the database, and writes the export.
func (p Project) take(ctx context.Context, files []reqdoc.File, o *Outcome) (err error) {
	place := p.place()
	if !place.Exists() {
		return fault.New(fault.NotFound, database.CodeMissing, "there is no database %s", place).
			WithFix("orchestrator init creates it, and imports the documents; give --data if it is elsewhere, or " +
				"only look with --dry-run")
	}
	if err := exportfile.CheckPath(ctx, p.Data, p.Export, p.Requirements); err != nil {
		return err
	}
	const instead = "save the document, which a running service imports by itself"
	store, err := place.Open(ctx, storage.Options{LockTimeout: database.LockPatience})
	if err != nil {
		return p.whenLocked(ctx, err, instead)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := database.Unused(ctx, store, place, ""); err != nil {
		return p.whenLocked(ctx, err, instead)
	}
	service, err := p.open(ctx, store, o)
	if err != nil {
		return err
	}
	before := service.State().LogSize
	o.Report, err = service.Import(ctx, record.System(), given(files),
		requirements.ImportOptions{Origin: projection.ImportOrigin{Via: projection.ViaCommand}})
	if err != nil {
		refused := requirements.Refused{Request: "orchestrator import"}
		return inDocuments(service.Refuse(ctx, record.System(), refused, err))
	}
	o.Written = service.State().LogSize != before
	return p.writeExport(ctx, service)
}

// open makes the service on a database that agrees with what lies beside it, but for an export that was torn.
func (p Project) open(ctx context.Context, store store.Store, o *Outcome) (*requirements.Service, error) {
	l, err := ledger.Open(ctx, store, time.Now)
	if err != nil {
		return nil, database.NameUpgrade(err, p.Data)
	}
	notWhole, err := checkMoments(ctx, l, p.Export)
	if err != nil {
		return nil, err
	}
	service, err := requirements.Open(ctx, l, time.Now, requirements.Options{
		ExportPath: p.Export, Reading: p.Reading, Origins: origin.Of, OnDisplaced: p.OnDisplaced,
	})
	if err != nil {
		return nil, err
	}
	torn, err := exportfile.Hold(ctx, service, l, p.Export)
	o.Torn = torn || notWhole
	return service, err
}

// writeExport writes the export once.
func (p Project) writeExport(ctx context.Context, service *requirements.Service) error {
	ended, end := context.WithCancel(ctx)
	end()
	if err := service.Run(ended); err != nil {
		return fault.New(fault.Unavailable, "export_unwritable",
			"the documents are imported, but the export %s could not be written", p.Export).
			WithFix("make its folder writable; orchestrator serve, or another import, writes it").Because(err)
	}
	return nil
}

// checkMoments refuses a log that has not gone through what the files beside it remember. torn reports that the export
// is not whole.
func checkMoments(ctx context.Context, l *ledger.Ledger, export string) (torn bool, err error) {
	key, err := choices.KeyOnRecord(ctx, l)
	if err != nil {
		return false, err
	}
	known, unread, err := exportfile.Moments(ctx, export, key)
	if err != nil {
		return false, err
	}
	lost, mixed, err := choices.Lost(ctx, l, known)
	if err == nil && len(lost) > 0 {
		err = choices.RolledBack(lost[0], l.Head())
	}
	return unread != "" || len(mixed) > 0, err
}

// besideService returns how to compare documents while a service has the database.
func (p Project) besideService() string {
	if p.Export == "" {
		return "have that service write an export to compare with"
	}
	return "give the export of that service with --export"
}

// whenLocked adds to an error what to do beside the service that has the database.
func (p Project) whenLocked(ctx context.Context, err error, instead string) error {
	locked := fault.As(database.InUse(ctx, err, p.Data, ""))
	if !fault.Is(err, store.CodeLocked) {
		return err
	}
	return locked.WithFix("%s; or end the service first: orchestrator down", instead)
}

func given(files []reqdoc.File) func() ([]reqdoc.File, error) {
	return func() ([]reqdoc.File, error) { return files, nil }
}
