package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/internal/auditor"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/requirements/projection"
)

// verifyGC is by how many per cent the heap may grow between collections: what a verification holds on to is the state
// of the whole project, and there is no need to have it nearly twice.
const verifyGC = 60

// verifyOptions are the flags of verify.
type verifyOptions struct {
	serverOptions
	export, key   string
	against       []string
	git           string
	allowRollback bool
	asJSON        bool
}

func verifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [BUNDLE | URL]",
		Short: "Check a whole log: a bundle, a running service or the database",
		Long: `Verify changes nothing and believes nothing. It computes every hash from the bytes of the records, checks the signature,
decides every recorded change again by the rules and the workflow then in force (an accepted change must have been legal for
its actor at that moment, a refusal must have been one), and compares what that amounts to, byte for byte, with the state.

With a file it checks a bundle, with a URL or --server a running service. With neither it checks the database of --data, its
structure and its tables too; the database must not be in use by a service.

--against holds checkpoints that were kept elsewhere against the log, --git all that a git repository has ever had in
project_status.checkpoint. Without one, a log whose end was cut off looks whole: nobody could tell.

Exit codes: 0 in order; 1 something is wrong, and the first bad record is named; 2 it could not be checked.`,
		Example: `  orchestrator audit bundle -o log.zip && orchestrator audit verify log.zip
  orchestrator audit verify log.zip --key audit.pub --against last-week.checkpoint
  orchestrator audit verify http://127.0.0.1:8080 --token-file viewer.token --git
  orchestrator verify                                     # the database of a stopped service`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			debug.SetGCPercent(verifyGC)
			report, err := o.run(cmd.Context(), strings.Join(args, ""), cmd.ErrOrStderr())
			return o.write(cmd.OutOrStdout(), report, err)
		},
	}
	f := cmd.Flags()
	serverFlags(cmd, &o.serverOptions)
	f.StringVar(&o.export, "export", "project_status.json",
		"export to compare a database with; a missing one is reported")
	f.StringVar(&o.key, "key", "",
		"public key that must have signed the log, or a file that holds it, as GET /audit/key answers it; without it the one that comes with the log is taken")
	f.StringSliceVar(&o.against, "against", nil,
		"file with a checkpoint that was kept elsewhere; may be given more than once")
	f.StringVar(&o.git, "git", "", "hold every checkpoint against the log that a git repository has had in this file")
	f.Lookup("git").NoOptDefVal = "project_status.checkpoint"
	f.BoolVar(&o.allowRollback, "allow-rollback", false,
		"let a checkpoint pass whose moment a recorded rollback gave up")
	f.BoolVar(&o.asJSON, "json", false, "write JSON")
	return exitTwo(withEnv(cmd))
}

func (o verifyOptions) run(ctx context.Context, what string, notes io.Writer) (report auditor.Report, err error) {
	if o.key, err = trustedKey(o.key); err != nil {
		return report, err
	}
	kept, history, err := o.kept(ctx)
	if err != nil {
		return report, err
	}
	show := newProgress(notes, "records")
	defer show.clear()
	options := auditor.Options{Key: o.key, Against: kept, AllowRollback: o.allowRollback, Progress: show.update()}
	switch {
	case what != "" && o.server != "":
		return report, fault.New(fault.Invalid, "usage", "both %q and --server %q were named", what, o.server).
			WithFix("name one of them")
	case strings.HasPrefix(what, "http://"), strings.HasPrefix(what, "https://"), what == "" && o.server != "":
		o.server = cmp.Or(what, o.server)
		c, failed := o.connect()
		if failed != nil {
			return report, failed
		}
		report, err = auditor.Verify(ctx, auditor.FromServer(o.server, c), options)
	case what != "":
		report, err = verifyBundle(ctx, what, options)
	default:
		report, err = o.database(ctx, kept)
	}
	if err == nil {
		report.CannotShow = append(report.CannotShow, history...)
	}
	return report, err
}

func verifyBundle(ctx context.Context, path string, options auditor.Options) (auditor.Report, error) {
	bundle, err := auditor.OpenBundle(path)
	if err != nil {
		return auditor.Report{Source: path}, err
	}
	defer bundle.Close()
	return auditor.Verify(ctx, bundle, options)
}

// trustedKey is a key that was given as it is, or in a file.
func trustedKey(given string) (string, error) {
	key := strings.TrimSpace(given)
	if key == "" || audit.CheckKey(key) == nil {
		return key, nil
	}
	raw, err := readNote(context.Background(), given)
	if err == nil {
		key = strings.TrimSpace(string(raw))
		err = audit.CheckKey(key)
	}
	if err != nil {
		return "", fault.New(fault.Invalid, "key_unreadable",
			"%s is no public key of a log, and no file that holds one", fault.Clip(given, 200)).
			WithFix("give what GET /audit/key answers, or the file audit.pub, which a start of the service writes").
			Because(err)
	}
	return key, nil
}

