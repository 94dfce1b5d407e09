package evidence

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/testreport"
	"orchestrator/internal/rules/lifecycle"
)

// reportNow is what is at the path of a report during one check.
type reportNow struct {
	file   diskFile
	err    error
	sum    string            // "" until it was read
	report testreport.Report // that it has; none where it is no report
	parsed bool
}

// report reports whether the report of a test is what it was, or tells the same run in other bytes.
func (c *check) report(ctx context.Context, e lifecycle.Evidence) Standing {
	if strings.HasPrefix(e.Report, lifecycle.AttachedPrefix) || e.Found.In == lifecycle.InAttached {
		return Standing{} // the service keeps it
	}
	c.loose = true
	if c.root == nil {
		return cannot(c.failure)
	}
	now := c.reports[e.Report]
	if now == nil {
		now = &reportNow{}
		if now.err = c.r.checkPath(e.Report); now.err == nil {
			now.file, now.err = stat(c.root, e.Report)
		}
		c.reports[e.Report] = now
	}
	switch {
	case errors.Is(now.err, fault.Unavailable):
		return cannot(now.err)
	case now.err != nil:
		return Standing{Reason: lifecycle.ReportGone, Detail: fault.As(now.err).Detail}
	}
	same, err := c.sameRun(ctx, now, e.Found)
	switch {
	case err != nil:
		return cannot(err)
	case same:
		return Standing{}
	}
	return Standing{Reason: lifecycle.ReportChanged,
		Detail: fmt.Sprintf("%s was written again, at %s, with other content",
			e.Report, now.file.modified().Format("2006-01-02T15:04:05Z"))}
}

// sameRun compares the bytes, and the run that they tell where that is known. The time of the file proves nothing:
// anyone can set it.
func (c *check) sameRun(ctx context.Context, now *reportNow, then *lifecycle.Found) (bool, error) {
	if then.Run == "" && now.file.info.Size() != then.Bytes {
		return false, nil
	}
	if now.sum == "" || now.sum != then.SHA256 && then.Run != "" && !now.parsed {
		at := time.Now()
		content, err := read(ctx, c.root, now.file, c.r.options.MaxBytes)
		if err != nil {
			return false, err
		}
		if now.sum = digest(content); now.sum != then.SHA256 && then.Run != "" {
			if now.report, err = c.r.reports.parsed(ctx, &readReport{file: now.file, at: at, sum: now.sum}, content); err != nil {
				return false, err
			}
			now.parsed = true
		}
	}
	return now.sum == then.SHA256 || then.Run != "" && now.report.RunOn(namedCommit(then)) == then.Run, nil
}

// parsed returns what a report has, or nothing of what is no report.
func (k *reports) parsed(ctx context.Context, read *readReport, content []byte) (testreport.Report, error) {
	if err := k.turn.Take(ctx); err != nil {
		return testreport.Report{}, err
	}
	defer k.turn.Give()
	k.parse(read, content)
	return read.report, nil
}
