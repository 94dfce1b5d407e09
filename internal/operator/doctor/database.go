package doctor

import (
	"context"
	"errors"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/database"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements"
	"orchestrator/internal/requirements/choices"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// records looks at the log, and at what beside the database remembers it.
type records struct{ *examination }

// lockPatience is how long the database may be locked by a process that is no service.
const lockPatience = 200 * time.Millisecond

func (e records) lookAtDatabase(ctx context.Context) {
	path := e.Data.Database()
	switch {
	case e.Store.IsShared():
		e.lookAtServer(ctx)
		return
	case e.known.served && e.known.is:
		e.say("database", OK, "", "the service has it open: format %d, %d records", ledger.Format, e.known.size)
		return
	case e.known.served:
		e.say("database", OK, "", "the service has it open")
		return
	case !tree.Exists(path):
		if err := storage.InFolder(e.Data).CheckHere(ctx); err != nil {
			e.fail("database", Problem, err)
			return
		}
		e.lookAtMissing()
		return
	}
	if tracked, _ := gitignore.IsTracked(ctx, path); tracked { // one of which git cannot tell came from no pull
		e.advise("database", Problem, "see with git log who added it: if a pull put it here, put back your own, such as "+
			path+".saved-TIME or a backup (orchestrator restore FILE), before you take it out of the index",
			"git tracks %s: it may be another than the one that was here", path)
	}
	s, err := boltstore.Open(path, boltstore.Options{ReadOnly: true, LockTimeout: lockPatience})
	if fault.Is(err, store.CodeLocked) {
		e.advise("database", Warning, "wait until it has ended, and look again", "another process has %s open", path)
		return
	}
	if err != nil {
		e.fail("database", Problem, err)
		return
	}
	err = e.read(ctx, s)
	if err = errors.Join(err, s.Close()); err != nil {
		e.fail("database", Problem, database.NameUpgrade(err, e.Data))
	}
}

// lookAtMissing says what it means that there is no database.
func (e records) lookAtMissing() {
	switch remembered := exportfile.Remembers(e.Export); {
	case remembered == "":
		e.say("database", Warning, e.orchestrator("up"), "there is none yet; the first start makes it")
	case e.clone && e.saved.URL != "":
		e.say("database", OK, "", "there is none here: this is a clone, and the settings name the service")
	case e.clone:
		e.advise("database", Warning, elsewhere,
			"there is none here: this is a clone of a project whose log is elsewhere, as %s says", remembered)
	default:
		e.advise("database", Problem, "orchestrator restore FILE reads a backup; to start over from nothing, move "+
			shellquote.Quote(remembered)+" away", "it is missing, and %s remembers it", remembered)
	}
}

// read learns what the database has.
func (e records) read(ctx context.Context, s store.Store) error {
	l, err := ledger.OpenReadOnly(ctx, s)
	if err != nil {
		return err
	}
	if err := checkMoved(ctx, l); err != nil {
		return err
	}
	k := &e.known
	if k.key, err = choices.KeyOnRecord(ctx, l); err != nil {
		return err
	}
	if k.evidence, err = choices.EvidenceOnRecord(ctx, l); err != nil {
		return err
	}
	if k.branch, err = choices.BranchOnRecord(ctx, l); err != nil {
		return err
	}
	head := l.Head()
	k.is, k.size, k.root, k.at = true, head.Size, head.Root, head.At
	if newer, err := newestRules(ctx, l); err != nil || newer > e.Program.Rules {
		if err == nil {
			e.advise("database", Problem, "install the version of orchestrator that wrote it, or a newer one",
				"its last records were decided by rules %d, and this program knows rules up to %d", newer,
				e.Program.Rules)
		}
		return err
	}
	if k.differs, err = e.compareTables(ctx, l); err != nil {
		return err
	}
	known, _, err := exportfile.Moments(ctx, e.Export, k.key)
	if err == nil {
		err = e.lookForRollback(ctx, l, known)
	}
	if signer, keyErr := keyfile.Read(ctx, e.Data.Key()); keyErr == nil && signer.Key != k.key &&
		fault.Is(err, exportfile.CodeForeign) {
		e.advise("database", Problem, "put back your own, such as "+e.Data.Database()+".saved-TIME, or a backup "+
			"(orchestrator restore FILE)", "it is of another log than the key and the export beside it")
		return nil
	}
	if err == nil || fault.Is(err, exportfile.CodeForeign) { // the checkpoint has a finding of its own
		e.say("database", OK, "", "format %d, %d records, the last of %s", l.Format(), head.Size,
			head.At.UTC().Format(time.RFC3339))
		return nil
	}
	return err
}

// checkMoved refuses a log that goes on in another store.
func checkMoved(ctx context.Context, l *ledger.Ledger) error {
	return l.View(ctx, func(r store.Reader) error {
		to, err := moved.To(r)
		if err == nil && to != "" {
			err = moved.Elsewhere(to)
		}
		return err
	})
}

// compareTables reports whether the export differs from the tables, where both are of the same moment. One that cannot
// be read has a finding of its own.
func (e records) compareTables(ctx context.Context, l *ledger.Ledger) (differs bool, err error) {
	has, err := readLog(ctx, e.Export)
	if err != nil || has.Size != l.Head().Size || has.Root != l.Head().Root {
		return false, nil
	}
	made, err := requirements.Export(ctx, l)
	if err != nil {
		return false, err
	}
	export, err := projection.OpenExport(ctx, e.Export)
	if export == nil || err != nil {
		return false, err
	}
	defer export.Close()
	same, err := made.Equals(func(w io.Writer) error {
		_, err := io.Copy(w, export)
		return err
	})
	return !same, err
}

// lookForRollback finds that the database is older than what lies beside it, or another.
func (e records) lookForRollback(ctx context.Context, l *ledger.Ledger, known []choices.Moment) error {
	lost, torn, err := choices.Lost(ctx, l, known)
	e.known.torn = len(torn) > 0
	if err != nil || len(lost) == 0 {
		return err
	}
	return choices.RolledBack(lost[0], l.Head())
}

// lastRecords is how many records are searched for the version of the rules.
const lastRecords = 200

// newestRules returns the newest version of the rules that decided one of the last records.
func newestRules(ctx context.Context, l *ledger.Ledger) (newest int, err error) {
	size := l.Head().Size
	page, err := l.Records(ctx, size-min(size, lastRecords), lastRecords)
	for _, raw := range page.Records {
		decided := struct {
			Data struct {
				Rules int `json:"rules"`
			} `json:"data"`
		}{}
		if jsonv2.Unmarshal(raw, &decided) == nil { // data of other kinds may have another shape
			newest = max(newest, decided.Data.Rules)
		}
	}
	return newest, err
}

// Differences between the clock and the last record.
const (
	slight = time.Minute
	large  = time.Hour
)

// lookAtClock compares the clock with the time of the last record. A service does so itself.
func (e *examination) lookAtClock() {
	if !e.known.is || e.known.at.IsZero() {
		return
	}
	mend := "sudo timedatectl set-ntp true"
	if e.Program.System == "darwin" {
		mend = "sudo systemsetup -setusingnetworktime on"
	}
	switch behind := e.known.at.Sub(e.Now); {
	case behind > large:
		e.say("clock", Problem, mend, "it is %s behind the last record: changes get its time, and tokens expire by it",
			behind.Round(time.Second))
	case behind > slight:
		e.say("clock", Warning, mend, "it is %s behind the last record", behind.Round(time.Second))
	default:
		e.say("clock", OK, "", "not behind the last record")
	}
}

// runs reports whether anything has the folder open, or may have.
func (e *examination) runs() bool { return e.known.served || apiclient.Runs(e.Data) }