// kept reads the checkpoints to hold against the log, and says what is not in the history of a repository.
func (o verifyOptions) kept(ctx context.Context) (kept []auditor.Kept, said []string, err error) {
	for _, path := range o.against {
		note, err := readNote(ctx, path)
		if err != nil {
			return nil, nil, fault.New(fault.Invalid, auditor.CodeCheckpointUnreadable,
				"the checkpoint %s cannot be read", path).
				WithFix("name a file that holds a checkpoint as GET /audit/checkpoint answers it").Because(err)
		}
		kept = append(kept, auditor.Kept{Name: path, Signed: note})
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

// database checks more than an outsider can: the structure of the file, and the tables.
func (o verifyOptions) database(ctx context.Context, kept []auditor.Kept) (report auditor.Report, err error) {
	path, err := existingDatabase(o.data)
	report = auditor.Report{Source: path, Against: []auditor.Held{}, CannotShow: []string{}}
	if err != nil {
		return report, err
	}
	store, err := boltstore.Open(path, boltstore.Options{ReadOnly: true})
	if err != nil {
		return report, wrong(err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Check(); err != nil {
		return report, wrong(err)
	}
	l, err := ledger.OpenReadOnly(ctx, store)
	if err != nil {
		return report, wrong(err)
	}
	options := auditor.Options{Key: o.key, Against: append(kept, beside(ctx, o.export)...),
		AllowRollback: o.allowRollback}
	found, err := verifyLedger(ctx, path, l, o.export, options)
	if err != nil {
		err = wrong(err)
	}
	return found, err
}

// existingDatabase is the database in a data folder, for commands that must not make one.
func existingDatabase(data string) (string, error) {
	database := filepath.Join(data, "state.db")
	if _, err := os.Stat(database); err != nil {
		return "", fault.New(fault.NotFound, "database_missing", "there is no database %s", database).
			WithFix("give the folder that has it with --data").Because(err)
	}
	return database, nil
}

// beside is the checkpoint beside an export, as far as it can be read.
func beside(ctx context.Context, export string) []auditor.Kept {
	path := projection.CheckpointPath(export)
	note, err := readNote(ctx, path)
	if err != nil {
		return nil
	}
	return []auditor.Kept{{Name: path, Signed: note}}
}

func verifyLedger(ctx context.Context, name string, l *ledger.Ledger, export string,
	options auditor.Options) (auditor.Report, error) {
	f, err := openExport(ctx, export)
	if err != nil {
		return auditor.Report{Source: name}, err
	}
	if f == nil {
		return auditor.Database(ctx, name, l, nil, options)
	}
	defer f.Close()
	read := func() (io.Reader, error) {
		_, err := f.Seek(0, io.SeekStart)
		return f, err
	}
	return auditor.Database(ctx, name, l, read, options)
}

// notChecked are the codes of what keeps a database from being looked at.
var notChecked = []fault.Code{store.CodeLocked, store.CodeDenied, store.CodeMissing, store.CodeIO, ledger.CodeFormat,
	ledger.CodeEmpty, codeExportUnreadable, auditor.CodeCheckpointUnreadable}

// wrong marks a finding in a database, unlike what keeps it from being looked at.
func wrong(err error) error {
	if fault.Is(err, notChecked...) {
		return err
	}
	return exitError{err, 1}
}

func (o verifyOptions) write(out io.Writer, r auditor.Report, err error) error {
	var bad *auditor.Bad
	if errors.As(err, &bad) {
		err = exitError{err, 1}
	}
	if o.asJSON {
		return errors.Join(writeVerdict(out, r, err), err)
	}
	if err != nil {
		return err
	}
	key := "the key came with the log"
	if r.Trusted {
		key = "the key was given"
	}
	fmt.Fprintf(out, "in order: %d records, root %s, %d requirements, export %s (%s)\n", r.Records, r.Root,
		r.Requirements, r.State, time.Now().UTC().Format(time.RFC3339))
	fmt.Fprintf(out, "log %s, %s; held against %d kept checkpoints\n", r.Origin, key, len(r.Against))
	for _, h := range r.Against {
		if h.Result != auditor.Consistent {
			fmt.Fprintf(out, "%s, of %d records, is of a moment that was given up\n", h.Name, h.Size)
		}
	}
	for _, said := range r.CannotShow {
		if _, err := fmt.Fprintln(out, "not shown:", said); err != nil {
			return err
		}
	}
	return nil
}

// writeVerdict writes the report with its verdict: in_order, bad or not_checked.
func writeVerdict(out io.Writer, r auditor.Report, err error) error {
	verdict := struct {
		Verdict string `json:"verdict"`
		auditor.Report
		Error  string  `json:"error,omitempty"`
		Fix    string  `json:"fix,omitempty"`
		Record *uint64 `json:"record,omitempty"` // the first bad one
	}{Verdict: "in_order", Report: r}
	var code exitError
	var bad *auditor.Bad
	switch {
	case errors.As(err, &code) && code.code == 1:
		verdict.Verdict = "bad"
	case err != nil:
		verdict.Verdict = "not_checked"
	}
	if errors.As(err, &bad) {
		verdict.Record = bad.Record
	}
	if f := fault.As(err); f != nil {
		verdict.Error, verdict.Fix = f.Detail, f.Fix
	} else if err != nil {
		verdict.Error = err.Error()
	}
	b, failed := jsonv2.Marshal(verdict)
	if failed == nil {
		_, failed = fmt.Fprintln(out, string(b))
	}
	return failed
}
