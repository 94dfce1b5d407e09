package logcmd

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	cli.Service
	store         storage.Given
	place         storage.Place
	export, key   string
	against       []string
	git           string
	allowRollback bool
	asJSON        bool
	typed         bool // --server stands on the command line
}

const verifyLong = `Verify changes nothing and trusts nothing in the log. It computes every hash from the bytes of the
records, checks the signature, and decides every recorded change again by the rules and the workflow that were in
force: an accepted change must have been legal for its actor at the time, and a refused one illegal. It compares the
result with the state, byte for byte.

With a file it checks a bundle, with a URL or --server a running service. With neither it checks the database of
--data, including its structure and tables; no service may have the database open.

--against compares the log with checkpoints that were kept elsewhere, --git with all that a git repository has ever
had in project_status.checkpoint. Without such a checkpoint, a log whose end was cut off looks intact.

Exit codes: 0 in order; 1 something is wrong, and the first bad record is named; 2 it could not be checked;
3 no service answers.`

func VerifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [BUNDLE | URL]",
		Short: "Check a whole log: a bundle, a running service or the database",
		Long:  verifyLong,
		Example: `  orchestrator audit bundle -o log.zip && orchestrator audit verify log.zip
  orchestrator audit verify log.zip --key audit.pub --against last-week.checkpoint
  orchestrator audit verify http://127.0.0.1:8080 --token-file viewer.token --git
  orchestrator verify                                     # the database of a stopped service`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			collectSeldom()
			o.typed = setting.Typed(cmd, "server")
			var err error
			if o.place, err = storeflag.Place(cmd, o.Data, o.store); err != nil {
				return err
			}
			report, err := o.run(cmd.Context(), strings.Join(args, ""), cmd.ErrOrStderr())
			return o.write(cmd.OutOrStdout(), report, err)
		},
	}
	f := cmd.Flags()
	cli.ServiceFlags(cmd, &o.Service)
	storeflag.Add(cmd, &o.store)
	exportflag.Add(cmd.Flags(), &o.export,
		"export to compare a database with; a missing one is reported")
	f.StringVar(&o.key, "key", "",
		"public key that must have signed the log, or a file that holds it, as GET /audit/key answers it; without "+
			"it the one that comes with the log is taken")
	f.StringSliceVar(&o.against, "against", nil,
		"file with a checkpoint that was kept elsewhere; may be given more than once")
	f.StringVar(&o.git, "git", "", "compare the log with every checkpoint that a git repository has had in this file")
	f.Lookup("git").NoOptDefVal = "project_status.checkpoint"
	f.BoolVar(&o.allowRollback, "allow-rollback", false,
		"let a checkpoint pass whose moment a recorded rollback gave up")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	setting.Declare(cmd, "export")
	setting.DeclarePaths(cmd, "export")
	return cli.Usage(cli.WithEnv(cmd))
}

func (o verifyOptions) run(ctx context.Context, what string, notes io.Writer) (report auditor.Report, err error) {
	if o.key, err = auditor.ReadKey(ctx, o.key); err != nil {
		return report, err
	}
	kept, history, err := o.kept(ctx)
	if err != nil {
		return report, err
	}
	show := output.NewProgress(notes, "records")
	defer show.Clear()
	options := auditor.Options{Key: o.key, Against: kept, AllowRollback: o.allowRollback, Progress: show.Update()}
	if report, err = o.verify(ctx, what, options); err == nil {
		report.CannotShow = append(report.CannotShow, history...)
	}
	return report, err
}

// verify verifies the bundle or the service that was named, else the database.
func (o verifyOptions) verify(ctx context.Context, what string, options auditor.Options) (auditor.Report, error) {
	switch {
	case what != "" && o.typed:
		return auditor.Report{}, fault.New(fault.Invalid, fault.CodeUsage, "both %q and --server %q were named", what, o.Server).
			WithFix("name one of them")
	case strings.HasPrefix(what, "http://"), strings.HasPrefix(what, "https://"), what == "" && o.Server != "":
		o.Server = cmp.Or(what, o.Server)
		c, err := o.Connect()
		if err != nil {
			return auditor.Report{}, err
		}
		return auditor.Verify(ctx, auditor.FromServer(o.Server, c), options)
	case what != "":
		return verifyBundle(ctx, what, options)
	}
	options.Progress = nil
	return database.Verify(ctx, o.place, o.export, options)
}

func verifyBundle(ctx context.Context, path string, options auditor.Options) (auditor.Report, error) {
	bundle, err := auditor.OpenBundle(path)
	if err != nil {
		return auditor.Report{Source: path}, err
	}
	defer bundle.Close()
	return auditor.Verify(ctx, bundle, options)
}

// kept reads the checkpoints to hold against the log, and says what is not in the history of a repository.
func (o verifyOptions) kept(ctx context.Context) (kept []auditor.Kept, said []string, err error) {
	kept, err = auditor.ReadKept(ctx, o.against)
	if err != nil {
		return nil, nil, err
	}
	if o.git == "" {
		return kept, nil, nil
	}
	h, err := auditor.ReadHistory(ctx, o.git)
	if h.Shallow {
		said = append(said, "the clone is shallow: checkpoints of older commits are not in it")
	}
	for _, name := range h.Skipped {
		said = append(said, name+" is no checkpoint, and was not held against the log")
	}
	return append(kept, h.Kept...), said, err
}
