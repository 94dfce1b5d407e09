package boundary

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary/share"
)

// Figures are what was measured of a project's boundary. Rates are between 0 and 1; a rate of nothing is absent
// (false).
type Figures struct {
	ValidateDays      float64  `json:"validate_days"`
	ToolUses          int      `json:"tool_uses"`          // decisions in validate and enforce
	Runs              int      `json:"runs"`               // of the hook before a tool, in the days that rates are of
	HookErrors        int      `json:"hook_errors"`        // runs that failed, or left no decision
	Labelled          int      `json:"labelled"`           // decisions with a person's label
	FalsePositives    int      `json:"false_positives"`    // of the labelled
	OpenFalse         int      `json:"open_false"`         // of those, the ones that nobody resolved
	Violations        int      `json:"violations"`         //
	ViolationSessions int      `json:"violation_sessions"` // sessions with a violation
	ViolationFiles    int      `json:"violation_files"`    // files that violations name
	ViolationTools    int      `json:"violation_tools"`    // tools of violations
	Uncovered         []string `json:"uncovered"`          // what was blocked, or would be, and no agent of the policy may do
	Bypasses          int      `json:"bypasses"`           // decisions that a bypass changed
	BypassDrills      int      `json:"bypass_drills"`      //
	Rollbacks         int      `json:"rollbacks"`          // real ones and drills
	EnforcedSessions  int      `json:"enforced_sessions"`  // sessions in enforce
	BypassedSessions  int      `json:"bypassed_sessions"`  // of those, the ones with a bypass
	Stuck             []string `json:"stuck"`              // what is blocked again and again, with no allowed way
	BlockedSessions   int      `json:"blocked_sessions"`   // sessions in which something was blocked, or asked
	InsistingSessions int      `json:"insisting_sessions"` // of those, the ones that repeat it and start no agent

	Attestations []Attestation `json:"attestations"`       // the latest of each item
	Recovery     *Recovery     `json:"recovery,omitempty"` // nil where no rollback is to be recovered from
}

// Check is one item of the activation checklist, as measured.
type Check struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Threshold string `json:"threshold"`
	Passed    bool   `json:"passed"`
	Fix       string `json:"fix,omitempty"` // how to pass it
}

// Flag is something that speaks against enforcement, and what to do about it.
type Flag struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Limit  string `json:"limit"`
	Raised bool   `json:"raised"`
	Advice string `json:"advice,omitempty"`
}

// Readiness is the activation checklist.
type Readiness struct {
	Ready          bool    `json:"ready"`            // to be enforced
	ReadyToConfirm bool    `json:"ready_to_confirm"` // to be in confirm
	Checks         []Check `json:"checks"`
	Flags          []Flag  `json:"flags"`
	Figures        Figures `json:"figures"`
}

// checkDays is the check that confirm does not need: a person sees each call that is stopped there, and the days go on
// to count.
const checkDays = "days in validate"

// Assess holds the figures against the thresholds: ready is who passes every check and has no flag raised.
func Assess(t Thresholds, f Figures) Readiness {
	r := Readiness{Checks: checks(t, f), Flags: flags(t, f), Figures: f}
	against := func(mode Mode) int { checks, flags := r.Against(mode); return len(checks) + len(flags) }
	r.Ready, r.ReadyToConfirm = against(Enforce) == 0, against(Confirm) == 0
	return r
}

// Against returns the checks that fail and the flags that are raised, as far as they keep the boundary from a mode.
func (r Readiness) Against(mode Mode) (failed []Check, raised []Flag) {
	for _, c := range r.Checks {
		if !c.Passed && (mode != Confirm || c.Name != checkDays) {
			failed = append(failed, c)
		}
	}
	for _, flag := range r.Flags {
		if flag.Raised {
			raised = append(raised, flag)
		}
	}
	return failed, raised
}

// NotReady returns the error of a checklist that is not passed, or nil.
func (r Readiness) NotReady() error {
	if r.Ready {
		return nil
	}
	return fault.New(fault.Conflict, "boundary_not_ready", "the boundary is not ready to be enforced").
		WithFix("pass the checks that are marked FAIL above, and see to those that are marked FLAG")
}

