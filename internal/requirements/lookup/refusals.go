package lookup

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger"
	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/ledger/thread"
	"orchestrator/internal/requirements/record"
	"orchestrator/internal/requirements/review"
	"orchestrator/internal/rules/lifecycle"
)

// RefusalIn returns the refusal in a record; nil where there is none.
func RefusalIn(from store.Getter, rec audit.Record) (*review.Refusal, error) {
	if !slices.Contains(refusals, rec.Kind) {
		return nil, nil
	}
	data, err := record.Read(from, rec)
	if err != nil {
		return nil, err
	}
	found := &review.Refusal{Record: rec.Seq, At: rec.At, By: rec.Actor.Name, Role: lifecycle.Role(rec.Actor.Role), Times: 1}
	switch data := data.(type) {
	case record.Proposed:
		found.Code, found.Detail = data.Refusal.Code, detailOf(data.Refusal)
	case record.RequestRefused:
		found.Code, found.Detail = data.Refusal.Code, detailOf(data.Refusal)
	case record.RefusalsFolded:
		found.At, found.By, found.Role = data.To, data.Actor.Name, lifecycle.Role(data.Actor.Role)
		found.Code, found.Times = data.Code, int(data.Count)
	}
	return found, nil
}

// detailOf returns the detail of a refusal, with the first thing that is wrong where it lists some.
func detailOf(refusal *fault.Error) string {
	if len(refusal.Fields) == 0 {
		return refusal.Detail
	}
	first := refusal.Fields[0]
	detail := refusal.Detail + ": " + strings.TrimSpace(first.Pointer+" "+first.Detail)
	if more := len(refusal.Fields) - 1; more > 0 {
		detail += fmt.Sprintf(", and %d more", more)
	}
	return detail
}

// refusals are the kinds of records that have refusals.
var refusals = []string{record.KindRefused, record.KindRequestRefused, record.KindFolded}

// Refusals returns the kinds of records that have refusals.
func Refusals() []string { return slices.Clone(refusals) }

// Recorded is a refusal, and the requirement that it was about; "" where it was about none.
type Recorded struct {
	review.Refusal
	Of string
}

// RefusalsOf returns the refusals in records, in their order.
func RefusalsOf(ctx context.Context, l *ledger.Ledger, records []json.RawMessage) (all []Recorded, err error) {
	err = l.View(ctx, func(r store.Reader) error {
		var found []Recorded
		for _, raw := range records {
			rec, err := audit.Decode(raw)
			if err != nil {
				return err
			}
			one, err := RefusalIn(r, rec)
			if err != nil {
				return err
			}
			if one != nil {
				found = append(found, Recorded{*one, rec.Subject})
			}
		}
		all = found
		return nil
	})
	return all, err
}

// A review shows the newest refusals on a requirement, and counts those in so many records about it.
const (
	shownRefusals   = 5
	countedRefusals = 1000
)

// RefusedOn returns the refused attempts on a requirement, under its present id and those that it had.
func RefusedOn(ctx context.Context, l *ledger.Ledger, id string,
	threads []thread.Thread) (all review.Refused, err error) {
	page, err := Records{Requirement: id, Threads: threads, Kinds: refusals, Newest: true,
		Limit: countedRefusals}.Find(ctx, l)
	if err != nil {
		return all, err
	}
	all = review.Refused{More: page.Next > 0, Newest: []review.Refusal{}}
	err = l.View(ctx, func(r store.Reader) error {
		counted := review.Refused{More: all.More, Newest: all.Newest}
		for _, raw := range page.Records {
			rec, err := audit.Decode(raw)
			if err != nil {
				return err
			}
			one, err := RefusalIn(r, rec)
			if err != nil {
				return err
			}
			if counted.Count += one.Times; len(counted.Newest) < shownRefusals {
				counted.Newest = append(counted.Newest, *one)
			}
		}
		all = counted
		return nil
	})
	return all, err
}

// Attempts counts what became of the attempts of actors. The zero value has counted nothing.
type Attempts struct{ of map[audit.Actor]*attempts }

type attempts struct {
	accepted, refused int
	codes             map[fault.Code]review.CodeCount
}

// Count counts a record.
func (a *Attempts) Count(rec audit.Record) {
	if rec.Kind == record.KindChanged {
		a.by(rec.Actor).accepted++
		return
	}
	// Of a refusal that lies beside the log it is enough to know who was refused.
	refusal, err := RefusalIn(ledger.Blobs(func(string) ([]byte, error) { return nil, nil }), rec)
	switch {
	case err != nil && rec.Kind != record.KindFolded:
		a.by(rec.Actor).refused++
	case err == nil && refusal != nil:
		a.by(audit.Actor{Name: refusal.By, Role: string(refusal.Role)}).add(*refusal)
	}
}

func (a *Attempts) by(actor audit.Actor) *attempts {
	if a.of == nil {
		a.of = map[audit.Actor]*attempts{}
	}
	if a.of[actor] == nil {
		a.of[actor] = &attempts{codes: map[fault.Code]review.CodeCount{}}
	}
	return a.of[actor]
}

func (a *attempts) add(r review.Refusal) {
	if a.refused += r.Times; r.Code == "" {
		return
	}
	known := a.codes[r.Code]
	a.codes[r.Code] = review.CodeCount{Code: r.Code, Count: known.Count + r.Times, At: r.At,
		Detail: cmp.Or(fault.Clip(r.Detail, longestDetail), known.Detail)}
}

// longestDetail bounds what is kept of the detail of a refusal, in bytes.
const longestDetail = 400

// Actors returns what was counted, by name and role.
func (a *Attempts) Actors() []review.ActorCount {
	all := []review.ActorCount{}
	for actor, n := range a.of {
		all = append(all, review.ActorCount{Name: actor.Name, Role: lifecycle.Role(actor.Role), Accepted: n.accepted,
			Refused: n.refused, Codes: slices.SortedFunc(maps.Values(n.codes), byCount)})
	}
	slices.SortFunc(all, func(a, b review.ActorCount) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Role, b.Role))
	})
	return all
}

func byCount(a, b review.CodeCount) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
}
