package proposal

import (
	"context"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/lazyregexp"
)

// Cited is a piece of evidence in words, read.
type Cited struct {
	lifecycle.Evidence
	Report string // path of a report that is to be attached, as it was typed; "" for none
}

var (
	trailingLines  = lazyregexp.New(`^(.+):([0-9]+(?:-[0-9]+)?)$`)
	trailingCommit = lazyregexp.New(`^(.+)@([A-Za-z0-9_./~^-]+)$`)
)

// Evidence reads a piece of evidence:
//
//	file:PATH  file:PATH:10-20  file:PATH:10-20@COMMIT  commit:REVISION  test:NAME@REPORT  test:NAME=fail@REPORT
//
// Paths begin in the present folder. REPORT is the path of a report, or sha256:… of one that was attached.
func (t Tree) Evidence(ctx context.Context, word string, fails bool) (Cited, error) {
	kind, rest, _ := strings.Cut(word, ":")
	switch {
	case rest == "":
	case kind == lifecycle.EvidenceFile:
		file, err := t.file(ctx, rest)
		return Cited{Evidence: file}, err
	case kind == lifecycle.EvidenceCommit:
		id, err := t.Commit(ctx, rest)
		return Cited{Evidence: lifecycle.Evidence{Kind: kind, Commit: id}}, err
	case kind == lifecycle.EvidenceTest:
		return t.test(rest, fails)
	}
	return Cited{}, fault.Misuse("%q is no evidence", word).
		WithFix("give file:PATH, file:PATH:10-20, commit:HEAD or test:NAME@REPORT")
}

// File reads a file as implementations and designs name it: PATH or PATH:10-20.
func (t Tree) File(ctx context.Context, typed string) (any, error) {
	e, err := t.file(ctx, typed)
	file := map[string]any{"path": e.Path}
	if e.Lines != "" {
		file["lines"] = e.Lines
	}
	return file, err
}

func (t Tree) file(ctx context.Context, typed string) (e lifecycle.Evidence, err error) {
	e.Kind = lifecycle.EvidenceFile
	revision := ""
	if m := trailingCommit().FindStringSubmatch(typed); m != nil && trailingLines().MatchString(m[1]) {
		typed, revision = m[1], m[2]
	}
	if m := trailingLines().FindStringSubmatch(typed); m != nil {
		typed, e.Lines = m[1], m[2]
	}
	if e.Path, err = t.Path(typed); err != nil {
		return e, err
	}
	switch {
	case revision != "":
		e.Commit, err = t.Commit(ctx, revision)
	case e.Lines != "":
		err = t.checkLines(ctx, typed, e.Path, e.Lines)
	}
	return e, err
}

func (t Tree) test(typed string, fails bool) (Cited, error) {
	name, report := typed, ""
	if at := strings.LastIndexByte(typed, '@'); at > 0 {
		name, report = typed[:at], typed[at+1:]
	}
	e := lifecycle.Evidence{Kind: lifecycle.EvidenceTest, Name: name, Result: lifecycle.ResultPass}
	if fails {
		e.Result = lifecycle.ResultFail
	}
	for _, result := range []string{lifecycle.ResultPass, lifecycle.ResultFail} {
		if name, found := strings.CutSuffix(name, "="+result); found {
			e.Name, e.Result = name, result
		}
	}
	if strings.HasPrefix(report, lifecycle.AttachedPrefix) {
		e.Report = report
		return Cited{Evidence: e}, nil
	}
	if report == "" {
		return Cited{Evidence: e}, nil
	}
	path, err := t.Path(report)
	e.Report = path
	return Cited{e, report}, err
}

// Words returns a piece of evidence as it is typed.
func Words(e lifecycle.Evidence) string {
	switch e.Kind {
	case lifecycle.EvidenceCommit:
		return e.Kind + ":" + e.Commit
	case lifecycle.EvidenceTest:
		word := e.Kind + ":" + e.Name
		if e.Result == lifecycle.ResultFail {
			word += "=" + e.Result
		}
		if e.Report != "" {
			word += "@" + e.Report
		}
		return word
	}
	word := e.Kind + ":" + e.Path
	if e.Lines != "" {
		word += ":" + e.Lines
	}
	if e.Commit != "" && e.Lines != "" {
		word += "@" + e.Commit
	}
	return word
}
