package review

import (
	"fmt"
	"slices"
	"strings"

	"orchestrator/internal/rules/lifecycle"
)

// chore says for people what meets a gate: what its supplier must do, and why, where something changed.
type chore struct{ gate, must, why string }

// chores are in the order in which people do them.
var chores = []chore{
	{"design_spec", "design it", ""},
	{"design_there", "design it", ""},
	{"implementation", "implement it", ""},
	{"implementation_after_design", "implement the present design", "the design changed since the implementation"},
	{lifecycle.GateImplementationHolds, "name files and commits that the branch has", ""},
	{"test_of_this_phase", "test it", ""},
	{"tests_passed", "test it", ""},
	{"test_evidence", "test it", ""},
	{"test_after_implementation", "test again", "the implementation changed since the tests"},
	{"test_on_current_text", "test again", "the text changed since the tests"},
	{lifecycle.GateTestHolds, "attach the report of a run on the branch", ""},
	{"separation_of_duties", "be somebody else than the implementer", ""},
	{lifecycle.GateAcceptance, "accept the text", "the text changed"},
	{lifecycle.GateDeviations, "resolve its deviations", "a deviation is open"},
	{lifecycle.GateApproval, "approve", ""},
	{lifecycle.GateIndependence, "have it approved by somebody who neither implemented nor tested it", ""},
}

// lackWords returns what is missing as one sentence for people: why, and who must do what. Work that still lies ahead
// needs no reason.
func lackWords(lacks []Missing, done bool) string {
	has := map[string]Missing{}
	for _, m := range lacks {
		has[m.Gate] = m
	}
	var whys, details []string
	musts := map[lifecycle.Role][]string{}
	for _, c := range chores {
		m, lacking := has[c.gate]
		if !lacking {
			continue
		}
		if c.why != "" {
			whys = append(whys, c.why)
		} else {
			details = append(details, m.Detail)
		}
		if !slices.Contains(musts[m.By], c.must) {
			musts[m.By] = append(musts[m.By], c.must)
		}
	}
	if _, tests := has["test_on_current_text"]; tests {
		whys = slices.DeleteFunc(whys, func(why string) bool { return why == "the text changed" })
	}
	if len(whys) == 0 && done {
		whys = details
	}
	return sentence(whys, append(mustWords(musts), otherWords(lacks)...))
}

// mustWords returns who must do what, in the order of the roles.
func mustWords(musts map[lifecycle.Role][]string) (words []string) {
	for _, role := range []lifecycle.Role{lifecycle.Architect, lifecycle.Coder, lifecycle.Tester, lifecycle.PM} {
		all := musts[role]
		if slices.Contains(all, "test again") {
			all = slices.DeleteFunc(all, func(must string) bool { return must == "test it" })
		}
		if len(all) > 0 {
			words = append(words, fmt.Sprintf("the %s must %s", role, andWords(all)))
		}
	}
	return words
}

// otherWords returns what is missing by gates that have no words here, as a newer service may have them.
func otherWords(lacks []Missing) (words []string) {
	for _, m := range lacks {
		if !slices.ContainsFunc(chores, func(c chore) bool { return c.gate == m.Gate }) {
			words = append(words, fmt.Sprintf("the %s must see to %s", m.By, m.Gate))
		}
	}
	return words
}

// sentence joins reasons and what is to be done.
func sentence(whys, musts []string) string {
	if len(whys) == 0 {
		return strings.Join(musts, ", ")
	}
	return andWords(whys) + ": " + strings.Join(musts, ", ")
}

// andWords joins texts by commas and a last "and".
func andWords(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// staleReasons say for people why a part is stale. %s is the part.
var staleReasons = map[string]string{
	lifecycle.TextChanged:           "the text changed since the %s",
	lifecycle.DesignChanged:         "the design changed since the %s",
	lifecycle.ImplementationChanged: "the implementation changed since the %s",
	lifecycle.TestChanged:           "the tests changed since the %s",
	lifecycle.LinesChanged:          "lines that the %s cites changed",
	lifecycle.FileChanged:           "a file that the %s cites changed",
	lifecycle.FileGone:              "a file that the %s cites is gone",
	lifecycle.CommitGone:            "a commit that the %s cites is gone",
	lifecycle.ReportChanged:         "the report that the %s cites changed",
	lifecycle.ReportGone:            "the report that the %s cites is gone",
	lifecycle.ReportOlder:           "the report that the %s cites is older than the implementation",
	lifecycle.CodeChanged:           "the code changed since the %s",
	lifecycle.CodeUnknown:           "nothing says which code the %s is of",
	lifecycle.Elsewhere:             "what the %s cites is not on the branch",
	lifecycle.Uncommitted:           "a file that the %s cites is not committed",
	lifecycle.Copied:                "a file that the %s cites stands elsewhere now",
	lifecycle.Unreadable:            "what the %s cites cannot be read",
	lifecycle.Unknown:               "what the %s cites cannot be looked up",
}

// stalePart says what a part is called, and who makes it anew how.
type stalePart struct {
	field, name string
	by          lifecycle.Role
	must        string
}

var staleParts = []stalePart{
	{lifecycle.FieldDesignSpec, "design", lifecycle.Architect, "renew the design"},
	{lifecycle.FieldImplementation, "implementation", lifecycle.Coder, "renew the implementation"},
	{lifecycle.FieldTest, "test record", lifecycle.Tester, "test again"},
	{lifecycle.FieldApprovals, "approval", lifecycle.PM, "approve again"},
}

// staleSentence returns what is stale as one sentence for people: why, and who must do what.
func staleSentence(all []lifecycle.Stale) string {
	var whys []string
	musts := map[lifecycle.Role][]string{}
	var operator []string
	for _, s := range all {
		part := stalePart{name: s.Part, by: lifecycle.PM, must: "see to " + s.Part}
		if i := slices.IndexFunc(staleParts, func(p stalePart) bool { return p.field == s.Part }); i >= 0 {
			part = staleParts[i]
		}
		why := part.name + " is stale (" + s.Reason + ")"
		if known, is := staleReasons[s.Reason]; is {
			why = fmt.Sprintf(known, part.name)
		}
		if !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
		if s.Reason == lifecycle.Unreadable || s.Reason == lifecycle.Unknown {
			operator = []string{"the operator must make the repository whole and readable"}
		} else if !slices.Contains(musts[part.by], part.must) {
			musts[part.by] = append(musts[part.by], part.must)
		}
	}
	return sentence(whys, append(mustWords(musts), operator...))
}

// saidByGates reports whether what is stale is stale because text, design, implementation or tests moved on, which
// unmet gates of done say as well.
func saidByGates(stale []lifecycle.Stale) bool {
	return !slices.ContainsFunc(stale, func(s lifecycle.Stale) bool {
		return !slices.Contains([]string{lifecycle.TextChanged, lifecycle.DesignChanged,
			lifecycle.ImplementationChanged, lifecycle.TestChanged}, s.Reason)
	})
}

// theParties names roles and others whose turn it is: "the pm", "the coder and the tester", or "nobody".
func theParties(parties []lifecycle.Party) string {
	if len(parties) == 0 {
		return "nobody"
	}
	var words []string
	for _, p := range parties {
		words = append(words, "the "+string(p))
	}
	return andWords(words)
}

// Lost returns in words what keeps an approval from counting; "" for one that counts.
func (a Approval) Lost() string {
	switch {
	case len(a.ChangedSince) > 0:
		return ", before a change of " + strings.Join(a.ChangedSince, ", ")
	case !a.Counts && a.Decision == lifecycle.Approved:
		return ", which counts no longer"
	}
	return ""
}
