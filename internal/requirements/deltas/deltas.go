// Package deltas reads what the files of open changes propose. A file with faults proposes nothing, and is no error.
package deltas

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/requirements/reqid"
	"orchestrator/internal/secret"
)

// How much is kept.
const (
	maxEntries = 2_000 // of all files together
	maxRemarks = 20    // of one file
	maxText    = 300   // bytes of each text of a remark
)

// Read returns what those files propose that belong to an open change, in their order.
func Read(files []reqdoc.File) []pending.Delta {
	var all []pending.Delta
	left := maxEntries
	for _, f := range files {
		if f.Change == "" {
			continue
		}
		d := read(f)
		if n := len(d.Entries) - left; n > 0 {
			d.Entries, d.More = d.Entries[:left], d.More+n
		}
		left -= len(d.Entries)
		all = append(all, d)
	}
	return all
}

// read reads one file. The names in it are bare, whatever form the ids of the project have.
func read(f reqdoc.File) pending.Delta {
	d := pending.Delta{Change: f.Change, Path: f.Path}
	if f.Unread != "" {
		d.Remarks = []pending.Remark{{Message: f.Unread, Fix: "the change is looked at again when the file is mended"}}
		return d
	}
	set, err := reqdoc.Read([]reqdoc.File{{Path: f.Path, Content: f.Content}},
		reqdoc.Options{Family: "openspec", Qualify: qualify.None, Strict: true})
	d.SHA256 = digest(f.Content)
	switch {
	case err != nil:
		remarkError(&d, err)
	case !set.Partial:
		remark(&d, 1, "it proposes nothing: it has no section such as ADDED Requirements",
			"write its requirements below ## ADDED Requirements")
	default:
		take(&d, set)
	}
	if len(d.Entries) == 0 {
		d.Entries = nil // as it is when the state is read
	}
	return d
}

// take keeps what was read of a delta.
func take(d *pending.Delta, set reqdoc.Set) {
	does := map[string]string{reqdoc.DeltaAdded: pending.Add, reqdoc.DeltaModified: pending.Modify}
	for _, r := range set.Renamed {
		d.Entries = append(d.Entries, pending.Entry{Does: pending.Rename, Name: r.From, To: r.To, Line: r.Line})
	}
	for _, e := range set.Removed {
		d.Entries = append(d.Entries, pending.Entry{Does: pending.Remove, Name: e.ID, Line: e.Line})
	}
	for _, r := range set.Requirements {
		if does[r.Change] != "" {
			d.Entries = append(d.Entries,
				pending.Entry{Does: does[r.Change], Name: r.ID, Line: r.Line, Fingerprint: r.Fingerprint})
		}
	}
	d.Entries = slices.DeleteFunc(d.Entries, func(e pending.Entry) bool {
		return !isName(e.Name) || e.To != "" && !isName(e.To)
	})
	slices.SortStableFunc(d.Entries, func(a, b pending.Entry) int { return cmp.Compare(a.Line, b.Line) })
	for _, p := range slices.Concat(set.Skipped, set.Warnings) {
		remark(d, p.Line, p.Message, p.Fix)
	}
}

// isName reports whether a requirement can be called so. What looks like a secret is not kept.
func isName(name string) bool { return reqid.Valid(name) == nil && len(secret.Find(name)) == 0 }

// remarkError keeps why nothing of a file was read.
func remarkError(d *pending.Delta, err error) {
	f := fault.As(err)
	if f == nil {
		remark(d, 0, err.Error(), "mend the file")
		return
	}
	for _, field := range f.Fields {
		line := 0
		if _, number, found := strings.Cut(field.Pointer, "#L"); found {
			line, _ = strconv.Atoi(number) // 0 is the file as a whole
		}
		remark(d, line, field.Detail, cmp.Or(field.Fix, f.Fix))
	}
	if len(f.Fields) == 0 {
		remark(d, 0, f.Detail, f.Fix)
	}
}

func remark(d *pending.Delta, line int, message, fix string) {
	if len(d.Remarks) == maxRemarks {
		d.More++
		return
	}
	text := func(s string) string { return fault.Clip(secret.Mask(s), maxText) }
	d.Remarks = append(d.Remarks, pending.Remark{Line: line, Message: text(message), Fix: text(fix)})
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
