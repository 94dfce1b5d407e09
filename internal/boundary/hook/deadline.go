package hook

import (
	"fmt"
	"time"

	"orchestrator/internal/agentclient"
)

// The states of a call: whoever changes the state may answer.
const (
	unjudged int32 = iota
	judged         // the decision is made, and is being noted
	answered       // somebody answers
)

// within answers a call, on the goroutine that calls it: to wake another one costs a tenth of all the time that a call
// takes. Where the deadline passes first it calls late with the answer, on a goroutine of its own, and returns false.
func (r *run) within(late func(agentclient.Answer)) (agentclient.Answer, bool) {
	timer := time.AfterFunc(r.Within-r.Now().Sub(r.Start), func() { r.late(late) })
	defer timer.Stop()
	a := r.answerSafely()
	return a, r.state.CompareAndSwap(judged, answered) || r.claim(answered)
}

// late answers when the deadline has passed. A decision that is made already is waited for: it is being noted.
func (r *run) late(give func(agentclient.Answer)) {
	cause := fmt.Errorf("no decision within %v: the call did not end, or the disk does not answer", r.Within)
	if r.claim(answered) {
		give(r.failure(cause))
		return
	}
	time.Sleep(r.noting())
	if r.state.CompareAndSwap(judged, answered) {
		give(r.refusal(cause))
	}
}

// noting returns the longest time that an answer waits for the disk: 50 ms of the Deadline.
func (r *run) noting() time.Duration { return r.Within / 18 }

// claim reports whether the caller may decide on the call, which is in the given state from then on. Only the first
// caller may.
func (r *run) claim(state int32) bool { return r.state.CompareAndSwap(unjudged, state) }
