// Package merging decides which of two versions of an export, or of the checkpoint beside it, is kept when branches are
// merged. A log only grows, so the version with the longer log has all that the other has, if they are of one log. Two
// that forked are refused: somebody has to say which database goes on.
package merging

import (
	"bytes"
	"context"
	"path/filepath"

	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/operator/storage"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/shellquote"
	"orchestrator/internal/system/tree"
)

// maxFile is the most bytes of an export that are read.
const maxFile = 256 << 20

// Request is what git asks a merge driver.
type Request struct {
	Ours, Theirs string // the files with the two versions; the result is left in Ours
	Path         string // of the file in the working tree
	Data         datadir.Dir
	Store        storage.Place // where the log lies; the zero value is the file in Data
	Service      Service       // that may have the log; nil for none
}

// Outcome says which version was kept, and what showed that it has all that the other has.
type Outcome struct {
	Path         string
	Theirs       bool // and ours otherwise
	Kept, Left   uint64
	ShownBy      string
	SameLogState bool
}

// version is one of the two.
type version struct {
	side    string // "ours" or "theirs"
	content []byte
	size    uint64
	root    audit.Hash
	export  *projection.Snapshot // nil for a checkpoint
}

// Merge keeps the version with the longer log in r.Ours. An error leaves it as it is.
//
// Implements: ORC-165
func Merge(ctx context.Context, r Request) (Outcome, error) {
	ours, err := r.read(ctx, "ours", r.Ours)
	if err != nil {
		return Outcome{}, err
	}
	theirs, err := r.read(ctx, "theirs", r.Theirs)
	if err != nil {
		return Outcome{}, err
	}
	short, long := ours, theirs
	if ours.size > theirs.size {
		short, long = theirs, ours
	}
	out := Outcome{Path: r.Path, Theirs: long.side == theirs.side, Kept: long.size, Left: short.size}
	if short.size == long.size {
		out.Theirs, out.SameLogState = false, true
		if short.root != long.root {
			return out, r.forked("both sides have %d records, and not the same ones", short.size)
		}
		return out, nil
	}
	if out.ShownBy, err = r.show(ctx, short, long); err != nil || !out.Theirs {
		return out, err
	}
	return out, r.keep(long.content)
}

// show returns what shows that the shorter version is the beginning of the longer one.
func (r Request) show(ctx context.Context, short, long version) (string, error) {
	for _, by := range []func(context.Context, version, version) (string, error){
		r.byService, r.byDatabase, r.byExports,
	} {
		if shown, err := by(ctx, short, long); shown != "" || err != nil {
			return shown, err
		}
	}
	return "", fault.New(fault.Conflict, "merge_unknown",
		"%s: nothing here shows whether the shorter log, of %d records, is the beginning of the longer one, of %d",
		r.Path, short.size, long.size).
		WithFix("merge where the service or its database is; or take the checkpoint that lies beside the export that "+
			"was taken: git checkout --ours -- %s, or --theirs", r.Path)
}

// read reads a version, which is an export or a checkpoint.
func (r Request) read(ctx context.Context, side, path string) (version, error) {
	content, err := tree.ReadFile(ctx, path, maxFile)
	if err != nil {
		return version{}, fault.New(fault.Unavailable, "merge_unopened", "the version of %s from %s cannot be read",
			r.Path, side).WithFix("run this as the merge driver of git: orchestrator merge-status --setup").Because(err)
	}
	v := version{side: side, content: content}
	if filepath.Ext(r.Path) == ".checkpoint" {
		c, err := audit.ReadCheckpoint(content)
		if err != nil {
			return v, r.unreadable(side + " is no checkpoint")
		}
		v.size, v.root = c.Size, c.Root
		return v, nil
	}
	if v.export, err = projection.ReadFile(bytes.NewReader(content)); err != nil {
		return v, r.unreadable(side + " is no export: " + err.Error())
	}
	v.size, v.root = v.export.Head.Size, v.export.Head.Root
	return v, nil
}

// keep leaves the content of a version in the place of ours.
func (r Request) keep(content []byte) error {
	folder, err := tree.OpenFolder(filepath.Dir(r.Ours))
	if err == nil {
		defer folder.Close()
		_, err = folder.Replace(filepath.Base(r.Ours), tree.Write{Perm: 0o644, Content: writing(content)})
	}
	if err != nil {
		return fault.New(fault.Unavailable, "merge_unwritable", "the merged %s cannot be written", r.Path).
			WithFix("make the working tree writable, or take the file by hand: git checkout --theirs -- %s",
				shellquote.Quote(r.Path)).
			Because(err)
	}
	return nil
}

func (r Request) unreadable(why string) error {
	return fault.New(fault.Invalid, "merge_unreadable", "%s cannot be merged: %s", r.Path, why).
		WithFix("take the version that the service wrote: git checkout --ours -- %s, or --theirs; the service writes it "+
			"anew when it starts", shellquote.Quote(r.Path))
}

// forked refuses two versions of which neither has all that the other has.
func (r Request) forked(format string, args ...any) error {
	return fault.New(fault.Conflict, "log_forked", "%s: the log forked: "+format, append([]any{r.Path}, args...)...).
		WithFix("two services wrote from one state: decide whose database goes on, take its file with git checkout "+
			"--ours -- %s or --theirs, and make the other's changes again there", r.Path)
}
