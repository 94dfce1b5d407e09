package evidence

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/testreport"
)

const (
	attached   = "sha256:" // begins the name of a report that the service keeps
	maxReports = 4
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

// reports keeps those that were read last, the newest at the end. It saves reading and parsing one again for each of
// the tests that a request names in it.
type reports struct {
	turn turn
	kept []readReport
}

func (r *Repository) lookTest(ctx context.Context, e lifecycle.Evidence) (*lifecycle.Found, error) {
	switch {
	case e.Report == "":
		return nil, refuse("report_missing", "the test %q names no report", e.Name).
			WithFix("name the report of the run: a file in the repository, or one that was attached")
	case strings.HasPrefix(e.Report, attached):
		return nil, refuse("report_not_attached", "no report %s is attached", e.Report).
			WithFix("attach the report first, or name its file")
	}
	if err := checkPath(e.Report); err != nil {
		return nil, err
	}
	read, err := r.report(ctx, e.Report)
	if err != nil {
		return nil, err
	}
	result, err := read.report.Find(e.Name)
	if err != nil {
		return nil, err
	}
	if result != e.Result {
		return nil, refuse("test_result_differs", "in %s the result of %q is %s, and the evidence says %q", e.Report, e.Name, result, e.Result).
			WithFix("write the result that the report has, or run the tests again")
	}
	counts := read.report.Counts()
	return &lifecycle.Found{
		In: lifecycle.InWorktree, SHA256: read.sum, Bytes: read.file.info.Size(), Modified: read.file.modified(), Format: read.report.Format,
		Counts: &lifecycle.Results{Run: counts.Run, Passed: counts.Passed, Failed: counts.Failed, Skipped: counts.Skipped},
	}, nil
}

// report reads and parses the report at path, which has passed checkPath.
func (r *Repository) report(ctx context.Context, path string) (readReport, error) {
	if err := r.reports.turn.take(ctx); err != nil {
		return readReport{}, err
	}
	defer r.reports.turn.give()
	root, err := r.disk()
	if err != nil {
		return readReport{}, err
	}
	defer root.Close()
	f, err := stat(root, path)
	if errors.Is(err, fault.NotFound) {
		return readReport{}, fault.New(fault.Invalid, "report_not_found", "%s", asFault(err).Detail).WithFix("run the tests with a report, or %s", fromRoot)
	}
	if err != nil {
		return readReport{}, err
	}
	kept := &r.reports.kept
	if i := slices.IndexFunc(*kept, func(k readReport) bool { return k.holds(f.name, f.info) }); i >= 0 {
		return (*kept)[i], (*kept)[i].wrong
	}
	at := time.Now()
	content, err := read(root, f, r.options.MaxBytes)
	if err != nil {
		return readReport{}, err
	}
	now := readReport{file: f, at: at, sum: digest(content)}
	if i := slices.IndexFunc(*kept, func(k readReport) bool { return k.file.name == path }); i >= 0 {
		if old := (*kept)[i]; old.sum == now.sum {
			now.report, now.wrong = old.report, old.wrong
		} else {
			now.parse(content)
		}
		*kept = slices.Delete(*kept, i, i+1)
	} else {
		now.parse(content)
	}
	*kept = append((*kept)[max(0, len(*kept)-maxReports+1):], now)
	return now, now.wrong
}

// holds says whether the file at name is surely still what was read. One that was written shortly before it was read
// may have been written again since, within the same tick of the file system's clock.
func (k readReport) holds(name string, info fs.FileInfo) bool {
	return k.file.name == name && k.file.same(info) && k.at.Sub(info.ModTime()) > settled
}

func (k *readReport) parse(content []byte) {
	if k.report, k.wrong = testreport.Parse(content); k.wrong != nil {
		if f := asFault(k.wrong); f != nil {
			k.wrong = fault.New(f.Kind, f.Code, "%s: %s", k.file.name, f.Detail).WithFix("%s", f.Fix)
		}
	}
}
