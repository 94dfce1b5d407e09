package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"

	json "github.com/go-json-experiment/json"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/system/durable"
	"orchestrator/internal/system/tree"
)

// memoryFile is the file in the data folder that remembers a log which lies elsewhere.
const memoryFile = "log.json"

// maxMemory is how many bytes that file may have.
const maxMemory = 64 << 10

// Memory is what a data folder remembers of the log that it was last used with.
type Memory struct {
	Store string     `json:"store"` // the place, as people may read it
	Size  uint64     `json:"size"`
	Root  audit.Hash `json:"root"` // at this size
}

// MemoryPath returns the path of the file with the memory of the data folder.
func (p Place) MemoryPath() string { return p.data.File(memoryFile) }

// Remembered returns what the data folder remembers of a log that lies elsewhere; false where it knows none.
func (p Place) Remembered(ctx context.Context) (m Memory, known bool, err error) {
	content, err := tree.ReadFile(ctx, p.MemoryPath(), maxMemory)
	if errors.Is(err, fs.ErrNotExist) {
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
	return m, true, nil
}

// Remember replaces what the data folder remembers.
func (p Place) Remember(size uint64, root audit.Hash) error {
	content, err := json.Marshal(Memory{Store: p.String(), Size: size, Root: root})
	if err != nil {
		return err
	}
	return durable.WriteFile(p.MemoryPath(), 0o600, func(w io.Writer) error {
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
		return missing.WithFix("give --store %s; to start over from nothing, move %s away", m.Store, p.MemoryPath())
	}
	return missing.WithFix("put the database back, with orchestrator restore FILE or with the means of its server; to "+
		"start over from nothing, move %s away", p.MemoryPath())
}

// Absent returns what the place does where there is no log, in words.
func (p Place) Absent() string {
	if p.IsShared() {
		return "holds no log"
	}
	return "does not"
}
