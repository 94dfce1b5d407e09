// Package gitcmd has the commands that git calls.
package gitcmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/merging"
	"orchestrator/internal/operator/storage"
)

// answerWithin bounds how long a merge waits for a service.
const answerWithin = 5 * time.Second

const setup = `git config merge.orchestrator.name 'the longer log'
git config merge.orchestrator.driver 'orchestrator merge-status %O %A %B %L %P'
for file in project_status.json project_status.checkpoint; do
  grep -qxF "$file merge=orchestrator" .gitattributes 2>/dev/null && continue
  test -z "$(tail -c 1 .gitattributes 2>/dev/null)" || echo >> .gitattributes
  echo "$file merge=orchestrator" >> .gitattributes
done
`

// MergeStatusCommand returns the merge driver of the export and its checkpoint.
func MergeStatusCommand() *cobra.Command {
	var service cli.Service
	var given storage.Given
	var printSetup bool
	cmd := &cobra.Command{
		Use:   "merge-status BASE OURS THEIRS MARKERS PATH",
		Short: "Merge two versions of the export: a merge driver for git",
		Long: `Merge-status keeps the version whose log is longer, since a log only grows. It refuses versions of
which neither has all that the other has: two services wrote from one state, and somebody has to
decide whose database goes on. Then the version of the current branch stays, and git reports a
conflict.

That the shorter log is the beginning of the longer one is shown by the running service, which
proves it; else by the database, which has both. One that has less than the longer version refuses
it. Where there is neither, the exports show it: each requirement of the shorter one must be an
earlier state of the same requirement in the longer one. The message says which it was. Service
and database are those of the project that PATH is in, or of --data.

git calls it. --setup prints the commands that tell git to.`,
		Example: `  orchestrator merge-status --setup | sh               # once in each clone; commit .gitattributes`,
		Args: func(cmd *cobra.Command, args []string) error {
			if printSetup {
				return cobra.NoArgs(cmd, args)
			}
			if len(args) != 5 {
				return fault.New(fault.Invalid, "usage", "merge-status takes 5 arguments from git, not %d", len(args)).
					WithFix("orchestrator merge-status --setup prints the commands that tell git to call it")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if printSetup {
				_, err := io.WriteString(cmd.OutOrStdout(), setup)
				return err
			}
			if !cmd.Flags().Changed("data") {
				service.Data = dataFor(args[4])
			}
			place, err := storeflag.Place(cmd, service.Data, given)
			if err != nil {
				return err
			}
			return merge(cmd.Context(), cmd.ErrOrStderr(), service, place, args)
		},
	}
	cmd.Flags().BoolVar(&printSetup, "setup", false, "print the commands that make git call this, and do nothing else")
	cli.DataFlag(cmd, &service.Data)
	storeflag.Add(cmd, &given)
	return cli.Usage(cli.WithEnv(cmd))
}

// merge merges the versions that git names.
func merge(ctx context.Context, notes io.Writer, service cli.Service, place storage.Place, args []string) error {
	service.Timeout = answerWithin
	ctx, cancel := context.WithTimeout(ctx, 2*answerWithin)
	defer cancel()
	request := merging.Request{Ours: args[1], Theirs: args[2], Path: args[4], Data: datadir.Dir(service.Data),
		Store: place}
	if client, err := service.Connect(); err == nil {
		request.Service = client
	}
	done, err := merging.Merge(ctx, request)
	if err != nil {
		return cli.Found(err)
	}
	return tell(notes, done)
}

// dataFor returns the data folder of the project that a file is in: that of a folder above it, or else the one beside
// it.
func dataFor(file string) string {
	folder := filepath.Dir(file)
	here, err := filepath.Abs(".")
	if root, found := config.Root(folder); found && err == nil {
		if rel, err := filepath.Rel(here, root); err == nil {
			folder = rel
		}
	}
	return filepath.Join(folder, datadir.Default)
}

// tell says which version was kept, and why.
func tell(notes io.Writer, done merging.Outcome) (err error) {
	side := "ours"
	if done.Theirs {
		side = "theirs"
	}
	path := output.Printable(done.Path)
	if done.SameLogState {
		_, err = fmt.Fprintf(notes, "%s: both sides are of the same %d records; ours is kept\n", path, done.Kept)
	} else {
		_, err = fmt.Fprintf(notes, "%s: %s is kept, with %d records over %d, shown by %s\n", path, side, done.Kept,
			done.Left, output.Printable(done.ShownBy))
	}
	return err
}