func checks(t Thresholds, f Figures) []Check {
	accuracy := share.Share{Part: f.Labelled - f.FalsePositives, Whole: f.Labelled}
	errors := share.Share{Part: f.HookErrors, Whole: f.Runs}
	all := []Check{
		{checkDays, fmt.Sprintf("%.1f", f.ValidateDays), fmt.Sprintf(">= %g", t.ValidateDays),
			f.ValidateDays >= t.ValidateDays,
			"keep working in validate; days in confirm count too"},
		{"tool uses", fmt.Sprint(f.ToolUses), fmt.Sprintf(">= %d", t.ToolUses), f.ToolUses >= t.ToolUses,
			"keep working in validate"},
		{"labelled decisions", fmt.Sprint(f.Labelled), fmt.Sprintf(">= %d", t.Labelled), f.Labelled >= t.Labelled,
			"label more: orchestrator boundary decisions lists them, orchestrator boundary label ID correct|false-positive --note TEXT"},
		{"detection accuracy", accuracy.Percent(), fmt.Sprintf("> %g %%", t.Accuracy*100), accuracy.Above(t.Accuracy),
			accuracyFix(f.Labelled)},
		{"unresolved false positives", fmt.Sprint(f.OpenFalse), "0", f.OpenFalse == 0,
			"change the policy so that they are let through, " +
				"or label each: orchestrator boundary label ID resolved --note TEXT"},
		{"hook errors", errors.Percent(), fmt.Sprintf("<= %g %%", t.HookErrors*100), errors.AtMost(t.HookErrors),
			"orchestrator boundary doctor finds what is wrong; orchestrator boundary report lists the errors"},
		{"violation patterns", strings.Join([]string{fault.Count(f.Violations, "violation") + " in " +
			fault.Count(f.ViolationSessions, "session"), "on " + fault.Count(f.ViolationFiles, "file"),
			"by " + fault.Count(f.ViolationTools, "tool")}, ", "),
			"per session, by file and by tool", f.Violations > 0 && f.ViolationSessions > 0 && f.ViolationTools > 0,
			"there is no violation to learn from yet: is the hook installed? orchestrator boundary doctor"},
		{"violations without a delegate", listed(f.Uncovered, "0"), "0", len(f.Uncovered) == 0, toCover},
		{"bypass exercised", fmt.Sprint(f.Bypasses + f.BypassDrills), ">= 1", f.Bypasses+f.BypassDrills > 0, "orchestrator boundary drill"},
		{"rollback exercised", fmt.Sprint(f.Rollbacks), ">= 1", f.Rollbacks > 0, "orchestrator boundary drill"},
	}
	all = slices.Concat(all, attestationChecks(f), recoveryChecks(t, f.Recovery))
	for i := range all {
		if all[i].Passed {
			all[i].Fix = ""
		}
	}
	return all
}

// toCover is what to do about violations that no agent can be told to make.
const toCover = "give an agent that exists here the right to write it, under agents in the policy; blocks name them"

// When the same thing that is blocked is a critical workflow, and of the sessions in which something was blocked more
// than which part may repeat it without an agent.
const (
	StuckTimes    = 3
	StuckSessions = 2
	mostInsisting = 0.25
)

func flags(t Thresholds, f Figures) []Flag {
	wrong := share.Share{Part: f.FalsePositives, Whole: f.Labelled}
	errors := share.Share{Part: f.HookErrors, Whole: f.Runs}
	bypassed := share.Share{Part: f.BypassedSessions, Whole: f.EnforcedSessions}
	insisting := share.Share{Part: f.InsistingSessions, Whole: f.BlockedSessions}
	over := func(limit float64) string { return fmt.Sprintf("> %g %%", limit*100) }
	all := []Flag{
		{"misidentified", wrong.Percent(), over(t.Misidentified), wrong.Above(t.Misidentified),
			"do not enforce: detection is not reliable"},
		{"hook errors", errors.Percent(), over(t.HookErrors), errors.Above(t.HookErrors),
			"do not enforce: the hook is not stable"},
		{"sessions with a bypass, rollback", bypassed.Percent(), over(t.BypassRollback),
			bypassed.Above(t.BypassRollback), "roll back: orchestrator boundary rollback --reason TEXT"},
		{"sessions with a bypass, review", bypassed.Percent(), over(t.BypassReview),
			bypassed.Above(t.BypassReview), "review the boundary: is it too strict, or wrong?"},
		{"critical workflow blocked", named(f.Stuck),
			fmt.Sprintf(">= %d times in >= %d sessions, with no allowed way since", StuckTimes, StuckSessions),
			len(f.Stuck) > 0, "let an agent do it, or change the policy: orchestrator boundary explain shows the rule"},
		{"user confusion", insisting.Percent(), over(mostInsisting), insisting.Above(mostInsisting),
			"sessions repeat blocked calls and start no agent: " +
				"say how to delegate in the instructions that clients read"},
		{"agent coverage", listed(f.Uncovered, "complete"), "where no agent may do what is blocked",
			len(f.Uncovered) > 0, toCover},
	}
	for i := range all {
		if !all[i].Raised {
			all[i].Advice = ""
		}
	}
	return all
}

// accuracyFix says how to raise the accuracy of so many labels, or how to measure one.
func accuracyFix(labels int) string {
	if labels == 0 {
		return "label decisions: orchestrator boundary decisions lists them"
	}
	return "find out why decisions were false positives, and correct the policy"
}

// named returns how many there are, and each of them.
func named(all []string) string {
	if len(all) == 0 {
		return "none"
	}
	names := make([]string, len(all))
	for i, name := range all {
		names[i] = clip(name, 80)
	}
	return fmt.Sprintf("%d: ", len(all)) + strings.Join(names, ", ")
}

// listed returns how many there are, and the first; none is what it is called when there is nothing.
func listed(all []string, none string) string {
	if len(all) == 0 {
		return none
	}
	return fmt.Sprintf("%d: ", len(all)) + first(all)
}

func first(all []string) string {
	if len(all) == 1 {
		return clip(all[0], 80)
	}
	return clip(all[0], 80) + ", …"
}
