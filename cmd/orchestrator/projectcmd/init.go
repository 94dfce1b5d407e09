// Package projectcmd holds the commands that set a project up on a machine.
package projectcmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/setup"
	"orchestrator/internal/requirements/reqdoc"
)

// initOptions are the flags of init.
type initOptions struct {
	data, export, witness string
	answers               setup.Answers
	dryRun, yes           bool
}

const initLong = `Init makes a folder with requirement documents a project. It finds the documents, and says what it
found; it writes orchestrator.yaml, which names them, and the data folder .orchestrator with the settings of this
machine, the database after a first import, and tokens for pm and viewer; and it puts a section that tells agents how to
work here into AGENTS.md and CLAUDE.md, or makes AGENTS.md. Marks enclose the section; all other text stays as it is.

It looks for REQUIREMENTS.md, .planning/REQUIREMENTS.md, openspec/specs, specs, .kiro/specs and docs, and recognises the
family of each document by its marks. --documents names others. A second run changes nothing; another answer changes
only what it is about. If a step fails, the folder is as it was.

On a terminal it asks, in a new project, for what no flag has said; --yes asks nothing.`

// InitCommand returns init.
func InitCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set a project up: find its documents, write its settings, import it",
		Long:  initLong,
		Args:  cobra.NoArgs,
		Example: `  orchestrator init
  orchestrator init --dry-run  # what would it do?
  orchestrator init --documents 'docs/*.md' --workflow rework`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd) },
	}
	o.flags(cmd)
	return cli.WithEnv(cmd)
}

func (o *initOptions) flags(cmd *cobra.Command) {
	var reading reqdoc.Options
	cli.DataFlag(cmd, &o.data)
	f := cmd.Flags()
	f.StringSliceVar(&o.answers.Documents, "documents", nil,
		"requirement document, or a quoted pattern such as 'docs/*.md'; may be given more than once (default: looked for)")
	cli.ReadingFlags(cmd, &reading)
	_ = f.MarkHidden("assign") // it is no setting
	f.StringVar(&o.answers.Workflow, "workflow", "", "of a new project: v1, or rework, which has ways back (default v1)")
	f.StringVar(&o.answers.Evidence, "evidence", "",
		"verify looks evidence up in the git repository, record stores it as it is given (default verify in a git "+
			"working tree)")
	exportflag.Add(f, &o.export, "file to which the state is written after each commit")
	f.StringVar(&o.witness, "witness", "witness.json",
		"state file of orchestrator audit witness, which may know the project")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and write nothing")
	f.BoolVar(&o.yes, "yes", false, "ask nothing: take what was found, and the defaults")
	setting.Declare(cmd, "export")
	setting.WorkAtRoot(cmd, "data", "documents", "export", "witness")
	check := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.answers.Family, o.answers.Qualify = reading.Family, reading.Qualify
		return check(cmd, args)
	}
}

func (o *initOptions) run(ctx context.Context, cmd *cobra.Command) error {
	plan, err := o.plan(ctx)
	if err == nil && plan.New && o.mayAsk() {
		if err = o.ask(cmd, plan.Found); err == nil {
			plan, err = o.plan(ctx)
		}
	}
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintln(out, "found", output.Printable(plan.Found.String()))
	if !o.dryRun {
		if err := plan.Do(ctx); err != nil {
			return err
		}
	}
	o.report(out, plan)
	if !o.dryRun {
		sayNext(out, cmd.Root())
	}
	return nil
}

func (o *initOptions) plan(ctx context.Context) (setup.Plan, error) {
	return setup.Project{Data: datadir.Dir(o.data), Answers: o.answers, Begin: o.begin}.Plan(ctx)
}

// begin is the first start of the project, without a service around it.
func (o *initOptions) begin(ctx context.Context, a setup.Answers) error {
	plan, err := project.Prepare(project.Options{Data: o.data, Requirements: a.Documents,
		Reading: reqdoc.Options{Family: a.Family, Qualify: a.Qualify}, Workflow: a.Workflow, Evidence: a.Evidence,
		Export: o.export, Witness: o.witness})
	if err != nil {
		return err
	}
	opened, err := plan.Open(ctx, project.Process{Draining: func() bool { return false }})
	if err != nil {
		return err
	}
	return opened.Close()
}

// report says what was done, or would be.
func (o *initOptions) report(out io.Writer, plan setup.Plan) {
	for _, s := range plan.Steps {
		did := "wrote"
		switch {
		case s.Done:
			did = "kept"
		case o.dryRun:
			did = "would write"
		}
		fmt.Fprintln(out, did, output.Printable(s.What))
	}
	if plan.Complete() {
		fmt.Fprintln(out, "nothing to do: the project is set up")
	}
}

// sayNext prints the next three commands.
func sayNext(out io.Writer, root *cobra.Command) {
	start := "serve"
	if up, _, err := root.Find([]string{"up"}); err == nil && up != root {
		start = "up"
	}
	fmt.Fprintf(out, "\nnext:\n  orchestrator %-7s # start the service\n  orchestrator status  # how the project stands\n"+
		"  orchestrator next    # what to do first\n", start)
}
