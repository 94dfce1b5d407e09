package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/since"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/requirements/review/render"
)

var gateFormats = []string{"text", "json", "github", "markdown", "sarif", "junit"}

// gateOptions are the flags of gate.
type gateOptions struct {
	cli.Service
	review.GateOptions
	export, format string
	since          string // a revision to hold the project against
	offline        bool   // --export was given
}

const gateLong = `Gate prints a line for every requirement that is not done, with what it lacks and where it is defined,
and for everything that makes the project inconsistent: a log that cannot be trusted, an import that failed, documents
that drifted. The gates of done requirements are checked again, and stale evidence fails. Deferred requirements pass
and are counted. A requirement that was removed from the documents after work on it began fails until it is deferred.

--require tested accepts tests that passed and still hold instead of done. --allow-stale accepts stale evidence. What
older rules let become done is judged by those rules, and counted; --rules latest judges it by the latest ones.
--require-covers wants a test that names the requirement among those that are cited.
--strict-import fails for each row of the documents that looks like a requirement and was not read, for each total that
a document states and that differs from what was read, and for each document of which nothing was read.

--since REF holds the project against the export that the revision REF of the git repository
has: a branch, a tag or a commit. Only what got worse since fails, and what was touched since and
does not pass: its text, its status or a part of it changed, or it is new. The rest passes as
before, and is counted. The delta is printed, and is part of the summary: requirements that are
done, suspect and stale, then and now; those that are new, retired, worse and passing now; and
where a service is asked, how many attempts it refused.

It asks a running service. With --export, or if no service is running and no --server is given, it reads only
project_status.json, and says what it could not check.

Formats: text; json; github writes annotations for the log of a job, and adds a summary to the file
$GITHUB_STEP_SUMMARY; markdown is that summary; sarif is SARIF 2.1.0; junit is JUnit XML.

Exit codes: 0 passed; 1 failed; 2 usage or environment: the check was not possible; 3 no service answers.`

func gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate",
		Short: "Fail unless every requirement is done: for CI",
		Long:  gateLong,
		Example: `  orchestrator gate                                       # against the service that runs here
  orchestrator gate --export project_status.json          # in CI, against the committed export
  orchestrator gate --require tested --format github      # in a job of GitHub Actions
  orchestrator gate --since origin/main                   # for a pull request
  orchestrator gate --format junit > gate.xml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	gateFlags(cmd, &o.GateOptions)
	exportflag.Add(cmd.Flags(), &o.export, "export to read instead of asking a service")
	f.StringVar(&o.since, "since", "", "fail only for what got worse or was touched since this `revision` of git")
	cli.ServiceFlags(cmd, &o.Service)
	cli.TimeoutFlag(cmd, &o.Service)
	cli.FormatFlag(cmd, &o.format, gateFormats)
	setting.Declare(cmd, "export")
	setting.DeclarePaths(cmd, "export")
	cli.WithEnv(cmd)
	// The variable of --export is the service's as well: it says where the export is, and not to read it.
	prepare := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		o.offline = f.Changed("export") && o.export != ""
		if o.offline && f.Changed("server") {
			return fault.New(fault.Invalid, fault.CodeUsage, "--server and --export exclude each other").
				WithFix("name the service, or the export")
		}
		return prepare(cmd, args)
	}
	return cli.Usage(cmd)
}

// gateFlags adds the flags of what the gate asks for.
func gateFlags(cmd *cobra.Command, o *review.GateOptions) {
	f := cmd.Flags()
	levels := review.GateLevels()
	f.StringVar(&o.Require, "require", levels[0], "what every requirement must be: "+strings.Join(levels, ", "))
	_ = cmd.RegisterFlagCompletionFunc("require", cobra.FixedCompletions(levels, cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.AllowStale, "allow-stale", false, "accept stale evidence")
	rules := review.GateRules()
	f.StringVar(&o.Rules, "rules", rules[0], "rules that judge done requirements: those that decided them, or the latest ones: "+
		strings.Join(rules, ", "))
	_ = cmd.RegisterFlagCompletionFunc("rules", cobra.FixedCompletions(rules, cobra.ShellCompDirectiveNoFileComp))
	f.BoolVar(&o.Covers, "require-covers", false, "fail what is tested or done, and is named by no cited test")
	f.BoolVar(&o.StrictImport, "strict-import", false, "fail when something of the documents was not read")
}

func (o gateOptions) run(ctx context.Context, out, notes io.Writer) error {
	if !slices.Contains(gateFormats, o.format) {
		return cli.UnknownFormat(o.format, gateFormats)
	}
	if err := o.Check(); err != nil {
		return err
	}
	judged, err := o.judge(ctx, notes)
	if err != nil {
		return err
	}
	result := render.Gate{GateResult: judged}
	if err := o.write(out, result); err != nil {
		return err
	}
	if err := result.Delta(notes); err != nil {
		return err
	}
	if err := result.Err(); err != nil {
		return cli.Found(err)
	}
	_, err = fmt.Fprintln(notes, "the gate passes:", result.Summary())
	return err
}

// judge holds the project against what is required, and against a revision if one is named.
func (o gateOptions) judge(ctx context.Context, notes io.Writer) (review.GateResult, error) {
	project, asked, err := o.project(ctx, notes)
	if err != nil || o.since == "" {
		return review.Gate(project, o.GateOptions), err
	}
	request := since.Request{Ref: o.since, Export: o.export, Project: project}
	if asked {
		if request.Service, err = o.Connect(); err != nil {
			return review.GateResult{}, err
		}
	}
	return since.Gate(ctx, request, o.GateOptions)
}

// project returns the review of the service, or of the export, and reports whether the service was asked.
func (o gateOptions) project(ctx context.Context, notes io.Writer) (found review.Project, asked bool, err error) {
	if !o.offline {
		found, _, err := askReview[render.Project](ctx, o.Service, "/project/review")
		if o.Server != "" || !exportfile.StandsIn(o.export, err) {
			return found.Project, true, err
		}
	}
	project, err := exportfile.Review(ctx, o.export)
	if err == nil {
		fmt.Fprintf(notes, "no service was asked: this is from %s alone\n", output.Printable(o.export))
	}
	return project, false, err
}

func (o gateOptions) write(out io.Writer, r render.Gate) error {
	switch o.format {
	case "json":
		return r.JSON(out)
	case "github":
		return errors.Join(r.Annotations(out), addSummary(r))
	case "markdown":
		return r.Markdown(out)
	case "sarif":
		return r.SARIF(out)
	case "junit":
		return r.JUnit(out)
	}
	return r.Text(out)
}

// addSummary adds the summary of a job to the file that GitHub Actions names, if it names one.
func addSummary(r render.Gate) (err error) {
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	const addTo = os.O_APPEND | os.O_CREATE | os.O_WRONLY
	f, err := os.OpenFile(path, addTo, 0o600) //nolint:gosec // the runner names its own file
	if err == nil {
		err = errors.Join(r.Markdown(f), f.Close())
	}
	if err != nil {
		return fault.New(fault.Unavailable, "summary_unwritable",
			"the summary cannot be added to $GITHUB_STEP_SUMMARY").
			WithFix("name a file that can be written, or use --format markdown").Because(err)
	}
	return nil
}
