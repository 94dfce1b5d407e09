package lookup

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/requirements/projection"
	"orchestrator/internal/rules/claiming"
	"orchestrator/internal/rules/lifecycle"
)

// Query selects requirements. A zero member but Limit selects all.
type Query struct {
	Status     lifecycle.Status
	NotStatus  lifecycle.Status // in any other status
	Role       lifecycle.Role   // whose turn it is
	WaitingFor lifecycle.Party
	Suspect    *bool
	Stale      *bool
	Retired    *bool
	Claimed    *bool         // somebody has a part of it to itself
	Kind       string        // as the documents have it
	By         string        // an actor who wrote a part of it last
	Text       string        // in id, title or text, without regard to case
	OlderThan  time.Duration // in their status for so long, at least
	Since      uint64        // a size of the log: published with a larger one

	Sort   Order
	Desc   bool
	After  string // the After of the page before
	Holder string // to whom claims are shown
	Limit  int    // of a page, at least 1
}

// List is one page of requirements.
type List struct {
	Total        int                  `json:"total"` // that match, on all pages
	AsOf         uint64               `json:"as_of"` // the size of the log; Since takes it
	Requirements []projection.Summary `json:"requirements"`
	After        string               `json:"-"` // cursor of the next page; "" when this is the last
}

// Select reads a page, as of a time. Equals are in the order of the documents, so that every requirement is on one
// page, as long as none changes. An unknown cursor is fault.Malformed.
func (q Query) Select(from *projection.Snapshot, now time.Time) (List, error) {
	after, err := q.after(from)
	if err != nil {
		return List{}, err
	}
	q.Text = strings.ToLower(q.Text)
	var rows []row
	at := -1
	for e := range from.All() {
		if at++; q.matches(e, now) && (q.Claimed == nil || *q.Claimed == isClaimed(from, e, now)) {
			rows = append(rows, row{e, q.Sort.keyOf(e), at})
		}
	}
	slices.SortFunc(rows, q.compare)
	list := List{Total: len(rows), AsOf: from.Head.Size, Requirements: []projection.Summary{}}
	if after != nil {
		i, found := slices.BinarySearchFunc(rows, *after, q.compare)
		if found {
			i++
		}
		rows = rows[i:]
	}
	for _, r := range rows[:min(len(rows), q.Limit)] {
		summary := r.entry.Summary
		summary.Claims = claiming.Marks(claiming.Live(from.ClaimsOn(summary.ID), now), q.Holder)
		list.Requirements = append(list.Requirements, summary)
	}
	if len(rows) > q.Limit {
		list.After = q.cursor(rows[q.Limit-1])
	}
	return list, nil
}

func isClaimed(from *projection.Snapshot, e *projection.Entry, now time.Time) bool {
	return len(claiming.Live(from.ClaimsOn(e.Summary.ID), now)) > 0
}

func (q Query) matches(e *projection.Entry, now time.Time) bool {
	s := e.Summary
	switch {
	case q.Status != "" && s.Status != q.Status,
		q.NotStatus != "" && s.Status == q.NotStatus,
		q.Role != "" && !slices.Contains(s.WaitingFor, lifecycle.Party(q.Role)),
		q.WaitingFor != "" && !slices.Contains(s.WaitingFor, q.WaitingFor),
		q.Kind != "" && s.Kind != q.Kind,
		q.Suspect != nil && s.Suspect != *q.Suspect,
		q.Stale != nil && s.Stale != *q.Stale,
		q.Retired != nil && s.Retired != *q.Retired,
		e.Size <= q.Since,
		q.OlderThan > 0 && now.Sub(s.Since) < q.OlderThan:
		return false
	case q.By != "" && !e.WroteLast(q.By):
		return false
	case q.Text == "" || strings.Contains(strings.ToLower(s.ID+"\n"+s.Title), q.Text):
		return true
	}
	return strings.Contains(strings.ToLower(e.Text()), q.Text)
}

