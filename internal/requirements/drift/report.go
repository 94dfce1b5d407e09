package drift

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/pending"
	"orchestrator/internal/requirements/reqdoc"
	"orchestrator/internal/rules/lifecycle"
)

// Report says what an import did, or would do. No list is ever nil.
type Report struct {
	DryRun    bool       `json:"dry_run"`
	Documents []Document `json:"documents"`
	Found     int        `json:"found"` // requirements in the documents
	Unchanged int        `json:"unchanged"`
	Added     []Added    `json:"added"`
	Changed   []Changed  `json:"changed"`  // other text, or another priority
	Moved     []Moved    `json:"moved"`    // the same text and priority, other place or other marks
	Renamed   []Renamed  `json:"renamed"`  // proposed or declared: the old one is retired, the new one added
	Restored  []string   `json:"restored"` // had been retired, and are back
	Retired   []Retired  `json:"retired"`  // by this import: the documents no longer have them; kept and marked
	Others    []Other    `json:"others"`   // read, and no requirements
	Warnings  []Remark   `json:"warnings"`
	Skipped   []Remark   `json:"skipped"` // looked like definitions and were not taken
	Errors    []Remark   `json:"errors"`  // why nothing was imported

	Pending []pending.Proposal `json:"pending,omitempty"` // what open changes propose to the requirements
}

// ReportDocument is what was read of one document.
type Document struct {
	Path     string         `json:"path"`
	SHA256   string         `json:"sha256"`
	Title    string         `json:"title"`
	Family   string         `json:"family"` // by which most of it was read; "" when nothing was
	Mark     string         `json:"mark"`   // what shows the family
	Families map[string]int `json:"families"`
	Rows     int            `json:"rows"` // that look like requirements; those found are among them
	Found    int            `json:"found"`
	Others   map[string]int `json:"others"` // what is no requirement, by kind
	Delta    bool           `json:"delta"`  // it changes other documents
}

// ReportAdded is a requirement that is new.
type Added struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Place
}

// ReportPlace is where something stands.
type Place struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// Changed is a requirement with another text, or another priority.
type Changed struct {
	ID string `json:"id"`
	Place
	Suspect  bool      `json:"suspect"`            // work had begun: PM must accept what it is now
	Stale    []string  `json:"stale"`              // the parts that rest on another text
	Priority *Priority `json:"priority,omitempty"` // nil where it is as it was
	Diff     []Edit    `json:"diff"`               // empty where the text is as it was
}

// Priority is a change of what the document says a requirement's priority is.
type Priority struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ReportMoved is a requirement that stands elsewhere, or is marked otherwise, with the same text.
type Moved struct {
	ID string `json:"id"`
	Place
	From Place `json:"from"`
}

// ReportRenamed is a requirement that has got a new id, or seems to. Nothing is renamed by itself.
type Renamed struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Declared bool   `json:"declared"` // by the document; otherwise the texts are the same
}

// ReportRetired is a requirement that the documents no longer have.
type Retired struct {
	ID      string           `json:"id"`
	Title   string           `json:"title"`
	Status  lifecycle.Status `json:"status"`
	Strands []string         `json:"strands"` // the work that is left without a requirement
	PMMust  string           `json:"pm_must,omitempty"`
}

// ReportOther is something of a document that is no requirement.
type Other struct {
	Kind  string `json:"kind"`
	ID    string `json:"id,omitempty"`
	Title string `json:"title"`
	Place
}

