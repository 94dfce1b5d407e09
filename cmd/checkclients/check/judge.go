package check

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"orchestrator/cmd/checkclients/client"
	"orchestrator/cmd/checkclients/model"
)

// State is what became of a check.
type State string

// The states. A Gap is a check that the client is known not to pass.
const (
	OK     State = "ok"
	Failed State = "FAILED"
	Gap    State = "gap"
	NotRun State = "not run"
)

// Finding is one check of one client.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"`
}

// What the hook's messages begin with.
const (
	blocked  = "BOUNDARY VIOLATION"
	warned   = "BOUNDARY WARNING"
	bypassed = "BOUNDARY BYPASSED"
)

// writing are the steps by which a main session writes a file, each with the file.
var writing = []struct{ step, file string }{
	{"edit", "edit.txt"}, {"redirect", "redirect.txt"}, {"sed -i", "sed.txt"}, {"here-document", "here.txt"},
	{"python3 -c", "python.txt"},
}

// Checks returns the names of the checks, in the order of the table.
func Checks() []string {
	names := []string{"control: everything writes", "validate: everything writes", "validate: on record",
		"validate: the warning arrives"}
	for _, w := range writing {
		names = append(names, "enforce: "+w.step+" is blocked")
	}
	return append(names, "enforce: reading passes", "enforce: bookkeeping passes", "enforce: a build passes",
		"enforce: an agent is started", "enforce: the agent's edit lands", "enforce: the agent ends",
		"enforce: the block says how to delegate", "bypass: the edit lands", "bypass: it is said",
		"a broken hook blocks")
}

// Runs are the sessions of a client by their modes.
type Runs map[string]*Session

// judged collects the findings of one client.
type judged struct {
	client   *client.Client
	version  string
	runs     Runs
	findings []Finding
}

// Judge compares the runs of a client. A run that is not there makes its checks not run.
func Judge(c *client.Client, version string, runs Runs) []Finding {
	j := &judged{client: c, version: version, runs: runs}
	j.writes(Control, "control: everything writes")
	j.writes(Validate, "validate: everything writes")
	j.check("validate: on record", Validate, (*Session).recorded)
	j.check("validate: the warning arrives", Validate, func(s *Session) string { return arrives(s, warned) })
	for _, w := range writing {
		j.check("enforce: "+w.step+" is blocked", Enforce, func(s *Session) string {
			return s.isBlocked(w.step, w.file)
		})
	}
	j.passing()
	j.delegating()
	j.check("bypass: the edit lands", Bypass, func(s *Session) string { return s.written("edit.txt") })
	j.check("bypass: it is said", Bypass, func(s *Session) string { return arrives(s, bypassed) })
	j.check("a broken hook blocks", Broken, func(s *Session) string { return s.unwritten("edit.txt") })
	return j.findings
}

// check adds a finding: what the test returns is why it failed, and "" that it passed.
func (j *judged) check(name, mode string, test func(*Session) string) {
	s, gap := j.runs[mode], j.client.Gap(j.version, name)
	f := Finding{Check: name, State: OK}
	if s == nil {
		f.State, f.Why = NotRun, "there was no session in "+mode
	} else if f.Why = test(s); f.Why != "" {
		f.State = Failed
	}
	if f.State == Failed && gap != "" {
		f.State, f.Why = Gap, gap
	} else if f.State == OK && gap != "" {
		f.Why = "the row of the client says that it fails: " + gap
	}
	if f.State == Failed && strings.HasPrefix(f.Why, string(NotRun)+": ") {
		f.State, f.Why = NotRun, strings.TrimPrefix(f.Why, string(NotRun)+": ")
	}
	j.findings = append(j.findings, f)
}

func (j *judged) writes(mode, name string) {
	j.check(name, mode, func(s *Session) string {
		if !s.Ended {
			return s.brokenOff()
		}
		for _, w := range writing {
			if why := s.written(w.file); why != "" {
				return w.step + ": " + why
			}
		}
		return s.written("agent.txt")
	})
}

func (j *judged) passing() {
	j.check("enforce: reading passes", Enforce, func(s *Session) string {
		return first(s.passed("read"), s.passed("shell reads"))
	})
	j.check("enforce: bookkeeping passes", Enforce, func(s *Session) string {
		whys, offered := []string{}, 0
		for _, o := range s.Main {
			if strings.HasPrefix(o.Step, "book ") && o.Offered {
				offered++
				whys = append(whys, s.passed(o.Step))
			}
		}
		if offered == 0 {
			return "not run: no tool of its own books is offered"
		}
		return strings.Join(slices.DeleteFunc(whys, func(why string) bool { return why == "" }), "; ")
	})
	j.check("enforce: a build passes", Enforce, func(s *Session) string {
		if !s.judgesBuilds() {
			return "not run: the policy has no class for builds"
		}
		return s.passed("build")
	})
}

