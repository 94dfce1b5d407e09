package setup

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"orchestrator/internal/fault"
	"orchestrator/internal/operator/config"
)

// CodeInterrupted is the code of a set-up that was told to stop.
const CodeInterrupted fault.Code = "interrupted"

// CodeUnwritable is the code of a folder that cannot be written to.
const CodeUnwritable fault.Code = "folder_unwritable"

// Do does what is left to be done. If a step fails, or ctx ends, what the others did is undone.
func (p Plan) Do(ctx context.Context) error {
	if p.Complete() {
		return nil
	}
	b, err := look(p.files(), p.folders())
	if err != nil {
		return err
	}
	for i, s := range p.Steps {
		if s.Done {
			continue
		}
		err := ctx.Err()
		if err == nil {
			err = s.do(ctx)
		}
		if err != nil {
			return errors.Join(explained(ctx, err), p.undo(i), b.restore())
		}
	}
	return nil
}

// explained says of an interrupted set-up what came of it, and of a folder that cannot be written what to do.
func explained(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return Interrupted().Because(ctx.Err())
	case fault.As(err) == nil && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)):
		return fault.New(fault.Forbidden, CodeUnwritable, "this user cannot write to the folder; it is as it was").
			WithFix("start as the owner of the folder, or make it writable for this user").Because(err)
	}
	return err
}

// Interrupted makes the error of a set-up that was told to stop, and has undone what it did.
func Interrupted() *fault.Error {
	return fault.New(fault.Unavailable, CodeInterrupted, "the set-up was interrupted; the folder is as it was").
		WithFix("orchestrator init starts it again")
}

// undo undoes the steps up to the last one that was begun, in reverse.
func (p Plan) undo(last int) error {
	var failed []error
	for i := last; i >= 0; i-- {
		if s := p.Steps[i]; !s.Done && s.undo != nil {
			failed = append(failed, s.undo())
		}
	}
	return errors.Join(failed...)
}

// files returns the files outside of the data folder that steps write, and those in it that they change.
func (p Plan) files() []string {
	files := append([]string{config.TreeFile, p.data.File(config.LocalFile), p.data.GitIgnore(), p.data.Tokens()},
		p.told...)
	for _, g := range p.guards {
		files = append(files, g.File)
	}
	return files
}

// folders returns those in which steps make files.
func (p Plan) folders() []string {
	folders := []string{string(p.data)}
	for _, g := range p.guards {
		top, _, below := strings.Cut(g.File, "/")
		if below {
			folders = append(folders, top)
		}
		folders = append(folders, g.Folder)
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}
