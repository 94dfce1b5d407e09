package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/evidence/gitrepo"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

const (
	maxReports = 4
	skew       = time.Minute     // that the clock of a file system may be ahead
	maxAhead   = 5 * time.Minute // that the clock of the machine that ran the tests may be ahead
	settled    = 2 * time.Second // after which a file that is written again has another time, on every file system
)

// readReport is a report as it was read.
type readReport struct {
	file   diskFile
	at     time.Time // when it was read
	sum    string    // SHA-256 of the file
	report testreport.Report
	wrong  error // why it is no report
}

// reports keeps a few that were read, by path. It saves reading and parsing one again for each of the tests that a
// request names in it.
type reports struct {
	turn gitrepo.Turn
	kept map[string]*readReport
}

func (r *Repository) lookTest(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, error) {
	switch {
	case e.Report == "":
		return nil, refuse("report_missing", "the test %q names no report", e.Name).
			WithFix("name the report of the run: a file in the repository, or one that was attached")
	case strings.HasPrefix(e.Report, lifecycle.AttachedPrefix):
		return nil, refuse("report_not_attached", "no report %s is attached", e.Report).
			WithFix("attach the report first, or name its file")
	}
	if err := r.checkPath(e.Report); err != nil {
		return nil, err
	}
	read, err := r.report(ctx, e.Report)
	if err != nil {
		return nil, err
	}
	if err := read.checkTimes(time.Now()); err != nil {
		return nil, err
	}
	result, err := read.report.Find(e.Name)
	if err != nil {
		return nil, of(e.Report, err)
	}
	if result != e.Result {
		return nil, refuse("test_result_differs", "in %s the result of %q is %s, and the evidence says %q", e.Report,
			e.Name, result, e.Result).
			WithFix("write the result that the report has, or run the tests again")
	}
	counts := read.report.Counts()
	found := &lifecycle.Found{
		In: lifecycle.InWorktree, SHA256: read.sum, Bytes: read.file.info.Size(), Modified: read.file.modified(),
		Format: read.report.Format, Run: read.report.Run, Ran: read.report.RanOf(e.Name).Latest,
		Counts: &lifecycle.Results{Run: counts.Run, Passed: counts.Passed, Failed: counts.Failed,
			Skipped: counts.Skipped},
	}
	if err := r.tie(ctx, e, found); err != nil {
		return nil, err
	}
	found.Run = read.report.RunOn(namedCommit(found))
	return found, nil
}

// checkTimes refuses a report that says that it is not there yet.
func (k *readReport) checkTimes(now time.Time) error {
	switch written, ran := k.file.modified(), k.report.Ran; {
	case written.After(now.Add(skew)):
		return refuse("report_from_future", "%s was written at %s, which is yet to come", k.file.name,
			written.Format(time.RFC3339)).
			WithFix("run the tests again, and leave the time of the report as it is")
	case ran.After(now.Add(maxAhead)):
		return refuse("report_from_future", "%s says that its tests ran at %s, which is yet to come", k.file.name,
			ran.Earliest.Format(time.RFC3339)).
			WithFix("set the clock of the machine that runs the tests, and run them again")
	}
	return nil
}

// report reads and parses the report at path, which has passed checkPath.
func (r *Repository) report(ctx context.Context, path string) (*readReport, error) {
	if err := r.reports.turn.Take(ctx); err != nil {
		return nil, err
	}
	defer r.reports.turn.Give()
	root, err := r.disk()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := stat(root, path)
	if errors.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Invalid, "report_not_found", "%s", fault.As(err).Detail).
			WithFix("run the tests with a report, or %s", fromRoot)
	}
	if err != nil {
		return nil, err
	}
	if k := r.reports.kept[path]; k != nil && k.holds(f.info) {
		return k, k.wrong
	}
	return r.readReport(ctx, root, f)
}

// readReport reads f, and parses it unless it has the content that it had before.
func (r *Repository) readReport(ctx context.Context, root *os.Root, f diskFile) (*readReport, error) {
	now := &readReport{file: f, at: time.Now()}
	content, err := read(ctx, root, f, r.options.MaxBytes)
	if err != nil {
		return nil, err
	}
	now.sum = digest(content)
	r.reports.parse(now, content)
	return now, now.wrong
}

// parse completes what was read. The caller has the turn.
func (k *reports) parse(now *readReport, content []byte) {
	name := now.file.name
	if old := k.kept[name]; old != nil && old.sum == now.sum {
		now.report, now.wrong = old.report, old.wrong
	} else if now.report, now.wrong = testreport.Parse(content); now.wrong != nil {
		now.wrong = of(name, now.wrong)
	}
	if delete(k.kept, name); len(k.kept) >= maxReports {
		clear(k.kept)
	}
	k.kept[name] = now
}

// holds reports whether the file is surely still what was read. One that was written shortly before it was read may
// have been written again since, within the same tick of the file system's clock.
func (k *readReport) holds(info fs.FileInfo) bool {
	return k.file.same(info) && k.at.Sub(info.ModTime()) > settled
}

// of adds to err which report it is about.
func of(path string, err error) error {
	f := fault.As(err)
	return f.WithDetail("%s: %s", path, f.Detail).WithFix("%s", f.Fix)
}

// namedCommit returns the commit that was named as the one that was tested, or "".
func namedCommit(then *lifecycle.Found) string {
	if then.Tip {
		return ""
	}
	return then.Commit
}