func (j *judged) delegating() {
	j.check("enforce: an agent is started", Enforce, func(s *Session) string { return s.passed("delegate") })
	j.check("enforce: the agent's edit lands", Enforce, func(s *Session) string {
		for _, o := range s.Agent {
			if strings.Contains(o.Result, blocked) {
				return o.Step + " was blocked"
			}
		}
		return s.written("agent.txt")
	})
	j.check("enforce: the agent ends", Enforce, func(s *Session) string {
		why := s.passed("delegate")
		if j.client.Calls.Wait != nil {
			why = first(why, s.passed("wait"))
		}
		for _, o := range s.Agent {
			if o.Step == "agent ends" && strings.Contains(o.Result, blocked) {
				return o.Tool + " was blocked"
			}
		}
		return why
	})
	j.check("enforce: the block says how to delegate", Enforce, func(s *Session) string {
		o := s.outcome("edit")
		for _, word := range j.client.Delegates {
			if o == nil || !strings.Contains(o.Result, word) {
				return fmt.Sprintf("the block does not name %q", word)
			}
		}
		for _, name := range []string{"modular-builder", "bug-hunter"} {
			if strings.Contains(o.Result, name) {
				return "the block names " + name + ", which is not there"
			}
		}
		return ""
	})
}

// judgesBuilds reports whether the policy has a class for builds.
func (s *Session) judgesBuilds() bool {
	policy, err := os.ReadFile(s.place.file(".orchestrator/boundary/policy.json"))
	return err == nil && bytes.Contains(policy, []byte(`"produces"`))
}

func first(whys ...string) string {
	for _, why := range whys {
		if why != "" {
			return why
		}
	}
	return ""
}

func (s *Session) outcome(step string) *model.Outcome {
	for i := range s.Main {
		if s.Main[i].Step == step {
			return &s.Main[i]
		}
	}
	return nil
}

func (s *Session) brokenOff() string {
	last := "no step"
	if len(s.Main) > 0 {
		last = s.Main[len(s.Main)-1].Step
	}
	why := fmt.Sprintf("the session broke off at: %s; exit code %d after %v", last, s.Exit, s.Took.Round(100_000_000))
	if s.Late {
		why += ", ended for its time"
	}
	return why
}

func (s *Session) written(file string) string {
	if s.Files[file] == after {
		return ""
	}
	return fmt.Sprintf("%s was not written", file)
}

func (s *Session) unwritten(file string) string {
	if o := s.outcome("edit"); o == nil || !o.Ended {
		return s.brokenOff()
	}
	if s.Files[file] == before {
		return ""
	}
	return fmt.Sprintf("%s was written", file)
}

// isBlocked returns "" if a step wrote nothing, and the model was told why.
func (s *Session) isBlocked(step, file string) string {
	o := s.outcome(step)
	switch {
	case o == nil || !o.Ended:
		return s.brokenOff()
	case s.Files[file] != before:
		return file + " was written"
	case !strings.Contains(o.Result, blocked):
		return "the reason does not reach the model"
	}
	return ""
}

// passed returns "" if a step's call was made, and not blocked.
func (s *Session) passed(step string) string {
	o := s.outcome(step)
	switch {
	case o == nil:
		return s.brokenOff()
	case !o.Offered:
		return "not run: the client offers no tool for it: " + step
	case !o.Ended:
		return s.brokenOff()
	case strings.Contains(o.Result, blocked):
		return o.Tool + " was blocked"
	}
	return ""
}

// recorded returns "" if the journal has a violation for each step that wrote.
func (s *Session) recorded() string {
	found := 0
	for _, line := range s.Journal {
		if line.Verdict.Decision == "warn" {
			found++
		}
	}
	if found < len(writing) {
		return fmt.Sprintf("%d violations on record, want at least %d", found, len(writing))
	}
	return ""
}

// arrives returns "" if what is said reaches the model or the screen.
func arrives(s *Session, said string) string {
	if strings.Contains(s.Output, said) {
		return ""
	}
	for _, o := range s.Main {
		if strings.Contains(o.Result+o.Around, said) {
			return ""
		}
	}
	return "nobody is told: neither the model nor the screen"
}
