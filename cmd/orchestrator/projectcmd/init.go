package projectcmd

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/boundarycmd"
	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/install"
	"orchestrator/internal/daemon/project"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/setup"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/boundary"
)

// initOptions are the flags of init.
type initOptions struct {
	data, export, witness     string
	produces                  string // what the policy of a new boundary says of it
	answers                   setup.Answers
	here, dryRun, yes, asJSON bool

	moved bool               // to the top of the repository
	first project.FirstSteps // what the first import found to do
}

var initLong = `Init makes a folder with requirement documents a project. It finds the documents, and says what it
found; it writes orchestrator.yaml, which names them, and the data folder .orchestrator with the settings of this
machine, the database after a first import, and tokens for pm and viewer; and it puts a section that tells agents how to
work here into ` + strings.Join(agentclient.InstructionFiles(), " and ") + `, or makes the first of them.
Marks enclose the section; all other text stays as it is.

It looks for REQUIREMENTS.md, .planning/REQUIREMENTS.md, openspec/specs, specs, .kiro/specs and docs, and recognises the
family of each document by its marks. --documents names others. In a folder of a git repository it sets up the whole
repository, unless --here keeps it in this folder.

--client registers the hook of the boundary with an agent client; it records what sessions do, and blocks nothing until
orchestrator boundary mode enforce. --produces says whether main sessions may then build, test, install packages and
commit. --roles makes tokens for further roles beside that of the pm, for somebody who works
in all of them: whoever can read the folder can act in each.

A second run changes nothing; another answer changes only what it is about. If a step fails or is interrupted, the
folder is as it was. On a terminal it asks, in a new project, for what no flag has said; --yes asks nothing.`

// InitCommand returns init.
func InitCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Set a project up: find its documents, and import them",
		Long:  initLong,
		Args:  cobra.NoArgs,
		Example: `  orchestrator init
  orchestrator init --dry-run  # what would it do?
  orchestrator init --roles all --client ` + agentclient.Names()[0] + `
  orchestrator init --documents 'docs/*.md' --workflow rework`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd)
	return cli.WithEnv(cmd)
}

func (o *initOptions) flags(cmd *cobra.Command) {
	var reading reqdoc.Options
	cli.DataFlag(cmd, &o.data)
	f := cmd.Flags()
	f.StringSliceVar(&o.answers.Documents, "documents", nil,
		"requirement document, or a quoted pattern such as 'docs/*.md'; may be given more than once (default: "+
			"looked for)")
	cli.ReadingFlags(cmd, &reading)
	_ = f.MarkHidden("assign") // it is no setting
	f.StringVar(&o.answers.Workflow, "workflow", "",
		"of a new project: v1, or rework, which has ways back (default v1)")
	f.StringVar(&o.answers.Evidence, "evidence", "",
		"verify looks evidence up in the git repository, record stores it as it is given (default verify in a git "+
			"working tree)")
	f.StringSliceVar(&o.answers.Clients, "client", nil, "agent client to guard: "+
		strings.Join(agentclient.Names(), ", ")+", or none; may be given more than once")
	f.StringSliceVar(&o.answers.Roles, "roles", nil,
		"further roles to make a token for: architect, coder, tester, all, or none; for one person in all roles")
	complete := func(flag string, names ...string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	}
	complete("client", append(agentclient.Names(), setup.None)...)
	complete("roles", setup.Roles()...)
	f.StringVar(&o.produces, "produces", "",
		"allow, ask or block: whether main sessions may build, test and commit when the boundary is enforced "+
			"(default allow)")
	complete("produces", "allow", "ask", "block")
	exportflag.Add(f, &o.export, "file to which the state is written after each commit")
	f.StringVar(&o.witness, "witness", "witness.json",
		"state file of orchestrator audit witness, which may know the project")
	f.BoolVar(&o.here, "here", false, "set up this folder, and not the repository or the project that it lies in")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be done, and write nothing")
	f.BoolVar(&o.yes, "yes", false, "ask nothing: take what was found, and the defaults")
	f.BoolVar(&o.asJSON, "json", false, "write JSON, and ask nothing")
	setting.Declare(cmd, "export")
	setting.WorkAtRoot(cmd, "data", "documents", "export", "witness")
	setting.StayFor(cmd, "here")
	work := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.answers.Family, o.answers.Qualify, o.answers.Strict = reading.Family, reading.Qualify, reading.Strict
		return work(cmd, args)
	}
}

