package logcmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/backup"
	"orchestrator/internal/operator/storage"
)

// backupOptions are the flags of backup.
type backupOptions struct {
	cli.Service
	store                       storage.Given
	place                       storage.Place
	out                         string
	withoutKeys, verify, asJSON bool
}

func BackupCommand() *cobra.Command {
	var o backupOptions
	cmd := &cobra.Command{
		Use:   "backup -o FILE",
		Short: "Write a backup into one file, while the service runs",
		Long: `Backup writes the whole log into one file, as audit bundle does, with the key that signs the log and
the hashes of the tokens, both from --data. Restore computes all other state from the log.

It asks the service that runs with --data, or --server. If none is running, it reads the database of --data. The
service continues meanwhile: the log is read in pieces of 256 records, and only grows. The backup contains every
change that was answered before it began.

The file has mode 0600. It replaces an older one only after it was written completely and read back, and every hash in
it agrees with the signed checkpoint. --verify also decides every change again, as orchestrator audit verify FILE
does. Whoever has the file can sign in the name of the log, unless it was written with --without-keys.`,
		Example: `  orchestrator backup -o /backup/log.zip
  orchestrator audit verify /backup/log.zip --key audit.pub
  orchestrator restore /backup/log.zip --data .orchestrator`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.out == "" {
				return fault.New(fault.Invalid, fault.CodeUsage, "no file to write was named").
					WithFix("give it with -o FILE")
			}
			var err error
			if o.place, err = storeflag.Place(cmd, o.Data, o.store); err != nil {
				return err
			}
			written, err := o.run(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			output.Displaced(cmd.ErrOrStderr(), written.Path, written.Displaced)
			return o.write(cmd.OutOrStdout(), written)
		},
	}
	cli.ServiceFlags(cmd, &o.Service)
	storeflag.Add(cmd, &o.store)
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "file to write")
	f.BoolVar(&o.withoutKeys, "without-keys", false,
		"leave out the key that signs the log, and the hashes of the tokens")
	f.BoolVar(&o.verify, "verify", false, "decide every change in the written file again")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	return cli.WithEnv(cmd)
}

func (o backupOptions) run(ctx context.Context, notes io.Writer) (backup.Written, error) {
	began := time.Now()
	src, closeSource, err := logOf(ctx, o.Service, o.place)
	if err != nil {
		return backup.Written{}, err
	}
	defer func() { _ = closeSource() }() // it was only read
	show := output.NewProgress(notes, "records")
	defer show.Clear()
	folder := o.Data
	if o.withoutKeys {
		folder = ""
	}
	return backup.Write(ctx, o.out, src, backup.WriteOptions{Folder: folder, Store: o.place, TakenAt: began,
		Decide: o.verify, Progress: show.Update()})
}

func (o backupOptions) write(out io.Writer, w backup.Written) error {
	if o.asJSON {
		return output.WriteJSON(out, w)
	}
	checked := "read back, and every hash in it agrees with the signed checkpoint"
	if o.verify {
		checked = "read back and verified, every decision in it too"
	}
	fmt.Fprintf(out, "wrote %s, %s: %d records of the log %s, root %s; %s\n", w.Path, output.Size(w.Bytes), w.Records,
		w.Origin, w.Root, checked)
	if len(w.Private) > 0 {
		_, err := fmt.Fprintf(out, "with %s: whoever has this file can sign in the name of the log\n",
			strings.Join(w.Private, ", "))
		return err
	}
	_, err := fmt.Fprintf(out, "without keys and tokens: %s\n", w.Without)
	return err
}
