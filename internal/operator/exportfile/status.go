package exportfile

import (
	"context"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/finished"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/system/tree"
)

// maxStatus is the most bytes of an export that is read into memory.
const maxStatus = 1 << 30

// Status is what an export says of a project, for those who cannot ask a service.
type Status struct {
	Project struct {
		Name string `json:"name"`
	} `json:"project"`
	Workflow string `json:"workflow"`
	Evidence string `json:"evidence"`
	Branch   string `json:"branch"`
	Qualify  string `json:"qualify"`
	Log      struct {
		Size uint64 `json:"size"`
	} `json:"log"`
	Summary      jsontext.Value `json:"summary"`
	Requirements []Entry        `json:"requirements"`
	Raw          []byte         `json:"-"` // the export as it is
}

// Entry is a requirement of an export.
type Entry struct {
	ID      string
	Title   string
	Status  string
	Path    string
	Retired bool
	Tick    string // that the document has
	Former  []FormerID
	Raw     jsontext.Value // as it stands in the export
}

// Meant returns the ids that a name stands for, sorted: the name itself if it is an id, else those whose short form it
// is.
func (s Status) Meant(name string) []string {
	all := make([]qualify.One, 0, len(s.Requirements))
	for _, e := range s.Requirements {
		all = append(all, qualify.One{ID: e.ID, Path: e.Path, Retired: e.Retired})
	}
	return qualify.NamesOf(all).Meant(name)
}

// Complete returns how many requirements the document calls finished that are not done.
func (s Status) Complete() (n int) {
	for _, e := range s.Requirements {
		if finished.Says(e.Tick, e.Status, e.Retired) {
			n++
		}
	}
	return n
}

// FormerID is an id that a requirement had until a record of the log.
type FormerID struct {
	ID     string `json:"id"`
	Record uint64 `json:"record"`
}

// Find returns the requirement with an id, or else the one that had it last; nil if none ever had.
func (s Status) Find(id string) *Entry {
	var found *Entry
	record := uint64(0)
	for i, e := range s.Requirements {
		if e.ID == id {
			return &s.Requirements[i]
		}
		for _, f := range e.Former {
			if f.ID == id && f.Record >= record {
				found, record = &s.Requirements[i], f.Record
			}
		}
	}
	return found
}

// UnmarshalJSONFrom keeps the text besides the members that are needed most.
func (e *Entry) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	e.Raw = raw.Clone()
	known := struct {
		ID      *string     `json:"id"`
		Title   *string     `json:"title"`
		Status  *string     `json:"status"`
		Retired *bool       `json:"retired"`
		Former  *[]FormerID `json:"former_ids"`
		Source  struct {
			Path *string `json:"path"`
			Tick *string `json:"tick"`
		} `json:"source"`
	}{ID: &e.ID, Title: &e.Title, Status: &e.Status, Retired: &e.Retired, Former: &e.Former}
	known.Source.Path, known.Source.Tick = &e.Path, &e.Tick
	return jsonv2.Unmarshal(e.Raw, &known)
}

// ReadStatus reads an export.
func ReadStatus(ctx context.Context, path string) (s Status, err error) {
	unreadable := func(cause error) error {
		return fault.New(fault.Unavailable, projection.CodeExportUnreadable, "the export %s cannot be read", path).
			WithFix("make it a regular file that this user can read, as git has it, or ask the service with --server").
			Because(cause)
	}
	content, err := tree.ReadFile(ctx, path, maxStatus)
	if err != nil {
		return s, unreadable(err)
	}
	if err := jsonv2.Unmarshal(content, &s); err != nil {
		return s, unreadable(err)
	}
	s.Raw = content
	return s, nil
}