func (o *initOptions) run(cmd *cobra.Command) error {
	for _, client := range o.answers.Clients {
		if !slices.Contains(append(agentclient.Names(), setup.None), client) {
			return fault.Misuse("there is no client %q", client).
				WithFix("give %s or %s", strings.Join(agentclient.Names(), ", "), setup.None)
		}
	}
	if err := o.checkProduces(); err != nil {
		return err
	}
	if err := o.goToPlace(cmd); err != nil {
		return err
	}
	plan, err := o.plan(cmd.Context())
	if err == nil && plan.New && o.mayAsk() {
		if err = o.ask(cmd, plan.Found); err == nil {
			plan, err = o.plan(cmd.Context())
		}
	}
	if err == nil && !o.dryRun {
		err = plan.Do(cmd.Context())
	}
	if err != nil {
		return err
	}
	return o.report(cmd, plan)
}

// goToPlace goes to the folder that is to be the project.
func (o *initOptions) goToPlace(cmd *cobra.Command) error {
	if !o.here {
		to, err := setup.Place()
		if err != nil {
			return err
		}
		if to != "." {
			if err := setting.MoveTo(cmd, to); err != nil {
				return err
			}
			o.moved = true
		}
	}
	return setup.CheckPlace(".", setup.Home())
}

func (o *initOptions) plan(ctx context.Context) (setup.Plan, error) {
	return setup.Project{Data: datadir.Dir(o.data), Export: o.export, Answers: o.answers, Begin: o.begin,
		Guard: o.guard, Told: agentclient.InstructionFiles()}.Plan(ctx)
}

// checkProduces refuses an answer that means nothing, or has nothing to be about.
func (o *initOptions) checkProduces() error {
	switch {
	case o.produces == "":
		return nil
	case len(setup.Named(o.answers.Clients)) == 0 && !o.mayAsk():
		return fault.Misuse("--produces is for the policy of a boundary, and there is no client to guard").
			WithFix("give --client, too")
	}
	return checkProduces(o.produces)
}

// begin is the first start of the project, without a service around it.
func (o *initOptions) begin(ctx context.Context, a setup.Answers) error {
	plan, err := project.Prepare(project.Options{Data: o.data, Requirements: a.Documents,
		Reading:  reqdoc.Options{Family: a.Family, Qualify: a.Qualify, Strict: a.Strict},
		Workflow: a.Workflow, Evidence: a.Evidence, Export: o.export, Witness: o.witness})
	if err != nil {
		return err
	}
	opened, err := plan.Open(ctx, project.Process{Draining: func() bool { return false }})
	if err != nil {
		return err
	}
	o.first = opened.FirstSteps()
	return opened.Close()
}

// guard says how the boundary guards a client in the working folder.
func (o *initOptions) guard(_ context.Context, client string) (setup.Guard, error) {
	p, err := boundarycmd.Installation(".", client, "set up")
	if err != nil {
		return setup.Guard{}, err
	}
	p.Produces = boundary.Decision(o.produces)
	file, done, err := install.Look(p)
	return setup.Guard{File: file, Folder: datadir.Default, Done: done,
		Install: func(ctx context.Context) ([]string, error) {
			did, err := install.Install(ctx, p)
			return did.Said, err
		},
		Uninstall: func() error {
			_, err := install.Uninstall(p)
			return err
		},
	}, err
}
