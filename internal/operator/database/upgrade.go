package database

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"orchestrator/internal/auditor"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store/boltstore"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/operator/successor"
	"orchestrator/internal/system/shellquote"
)

// UpgradeOptions of Upgrade.
type UpgradeOptions struct {
	DryRun   bool // do all but put the new database in its place
	Now      func() time.Time
	Progress func(done, total int) // of the records; may be nil

	reached func(step string) error // is called after every step; in tests, an error makes the next step fail
}

// Upgraded is what Upgrade did, or would do.
type Upgraded struct {
	Database string `json:"database"`
	DryRun   bool   `json:"dry_run"`
	From     int    `json:"from"` // the format before
	To       int    `json:"to"`   // equal to From where there is nothing to upgrade
	Before   Logged `json:"before"`
	After    Logged `json:"after"`

	Requirements int                 `json:"requirements,omitzero"` // once the log was replayed
	Differences  []ledger.Difference `json:"differences"`           // of the tables, where the new ones hold something else
	Kept         string              `json:"kept,omitempty"`        // the old database, under its new name
}

// Logged is a database file and the log in it.
type Logged struct {
	Bytes   int64      `json:"bytes"`
	Records uint64     `json:"records"`
	Root    audit.Hash `json:"root"`
}

// Current reports whether the database had the format of this program already.
func (u Upgraded) Current() bool { return u.From == u.To }

