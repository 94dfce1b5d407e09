// Package importing shows what was read of the requirement documents, what of them was not taken and why, and imports
// them again.
package importing

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"

	"orchestrator/internal/httpapi/web/ask"
	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/requirements/drift"
	"orchestrator/internal/rules/lifecycle"
)

//go:embed *.html
var files embed.FS

// path is that of the page below page.Root, and of the import in the API.
const path = "/project/import"

// Page returns the page.
func Page() page.Page {
	return page.Page{Pattern: path, Nav: "Import", Template: page.Parse(files), Show: show, Act: act}
}

// data is what the page shows.
type data struct {
	Opening, Lead string
	Panel         *page.Panel
	Failed        *failure
	Strips        []strip
	NotTaken      []remark
	MoreNotTaken  int
	Report        *changes // what an import would change; nil where nobody asked
	Documents     []document
	Import        *imported
	Lately        *lately
	May           bool // whoever looks may import
	Names         string
}

// failure is why the last attempt changed nothing.
type failure struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
	Errors []struct {
		Path   string `json:"path"`
		Line   int    `json:"line"`
		Detail string `json:"detail"`
		Fix    string `json:"fix"`
	} `json:"errors"`
}

// Implements: ORC-337
func show(v *page.Visit) (page.View, error) {
	var last lastImport
	if err := v.API.Get(path, nil, &last); err != nil {
		return page.View{}, err
	}
	d := data{Panel: page.NewPanel(v.Refused), Import: last.Imported, May: v.Is(lifecycle.PM)}
	if !last.Last.OK {
		d.Failed = last.Last.Problem
	}
	if last.Imported != nil {
		d.Documents = last.Imported.Documents
		d.NotTaken, d.MoreNotTaken = remarksOf(d.Documents)
		var err error
		if d.Strips, err = stripsOf(v, d.Documents); err != nil {
			return page.View{}, err
		}
		if d.Lately, err = latelyOf(v, last.Imported.Record); err != nil {
			return page.View{}, err
		}
	}
	if report, looked := v.Found.(drift.Report); looked {
		d.Report = changesOf(report)
	}
	d.Names = named(d.Documents)
	d.Opening, d.Lead = open(last, d)
	return page.View{Title: "Import", Data: d}, nil
}

// The ways to import.
const (
	actLook   = "look"
	actImport = "import"
)

// act looks what an import would change, or imports.
func act(v *page.Visit) (page.Outcome, error) {
	call := ask.Call{Method: http.MethodPost, Path: path, Query: url.Values{}}
	look := v.Form.Get("act") != actImport
	if look {
		call.Query.Set("dry_run", "true")
	}
	got := v.API.Send(call)
	if err := got.Refused(); err != nil {
		return page.Outcome{}, err
	}
	var report drift.Report
	if err := got.Fill(&report); err != nil {
		return page.Outcome{}, err
	}
	if look {
		v.Found = report
		return page.Outcome{Said: "Nothing was changed.", Tried: true}, nil
	}
	return page.Outcome{Said: page.Recorded(done(report), got), To: page.Root + path}, nil
}

// done says what an import did.
func done(r drift.Report) string {
	if !r.Drifted() {
		return "The documents were read; nothing in them had changed."
	}
	return "The documents were imported: " + said(r) + "."
}

// said counts what is different.
func said(r drift.Report) string {
	var all []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{len(r.Added), "added"}, {len(r.Changed), "changed"}, {len(r.Moved), "moved"}, {len(r.Restored), "restored"},
		{len(r.Retired), "retired"},
	} {
		if c.n > 0 {
			all = append(all, words.Count(c.n)+" "+c.what)
		}
	}
	return words.And(all...)
}

// open says what was read, and what was not taken.
func open(last lastImport, d data) (opening, lead string) {
	switch {
	case d.Failed != nil:
		return "The documents were not imported: " + d.Failed.Detail + ".",
			"The requirements are as they were before. " + words.Upper(d.Failed.Fix) + "."
	case last.Imported == nil:
		return "No import is on record yet.",
			"The service reads the documents that its setting requirements names; without it, REQUIREMENTS.md."
	}
	n := last.Counts.Read
	opening = words.Upper(words.Counted(n, "requirement was", "requirements were")) + " read."
	switch skipped := last.Counts.Skipped; {
	case skipped > 0:
		opening += fmt.Sprintf(" %s like one and %s not taken.",
			words.Upper(words.Counted(skipped, "line looks", "lines look")), words.Plural(skipped, "was", "were"))
	default:
		opening += " No line that looks like one was left out."
	}
	return opening, ""
}

// named names the documents, for the button.
func named(all []document) string {
	switch len(all) {
	case 0:
		return "the documents"
	case 1:
		return all[0].Path
	}
	return fmt.Sprintf("%s documents", words.Count(len(all)))
}
