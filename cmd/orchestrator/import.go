package main

import (
	"context"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/offline"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
)

// importOptions are the flags and arguments of import.
type importOptions struct {
	data, export          string
	store                 storage.Given
	place                 storage.Place
	dryRun, check, asJSON bool
	reading               reqdoc.Options
	files                 []string // paths and patterns
}

var importLong = `Import reads requirement documents, compares them with the state, and reports the drift: requirements
that were added, changed (word by word), moved, renamed, restored and retired, and what was doubtful, as file:line:
message. If there are no errors, it applies all changes in one transaction and writes the export. Name every document
of the project: a requirement that none of them contains is retired. A FILE may be a quoted pattern; the default is
$ORCHESTRATOR_REQUIREMENTS, the documents of orchestrator.yaml, or REQUIREMENTS.md.

The family (format) of a document is recognised by its marks, or given by --family; the families are
` + strings.Join(reqdoc.Families(), ", ") + `.
Ids are never invented, except by --assign, which makes them from section and item for documents that have none.

With --dry-run nothing is written. The documents are compared with the export, if there is one, which works beside a
running service and in CI; else with the database, which no service may have open; else with nothing. --check is a dry
run that also fails if there is drift: a requirement was added, changed, moved, restored or retired. One that only
moved to other lines counts, since the export shows lines; text that belongs to no requirement does not, nor does a
requirement that an earlier import retired.

Without --dry-run no service may have the database open. A running service needs no import: it notices that a file was
saved.

Exit codes: 0 done, and with --check no drift; 1 errors in the documents, or drift with --check; 2 usage or environment.
With 1 or 2 nothing was imported.`

func importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import [FILE]...",
		Short: "Import requirement documents, or show what an import would change",
		Long:  importLong,
		Example: `  orchestrator import --dry-run                        # what would REQUIREMENTS.md change?
  orchestrator import --check                          # in CI: fails when there is drift
  orchestrator import --dry-run --json 'docs/*.md'     # the same as JSON, for programs
  orchestrator import --dry-run --assign NOTES.md      # a document without ids
  orchestrator import                                  # take it over, while no service runs`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.files = args
			}
			var err error
			if o.place, err = storeflag.Place(cmd, o.data, o.store); err != nil {
				return err
			}
			debug.SetGCPercent(documents.GCPercent)
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "report what would change, and write nothing")
	f.BoolVar(&o.check, "check", false, "as --dry-run, and fail with exit code 1 when there is drift")
	f.BoolVar(&o.asJSON, "json", false, "write the report as JSON")
	cli.ReadingFlags(cmd, &o.reading)
	cli.DataFlag(cmd, &o.data)
	storeflag.Add(cmd, &o.store)
	exportflag.Add(cmd.Flags(), &o.export, "export to compare with, and to write")
	f.StringSliceVar(&o.files, "requirements", []string{"REQUIREMENTS.md"}, "the documents where no FILE is named")
	_ = f.MarkHidden("requirements") // the flag exists
	setting.Declare(cmd, "requirements", "family", "qualify", "export")
	setting.WorkAtRoot(cmd, "data", "store-file", "export", "requirements")
	setting.DeclarePathArguments(cmd)
	return cli.Usage(cli.WithEnv(cmd))
}

func (o importOptions) run(ctx context.Context, out, notes io.Writer) error {
	project := offline.Project{
		Data:         datadir.Dir(o.data),
		Store:        o.place,
		Export:       o.export,
		Requirements: o.files,
		Reading:      o.reading,
		OnDisplaced:  func(d projection.Displaced) { output.Displaced(notes, d.Path, d.What) },
	}
	do := project.Import
	if o.dryRun || o.check {
		do = project.Preview
	}
	outcome, err := do(ctx)
	if err != nil {
		return err
	}
	if err := o.write(out, notes, outcome); err != nil {
		return err
	}
	err = outcome.Broken()
	if err == nil && o.check {
		err = outcome.Drift()
	}
	return cli.Found(err)
}
