package drift

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/requirements/ahead"
	"orchestrator/internal/requirements/decision"
	"orchestrator/internal/requirements/deltas"
	"orchestrator/internal/requirements/documents"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/secret"
)

// CodeExportInvalid is the code of a file that is no export.
const CodeExportInvalid fault.Code = "export_invalid"

// DryRun returns the report on an import that is not made.
func DryRun(from store.Getter, before projection.Project, set reqdoc.Set) (Report, error) {
	plan, err := New(from, before, set, time.Time{})
	if err != nil {
		return Report{}, err
	}
	report := plan.Report()
	report.DryRun = true
	return report, nil
}

// Preview reports what an import would do to the state of an export; without one, to the empty state.
//
// Implements: ORC-081
func Preview(export io.Reader, files []reqdoc.File, o reqdoc.Options) (Report, error) {
	snap, err := projection.New(projection.Project{}, nil, audit.Head{})
	if err == nil && export != nil {
		snap, err = projection.ReadFile(export)
	}
	if err != nil {
		return Report{}, fault.New(fault.Invalid, CodeExportInvalid, "the export cannot be read as one").
			WithFix("give the export that the service writes, whole, or none").Because(err)
	}
	if err := snap.Project.CheckForm(o.Qualify); err != nil {
		return Report{}, err
	}
	set, err := Read(files, o, snap.Project)
	if err != nil {
		return Report{}, err
	}
	report, err := DryRun(snap, snap.Project, set)
	report.WarnOfReused(snap.WasRenamed)
	return report, err
}

// Read reads documents of a project as a set of requirements, which must not be empty, and warns of secrets in them.
// The ids have the form that is in force.
func Read(files []reqdoc.File, o reqdoc.Options, of projection.Project) (reqdoc.Set, error) {
	o.Qualify, o.InForce = of.Form(o.Qualify), of.Import.DocumentsInForce()
	secrets := ahead.Begin(func() []lineWithSecret { return secretsIn(files) })
	if o.Sparing {
		secrets() // before there is much else in memory: it takes each document as a text of its own
	}
	set, err := reqdoc.Read(files, o)
	set.Pending = deltas.Read(files)
	warnOfSecrets(&set, secrets())
	if err == nil && len(set.Requirements) == 0 && !(set.Partial && len(set.Removed)+len(set.Renamed) > 0) {
		err = noRequirements(set.Skipped)
	}
	return set, err
}

// ErrStopped is the error of documents that are not read to their end.
var ErrStopped = errors.New("the reading of the documents was stopped")

// ReadUnless reads as Read does, but sparingly, and waits no longer when stop is closed: many documents take seconds to
// read. A nil stop never is, and spares nothing.
func ReadUnless(stop <-chan struct{}, files []reqdoc.File, o reqdoc.Options, of projection.Project) (reqdoc.Set, error) {
	if stop == nil {
		return Read(files, o, of)
	}
	type found struct {
		set reqdoc.Set
		err error
	}
	o.Sparing = true
	done := make(chan found, 1)
	go func() {
		set, err := Read(files, o, of)
		done <- found{set, err}
	}()
	select {
	case f := <-done:
		return f.set, f.err
	case <-stop:
		return reqdoc.Set{}, ErrStopped
	}
}

// NotImported returns the documents that are new, or not as they were imported.
func NotImported(files []reqdoc.File, into projection.Project) []reqdoc.File {
	known := into.Import.Digests()
	return slices.DeleteFunc(slices.Clone(files), func(f reqdoc.File) bool {
		return f.Change != "" || isKnown(f, known)
	})
}

// isKnown reports whether a document is as it was imported, given the digests of all that were.
func isKnown(f reqdoc.File, digests map[string]string) bool {
	return digests[f.Path] == ledger.Digest(f.Content)
}

// AreImported reports whether documents are, byte for byte, those that were imported last, without open changes.
func AreImported(files []reqdoc.File, into projection.Project) bool {
	known := into.Import.Digests()
	return len(files) > 0 && len(files) == len(known) && len(into.Pending) == 0 &&
		!slices.ContainsFunc(files, func(f reqdoc.File) bool { return f.Change != "" || !isKnown(f, known) })
}

// definitionOf returns the definition that a document gives. What a snapshot keeps of it keeps no document in memory.
func definitionOf(r reqdoc.Requirement) lifecycle.Definition {
	for i, id := range r.DependsOn {
		r.DependsOn[i] = strings.Clone(id)
	}
	d := lifecycle.Definition{
		ID: r.ID, Title: strings.Clone(r.Title), Text: r.Text, Kind: r.Kind, Acceptance: []lifecycle.Criterion{},
		Parents: r.Parents, DependsOn: r.DependsOn, Fingerprint: r.Fingerprint,
		Source: lifecycle.Source{
			Path: r.Path, Line: r.Line, EndLine: r.EndLine, Section: append([]string{}, r.Section...),
			Family: r.Family, Assigned: r.Assigned, Priority: r.Priority, Tick: r.Tick,
		},
	}
	for _, c := range r.Acceptance {
		d.Acceptance = append(d.Acceptance, lifecycle.Criterion(c))
	}
	return d
}

func noRequirements(skipped []reqdoc.Problem) error {
	var fields []fault.Field
	for _, p := range skipped[:min(len(skipped), decision.MaxViolations)] {
		fields = append(fields, fault.Field{Pointer: fmt.Sprintf("%s#L%d", p.Path, p.Line), Detail: p.Message,
			Fix: p.Fix})
	}
	return fault.New(fault.Invalid, documents.CodeNoRequirements,
		"0 found: no text has an explicit id where one defines a requirement; the state is left as it was").
		WithFields(fields...).
		WithFix("give each requirement an id at the start of a heading, list item, bold label or table row, for example: - **REQ-001**: the text")
}

// lineWithSecret is a line of a document on which something looks like a secret.
type lineWithSecret struct {
	reqdoc.Place
	what  string
	first bool // of the secret's lines
}

func secretsIn(files []reqdoc.File) (lines []lineWithSecret) {
	for _, file := range files {
		if file.Change != "" {
			continue
		}
		line, at := 1, 0
		for _, f := range secret.Find(string(file.Content)) {
			line, at = line+bytes.Count(file.Content[at:f.Start], []byte("\n")), f.Start
			for n := range 1 + bytes.Count(file.Content[f.Start:f.End], []byte("\n")) {
				lines = append(lines, lineWithSecret{reqdoc.Place{Path: file.Path, Line: line + n}, f.What, n == 0})
			}
		}
	}
	return lines
}

// warnOfSecrets warns of secrets in requirement documents, which are the user's to mend, and takes the lines that they
// stand on out of other remarks.
func warnOfSecrets(set *reqdoc.Set, lines []lineWithSecret) {
	spoiled := make(map[reqdoc.Place]bool, len(lines))
	for _, l := range lines {
		spoiled[l.Place] = true
	}
	for _, problems := range [][]reqdoc.Problem{set.Skipped, set.Warnings} {
		for i, p := range problems {
			if spoiled[p.Place] {
				problems[i].Excerpt = ""
			}
		}
	}
	warned := 0
	for _, l := range lines {
		if l.first && warned < decision.MaxViolations {
			warned++
			set.Warnings = append(set.Warnings, reqdoc.Problem{
				Place: l.Place, Reason: account.ReasonSecret, Message: "this looks like " + l.what,
				Fix: "name where the secret is kept, and revoke it if it was real: what is imported stays in the log",
			})
		}
	}
}
