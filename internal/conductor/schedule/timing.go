package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/planning"
)

// The bounds of a schedule.
const (
	Shortest = time.Minute           // between two times at which it is due
	Longest  = 366 * 24 * time.Hour  // likewise
	Horizon  = 3660 * 24 * time.Hour // how far ahead a time may be
	late     = time.Minute           // from when on a time that was not run has been missed
)

// Timing says when something is due: once, or again and again.
type Timing struct {
	First time.Time
	Every time.Duration // 0: once
	Until time.Time     // nothing is due after it; zero is no bound
}

// Read reads the timing of a SCHEDULE that is sent now: at and every, one of them at least, and until. Whatever is
// wrong is a fault.Invalid that names the member.
func Read(payload planning.Inputs, now time.Time) (t Timing, err error) {
	if t.First, err = moment(payload, "at"); err != nil {
		return t, err
	}
	if t.Until, err = moment(payload, "until"); err != nil {
		return t, err
	}
	if t.Every, err = period(payload); err != nil {
		return t, err
	}
	if t.First.IsZero() && t.Every > 0 {
		t.First = now.Add(t.Every)
	}
	return t, t.check(now)
}

// CheckText refuses a SCHEDULE that says nothing of when, or says it in a way that cannot be read, before anything
// runs. What refers to a result is read when its value is there.
func CheckText(payload planning.Inputs) error {
	said := planning.Inputs{}
	for _, member := range []string{"at", "until", "every"} {
		if text, is := payload[member].(string); is && !strings.Contains(text, "{{") {
			said[member] = text
		}
	}
	_, wrongAt := moment(said, "at")
	_, wrongUntil := moment(said, "until")
	_, wrongEvery := period(said)
	if err := cmp.Or(wrongAt, wrongUntil, wrongEvery); err != nil {
		return err
	}
	if payload["at"] == nil && payload["every"] == nil {
		return Timing{}.check(time.Time{})
	}
	return nil
}

// period reads how long it is from one time to the next; 0 if the payload does not say.
func period(payload planning.Inputs) (every time.Duration, err error) {
	value, given := payload["every"]
	if !given {
		return 0, nil
	}
	every, err = time.ParseDuration(fmt.Sprint(value))
	if err != nil || every < Shortest || every > Longest {
		return 0, wrong("every", "give a duration from 1m to 8784h, such as 30m, 24h or 1h30m",
			"%q is no duration that may lie between two times", fault.Clip(fmt.Sprint(value), 80))
	}
	return every, nil
}

// inRequest moves the pointers of an error into the obligation of the request that has an id; those of a step stay as
// they are, since a step may stand in a contract.
func inRequest(id string, err error) error {
	f := fault.As(err)
	n, failed := strconv.Atoi(strings.TrimPrefix(id, "o"))
	if f == nil || failed != nil {
		return err
	}
	moved := *f
	moved.Fields = slices.Clone(f.Fields)
	for i := range moved.Fields {
		moved.Fields[i].Pointer = fmt.Sprintf("/obligations/%d/payload%s", n-1, moved.Fields[i].Pointer)
	}
	return &moved
}

// check refuses times that are over, too far ahead, or contradict one another.
func (t Timing) check(now time.Time) error {
	switch {
	case t.First.IsZero():
		return wrong("at", "give at, every, or both: at is then the first time", "it does not say when")
	case !t.First.After(now):
		return wrong("at", "give a time that is still to come; to do it now, send the obligations themselves",
			"%s is over: it is %s", exactly(t.First), exactly(now))
	case t.First.Sub(now) > Horizon:
		return wrong("at", "give a time within ten years", "%s is too far ahead", shown(t.First))
	case !t.Until.IsZero() && t.Every == 0:
		return wrong("until", "leave until out, or give every", "what is due once has no end")
	case !t.Until.IsZero() && t.Until.Before(t.First):
		return wrong("until", "give a time that is not before "+exactly(t.First),
			"%s is before the first time: nothing would ever be due", exactly(t.Until))
	}
	return nil
}

// Due is what is due of a timing.
type Due struct {
	At     time.Time // the newest time that has come
	Times  int       // how many have come, At included
	Missed int       // those of them that passed while nothing could be run
	Next   time.Time // the time after At; zero if there is none
}

// Due returns what is due now, of a timing whose next time is next. It reports false if nothing is due yet. Times that
// were missed are due together, and once.
func (t Timing) Due(next, now time.Time) (d Due, is bool) {
	if next.IsZero() || now.Before(next) {
		return d, false
	}
	d.At, d.Times = next, 1
	if t.Every > 0 {
		last := now
		if !t.Until.IsZero() && t.Until.Before(now) {
			last = t.Until
		}
		passed := last.Sub(next) / t.Every
		d.At, d.Times = next.Add(passed*t.Every), 1+int(passed)
		if after := d.At.Add(t.Every); t.Until.IsZero() || !after.After(t.Until) {
			d.Next = after
		}
	}
	if d.Missed = d.Times; now.Sub(d.At) < late {
		d.Missed--
	}
	return d, true
}

// moment reads a time of a payload; zero if it is not there.
func moment(payload planning.Inputs, member string) (at time.Time, err error) {
	value, given := payload[member]
	if !given {
		return at, nil
	}
	text, _ := value.(string)
	if at, err = time.Parse(time.RFC3339, text); err != nil {
		return at, wrong(member, "write it as 2026-11-02T08:00:00Z", "%q is no time", fault.Clip(fmt.Sprint(value), 80))
	}
	return at.UTC(), nil
}

// CodeTime is the code of a SCHEDULE whose times cannot be kept.
const CodeTime fault.Code = "schedule_time"

func wrong(member, fix, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	return fault.New(fault.Invalid, CodeTime, "%s: %s", member, what).WithFix("%s", fix).
		WithFields(fault.Field{Pointer: "/" + member, Code: CodeTime, Detail: what})
}

func shown(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// exactly shows a time with all that tells it from another one.
func exactly(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }
