package evidence

import (
	"context"
	"slices"
	"strings"

	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

// Shown is what a piece of evidence is about, to be shown to people. What cannot be had is nil.
type Shown struct {
	Now    *Content          // of a file: where the citation stands, or what stands in its place
	Then   *Content          // of a file that is stale: as it was cited
	Tests  []testreport.Case // of a test in a report of the working tree that is what it was
	Commit *gitrepo.Told     // of a commit
}

// Content is a file, and the lines of it that matter.
type Content struct {
	Path   string
	Commit string // that has it; "" in the working tree
	First  int    // 0 is the whole file
	Last   int
	Bytes  []byte // of the whole file
}

// Show reads what a piece of evidence is about, given how it stands and the tip that it was held against.
func (r *Repository) Show(ctx context.Context, tip string, e lifecycle.Evidence, s Standing) (shown Shown) {
	switch {
	case e.Found == nil || r.git.CheckObjects() != nil:
	case e.Kind == lifecycle.EvidenceFile:
		if !slices.Contains(untold, s.Reason) {
			shown.Now = standsNow(ctx, r, tip, e, s)
		}
		if s.Reason != "" {
			shown.Then = stoodThen(ctx, r, e)
		}
	case e.Kind == lifecycle.EvidenceCommit:
		if told, err := r.git.Told(ctx, e.Found.Commit); err == nil {
			shown.Commit = &told
		}
	case e.Kind == lifecycle.EvidenceTest:
		shown.Tests = casesOf(ctx, r, e)
	}
	return shown
}

// untold are the reasons that say nothing of what stands there.
var untold = []string{lifecycle.Unreadable, lifecycle.Unknown}

// standsNow reads what stands where a look has led. A file that the tip lacks is read in the working tree if it was found
// there, as by that look.
func standsNow(ctx context.Context, r *Repository, tip string, e lifecycle.Evidence, s Standing) *Content {
	path, lines, ok := standsAt(e, s)
	if !ok || r.checkPath(path) != nil {
		return nil
	}
	at := Content{Path: path, Commit: tip, First: lines.first, Last: lines.last}
	var err error
	switch entry := entryAt(ctx, r, tip, path); {
	case entry.IsFile():
		at.Bytes, err = r.git.Blob(ctx, entry.ID, r.options.MaxBytes)
	case entry.There() || e.Found.In != lifecycle.InWorktree:
		return nil
	default:
		at.Commit = ""
		at.Bytes, _, err = r.readDisk(ctx, path, func() error { return r.checkKept(ctx, path) })
	}
	if err != nil {
		return nil
	}
	return &at
}

// entryAt returns what the tip has at a path, and nothing where there is no tip.
func entryAt(ctx context.Context, r *Repository, tip, path string) gitrepo.Entry {
	if tip == "" {
		return gitrepo.Entry{}
	}
	tree, err := r.git.Tree(ctx, tip)
	if err != nil {
		return gitrepo.Entry{}
	}
	return tree.At(path)
}

// standsAt returns the place that a look has led to.
func standsAt(e lifecycle.Evidence, s Standing) (path string, lines span, ok bool) {
	lines, err := parseSpan(e.Lines)
	switch {
	case err != nil:
		return "", span{}, false
	case s.Path != "":
		return s.Path, lines, true
	case s.MovedTo == "":
		return e.Path, lines, true
	case lines.whole():
		return s.MovedTo, lines, true
	}
	colon := strings.LastIndexByte(s.MovedTo, ':')
	if colon < 0 {
		return "", span{}, false
	}
	lines, err = parseSpan(s.MovedTo[colon+1:])
	return s.MovedTo[:colon], lines, err == nil
}

// stoodThen reads what was cited, where git still has the file as it was.
func stoodThen(ctx context.Context, r *Repository, e lifecycle.Evidence) *Content {
	lines, err := parseSpan(e.Lines)
	if err != nil || r.checkPath(e.Path) != nil {
		return nil
	}
	content, err := r.git.Blob(ctx, e.Found.Blob, r.options.MaxBytes)
	if err != nil {
		return nil
	}
	if part, has := cut(content, lines); !has || digest(part) != e.Found.SHA256 && digest(dos(part)) != e.Found.SHA256 {
		return nil
	}
	return &Content{e.Path, e.Found.Commit, lines.first, lines.last, content}
}

// casesOf returns the cases that a test stands for in its report, as long as that tells of the same run.
func casesOf(ctx context.Context, r *Repository, e lifecycle.Evidence) []testreport.Case {
	if strings.HasPrefix(e.Report, lifecycle.AttachedPrefix) || r.checkPath(e.Report) != nil {
		return nil
	}
	read, err := r.report(ctx, e.Report)
	if err != nil {
		return nil
	}
	run := read.report.RunOn(namedCommit(e.Found))
	if read.sum != e.Found.SHA256 && (run == "" || run != e.Found.Run) {
		return nil
	}
	return read.report.Named(e.Name)
}
