package check

import (
	"fmt"
	"strings"

	"orchestrator/cmd/checkclients/client"
)

// check is one row of the table: what a session must show.
type check struct {
	name  string
	mode  string // of the session
	lacks func(*client.Client) string
	test  func(*Session) result
}

// lack returns why a client has nothing to check, or "".
func (c check) lack(row *client.Client) string {
	if c.lacks == nil {
		return ""
	}
	return c.lacks(row)
}

// checks are the rows of the table, in its order.
var checks = []check{
	{"control: everything writes", Control, nil, told((*Session).writes)},
	{"validate: everything writes", Validate, nil, told((*Session).writes)},
	{"validate: on record", Validate, nil, told((*Session).recorded)},
	{"validate: the warning arrives", Validate, nil, told(func(s *Session) string { return arrives(s, warned) })},
	{"confirm: an edit waits for a person", Confirm, nil, told((*Session).waits)},
	{"enforce: edit is blocked", Enforce, nil, blocks("edit")},
	{"enforce: redirect is blocked", Enforce, nil, blocks("redirect")},
	{"enforce: sed -i is blocked", Enforce, nil, blocks("sed -i")},
	{"enforce: here-document is blocked", Enforce, nil, blocks("here-document")},
	{"enforce: python3 -c is blocked", Enforce, nil, blocks("python3 -c")},
	{"enforce: a terminal is blocked", Enforce, noTerminal, told((*Session).untyped)},
	{"enforce: reading passes", Enforce, nil, func(s *Session) result {
		return worst(s.passed("read"), s.passed("shell reads"))
	}},
	{"enforce: bookkeeping passes", Enforce, nil, (*Session).keepsBooks},
	{"enforce: plans and memory pass", Enforce, noNotes, (*Session).takesNotes},
	{"enforce: a look-alike is blocked", Enforce, noNotes, blocks("look-alike")},
	{"enforce: a build passes", Enforce, nil, (*Session).builds},
	{"enforce: an agent is started", Enforce, nil, func(s *Session) result { return s.passed("delegate") }},
	{"enforce: the agent's edit lands", Enforce, nil, told((*Session).agentEdits)},
	{"enforce: the agent ends", Enforce, nil, (*Session).agentEnds},
	{"enforce: the block says how to delegate", Enforce, nil, told((*Session).showsHow)},
	{"bypass: the edit lands", Bypass, nil, told(func(s *Session) string { return s.written("edit.txt") })},
	{"bypass: it is said", Bypass, nil, told(func(s *Session) string { return arrives(s, bypassed) })},
	{"a broken hook blocks", Broken, nil, told(func(s *Session) string { return s.unwritten("edit.txt") })},
	{"a late hook blocks", Late, nil, told(func(s *Session) string { return s.unwritten("edit.txt") })},
	{"in a subfolder: edit is blocked", Below, nil, blocks("edit")},
	{"in a subfolder: doctor says so", Below, nil, told((*Session).reachKnown)},
	{"in a subfolder, by the user's settings", Everywhere, nil, blocks("edit")},
	{"a hook without trust: doctor says so", Untrusted, noTrust, told((*Session).trustKnown)},
	{"done means done: it goes on once", Finish, noEnd, told((*Session).goesOn)},
}

// Checks returns the names of the checks, in the order of the table.
func Checks() []string {
	var names []string
	for _, one := range checks {
		names = append(names, one.name)
	}
	return names
}

func noTerminal(c *client.Client) string {
	return unless(c.Calls.Terminal != nil, "it offers no terminal to type into")
}

func noNotes(c *client.Client) string {
	return unless(len(c.Notes) > 0, "it keeps no such files of its own")
}

func noTrust(c *client.Client) string {
	return unless(c.Trusts, "its hooks need no trust of their own")
}

func noEnd(c *client.Client) string { return unless(c.Unended == "", c.Unended) }

func unless(has bool, why string) string {
	if has {
		return ""
	}
	return why
}

// told makes a test of one that returns why a session failed, and "" if it passed.
func told(why func(*Session) string) func(*Session) result {
	return func(s *Session) result { return failedIf(why(s)) }
}

// blocks tests that a step of writing is blocked, and the model is told.
func blocks(step string) func(*Session) result {
	return func(s *Session) result { return failedIf(s.isBlocked(step)) }
}

