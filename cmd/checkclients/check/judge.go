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

	NotOffered State = "not offered" // the client has nothing of the kind
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
	asked    = "A PERSON DECIDES"
	reminded = "ORCHESTRATOR: not done yet"
	bypassed = "BOUNDARY BYPASSED"
)

// Modes returns how the sessions of a client are run, in their order: those in which there is something to check.
func Modes(c *client.Client) []string {
	var names []string
	for _, m := range modes {
		for _, one := range checks {
			if one.mode == m.name && one.lack(c) == "" {
				names = append(names, m.name)
				break
			}
		}
	}
	return names
}

// Runs are the sessions of a client by their modes.
type Runs map[string]*Session

// Judge compares the runs of a client. A run that is not there makes its checks not run.
func Judge(c *client.Client, version string, runs Runs) []Finding {
	var findings []Finding
	for _, one := range checks {
		if why := one.lack(c); why != "" {
			findings = append(findings, Finding{one.name, NotOffered, why})
			continue
		}
		r := result{NotRun, "there was no session in " + one.mode}
		if s := runs[one.mode]; s != nil {
			r = one.test(s)
		}
		findings = append(findings, r.finding(one.name, c.Gap(version, one.name)))
	}
	return findings
}

// finding makes a finding of a result. A failure that the client's row knows of is a gap.
func (r result) finding(name, gap string) Finding {
	if r.state == Failed && gap != "" {
		r = result{Gap, gap}
	} else if r.state == OK && gap != "" {
		r.why = "the row of the client says that it fails: " + gap
	}
	return Finding{name, r.state, r.why}
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

// judgesBuilds reports whether the policy has a class for builds.
func (s *Session) judgesBuilds() bool {
	policy, err := os.ReadFile(s.place.project(".orchestrator/boundary/policy.json"))
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
func (s *Session) isBlocked(step string) string {
	o, file := s.outcome(step), s.place.fileOf(step)
	switch {
	case o == nil || !o.Ended:
		return s.brokenOff()
	case s.Files[file] != s.place.was(file):
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
