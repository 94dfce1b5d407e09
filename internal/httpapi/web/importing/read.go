package importing

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/httpapi/web/page"
	"orchestrator/internal/httpapi/web/words"
)

// lastImport is what the API answers about the last import.
type lastImport struct {
	Last struct {
		OK      bool     `json:"ok"`
		Problem *failure `json:"problem"`
	} `json:"last"`
	Counts   counts    `json:"counts"`
	Imported *imported `json:"imported"`
}

type counts struct {
	Rows     int `json:"rows"`
	Read     int `json:"read"`
	Skipped  int `json:"skipped"`
	Warnings int `json:"warnings"`
}

// imported is the last import that is on record.
type imported struct {
	Record uint64    `json:"record"`
	At     time.Time `json:"at"`
	By     struct {
		Name string `json:"name"`
		Role string `json:"role"`
	} `json:"by"`
	Origin struct {
		Via string `json:"via"`
	} `json:"origin"`
	Documents []document `json:"documents"`
}

// How returns, in words, what made the import begin.
func (i imported) How() string {
	switch i.Origin.Via {
	case "start":
		return "when the service started"
	case "watch":
		return "when the document changed"
	case "command":
		return "by orchestrator import"
	}
	return "by a request"
}

// document is what was read of one.
type document struct {
	Path    string   `json:"path"`
	Family  string   `json:"family"`
	Delta   bool     `json:"delta"`
	Counts  counts   `json:"counts"`
	Remarks []remark `json:"remarks"`
	More    int      `json:"more"`
	Origin  *origin  `json:"origin"`
}

// origin is where the content of a document came from.
type origin struct {
	Commit      string    `json:"commit"`
	Author      string    `json:"author"`
	At          time.Time `json:"at"`
	Uncommitted bool      `json:"uncommitted"`
}

// Short returns the first characters of the commit.
func (o origin) Short() string { return o.Commit[:min(7, len(o.Commit))] }

// remark is something in a document that was not taken, or that its author should know.
type remark struct {
	Path    string `json:"-"`
	Line    int    `json:"line"`
	ID      string `json:"id"`
	Message string `json:"message"`
	Fix     string `json:"fix"`
	Excerpt string `json:"excerpt"`
}

// Why returns, in words, why a line was not taken, as a sentence.
func (r remark) Why() string {
	why := r.Message
	if _, rest, found := strings.Cut(r.Message, ": "); found && strings.HasPrefix(r.Message, r.ID) {
		why = rest
	}
	return words.Upper(why) + "."
}

// What returns, in words, what to do, as a sentence.
func (r remark) What() string {
	if r.Fix == "" {
		return ""
	}
	return words.Upper(r.Fix) + "."
}

// mostRemarks is how many lines that were not taken are shown.
const mostRemarks = 200

// remarksOf returns what the documents have that was not taken, and how much more there is.
func remarksOf(documents []document) (all []remark, more int) {
	for _, d := range documents {
		more += d.More
		for _, r := range d.Remarks {
			r.Path = d.Path
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b remark) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.Line - b.Line
	})
	if len(all) > mostRemarks {
		all, more = all[:mostRemarks], more+len(all)-mostRemarks
	}
	return all, more
}

// recorded is what the record of an import has of requirements.
type recorded struct {
	Data struct {
		Defined []struct {
			ID string `json:"id"`
		} `json:"defined"`
		Retired []string `json:"retired"`
	} `json:"data"`
}

// mostNamed is how many requirements of the last import are named.
const mostNamed = 24

// lately is what the last import on record changed.
type lately struct {
	Defined, Retired         []string
	MoreDefined, MoreRetired int
}

// latelyOf reads from a record what its import changed; nil where it changed nothing.
func latelyOf(v *page.Visit, record uint64) (*lately, error) {
	var r recorded
	if err := v.API.Get("/audit/records/"+strconv.FormatUint(record, 10), nil, &r); err != nil {
		return nil, err
	}
	if len(r.Data.Defined)+len(r.Data.Retired) == 0 {
		return nil, nil
	}
	l := &lately{MoreDefined: max(0, len(r.Data.Defined)-mostNamed), MoreRetired: max(0, len(r.Data.Retired)-mostNamed)}
	for _, d := range r.Data.Defined[:len(r.Data.Defined)-l.MoreDefined] {
		l.Defined = append(l.Defined, d.ID)
	}
	l.Retired = r.Data.Retired[:len(r.Data.Retired)-l.MoreRetired]
	return l, nil
}