// ReportRemark is something about a document that its author should know.
type Remark struct {
	Place          // of an error that is not about a line, without path or with line 0
	ID      string `json:"id,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// Drifted reports whether the documents are not what they were compared with. It counts no renamings: what has a new
// name is added, and its old name retired, by the same import.
func (r Report) Drifted() bool {
	return len(r.Added)+len(r.Changed)+len(r.Moved)+len(r.Restored)+len(r.Retired) > 0
}

// WarnOfReused warns of what is added under an id that another requirement had before. renamed returns that
// requirement's present id, and the record that took the id from it; "" if there was none.
func (r *Report) WarnOfReused(renamed func(id string) (now string, record uint64)) {
	for _, a := range r.Added {
		if now, seq := renamed(a.ID); now != "" && now != a.ID {
			r.Warnings = append(r.Warnings, Remark{a.Place, a.ID,
				fmt.Sprintf("%s was renamed to %s by record %d; this is another requirement, and %s no longer leads to %s",
					a.ID, now, seq, a.ID, now),
				"choose an id that was never used, unless that is meant"})
		}
	}
}

func emptyReport() Report {
	return Report{
		Documents: []Document{}, Added: []Added{}, Changed: []Changed{}, Moved: []Moved{},
		Renamed:  []Renamed{},
		Restored: []string{}, Retired: []Retired{}, Others: []Other{},
		Warnings: []Remark{}, Skipped: []Remark{}, Errors: []Remark{},
	}
}

// reportOn returns what can be said of a set before it meets the state.
func reportOn(set reqdoc.Set) Report {
	r := emptyReport()
	r.Found = len(set.Requirements)
	for _, d := range set.Documents {
		r.Documents = append(r.Documents, Document{
			d.Path, d.SHA256, d.Title, d.Family, d.Mark, counted(d.Families), d.Rows, d.Found, counted(d.Others), d.Delta,
		})
	}
	for _, o := range set.Others {
		r.Others = append(r.Others, Other{o.Kind, o.ID, o.Title, Place(o.Place)})
	}
	r.Warnings, r.Skipped = remarks(set.Warnings), remarks(set.Skipped)
	for _, renamed := range set.Renamed {
		r.Renamed = append(r.Renamed, Renamed{renamed.From, renamed.To, true})
	}
	return r
}

// propose adds what open changes propose to the requirements of a set; before are the ids that there were.
func (r *Report) propose(set reqdoc.Set, before []string) {
	if len(set.Pending) == 0 {
		return
	}
	texts, once := make(map[string]string, len(set.Requirements)), make(map[string]bool, len(before))
	for _, one := range set.Requirements {
		texts[one.ID] = one.Fingerprint
	}
	for _, id := range before {
		once[id] = true
	}
	open := pending.Of(set.Pending, set.Qualify, func(id string) (string, bool) {
		text, defined := texts[id]
		if !defined && once[id] {
			return "retired", false
		}
		return text, defined
	})
	r.Pending = open.Proposals
	for _, remark := range open.Remarks {
		r.Warnings = append(r.Warnings, Remark{Place{remark.Path, remark.Line}, "", remark.Message, remark.Fix})
	}
}

func counted(by map[string]int) map[string]int {
	counts := map[string]int{}
	maps.Copy(counts, by)
	return counts
}

func remarks(problems []reqdoc.Problem) []Remark {
	list := []Remark{}
	for _, p := range problems {
		list = append(list, Remark{Place(p.Place), p.ID, p.Message, p.Fix})
	}
	return list
}

// Failed returns the report on an import that was refused: nothing but its errors.
func Failed(err error) Report {
	r := emptyReport()
	f := fault.As(err)
	if f == nil {
		r.Errors = append(r.Errors, Remark{Message: err.Error()})
		return r
	}
	for _, field := range f.Fields {
		remark := Remark{Place: placeOf(field.Pointer), Message: field.Detail, Fix: field.Fix}
		if remark.Fix == "" {
			remark.Fix = f.Fix
		}
		r.Errors = append(r.Errors, remark)
	}
	if len(r.Errors) == 0 {
		r.Errors = append(r.Errors, Remark{Message: f.Detail, Fix: f.Fix})
	}
	return r
}

// placeOf reads the pointer of an error in a document, "<path>#L<line>".
func placeOf(pointer string) Place {
	at := strings.LastIndex(pointer, "#L")
	if at < 0 {
		return Place{Path: pointer}
	}
	line, err := strconv.Atoi(pointer[at+2:])
	if err != nil || line < 0 {
		return Place{Path: pointer}
	}
	return Place{pointer[:at], line}
}

// missed returns how many rows look like requirements and were not taken.
func (r Report) missed() int {
	n := 0
	for _, d := range r.Documents {
		n += d.Rows - d.Found
	}
	return n
}

// String returns the report in one line, for logs.
func (r Report) String() string {
	declared := 0
	for _, renamed := range r.Renamed {
		if renamed.Declared {
			declared++
		}
	}
	parts := []string{fmt.Sprintf("%d found, %d unchanged", r.Found, r.Unchanged)}
	for _, c := range []struct {
		n    int
		what string
	}{
		{len(r.Added), "added"}, {len(r.Changed), "changed"}, {len(r.Moved), "moved"}, {declared, "renamed"},
		{len(r.Renamed) - declared, "perhaps renamed"},
		{len(r.Restored), "restored"}, {len(r.Retired), "retired"}, {len(r.Warnings), "warnings"}, {len(r.Skipped), "skipped"},
		{len(r.Errors), "errors"}, {r.missed(), "rows not read"}, {len(r.Pending), "proposed"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}
