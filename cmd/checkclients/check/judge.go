package check

import (
	"bytes"
	"fmt"
	"os"
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

// result is what became of a check, and why it did not pass.
type result struct {
	state State
	why   string
}

// failedIf returns a failure with a reason, and that a check passed where there is none.
func failedIf(why string) result {
	if why == "" {
		return result{state: OK}
	}
	return result{Failed, why}
}

// worst returns the first failure; without one the first check that was not run, and otherwise one that passed.
func worst(all ...result) result {
	found := result{state: OK}
	for _, r := range all {
		if r.state == Failed {
			return r
		}
		if found.state == OK {
			found = r
		}
	}
	return found
}

// check adds a finding: what the test returns is why it failed, and "" that it passed.
func (j *judged) check(name, mode string, test func(*Session) string) {
	j.settle(name, mode, func(s *Session) result { return failedIf(test(s)) })
}

// settle adds a finding. A failure that the client's row knows of is a gap.
func (j *judged) settle(name, mode string, test func(*Session) result) {
	s, gap := j.runs[mode], j.client.Gap(j.version, name)
	r := result{NotRun, "there was no session in " + mode}
	if s != nil {
		r = test(s)
	}
	if r.state == Failed && gap != "" {
		r = result{Gap, gap}
	} else if r.state == OK && gap != "" {
		r.why = "the row of the client says that it fails: " + gap
	}
	j.findings = append(j.findings, Finding{name, r.state, r.why})
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
	j.settle("enforce: reading passes", Enforce, func(s *Session) result {
		return worst(s.passed("read"), s.passed("shell reads"))
	})
	j.settle("enforce: bookkeeping passes", Enforce, func(s *Session) result {
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
	})
	j.settle("enforce: a build passes", Enforce, func(s *Session) result {
		if !s.judgesBuilds() {
			return result{NotRun, "the policy has no class for builds"}
		}
		return s.passed("build")
	})
}

func (j *judged) delegating() {
	j.settle("enforce: an agent is started", Enforce, func(s *Session) result { return s.passed("delegate") })
	j.check("enforce: the agent's edit lands", Enforce, func(s *Session) string {
		for _, o := range s.Agent {
			if strings.Contains(o.Result, blocked) {
				return o.Step + " was blocked"
			}
		}
		return s.written("agent.txt")
	})
	j.settle("enforce: the agent ends", Enforce, func(s *Session) result {
		all := []result{s.passed("delegate")}
		if j.client.Calls.Wait != nil {
			all = append(all, s.passed("wait"))
		}
		for _, o := range s.Agent {
			if o.Step == "agent ends" && strings.Contains(o.Result, blocked) {
				all = append(all, result{Failed, o.Tool + " was blocked"})
			}
		}
		return worst(all...)
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

// passed reports whether a step's call was made, and not blocked.
func (s *Session) passed(step string) result {
	o := s.outcome(step)
	switch {
	case o != nil && !o.Offered:
		return result{NotRun, "the client offers no tool for it: " + step}
	case o == nil || !o.Ended:
		return result{Failed, s.brokenOff()}
	case strings.Contains(o.Result, blocked):
		return result{Failed, o.Tool + " was blocked"}
	}
	return result{state: OK}
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
