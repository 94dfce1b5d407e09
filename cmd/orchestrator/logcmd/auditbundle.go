package logcmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

func bundleCommand() *cobra.Command {
	var from cli.Service
	var given storage.Given
	var out string
	cmd := &cobra.Command{
		Use:   "bundle -o FILE",
		Short: "Write the whole log into one file that can be verified anywhere",
		Long: `Bundle writes all records of the log, the data beside it, a signed checkpoint, the public key and the
state into one ZIP file. orchestrator audit verify FILE needs nothing else to check it. Unpacked, it is a static log
in the format C2SP tlog-tiles.

It asks the service that runs with --data, or --server. If none is running, it reads the database of --data.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				return fault.New(fault.Invalid, fault.CodeUsage, "no file to write was named").
					WithFix("give it with -o FILE")
			}
			place, err := storeflag.Place(cmd, from.Data, given)
			if err != nil {
				return err
			}
			return writeBundle(cmd, from, place, out)
		},
	}
	cli.ServiceFlags(cmd, &from)
	storeflag.Add(cmd, &given)
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write")
	return cli.WithEnv(cmd)
}

func writeBundle(cmd *cobra.Command, from cli.Service, place storage.Place, path string) error {
	ctx, notes := cmd.Context(), cmd.ErrOrStderr()
	src, closeSource, err := logOf(ctx, from, place)
	if err != nil {
		return err
	}
	defer func() { _ = closeSource() }() // it was only read
	var c audit.Checkpoint
	show := output.NewProgress(notes, "records")
	displaced, err := durable.Replace(path, tree.Write{Perm: 0o644, Content: func(w io.Writer) (err error) {
		c, err = auditor.WriteBundle(ctx, w, src, show.Update())
		return err
	}})
	show.Clear()
	if err != nil {
		return err
	}
	output.Displaced(notes, path, displaced)
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: %d records of the log %s, root %s\n", path, c.Size,
		c.Origin, c.Root)
	return err
}

// logOf returns the log of the running service, or of the database where none runs.
func logOf(ctx context.Context, o cli.Service, place storage.Place) (src auditor.Source, closeSource func() error,
	err error) {
	nothing := func() error { return nil }
	c, err := o.Connect()
	if err == nil {
		if _, err = c.Get(ctx, "/audit/key", "text/plain"); err == nil {
			return auditor.FromServer(c.Base(), c), nothing, nil
		}
	}
	if o.Server != "" || !apiclient.NotRunning(err) {
		return nil, nothing, err
	}
	return database.Source(ctx, place)
}
