package review

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

// What a gate can require of every requirement.
const (
	RequireDone   = "done"
	RequireTested = "tested" // tested_pass or done, with tests that hold
)

// GateOptions say what the gate asks for.
type GateOptions struct {
	Require      string // RequireDone or RequireTested
	AllowStale   bool   // what went stale does not fail
	StrictImport bool   // what may be missing from the state fails
	Rules        string // RulesRecorded or RulesLatest: by which a done requirement is judged; "" is RulesRecorded
	Covers       bool   // a requirement that no cited test names fails
}

// By which rules a gate judges what is done.
const (
	RulesRecorded = "recorded" // those that decided it
	RulesLatest   = "latest"
)

// GateRules returns the rules that a gate can judge by, the default first.
func GateRules() []string { return []string{RulesRecorded, RulesLatest} }

// GateLevels returns what a gate can require, the strictest first.
func GateLevels() []string { return []string{RequireDone, RequireTested} }

// Check refuses what a gate cannot require.
func (o GateOptions) Check() error {
	if !slices.Contains(GateLevels(), o.Require) {
		return fault.New(fault.Invalid, fault.CodeUsage, "a gate cannot require %q", o.Require).
			WithFix("use --require %s", strings.Join(GateLevels(), ", "))
	}
	if o.Rules != "" && !slices.Contains(GateRules(), o.Rules) {
		return fault.New(fault.Invalid, fault.CodeUsage, "a gate cannot judge by the rules %q", o.Rules).
			WithFix("use --rules %s", strings.Join(GateRules(), ", "))
	}
	return nil
}

// The outcomes of one requirement.
const (
	Passes         = "pass"
	Fails          = "fail"
	PassesDeferred = "deferred" // PM put it off
	PassesRetired  = "retired"  // the documents no longer have it, and no work is left
)

// CodeNotTested is the code of what should be tested, and is not.
const CodeNotTested fault.Code = "not_tested"

// CodeNotCovered is the code of a requirement that no cited test names, where that is asked for.
const CodeNotCovered fault.Code = "not_covered"

// GateResult is what a gate found. No list is nil.
type GateResult struct {
	Project      string    `json:"project"`
	Require      string    `json:"require"`
	AllowStale   bool      `json:"allow_stale"`
	StrictImport bool      `json:"strict_import"`
	Rules        string    `json:"rules"`
	Covers       bool      `json:"require_covers"`
	Older        int       `json:"decided_by_older_rules"` // done requirements that older rules decided
	Pass         bool      `json:"pass"`
	Total        int       `json:"total"` // requirements, of which
	Passed       int       `json:"passed"`
	Failed       int       `json:"failed"`
	Deferred     int       `json:"deferred"`
	Retired      int       `json:"retired"`
	AsBefore     int       `json:"as_before,omitzero"` // fail no more than at the base, and nobody touched them since
	Problems     []Problem `json:"problems"`           // of the project as a whole; each of them fails the gate
	Cases        []Case    `json:"cases"`              // every requirement once, in the order of the documents
	Unchecked    []string  `json:"unchecked"`
	Since        *Since    `json:"since,omitempty"` // where the project was held against a base
}

// Case is the outcome of one requirement.
type Case struct {
	ID       string           `json:"id"`
	Title    string           `json:"title"`
	Path     string           `json:"path"`
	Line     int              `json:"line"`
	Status   lifecycle.Status `json:"status"`
	Outcome  string           `json:"outcome"`
	Rules    lifecycle.Rules  `json:"rules,omitzero"`    // of a done requirement: the version that decided it
	Covered  *bool            `json:"covered,omitempty"` // a cited test names the requirement; absent where none is cited
	Failures []Failure        `json:"failures"`

	Missing []Missing         `json:"missing,omitempty"` // of a failed one: the gates that are not met, by their names
	Stale   []lifecycle.Stale `json:"stale,omitempty"`   // of a failed one
}

// Failure is one reason why a requirement fails.
type Failure struct {
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
}

// Gate holds a review against what is required. A project without requirements fails.
//
// Implements: ORC-094
func Gate(p Project, o GateOptions) GateResult {
	r := GateResult{
		Project: p.Project, Require: o.Require, AllowStale: o.AllowStale, StrictImport: o.StrictImport,
		Rules: cmp.Or(o.Rules, RulesRecorded), Covers: o.Covers,
		Total: len(p.Requirements), Problems: append([]Problem{}, p.problems()...), Cases: []Case{}, Unchecked: append([]string{}, p.Unchecked...),
	}
	if o.StrictImport {
		r.Problems = append(r.Problems, p.Findings.Reading.lacks()...)
	}
	if p.live() == 0 {
		r.Problems = append(r.Problems, Problem{Code: CodeEmpty, Message: "there is no requirement in force"})
	}
	for _, row := range p.Requirements {
		c := Case{ID: row.ID, Title: row.Title, Path: row.Path, Line: row.Line, Status: row.Status, Outcome: Passes,
			Rules: row.Rules, Covered: row.Covered, Failures: o.failures(row)}
		if row.Rules != 0 && row.Rules != lifecycle.LatestRules {
			r.Older++
		}
		switch {
		case len(c.Failures) > 0:
			c.Outcome, c.Missing, c.Stale = Fails, row.Missing, row.Stale
			r.Failed++
		case row.Retired:
			c.Outcome = PassesRetired
			r.Retired++
		case row.Status == lifecycle.Deferred:
			c.Outcome = PassesDeferred
			r.Deferred++
		default:
			r.Passed++
		}
		r.Cases = append(r.Cases, c)
	}
	if r.Failed == 0 && len(r.Problems) == 0 && o.Require == RequireDone && !o.AllowStale && p.Verdict != Ready {
		// Whoever made the review knows of something that this gate does not.
		r.Problems = append(r.Problems, Problem{Code: CodeVerdict,
			Message: p.Verdict + ": " + strings.Join(p.Reasons, "; ")})
	}
	r.Pass = r.Failed == 0 && len(r.Problems) == 0
	return r
}

