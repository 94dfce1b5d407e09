package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/system/tree"
)

// lockPatience is how long import waits for the database; a service that has it will not let go.
const lockPatience = 500 * time.Millisecond

// importOptions are the flags and arguments of import.
type importOptions struct {
	data, export          string
	dryRun, check, asJSON bool
	reading               reqdoc.Options
	files                 []string // paths and patterns
}

func importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import [FILE]...",
		Short: "Import requirement documents, or show what an import would change",
		Long: `Import reads requirement documents, compares them with the state, and reports the drift: what is added, changed (word
by word), moved, renamed, restored and retired, and what was doubtful, as file:line: message. Without errors it then takes
all of it over, in one transaction, and writes the export. Name every document of the project: what none of them has
is retired. A FILE may be a quoted pattern; without FILE it is $ORCHESTRATOR_REQUIREMENTS or REQUIREMENTS.md.

Documents are read by the family whose marks they bear, or by --family; the families are
` + strings.Join(reqdoc.Families(), ", ") + `.
Ids are read, never invented; --assign makes them from section and item, for documents that have none.

With --dry-run nothing is written. It compares with the export, where there is one, and so works beside a running
service and in CI; else with the database, which no service may have open then; else with nothing. --check is a dry run
that also fails when there is drift: what is added, changed, moved, restored or retired. A requirement that only moved to
other lines counts, since the export shows lines; text that belongs to no requirement does not, nor does what an earlier
import retired.

Without --dry-run it needs the database for itself. A running service needs no import: it sees that a file was saved.

Exit codes: 0 done, and with --check no drift; 1 errors in the documents, or drift with --check; 2 usage or environment.
With 1 or 2 nothing was imported.`,
		Example: `  orchestrator import --dry-run                        # what would REQUIREMENTS.md change?
  orchestrator import --check                          # in CI: fails when project_status.json is not up to date
  orchestrator import --dry-run --json 'docs/*.md'     # the same as JSON, for programs
  orchestrator import --dry-run --assign NOTES.md      # a document without ids
  orchestrator import                                  # take it over, while no service runs`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.files = args; len(args) == 0 {
				o.files = defaultDocuments()
			}
			debug.SetGCPercent(startGC) // a large document is read once: memory matters more than the collector's time
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "report what would change, and write nothing")
	f.BoolVar(&o.check, "check", false, "as --dry-run, and fail with exit code 1 when there is drift")
	f.BoolVar(&o.asJSON, "json", false, "write the report as JSON")
	readingFlags(cmd, &o.reading)
	dataFlag(cmd, &o.data)
	f.StringVar(&o.export, "export", "project_status.json", "export to compare with, and to write")
	return exitTwo(withEnv(cmd))
}

// exitTwo makes what keeps a command from doing its work exit code 2, so that 1 is left for what it found.
func exitTwo(cmd *cobra.Command) *cobra.Command {
	prepare, work := cmd.PreRunE, cmd.RunE
	two := func(err error) error {
		if err == nil || errors.As(err, new(exitError)) {
			return err
		}
		return exitError{err, 2}
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error { return two(check(cmd, args)) }
	}
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error { return two(prepare(cmd, args)) }
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return two(work(cmd, args)) }
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return two(flagError(cmd, err)) })
	return cmd
}

func defaultDocuments() []string {
	if paths := os.Getenv(envName("requirements")); paths != "" {
		return strings.Split(paths, ",")
	}
	return []string{"REQUIREMENTS.md"}
}

func (o importOptions) run(ctx context.Context, out, notes io.Writer) error {
	if err := checkReading(o.reading); err != nil {
		return err
	}
	files, err := readDocuments(ctx, o.files)
	if err != nil {
		return err
	}
	var report requirements.Report
	var against string
	var written bool
	if o.dryRun = o.dryRun || o.check; o.dryRun {
		report, against, err = o.preview(ctx, files)
	} else {
		report, written, err = o.importNow(ctx, files, notes)
	}
	var broken brokenDocuments
	if errors.As(err, &broken) {
		report = o.failed(broken.why, files)
	} else if err != nil {
		return err
	}
	if err := o.write(out, notes, report, against, written); err != nil {
		return err
	}
	switch {
	case broken.why != nil:
		shown := *broken.why
		shown.Fields = nil // they are in the report
		return exitError{&shown, 1}
	case o.check && drifted(report):
		return exitError{fault.New(fault.Conflict, "drift", "the documents are not what %s shows: %s", named(against),
			report).
			WithFix("import them (orchestrator import, or save them beside a running service), and keep the new export"), 1}
	}
	return nil
}

// failed is the report on broken documents. What is wrong with the only one as a whole bears its name.
func (o importOptions) failed(err error, files []reqdoc.File) requirements.Report {
	report := requirements.Failed(err)
	report.DryRun = o.dryRun
	for i := range report.Errors {
		if report.Errors[i].Path == "" && len(files) == 1 {
			report.Errors[i].Path = files[0].Path
		}
	}
	return report
}

// brokenDocuments is an error that lies in the documents.
type brokenDocuments struct{ why *fault.Error }

func (b brokenDocuments) Error() string { return b.why.Error() }

