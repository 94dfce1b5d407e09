package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	json "github.com/go-json-experiment/json"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/moved"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// memoryFile is the file in the data folder that remembers a log which lies elsewhere.
const memoryFile = "log.json"

// maxMemory is how many bytes that file may have.
const maxMemory = 64 << 10

// lockPatience is how long to wait for whoever has the file in the data folder open.
const lockPatience = 100 * time.Millisecond

// Memory is what a data folder remembers of the log that it was last used with.
type Memory struct {
	Store string     `json:"store"` // the place, as people may read it
	Size  uint64     `json:"size"`
	Root  audit.Hash `json:"root"` // at this size
	Where string     `json:"-"`    // the file that remembers it
}

// MemoryPath returns the path of the file with the memory of the data folder.
func (p Place) MemoryPath() string { return p.data.File(memoryFile) }

// Remembered returns what the data folder remembers of a log that lies elsewhere; false where it knows none. A database
// in the folder whose log was moved away remembers where it went.
func (p Place) Remembered(ctx context.Context) (m Memory, known bool, err error) {
	content, err := tree.ReadFile(ctx, p.MemoryPath(), maxMemory)
	if errors.Is(err, fs.ErrNotExist) {
		if p.IsShared() {
			return p.movedAway(ctx)
		}
		return m, false, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &m, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return m, false, fault.New(fault.Invalid, "store_memory", "%s, which says how far the log has come, cannot be "+
			"read", p.MemoryPath()).
			WithFix("keep it as evidence and move it away; the export and its checkpoint remember the log, too").
			Because(err)
	}
	m.Where = p.MemoryPath()
	return m, true, nil
}

// movedAway returns what the database in the data folder says of where its log went; false if it has its log, or none.
func (p Place) movedAway(ctx context.Context) (m Memory, is bool, err error) {
	path := p.data.Database()
	if !tree.Exists(path) {
		return m, false, nil
	}
	s, err := InFolder(p.data).Open(ctx, Options{ReadOnly: true, LockTimeout: lockPatience})
	if err != nil {
		return m, false, err
	}
	head, err := moved.Look(ctx, s)
	if err = errors.Join(err, s.Close()); err != nil || head.Moved == "" {
		return m, false, err
	}
	return Memory{Store: head.Moved, Size: head.Size, Root: head.Root, Where: path}, true, nil
}

// CheckHere refuses a data folder whose log lies in a database, where the place is the file in the folder.
func (p Place) CheckHere(ctx context.Context) error {
	if p.IsShared() || !tree.Exists(p.MemoryPath()) {
		return nil
	}
	m, _, err := p.Remembered(ctx)
	if err != nil {
		return err
	}
	if tree.Exists(p.data.Database()) {
		_, away, err := p.movedAway(ctx)
		if err != nil || !away {
			return nil //nolint:nilerr // whoever has it open, or opens it, will say what is wrong
		}
	}
	return fault.New(fault.Conflict, "store_elsewhere",
		"the log of this data folder is in %s, and so is what belongs to it",
		m.Store).WithFix("give --store %s, with the user", m.Store)
}

// CheckOne refuses a database beside a file in the data folder that has a log, too: one of the two would be forgotten.
func (p Place) CheckOne(ctx context.Context) error {
	if !tree.Exists(p.data.Database()) {
		return nil
	}
	_, away, err := p.movedAway(ctx)
	if err == nil && away {
		return nil
	}
	return fault.New(fault.Conflict, "store_twice", "the log of this project is in %s, and --store names %s",
		p.data.Database(), p).
		WithFix("orchestrator migrate moves the log; to serve another project, give another --data").Because(err)
}

// Remember replaces what the data folder remembers.
func (p Place) Remember(size uint64, root audit.Hash) error {
	return Memory{Store: p.String(), Size: size, Root: root}.Write(p.data)
}

// Write makes it what a data folder remembers.
func (m Memory) Write(data datadir.Dir) error {
	content, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return durable.WriteFile(InFolder(data).MemoryPath(), 0o600, func(w io.Writer) error {
		_, err := w.Write(append(content, '\n'))
		return err
	})
}

// CheckForgotten refuses to begin a log where the data folder remembers another.
func (p Place) CheckForgotten(ctx context.Context) error {
	m, known, err := p.Remembered(ctx)
	if err != nil || !known {
		return err
	}
	missing := fault.New(fault.NotFound, "database_missing", "the log of this data folder, with %d records, is in %s; "+
		"%s %s", m.Size, m.Store, p, p.Absent())
	if m.Store != p.String() {
		return missing.WithFix("give --store %s; to start over from nothing, move %s away", m.Store, m.Where)
	}
	return missing.WithFix("put the database back, with orchestrator restore FILE or with the means of its server; to "+
		"start over from nothing, move %s away", m.Where)
}

// Absent returns what the place does where there is no log, in words.
func (p Place) Absent() string {
	if p.IsShared() {
		return "holds no log"
	}
	return "does not exist"
}
