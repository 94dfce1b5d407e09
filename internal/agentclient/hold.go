package agentclient

// ending is how a client says that a session is done, and how it wants to be told that it is not. The events are those
// of Wiring.Ends.
type ending struct {
	task   string   // the event that is about one task; "" for none
	about  []string // members that say what the task is
	again  []string // members that are true, or a number above zero, after a hook has held the session up
	status string   // the member that says how the turn ended: anything but "completed" was broken off; "" for none
	hold   func(message string) Answer
	let    func() Answer // missing is silence
}

// claudeEnding is how Claude Code, and those that took its form over, hold a session up.
var claudeEnding = ending{again: stopHookActive, hold: holdByBlock}

var stopHookActive = []string{"stop_hook_active"}

func holdByBlock(message string) Answer {
	return say(pair{"decision", "block"}, pair{"reason", message})
}

func holdByDeny(message string) Answer { return say(pair{"decision", "deny"}, pair{"reason", message}) }

// cursorFollowUp is sent as the next message of the person: Cursor has no other way.
func cursorFollowUp(message string) Answer { return say(pair{"followup_message", message}) }
