package logcmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/exportflag"
	"orchestrator/cmd/orchestrator/cli/storeflag"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/backup"
)

// restoreOptions are the flags of restore.
type restoreOptions struct {
	verifyOptions                       // how the backup is verified, and where to
	replace, replaceTokens, withoutKeys bool
}

const restoreLong = `Restore checks every hash and every decision of a backup, as orchestrator audit verify does, and
rebuilds the database in a temporary file. When that was read back completely, it is put in place in one step; if
anything goes wrong before, even a kill, nothing has changed. A database, key or tokens that it replaces are kept
beside.

It refuses a folder that a service uses and, without --replace, one that has a database. The key and the tokens of the
backup are restored if the folder has none. One record is added to the log, which says what it was restored from.

With --store it rebuilds the log in a file of --data first, and moves it to the database as orchestrator migrate does.
A log that is there already is not replaced: give another schema.

What was decided after the backup is lost, and restore says what is known of that. If project_status.json or
project_status.checkpoint shows a later state, the next orchestrator serve requires --accept-rollback REASON, which is
recorded.`

func RestoreCommand() *cobra.Command {
	var o restoreOptions
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Verify a backup, and rebuild the database from it",
		Long:  restoreLong,
		Example: `  orchestrator restore /backup/log.zip --data .orchestrator
  orchestrator restore /backup/log.zip --replace --against last-week.checkpoint`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.place, err = storeflag.Place(cmd, o.Data, o.store); err != nil {
				return err
			}
			done, err := o.restore(cmd.Context(), args[0], cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return o.report(cmd.OutOrStdout(), args[0], done)
		},
	}
	f := cmd.Flags()
	cli.DataFlag(cmd, &o.Data)
	storeflag.Add(cmd, &o.store)
	exportflag.Add(cmd.Flags(), &o.export,
		"export that may remember what came after the backup; so may the checkpoint beside it")
	f.StringVar(&o.key, "key", "",
		"public key that must have signed the log, or a file that holds it, as GET /audit/key answers it; without "+
			"it the one in the backup is taken")
	f.StringSliceVar(&o.against, "against", nil,
		"file with a checkpoint that was kept elsewhere, which the backup must have gone through; may be given more "+
			"than once")
	f.BoolVar(&o.allowRollback, "allow-rollback", false,
		"let a checkpoint of --against pass whose moment a recorded rollback gave up")
	f.BoolVar(&o.replace, "replace", false, "replace an existing database; it is kept under another name")
	f.BoolVar(&o.replaceTokens, "replace-tokens", false,
		"take the place of tokens that are there, so that tokens revoked since are valid again")
	f.BoolVar(&o.withoutKeys, "without-keys", false, "restore only the log, and leave keys and tokens as they are")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	return cli.WithEnv(cmd)
}

func (o restoreOptions) restore(ctx context.Context, path string, notes io.Writer) (done backup.Restored, err error) {
	if o.key, err = auditor.ReadKey(ctx, o.key); err != nil {
		return done, err
	}
	kept, _, err := o.kept(ctx)
	if err != nil {
		return done, err
	}
	show := output.NewProgress(notes, "records")
	defer show.Clear()
	return backup.Restore(ctx, path, backup.RestoreOptions{
		Options: auditor.Options{Key: o.key, Against: kept, AllowRollback: o.allowRollback, Progress: show.Update()},
		Folder:  o.Data, Store: o.place, Replace: o.replace, ReplaceTokens: o.replaceTokens, WithoutKeys: o.withoutKeys,
		Export: o.export, Now: time.Now,
	})
}

// restoredReport is the report of restore for programs.
type restoredReport struct {
	Database   string         `json:"database"`
	Records    uint64         `json:"records"` // of the backup
	Root       audit.Hash     `json:"root"`
	Origin     string         `json:"origin"`
	SHA256     string         `json:"sha256"`
	TakenAt    time.Time      `json:"taken_at,omitzero"`
	Trusted    bool           `json:"trusted"`
	Against    []auditor.Held `json:"against"`
	Put        []string       `json:"put"`
	Left       []string       `json:"left"`
	Kept       []string       `json:"kept"`
	KeyMissing bool           `json:"key_missing"`
	Lost       []lostMoment   `json:"lost"`
}

// lostMoment is what knows of records that are not in a backup.
type lostMoment struct {
	Where string     `json:"where"`
	Size  uint64     `json:"size"`
	Root  audit.Hash `json:"root"`
}

func (o restoreOptions) report(out io.Writer, path string, d backup.Restored) error {
	if !o.asJSON {
		_, err := fmt.Fprintln(out, strings.Join(slices.Concat(restoredAs(d, path), o.filesOf(d), lostOf(d)), "\n"))
		return err
	}
	r := restoredReport{d.Database, d.Records, d.Root, d.Origin, d.SHA256, d.TakenAt, d.Trusted, d.Against, d.Put,
		d.Left, d.Kept, d.KeyMissing, []lostMoment{}}
	for _, m := range d.Lost {
		r.Lost = append(r.Lost, lostMoment{m.Where, m.Size, m.Root})
	}
	return output.WriteJSON(out, r)
}

// restoredAs returns what was restored from a backup.
func restoredAs(d backup.Restored, path string) []string {
	taken := ""
	if !d.TakenAt.IsZero() {
		taken = " of " + d.TakenAt.Format(time.RFC3339)
	}
	return []string{
		fmt.Sprintf("restored %s from %s%s: %d records of the log %s, root %s, %d requirements; all verified",
			d.Database, path, taken, d.Records, d.Origin, d.Root, d.Requirements)}
}

// filesOf returns what became of the private files of the folder.
func (o restoreOptions) filesOf(d backup.Restored) (said []string) {
	data := datadir.Dir(o.Data)
	for _, name := range d.Put {
		said = append(said, "put back "+data.File(name))
	}
	for _, path := range d.Kept {
		said = append(said, "kept what was there as "+path)
	}
	for _, name := range d.Left {
		said = append(said, data.File(name)+
			" is another than in the backup, and was left as it is; --replace-tokens takes that of the backup")
	}
	if d.KeyMissing {
		said = append(said, "the folder does not have the key that signs the log: put "+
			data.Key()+" back, or serve --accept-new-key REASON")
	}
	return said
}

// lostOf returns what is known of what the backup does not have.
func lostOf(d backup.Restored) (said []string) {
	for _, m := range d.Lost {
		if m.Later {
			said = append(said, fmt.Sprintf("records %d to %d of the log, known to %s, are not in this backup",
				d.Records, m.Size-1, m.Where))
		} else {
			said = append(said,
				fmt.Sprintf("%s, of %d records, is of another log than this backup, or of one that went another way",
					m.Where, m.Size))
		}
	}
	if d.StartRefused {
		said = append(said, "the next start will be refused for that: serve --accept-rollback REASON goes on, and "+
			"puts the loss on record")
	}
	return said
}