// failures returns why a requirement fails. A stale one fails a gate of the rules, too; whoever allows the one allows
// the other.
func (o GateOptions) failures(row Requirement) []Failure {
	all := []Failure{}
	add := func(fails bool, code fault.Code, detail string) {
		if fails {
			all = append(all, Failure{code, detail})
		}
	}
	if row.settled(row.Has(CodeRetiredWithWork)) {
		return all
	}
	if row.Has(CodeRetiredWithWork) {
		return append(all, Failure{CodeRetiredWithWork,
			"it was removed from its document with work on it: the pm must defer it"})
	}
	if o.Rules == RulesLatest && row.ByLatest != nil {
		row.Missing, row.Stale = row.ByLatest.Missing, slices.Concat(row.Stale, row.ByLatest.Stale)
	}
	lacks := o.lacks(row)
	done := row.Status == lifecycle.Done
	tested := done || row.Status == lifecycle.TestedPass
	switch {
	case o.Require == RequireTested:
		add(!tested || len(lacks) > 0, CodeNotTested, row.explain(lacks))
	case !done:
		add(true, CodeNotDone, row.explain(lacks))
	default:
		add(len(lacks) > 0, CodeGateUnmet, row.explain(lacks))
	}
	if len(row.Stale) > 0 && !o.AllowStale {
		add(true, CodeStale, staleSentence(row.Stale))
	}
	if o.Covers && tested && (row.Covered == nil || !*row.Covered) {
		add(true, CodeNotCovered, "no cited test names it")
	}
	return all
}

// lacks returns the gates that count here: where tested is enough, not those that PM meets.
func (o GateOptions) lacks(row Requirement) []Missing {
	return slices.DeleteFunc(slices.Clone(row.Missing), func(m Missing) bool {
		return slices.Contains(lifecycle.StaleGates(), m.Gate) || o.Require == RequireTested && m.By == lifecycle.PM
	})
}

// explain returns what is missing, by whom, or else whose move is next.
func (r Requirement) explain(lacks []Missing) string {
	text := ""
	switch {
	case len(lacks) > 0:
		text = lackWords(lacks, r.Status == lifecycle.Done)
	case r.Next != "":
		text = fmt.Sprintf("it waits for %s to move it to %s", theParties(r.WaitingFor), r.Next)
	case r.Has(CodeDeadEnd):
		text = "the workflow has no way from here to done; the pm can switch to one that has"
	default:
		text = "it waits for " + theParties(r.WaitingFor)
	}
	if r.Held != nil && r.Held.Reason != "" {
		text += "; the reason given is: " + r.Held.Reason
	}
	return text
}

// OrNobody joins roles by commas, or returns "nobody" where there is none.
func OrNobody(parties []lifecycle.Party) string {
	if len(parties) == 0 {
		return "nobody"
	}
	return Joined(parties)
}

// Joined joins names by commas.
func Joined[T ~string](items []T) string {
	words := make([]string, len(items))
	for i, s := range items {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// StaleWords returns what is stale and why, in one line.
func StaleWords(all []lifecycle.Stale) string {
	var words []string
	for _, s := range all {
		words = append(words, fmt.Sprintf("%s (%s)", s.Part, s.Reason))
	}
	return strings.Join(words, ", ")
}

// Finding is a problem or a failed requirement, with its place.
type Finding struct {
	Code                           fault.Code
	Subject, Status, Message, Path string
	Line                           int
}

// Said returns the status and the message as one sentence: of a requirement that is done, "done, but" what is wrong.
func (f Finding) Said() string {
	switch f.Status {
	case "":
		return f.Message
	case string(lifecycle.Done):
		return f.Status + ", but " + f.Message
	}
	return f.Status + ": " + f.Message
}

// Findings returns every problem and every failed requirement.
func (r GateResult) Findings() []Finding {
	var all []Finding
	for _, p := range r.Problems {
		all = append(all, Finding{p.Code, "project", "", p.Message, p.Path, p.Line})
	}
	for _, c := range r.Cases {
		if c.Outcome == Fails {
			all = append(all, c.Finding())
		}
	}
	return all
}

// Finding returns a failed requirement as a finding.
func (c Case) Finding() Finding {
	return Finding{c.Failures[0].Code, c.ID, string(c.Status), c.Message(), c.Path, c.Line}
}

// Message joins what a failed requirement lacks.
func (c Case) Message() string {
	var details []string
	for _, f := range c.Failures {
		if f.Code == CodeStale && len(details) > 0 && len(c.Missing) > 0 && saidByGates(c.Stale) {
			continue
		}
		details = append(details, f.Detail)
	}
	return strings.Join(details, "; ")
}

// JSON writes the result as one line, the same bytes for the same result.
func (r GateResult) JSON(w io.Writer) error { return writeJSON(w, r) }