// Parties returns whom a requirement may wait for.
func Parties() (all []lifecycle.Party) {
	for _, role := range lifecycle.Roles() {
		if lifecycle.FieldsOf(role) != nil {
			all = append(all, lifecycle.Party(role))
		}
	}
	return append(all, lifecycle.Operator, lifecycle.Document)
}

// Order is what a list is sorted by.
type Order string

// The orders. The zero value is ByDocument.
const (
	ByDocument Order = "document"
	ByID       Order = "id"      // numbers in it as numbers
	ByStatus   Order = "status"  // in the order of the table
	ByAge      Order = "age"     // in the present status
	ByChanged  Order = "changed" // when it was changed last
)

// Orders returns all orders.
func Orders() []Order { return []Order{ByDocument, ByID, ByStatus, ByAge, ByChanged} }

// row is a requirement that is sorted.
type row struct {
	entry *projection.Entry
	key   string // by which it is compared, before its place
	place int    // in the documents
}

// keyOf returns what a requirement is compared by, so that bytes compare as it does.
func (o Order) keyOf(e *projection.Entry) string {
	switch o {
	case ByID:
		return numbered(e.Summary.ID)
	case ByStatus:
		return string(rune('A' + slices.Index(lifecycle.Statuses(), e.Summary.Status)))
	case ByAge:
		return e.Summary.Since.UTC().Format(sortable)
	case ByChanged:
		return e.Changed.UTC().Format(sortable)
	}
	return ""
}

// sortable is a time whose text sorts as it does.
const sortable = "2006-01-02T15:04:05.000000000"

// numbered returns an id as a text in which the numbers of ids sort by their value: before its digits each has how many
// they are.
func numbered(id string) string {
	var b strings.Builder
	for rest := id; rest != ""; {
		n := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		switch {
		case n == 0:
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		case n < 0:
			n = len(rest)
		}
		digits := strings.TrimLeft(rest[:n], "0")
		b.WriteByte('0')
		b.WriteByte(byte(len(digits)))
		b.WriteString(digits)
		rest = rest[n:]
	}
	return b.String()
}

// compare orders rows. Equals are in document order, whichever way the rest is sorted.
func (q Query) compare(a, b row) int {
	by, place := strings.Compare(a.key, b.key), cmp.Compare(a.place, b.place)
	if q.Sort == ByAge { // the older has the earlier time
		by = -by
	}
	if q.Desc {
		if by = -by; q.byDocument() {
			place = -place
		}
	}
	return cmp.Or(by, place)
}

func (q Query) byDocument() bool { return q.Sort == "" || q.Sort == ByDocument }

// cursor names the last row of a page. In document order it is the id; else what the row was sorted by is in it as
// well, so that the next page begins behind that place although the requirement may have changed.
func (q Query) cursor(last row) string {
	if q.byDocument() {
		return last.entry.Summary.ID
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join([]string{q.way(), last.key, last.entry.Summary.ID}, "\x00")))
}

// way names how a list is sorted, in a cursor.
func (q Query) way() string {
	if q.Desc {
		return string(q.Sort) + " desc"
	}
	return string(q.Sort)
}

// after returns the row that the page is to begin behind; nil for the first page.
func (q Query) after(from *projection.Snapshot) (*row, error) {
	if q.After == "" {
		return nil, nil
	}
	last, id := row{}, q.After
	if !q.byDocument() {
		raw, err := base64.RawURLEncoding.DecodeString(q.After)
		parts := strings.Split(string(raw), "\x00")
		if err != nil || len(parts) != 3 || parts[0] != q.way() {
			return nil, unknownCursor("after is of no page of a list that is sorted so")
		}
		last.key, id = parts[1], parts[2]
	}
	place, found := from.Position(id)
	if last.place = place; !found {
		return nil, unknownCursor("after names no requirement")
	}
	return &last, nil
}

func unknownCursor(why string) error {
	return fault.New(fault.Malformed, ledger.CodeCursor, "%s", why).
		WithFix("follow next of the page before, or start without after")
}
