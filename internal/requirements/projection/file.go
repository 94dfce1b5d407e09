package projection

import (
	"errors"
	"fmt"
	"io"
	"iter"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/requirements/account"
	"orchestrator/internal/rules/lifecycle"
)

// SchemaVersion is the version of the export's shape, schemas/project.schema.json.
const SchemaVersion = 1

// FileHead is everything in the export that stands before the requirements.
type FileHead struct {
	SchemaVersion int         `json:"schema_version"`
	Project       FileProject `json:"project"`
	Workflow      string      `json:"workflow"`
	Evidence      string      `json:"evidence"`
	Branch        string      `json:"branch,omitempty"`  // whose tip evidence is held against
	Qualify       string      `json:"qualify,omitempty"` // form of the ids
	Revision      uint64      `json:"revision"`
	Log           FileLog     `json:"log"`
	Import        *FileImport `json:"import,omitempty"`
	Summary       FileSummary `json:"summary"`
}

type FileProject struct {
	Name    string       `json:"name"`
	Sources []SourceFile `json:"sources"`
}

// FileImport says in short what the last import read.
type FileImport struct {
	Record    uint64         `json:"record"`
	Documents []FileDocument `json:"documents"`
}

// FileDocument says how much was read of a document.
type FileDocument struct {
	Path           string `json:"path"`
	account.Counts `json:"counts"`
}

type FileLog struct {
	Size uint64     `json:"size"`
	Root audit.Hash `json:"root"`
	Key  string     `json:"key,omitempty"` // verifies the checkpoints of the log
}

type FileSummary struct {
	Total    int                      `json:"total"`
	ByStatus map[lifecycle.Status]int `json:"by_status"`
	Done     int                      `json:"done"`
	Stale    int                      `json:"stale"`
	Suspect  int                      `json:"suspect"`
	Retired  int                      `json:"retired"`
}

// Write writes the export: the head, then the stored bytes of every requirement, a line each. Nothing
// is encoded but the head.
func (s *Snapshot) Write(w io.Writer) error {
	return WriteFile(w, s.Project, s.Counts, s.Head, func(yield func([]byte) bool) {
		for e := range s.All() {
			if !yield(e.Raw) {
				return
			}
		}
	})
}

func (i *Import) short() *FileImport {
	if i == nil {
		return nil
	}
	short := &FileImport{i.Record, make([]FileDocument, len(i.Documents))}
	for n, d := range i.Documents {
		short.Documents[n] = FileDocument{d.Path, d.Counts}
	}
	return short
}

// whole is the reverse of short, as far as that goes.
func (f *FileImport) whole() *Import {
	if f == nil {
		return nil
	}
	whole := &Import{Record: f.Record, Documents: make([]account.Document, len(f.Documents))}
	for n, d := range f.Documents {
		whole.Documents[n] = account.Document{Path: d.Path, Counts: d.Counts}
	}
	return whole
}

// WriteFile writes the export for whoever has no snapshot: raw yields the stored bytes of the requirements in the order
// of the project.
func WriteFile(w io.Writer, p Project, counts Counts, log audit.Head, raw iter.Seq[[]byte]) error {
	head, err := encodeHead(p, counts, log)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	separator := []byte(firstSeparator)
	for requirement := range raw {
		if _, err := w.Write(separator); err != nil {
			return err
		}
		if _, err := w.Write(requirement); err != nil {
			return err
		}
		separator = []byte(nextSeparator)
	}
	_, err = io.WriteString(w, fileEnd)
	return err
}

// headOf returns what encodeHead does of a snapshot. It is not to be changed.
func headOf(s *Snapshot) ([]byte, error) {
	if head := s.head.Load(); head != nil {
		return *head, nil
	}
	head, err := encodeHead(s.Project, s.Counts, s.Head)
	if err == nil {
		s.head.Store(&head)
	}
	return head, err
}

// encodeHead returns everything in the export that stands before the requirements.
func encodeHead(p Project, counts Counts, log audit.Head) ([]byte, error) {
	by := map[lifecycle.Status]int{}
	for status, n := range counts.ByStatus {
		if n > 0 {
			by[status] = n
		}
	}
	head, err := ledger.Encode(FileHead{
		SchemaVersion, FileProject{p.Name, append([]SourceFile{}, p.Sources...)}, p.WorkflowName, p.Evidence, p.Branch,
		p.Qualify, counts.Revision, FileLog{log.Size, log.Root, p.AuditKey}, p.Import.short(),
		FileSummary{len(p.IDs), by, by[lifecycle.Done], counts.Stale, counts.Suspect, counts.Retired},
	})
	if err != nil {
		return nil, err
	}
	return append(head[:len(head)-1], `,"requirements":[`...), nil
}

// maxHead bounds, in bytes, how far an export is read for its log. Before that stand the documents of the project, each
// with some 100 bytes.
const maxHead = 16 << 20

// ReadLog reads an export as far as the member log, which stands before the requirements, but no further than maxHead.
func ReadLog(export io.Reader) (FileLog, error) {
	var log FileLog
	d := jsontext.NewDecoder(io.LimitReader(export, maxHead))
	if tok, err := d.ReadToken(); err != nil || tok.Kind() != '{' {
		return log, errors.New("not a JSON object")
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return log, err
		}
		if name.String() == "log" {
			return log, jsonv2.UnmarshalDecode(d, &log)
		}
		if err := d.SkipValue(); err != nil {
			return log, err
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return log, err
	}
	return log, errNoLog
}

var errNoLog = errors.New("no member log")

// ReadFile reads a whole export back as the snapshot it was written from. An error says what is wrong with it.
func ReadFile(export io.Reader) (*Snapshot, error) {
	var file struct {
		FileHead
		Requirements []jsontext.Value `json:"requirements"`
	}
	if err := jsonv2.UnmarshalRead(export, &file); err != nil {
		return nil, err
	}
	if file.SchemaVersion != SchemaVersion || file.Log.Size == 0 {
		return nil, fmt.Errorf("it is not of schema version %d", SchemaVersion)
	}
	p := Project{Name: file.Project.Name, Sources: file.Project.Sources, WorkflowName: file.Workflow,
		Evidence: file.Evidence, Branch: file.Branch, Qualify: file.Qualify,
		AuditKey: file.Log.Key, Import: file.Import.whole()}
	entries := make(map[string]*Entry, len(file.Requirements))
	for _, raw := range file.Requirements {
		var req lifecycle.Requirement
		if err := jsonv2.Unmarshal(raw, &req); err != nil {
			return nil, err
		}
		if req.ID == "" || !req.Status.Valid() || entries[req.ID] != nil {
			return nil, fmt.Errorf("requirement %d has no id of its own, or no status", len(p.IDs)+1)
		}
		p.IDs = append(p.IDs, req.ID)
		entries[req.ID] = NewEntry(req, raw, p.Workflow())
	}
	return New(p, entries, audit.Head{Size: file.Log.Size, Root: file.Log.Root})
}