// Upgrade rebuilds the database of a data folder in the format of this program. It decides every record of the log
// again, by the rules of its time, and fills a new database with the log, whose bytes and root stay the same, and with
// the tables that the log amounts to. It refuses a folder that a service uses, and a database that is not in order.
//
// The new database lies beside its place until it has been read back whole; an error, a crash or a kill before that
// leaves everything as it was, and one after it leaves the new database, and the old one under its new name.
//
// Implements: ORC-117
func Upgrade(ctx context.Context, place storage.Place, o UpgradeOptions) (done Upgraded, err error) {
	if place.IsShared() {
		return upgradeShared(ctx, place, o)
	}
	data := place.Data()
	path, err := Existing(ctx, place)
	if err != nil {
		return done, err
	}
	if o.reached == nil {
		o.reached = func(string) error { return nil }
	}
	s, err := successor.Open(string(data), "upgrade", o.Now())
	if err != nil {
		return done, notBegun(path, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if !o.DryRun {
		if err := boltstore.Settle(s.Place, LockPatience); err != nil {
			return done, InUse(ctx, err, data, stopFirst)
		}
	}
	old, err := boltstore.Open(s.Place, boltstore.Options{ReadOnly: true, LockTimeout: LockPatience})
	if err != nil {
		return done, InUse(ctx, err, data, stopFirst)
	}
	defer func() { err = errors.Join(err, old.Close()) }() // until then its lock keeps services out
	u := &upgrader{o, s, Upgraded{Database: path, DryRun: o.DryRun, To: ledger.Format, Differences: []ledger.Difference{}}}
	err = u.run(ctx, old)
	return u.done, notUpgraded(path, err)
}

// upgradeShared brings the schema of a database up to date. A log of an older format is not rebuilt there: it
// would have to be whole in two places.
//
// Implements: ORC-379
func upgradeShared(ctx context.Context, place storage.Place, o UpgradeOptions) (done Upgraded, err error) {
	s, err := place.Open(ctx, storage.Options{ReadOnly: o.DryRun, Migrate: !o.DryRun})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	l, err := ledger.OpenToReplay(ctx, s)
	if err != nil {
		return done, err
	}
	now := Logged{Records: l.Head().Size, Root: l.Head().Root}
	done = Upgraded{Database: place.String(), DryRun: o.DryRun, From: l.Format(), To: ledger.Format, Before: now,
		After: now, Differences: []ledger.Difference{}}
	if !done.Current() {
		err = fault.New(fault.Conflict, "upgrade_no_file", "the log in %s has format %d, and is not upgraded there",
			place, l.Format()).
			WithFix("move it to a data folder with orchestrator migrate, upgrade it there, and move it back")
	}
	return done, err
}

// upgrader is one upgrade under way.
type upgrader struct {
	UpgradeOptions

	successor *successor.Successor
	done      Upgraded
}

func (u *upgrader) run(ctx context.Context, old *boltstore.Store) error {
	if err := cmp.Or(u.successor.RemoveStale(), u.successor.RemoveTemp()); err != nil {
		return err
	}
	l, err := ledger.OpenToReplay(ctx, old)
	if err != nil {
		return finding(err)
	}
	u.done.From = l.Format()
	u.done.Before, err = logged(u.successor.Place, l)
	if err != nil || u.done.Current() {
		u.done.After = u.done.Before
		return err
	}
	if err := cmp.Or(finding(old.Check()), u.reached("opened")); err != nil {
		return err
	}
	rebuilt, err := u.rebuild(ctx, l)
	if err != nil {
		return err
	}
	if err := u.check(ctx, rebuilt); err != nil || u.DryRun {
		return err
	}
	return u.place()
}

// rebuild verifies the old database, and makes the new one of its log.
func (u *upgrader) rebuild(ctx context.Context, l *ledger.Ledger) (auditor.Rebuilt, error) {
	s, err := boltstore.Open(u.successor.Temp, boltstore.Options{})
	if err != nil {
		return auditor.Rebuilt{}, err
	}
	rebuilt, differences, err := auditor.RebuildDatabase(ctx, l, s, u.Progress)
	if failed := s.Close(); err == nil {
		err = failed
	}
	if err != nil {
		return rebuilt, err
	}
	u.done.Requirements, u.done.Differences = rebuilt.Requirements, differences
	return rebuilt, u.reached("rebuilt")
}

// check opens the new database anew, reads all of it, and holds its log against the old one.
func (u *upgrader) check(ctx context.Context, rebuilt auditor.Rebuilt) (err error) {
	s, err := boltstore.Open(u.successor.Temp, boltstore.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Check(); err != nil {
		return err
	}
	l, err := ledger.OpenReadOnly(ctx, s)
	if err != nil {
		return err
	}
	if err := rebuilt.Check(ctx, l); err != nil {
		return err
	}
	if u.done.After, err = logged(u.successor.Temp, l); err != nil {
		return err
	}
	if before, after := u.done.Before, u.done.After; before.Records != after.Records || before.Root != after.Root {
		return fault.New(fault.Internal, "upgrade_differs",
			"the log of the new database has %d records with the root %s, that of the old one %d with %s", after.Records,
			after.Root, before.Records, before.Root).WithFix("nothing was changed; this is a defect of the program")
	}
	return u.reached("checked")
}

// place puts the new database in the place of the old one.
func (u *upgrader) place() error {
	err := cmp.Or(u.successor.OwnAsPlace(), u.reached("owned"))
	if err == nil {
		err = u.successor.Replace(func() error { return u.reached("kept") })
	}
	if err != nil {
		u.successor.Undo()
		return err
	}
	u.done.Kept = u.successor.Kept[0]
	if err := cmp.Or(u.reached("replaced"), u.successor.Sync()); err != nil {
		return fault.New(fault.Unavailable, codeUnsynced, "%s was upgraded, but its folder could not be synced",
			u.successor.Place).
			WithFix("both files are whole, and a power cut now may bring the old one back: look at the cause, and run " +
				"the upgrade again").Because(err)
	}
	return nil
}

func logged(path string, l *ledger.Ledger) (Logged, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Logged{}, err
	}
	return Logged{info.Size(), l.Head().Size, l.Head().Root}, nil
}

// codeUnsynced is the code of the error that the new database is in its place, and perhaps not after a power cut.
const codeUnsynced fault.Code = "upgrade_unsynced"

func notBegun(path string, err error) error {
	if errors.Is(err, successor.ErrBusy) {
		return fault.New(fault.Conflict, "upgrade_locked", "another upgrade, or a restore, is at work on %s", path).
			WithFix("wait until it has ended")
	}
	return notUpgraded(path, err)
}

// notUpgraded makes an error that left everything as it was. What is wrong with the old database is told as it is.
func notUpgraded(path string, err error) error {
	f := fault.As(err)
	wrong := errors.As(err, new(*auditor.Bad)) || errors.As(err, new(auditor.Finding))
	switch {
	case err == nil, errors.Is(err, context.Canceled), wrong, fault.Is(err, codeUnsynced):
		return err
	case f != nil && f.Kind != fault.Unavailable && f.Kind != fault.InsufficientStorage && f.Kind != fault.Internal:
		return err
	case fault.Is(err, ledger.CodeFormat, ledger.CodeEmpty):
		return err
	}
	return fault.New(fault.Unavailable, "upgrade_failed", "%s was not upgraded, and is as it was", path).
		WithFix("look at the cause; an upgrade needs as much free room in the folder as the database takes").Because(err)
}

// NameUpgrade adds the command that upgrades a data folder to the error that its database has an older format.
func NameUpgrade(err error, data datadir.Dir) error {
	if fault.Is(err, ledger.CodeOlder) {
		return fault.As(err).WithFix("orchestrator upgrade --data %s rebuilds its tables, and keeps the log and the old "+
			"file; --dry-run says what it would change", shellquote.Quote(string(data)))
	}
	return err
}