// writes returns "" if everything was written that the session was to write.
func (s *Session) writes() string {
	if !s.Ended {
		return s.brokenOff()
	}
	for _, w := range s.place.writing() {
		if why := s.written(w.file); why != "" {
			return w.step + ": " + why
		}
	}
	return s.written("agent.txt")
}

// waits returns "" if an edit was not made, because a person would be asked, or cannot be.
func (s *Session) waits() string {
	if why := s.unwritten("edit.txt"); why != "" {
		return why
	}
	want, how := blocked, "blocked"
	if s.place.client.Asks {
		want, how = asked, "asked for"
	}
	if s.answers(want) == 0 {
		return "the edit was not " + how
	}
	return ""
}

// answers counts the calls that the hook answered with a text.
func (s *Session) answers(text string) (n int) {
	for _, call := range s.Calls {
		if strings.Contains(call.Stdout+call.Stderr, text) {
			n++
		}
	}
	return n
}

// untyped returns "" if no program was started that the session could type into.
func (s *Session) untyped() string {
	if why := s.isBlocked("terminal"); why != "" {
		return why
	}
	if o := s.outcome("type"); o != nil && o.Offered {
		return "a terminal was open"
	}
	return ""
}

func (s *Session) keepsBooks() result {
	var all []result
	for _, o := range s.Main {
		if strings.HasPrefix(o.Step, "book ") && o.Offered {
			all = append(all, s.passed(o.Step))
		}
	}
	if len(all) == 0 {
		return result{NotRun, "no tool of its own books is offered"}
	}
	return worst(all...)
}

func (s *Session) takesNotes() result {
	var all []result
	for _, note := range s.place.notes() {
		all = append(all, s.passed("note "+note), failedIf(s.written(note)))
	}
	return worst(all...)
}

func (s *Session) builds() result {
	if !s.judgesBuilds() {
		return result{NotRun, "the policy has no class for builds"}
	}
	return s.passed("build")
}

func (s *Session) agentEdits() string {
	for _, o := range s.Agent {
		if strings.Contains(o.Result, blocked) {
			return o.Step + " was blocked"
		}
	}
	return s.written("agent.txt")
}

func (s *Session) agentEnds() result {
	all := []result{s.passed("delegate")}
	if s.place.client.Calls.Wait != nil {
		all = append(all, s.passed("wait"))
	}
	for _, o := range s.Agent {
		if o.Step == "agent ends" && strings.Contains(o.Result, blocked) {
			all = append(all, result{Failed, o.Tool + " was blocked"})
		}
	}
	return worst(all...)
}

// showsHow returns "" if the block of an edit names the client's own way to delegate, and no agent that is not there.
func (s *Session) showsHow() string {
	o := s.outcome("edit")
	for _, word := range s.place.client.Delegates {
		if o == nil || !strings.Contains(o.Result, word) {
			return fmt.Sprintf("the block does not name %q", word)
		}
	}
	for _, name := range []string{"modular-builder", "bug-hunter"} {
		if o != nil && strings.Contains(o.Result, name) {
			return "the block names " + name + ", which is not there"
		}
	}
	return ""
}

// reachKnown returns "" if doctor, in the folder of the session, says that no hook runs there exactly if none did.
func (s *Session) reachKnown() string {
	said := s.Doctor.Exit == 1 && strings.Contains(s.Doctor.Said, "runs no hook")
	if ran := len(s.Calls) > 0; ran == said {
		return fmt.Sprintf("hooks run: %v; doctor says that none does: %v", ran, said)
	}
	return ""
}

// trustKnown returns "" if the client ran no hook that nobody has trusted, and doctor calls that a fault.
func (s *Session) trustKnown() string {
	switch {
	case len(s.Calls) > 0:
		return "the client ran the hook"
	case s.Files["edit.txt"] != after:
		return s.brokenOff()
	case s.Doctor.Exit != 1 || !strings.Contains(s.Doctor.Said, "is not trusted"):
		return fmt.Sprintf("doctor does not say so, and exits with %d", s.Doctor.Exit)
	}
	return ""
}

// goesOn returns "" if the session was held up once at the end of its turn, was told why, and ended the next time.
func (s *Session) goesOn() string {
	switch held := s.answers(reminded); {
	case held != 1:
		return fmt.Sprintf("the hook held the session up %d times", held)
	case len(s.Ends) != 2:
		return fmt.Sprintf("the session came to its end %d times", len(s.Ends))
	case !strings.Contains(s.Ends[1], reminded):
		return "the model was not told why"
	case s.Late:
		return s.brokenOff()
	}
	return ""
}
