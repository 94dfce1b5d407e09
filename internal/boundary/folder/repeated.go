package folder

import (
	"reflect"
	"time"
)

// within is how far apart the lines of two hooks are at most that a client runs for one call.
const within = 2 * time.Second

// Use is one use of a tool; clients number them anew in each session.
type Use struct{ Client, Session, ID string }

// UseOf returns the use that a line is about. Its ID is "" where the client does not number them.
func UseOf(l Line) Use { return Use{l.Client, l.Session, l.ToolUseID} }

// Repeats reports whether a decision is one that another line has already: a client in which the hook is registered
// both for the project and for the user runs it twice for one call. Some clients leave it to a model to number the
// calls, so the number alone proves nothing: the lines must tell the same of the call, at the same time.
func (l Line) Repeats(first Line) bool {
	if l.Kind != KindDecision || l.ToolUseID == "" || !AtOnce(l.At, first.At) {
		return false
	}
	l.ID, l.At, l.Micros = first.ID, first.At, first.Micros
	return reflect.DeepEqual(l, first)
}

// AtOnce reports whether two decisions came so close together that they may be of one call.
func AtOnce(a, b time.Time) bool { return a.Sub(b).Abs() <= within }

// Gist returns in one text all that a decision tells of a call, and of the verdict on it, but for its id, its time, its
// session, its actor, the number of the call, and how long the hook took.
func (l Line) Gist() ([]byte, error) {
	l.ID, l.At, l.Session, l.Actor, l.ToolUseID, l.Micros = "", time.Time{}, "", nil, "", 0
	return marshal(l)
}

// Once tells the decisions that repeat another one in a stream of lines. The zero value is ready to use.
type Once struct{ last map[Use]Line }

// mostUses is how many decisions are remembered. What repeats one comes within a moment.
const mostUses = 1000

// Again reports whether a line repeats an earlier one.
func (o *Once) Again(l Line) bool {
	if l.Kind != KindDecision || l.ToolUseID == "" {
		return false
	}
	first, met := o.last[UseOf(l)]
	if met && l.Repeats(first) {
		return true
	}
	if o.last == nil || len(o.last) >= mostUses {
		o.last = map[Use]Line{}
	}
	o.last[UseOf(l)] = l
	return false
}