func (o importOptions) inDocuments(err error) error {
	f := fault.As(err)
	if f == nil || f.Kind != fault.Invalid || f.Code == requirements.CodeExportInvalid {
		return err
	}
	return brokenDocuments{hintAssign(f, o.reading)}
}

// preview compares with the export, else with the database, else with nothing, and says with which.
func (o importOptions) preview(ctx context.Context, files []reqdoc.File) (requirements.Report, string, error) {
	f, err := openExport(ctx, o.export)
	if err != nil {
		return requirements.Report{}, "", err
	}
	if f == nil {
		return o.previewWithoutExport(ctx, files)
	}
	defer f.Close()
	if !startsAsExport(f) {
		return requirements.Report{}, "", fault.New(fault.Invalid, "export_path", "%s is no export", o.export).
			WithFix("name the project_status.json of this project with --export")
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return requirements.Report{}, "", err
	}
	report, err := requirements.Preview(f, files, o.reading)
	return report, o.export, o.inDocuments(err)
}

func (o importOptions) previewWithoutExport(ctx context.Context,
	files []reqdoc.File) (report requirements.Report, against string, err error) {
	database := filepath.Join(o.data, "state.db")
	if !exists(database) {
		report, err = requirements.Preview(nil, files, o.reading)
		return report, "", o.inDocuments(err)
	}
	store, err := boltstore.Open(database, boltstore.Options{ReadOnly: true, LockTimeout: lockPatience})
	if err != nil {
		return report, "", o.whenLocked(err, "give the export of that service with --export", "?dry_run=true")
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l, err := ledger.OpenReadOnly(ctx, store)
	if err != nil {
		return report, "", err
	}
	service, err := requirements.Open(ctx, l, time.Now, requirements.Options{Reading: o.reading})
	if err != nil {
		return report, "", err
	}
	report, err = service.Import(ctx, systemActor(), reading(files), requirements.ImportOptions{DryRun: true})
	return report, database, o.inDocuments(err)
}

// importNow takes the documents over, as a service would, writes the export, and says whether the state is another now.
func (o importOptions) importNow(ctx context.Context, files []reqdoc.File,
	notes io.Writer) (report requirements.Report, written bool, err error) {
	database := filepath.Join(o.data, "state.db")
	if !exists(database) {
		return report, false, fault.New(fault.NotFound, "database_missing", "there is no database %s", database).
			WithFix("orchestrator serve creates it, and imports the documents; give --data if it is elsewhere, or only look with --dry-run")
	}
	if err := checkExportPath(ctx, database, serveOptions{data: o.data, export: o.export,
		requirements: o.files}); err != nil {
		return report, false, err
	}
	store, err := boltstore.Open(database, boltstore.Options{LockTimeout: lockPatience})
	if err != nil {
		return report, false, o.whenLocked(err, "save the document, which a running service imports by itself", "")
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l, err := ledger.Open(ctx, store, time.Now)
	if err != nil {
		return report, false, err
	}
	if err := checkMoments(ctx, l, o.export); err != nil {
		return report, false, err
	}
	service, err := requirements.Open(ctx, l, time.Now, requirements.Options{
		ExportPath: o.export, Reading: o.reading, OnDisplaced: func(d projection.Displaced) {
			reportDisplaced(notes, d.Path, d.What)
		},
	})
	if err != nil {
		return report, false, err
	}
	if err := compareExport(ctx, service, o.export); err != nil {
		return report, false, err
	}
	before := service.State().LogSize
	report, err = service.Import(ctx, systemActor(), reading(files), requirements.ImportOptions{})
	if err != nil {
		err = service.Refuse(ctx, systemActor(), requirements.Refused{Request: "orchestrator import"}, err)
		return report, false, o.inDocuments(err)
	}
	written = service.State().LogSize != before
	ended, end := context.WithCancel(ctx)
	end()
	if err := service.Run(ended); err != nil { // writes the export once
		return report, false, fault.New(fault.Unavailable, "export_unwritable",
			"the documents are imported, but the export %s could not be written", o.export).
			WithFix("make its folder writable; orchestrator serve, or another import, writes it").Because(err)
	}
	return report, written, nil
}

func reading(files []reqdoc.File) func() ([]reqdoc.File, error) {
	return func() ([]reqdoc.File, error) { return files, nil }
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// whenLocked says how to get the same from the service that has the database.
func (o importOptions) whenLocked(err error, instead, query string) error {
	if !fault.Is(err, store.CodeLocked) {
		return err
	}
	addr := "127.0.0.1:8080"
	if b, err := tree.ReadFile(context.Background(), filepath.Join(o.data, "addr"), maxSecret); err == nil {
		addr = strings.TrimSpace(string(b))
	}
	return fault.As(err).WithFix("%s; or ask that service: curl -sS -X POST %s '%s/project/import%s'",
		instead, bearer(filepath.Join(o.data, "tokens", "pm.token")), localURL(addr), query)
}

// drifted counts no renamings: what has a new name is added, and its old name retired, by the same import.
func drifted(r requirements.Report) bool {
	return len(r.Added)+len(r.Changed)+len(r.Moved)+len(r.Restored)+len(r.Retired) > 0
}

func named(against string) string {
	if against == "" {
		return "an empty state"
	}
	return against
}
