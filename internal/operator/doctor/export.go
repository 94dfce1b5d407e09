package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/operator/keyfile"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/system/gitignore"
	"orchestrator/internal/system/tree"
)

func (e records) lookAtExport(ctx context.Context) {
	if e.Export == "" {
		e.say("export", OK, "", "none is written")
		return
	}
	if exportfile.Planted(e.Export) {
		e.say("export", Warning, "rm -- "+quoted(e.Export), "%s is no regular file: the service did not write it",
			e.Export)
		return
	}
	status, err := exportfile.ReadStatus(ctx, e.Export)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.Store.IsShared():
		e.say("export", OK, "", "there is no %s here: the replica on duty writes one", e.Export)
		return
	case errors.Is(err, fs.ErrNotExist) && e.runs():
		e.say("export", Warning, e.restart(), "there is no %s", e.Export)
		return
	case errors.Is(err, fs.ErrNotExist) && e.clone:
		e.say("export", Warning, e.git("checkout HEAD -- "+quoted(e.Export)), "there is no %s", e.Export)
		return
	case errors.Is(err, fs.ErrNotExist):
		e.say("export", Warning, e.orchestrator("up"), "there is no %s; the service writes it", e.Export)
		return
	case err != nil && conflicted(e.Export):
		e.say("export", Problem, e.git("checkout HEAD -- "+quoted(e.Export)),
			"%s has the marks of a merge conflict; a start writes it anew, and a merge driver prevents them "+
				"(orchestrator merge-status --setup)", e.Export)
		return
	case err != nil:
		e.fail("export", Problem, err)
		return
	}
	if e.compareExport(ctx) {
		what := fmt.Sprintf("%s has %s at record %d", e.Export, fault.Count(len(status.Requirements), "requirement"), status.Log.Size)
		if e.known.served || !e.known.is {
			what += "; its content is not compared with the database"
		}
		e.say("export", OK, "", "%s", what)
	}
	e.lookAtGit(ctx, "export", e.Export)
}

// conflicted reports whether a file has the marks that git leaves in one that it could not merge.
func conflicted(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	content, _ := io.ReadAll(io.LimitReader(f, 8<<20))
	content = append([]byte("\n"), content...)
	return bytes.Contains(content, []byte("\n<<<<<<< ")) && bytes.Contains(content, []byte("\n>>>>>>> "))
}

// settle is how long the export of a service may be behind its log.
const settle = 2 * time.Second

// compareExport compares the export with the log, and reports whether they agree.
func (e records) compareExport(ctx context.Context) bool {
	if !e.known.is {
		return true
	}
	has, err := readLog(ctx, e.Export)
	for begin := time.Now(); err == nil && e.known.served && has.Size < e.known.size && time.Since(begin) < settle; {
		time.Sleep(settle / 10)
		has, err = readLog(ctx, e.Export)
	}
	mend := e.orchestrator("up")
	if e.known.served {
		mend = e.restart()
	}
	switch {
	case err != nil:
		e.fail("export", Problem, err)
	case has.Key != "" && has.Key != e.known.key:
		e.advise("export", Problem,
			"keep the export, which shows what the log has to have; give --data and --export that belong together, "+
				"or, if another database was put here, orchestrator restore FILE reads a backup",
			"%s is of another log than this folder's", e.Export)
	case e.known.torn:
		e.say("export", Warning, mend, "%s is of no moment of the log: a power cut tore it; the service writes it anew",
			e.Export)
	case has.Size < e.known.size && e.Store.IsShared():
		e.say("export", OK, "", "%s has the state at record %d: a replica on duty elsewhere writes a newer one", e.Export,
			has.Size)
	case has.Size < e.known.size:
		e.say("export", Warning, mend, "%s has the state at record %d, and the log has %d records", e.Export, has.Size,
			e.known.size)
	case has.Size > e.known.size && !e.known.served, has.Size == e.known.size && has.Root != e.known.root:
		// what was found of the database says so
	case e.known.differs:
		e.advise("export", Problem, "orchestrator verify says whether the export or the database was changed; put back "+
			"a good database, or move the export away", "%s and the database are of the same moment and do not agree",
			e.Export)
	default:
		return true
	}
	return false
}

func readLog(ctx context.Context, export string) (log projection.FileLog, err error) {
	f, err := projection.OpenExport(ctx, export)
	if f == nil || err != nil {
		return log, err
	}
	defer f.Close()
	return projection.ReadLog(f)
}

// lookAtGit says whether a file that others read from git is in it.
func (e records) lookAtGit(ctx context.Context, about, path string) {
	if !e.inTree {
		return
	}
	exposed, err := gitignore.Look(ctx, path)
	switch {
	case err != nil:
		e.fail(about, Warning, err)
	case exposed == gitignore.Tracked:
		e.say(about, OK, "", "git tracks %s", path)
	case exposed == gitignore.Addable:
		e.say(about, Warning, e.git("add -- "+quoted(path)),
			"%s is not in git: a clone and a job of CI cannot read it", path)
	default:
		e.say(about, OK, "", "git ignores %s: a clone and a job of CI cannot read it", path)
	}
}

// lookAtCheckpoint looks at the signed checkpoint beside the export.
func (e records) lookAtCheckpoint(ctx context.Context) {
	path := projection.CheckpointPath(e.Export)
	if path == "" || !tree.Exists(e.Export) {
		return
	}
	note, err := projection.ReadCheckpoint(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.Store.IsShared():
		e.say("export", OK, "", "there is no %s here: the replica on duty writes one", e.Export)
		return
	case errors.Is(err, fs.ErrNotExist) && e.runs():
		e.say("checkpoint", Warning, e.restart(), "there is no %s", path)
		return
	case errors.Is(err, fs.ErrNotExist) && e.clone:
		return // whoever runs the service commits it, or not
	case errors.Is(err, fs.ErrNotExist):
		e.say("checkpoint", Warning, e.orchestrator("up"), "there is no %s", path)
		return
	case err != nil:
		e.fail("checkpoint", Problem, err)
		return
	}
	m, err := exportfile.SignedMoment(path, note, e.known.key)
	switch {
	case err != nil:
		e.fail("checkpoint", Problem, err)
		return
	case e.known.is && m.Size > e.known.size && !e.known.served:
		return // what was found of the database says so
	case e.known.is && m.Size < e.known.size && !e.known.served:
		e.say("checkpoint", Warning, e.orchestrator("up"), "%s is of record %d, and the log has %d records", path,
			m.Size,
			e.known.size)
	default:
		e.say("checkpoint", OK, "", "%s is of record %d", path, m.Size)
	}
	e.lookAtGit(ctx, "checkpoint", path)
}

// lookAtKey looks at the key that signs the log.
func (e records) lookAtKey(ctx context.Context) {
	if !tree.Exists(e.Data.Database()) {
		return
	}
	signer, err := keyfile.Read(ctx, e.Data.Key())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.advise("key", Problem, "put it back from a backup; or orchestrator serve --accept-new-key REASON, which is "+
			"recorded: who has kept a checkpoint has to trust the new key", "%s is missing, which signs the log",
			e.Data.Key())
	case err != nil:
		e.fail("key", Problem, err)
	case e.known.key != "" && signer.Key != e.known.key:
		e.advise("key", Problem,
			"put the key of this log back; or orchestrator serve --accept-new-key REASON, which is "+
				"recorded", "%s is another key than the one on record", e.Data.Key())
	default:
		e.say("key", OK, "", "%s signs the log %s", filepath.Base(e.Data.Key()), signer.Origin())
	}
}
