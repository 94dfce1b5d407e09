package state

import (
	"slices"
	"time"

	"orchestrator/internal/ledger/audit"
	"orchestrator/internal/ledger/store"
	"orchestrator/internal/rules/planning"
)

// kindSchedule is the kind of the rows of schedules. Two more rows list, by id, the schedules that are open: all, and
// those of a token.
const kindSchedule = "schedule"

// Schedule is what is to be conducted later, once or again and again, in the name of who asked for it.
type Schedule struct {
	ID          string                `json:"id"`
	Run         string                `json:"run"` // that made it
	By          audit.Actor           `json:"by"`
	Token       string                `json:"token"` // the id of the token with which it ends
	Kind        string                `json:"kind,omitempty"`
	Obligations []planning.Obligation `json:"obligations"`
	Budgets     planning.Budgets      `json:"budgets,omitzero"`
	Made        time.Time             `json:"made"`
	First       time.Time             `json:"first"`
	EveryMS     int64                 `json:"every_ms,omitzero"` // 0: once
	Until       time.Time             `json:"until,omitzero"`    // nothing is due after it
	Next        time.Time             `json:"next,omitzero"`     // zero where nothing is due any more
	Running     *Due                  `json:"running,omitempty"` // what has begun and is not known to have ended
	Last        *DueRun               `json:"last,omitempty"`
	Runs        int                   `json:"runs"`
	Missed      int                   `json:"missed"`  // times that passed while nothing could be run
	Skipped     int                   `json:"skipped"` // times that passed while the run before was under way
	Ended       *ScheduleEnd          `json:"ended,omitempty"`
}

// Due is a time at which a schedule is due.
type Due struct {
	At     time.Time `json:"at"`
	Missed int       `json:"missed,omitzero"` // times up to it that passed while nothing could be run, itself included
}

// DueRun is what became of one time of a schedule.
type DueRun struct {
	Due
	Run     string           `json:"run,omitempty"`
	Status  planning.Outcome `json:"status,omitempty"`
	Error   string           `json:"error,omitempty"` // why it could not be run
	EndedAt time.Time        `json:"ended_at"`
}

// ScheduleEnd says when and why a schedule ended, and who ended it, if somebody did.
type ScheduleEnd struct {
	At  time.Time    `json:"at"`
	Why string       `json:"why"`
	By  *audit.Actor `json:"by,omitempty"`
}

// Active reports whether the schedule may be due again.
func (s Schedule) Active() bool { return s.Ended == nil }

// Schedule returns a schedule as this step leaves it.
func (w *Writer) Schedule(id string) (Schedule, bool, error) {
	return read[Schedule](w.get, kindSchedule, id)
}

// PutSchedule writes a schedule, and whether it is open: it may be due again, or a run of it is under way.
func (w *Writer) PutSchedule(s Schedule) error {
	for _, of := range [][]string{{kindSchedule}, {kindSchedule, s.Token}} {
		ids, _, err := read[[]string](w.get, kindOpen, of...)
		if err != nil {
			return err
		}
		i, listed := slices.BinarySearch(ids, s.ID)
		switch open := s.Active() || s.Running != nil; {
		case open == listed:
			continue
		case open:
			ids = slices.Insert(ids, i, s.ID)
		default:
			ids = slices.Delete(ids, i, i+1)
		}
		if err := w.put(ids, kindOpen, of...); err != nil {
			return err
		}
	}
	return w.put(s, kindSchedule, s.ID)
}

// ActiveSchedules counts the schedules of a token that may be due again, as this step leaves them.
func (w *Writer) ActiveSchedules(token string) (n int, err error) {
	ids, _, err := read[[]string](w.get, kindOpen, kindSchedule, token)
	for _, id := range ids {
		s, _, failed := w.Schedule(id)
		if failed != nil {
			return 0, failed
		}
		if s.Active() {
			n++
		}
	}
	return n, err
}

// Schedule returns a schedule.
func (v View) Schedule(id string) (Schedule, bool, error) {
	return read[Schedule](v.get, kindSchedule, id)
}

// OpenSchedules returns the schedules that may be due again, or have a run under way, by their ids.
func (v View) OpenSchedules() (all []Schedule, err error) {
	ids, _, err := read[[]string](v.get, kindOpen, kindSchedule)
	for _, id := range ids {
		s, _, failed := v.Schedule(id)
		if failed != nil {
			return nil, failed
		}
		all = append(all, s)
	}
	return all, err
}

// Schedules visits all schedules that there ever were, by ascending id: those after one, until visit returns false.
func (v View) Schedules(after string, visit func(Schedule) (bool, error)) error {
	from := kindSchedule + "/"
	if after != "" {
		from = key(kindSchedule, after) + "\x00"
	}
	return v.from.Scan(Table.Name, from, kindSchedule+"0", func(name string, raw []byte) error {
		row, err := unpacked(v.from, raw)
		if err != nil {
			return err
		}
		s, _, err := decode[Schedule](name, row)
		if err != nil {
			return err
		}
		goesOn, err := visit(s)
		if err == nil && !goesOn {
			err = store.ErrStop
		}
		return err
	})
}
