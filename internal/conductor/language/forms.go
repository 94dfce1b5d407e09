package language

import (
	"maps"
	"regexp"
	"strings"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// form is a kind of sentence and the obligation that it makes.
type form struct {
	Say  []string // patterns; see pattern
	Type planning.Type
	Kind string
	// member of the payload that takes the slots; "" is the payload itself
	Into string
	// the payload's members from the slots, or why not; nil is the slots
	Build func(map[string]any) (map[string]any, string)
	// each pattern has at least one; the first stands for the form
	Examples []string
}

// requirementsWord is how a list of requirements may be called.
const requirementsWord = "(requirements|requirement|reqs)"

// forms are all sentences of the grammar. docs/conductor-language.md is made from this table.
var forms = []form{
	{
		Say: []string{
			"[what is|calculate|compute|evaluate|work out|how much is] {expr}",
			"what {expr} is",
		},
		Type: planning.Report, Kind: "query.math",
		Examples: []string{"what is 2+2", "calculate (3+4)*2", "2+2", "how much is 2 plus 2", "what 2 ** 10 is"},
	},
	{
		Say: []string{
			"how many {letter} [letters] [are] [there] in [the] [word] {text:word}",
			"how many times does [the] [letter] {letter} (occur|appear) in [the] [word] {text:word}",
			"how often does [the] [letter] {letter} (occur|appear) in [the] [word] {text:word}",
			"count [the] [letter|letters] {letter} in [the] [word] {text:word}",
		},
		Type: planning.Report, Kind: "query.count_letters",
		Examples: []string{
			"how many r's in strawberry", "how many times does the letter r occur in strawberry",
			"how often does r appear in the word strawberry", `count the letter r in "red strawberry"`,
		},
	},
	{
		Say: []string{
			"[what is|show|give|get] [me] [the] status of [requirement] {id}",
			"what the status of [requirement] {id} is",
			"[what is] {id} status",
			"(what|which) status (is|has) {id} [in]",
			"how is {id} (doing|going)",
		},
		Type: planning.Report, Kind: "requirement.status",
		Examples: []string{
			"status of REQ-7", "what is the status of REQ-7", "what the status of REQ-7 is", "REQ-7 status",
			"which status is REQ-7 in",
			"how is REQ-7 doing",
		},
	},
	{
		Say: []string{
			"[what is|show|give|get] [me] [the] project status",
			"[what is|show|give|get] [me] [the] status of (the|this|my) project",
			"how is the project (doing|going)",
		},
		Type: planning.Report, Kind: "project.status",
		Examples: []string{"project status", "what is the status of the project", "how's the project doing"},
	},
	{
		Say: []string{"what is blocked [and why]", "(what|which) requirements are blocked and why",
			"why are requirements blocked"},
		Type: planning.Report, Kind: "query.requirements",
		Build: func(map[string]any) (map[string]any, string) {
			return map[string]any{"filters": map[string]any{"status": string(lifecycle.Blocked)}, "why": true}, ""
		},
		Examples: []string{"what is blocked and why", "which requirements are blocked and why",
			"why are requirements blocked"},
	},
	{
		Say: []string{
			"why is [requirement] {id} not [yet] (done|finished|complete|ready) [yet]",
			"why is not [requirement] {id} (done|finished|complete|ready) [yet]",
			"why isn't [requirement] {id} (done|finished|complete|ready) [yet]",
			"why is [requirement] {id} (stuck|waiting)",
			"what is missing (for|in|of|from) [requirement] {id}",
			"what does [requirement] {id} (lack|need|miss) [to be done]",
			"what (stands against|keeps) [requirement] {id} [from being done]",
		},
		Type: planning.Report, Kind: "requirement.missing",
		Examples: []string{
			"why is REQ-7 not done", "why isn't REQ-7 finished yet", "why is not REQ-7 done", "why is REQ-7 stuck",
			"what is missing for REQ-7", "what does REQ-7 need to be done", "what keeps REQ-7 from being done",
		},
	},
	{
		Say: []string{
			"what should [the|a] {role} do next [(with|for|on|about) {id}]",
			"what is next for [the] {role}",
			"what is next (for|with|on) {id}",
			"what (should|can|must) i do next [(with|for|on|about) {id}]",
			"what is next",
		},
		Type: planning.Report, Kind: "requirement.next",
		Examples: []string{
			"what should I do next", "what should the tester do next", "what is next for REQ-7", "what is next for the coder",
			"what should I do next with REQ-7", "what's next",
		},
	},
	{
		Say: []string{
			"(list|show|give|find|get) [me] [all] [of] [the] " + requirementsWord + " [{filters}]",
			"(list|show|give|find|get) [me] [all] [of] [the] {status:known_status} " + requirementsWord +
				" [{filters}]",
			"(which|what) " + requirementsWord + " [are|is] {filters}",
		},
		Type: planning.Report, Kind: "query.requirements", Build: requirementFilters,
		Examples: []string{
			"list the requirements that are design_ready", "list the requirements assigned to ada",
			"list the requirements of kind story",
			"show me all blocked requirements assigned to ada and of kind story",
			"which requirements are waiting for the tester",
		},
	},
	{
		Say: []string{
			"(list|show|give|find|who are) [me] [all] [of] my {relation} [[who|that] [live|lives|living] in {city:place}]",
			"(which|who) of my {relation} (live|lives) in {city:place}",
		},
		Type: planning.Report, Kind: "query.people", Into: "filters",
		Examples: []string{"list my friends in Seattle", "which of my friends live in Seattle"},
	},
	{
		Say:  []string{"my name is {value:name}"},
		Type: planning.Achieve, Kind: "status.name",
		Examples: []string{"my name is Jeff"},
	},
	{
		Say:  []string{"what is my name", "what my name is", "who am i", "do you know my name"},
		Type: planning.Report, Kind: "status.name",
		Examples: []string{"what is my name", "what my name is", "who am I", "do you know my name"},
	},
	{
		Say: []string{
			"remember [that] {who:name} is my {relation} [[and who|and|who] lives in {city:place}]",
			"remember [that] my {relation} {who:name} lives in {city:place}",
			"remember [that] {who:name} lives in {city:place} [and is my {relation}]",
		},
		Type: planning.Achieve, Kind: "ir.assert", Build: factsOf,
		Examples: []string{
			"remember that Alice Smith is my friend and lives in Seattle",
			"remember that my friend Alice Smith lives in Seattle",
			"remember that Bob Johnson lives in Seattle",
		},
	},
	{
		Say:  []string{"(normalize|normalise|clean up) [the] (email|e-mail) [address] {email:word}"},
		Type: planning.Report, Kind: "normalize.email",
		Examples: []string{"normalize email Ada@Example.ORG"},
	},
	{
		Say:  []string{"(normalize|normalise|clean up) [the] (url|link|web address) {url:word}"},
		Type: planning.Report, Kind: "normalize.url",
		Examples: []string{"normalize url HTTP://Example.org/a/../b"},
	},
	{
		Say:  []string{"(normalize|normalise|clean up) [the] (phone|telephone) [number] {phone}"},
		Type: planning.Report, Kind: "normalize.phone",
		Examples: []string{"normalize phone +49 (30) 901820"},
	},
	{
		Say: []string{
			"what time is it [now] [in {zone}]",
			"what time it is [now] [in {zone}]",
			"[what is] the [current] time [now] [in {zone}]",
		},
		Type: planning.Report, Kind: "time.now",
		Examples: []string{"what time is it in Europe/Berlin", "what time is it", "what time it is",
			"what is the current time"},
	},
	{
		Say: []string{"(verify|check|audit) the [audit] log", "(verify|check) the audit", "verify audit",
			"is the [audit] log (intact|in order|ok)"},
		Type: planning.Verify, Kind: "audit",
		Examples: []string{"verify the log", "check the audit", "verify audit", "is the log intact"},
	},
	{
		Say: []string{"(verify|check) [the] evidence (of|for) [requirement] {id}",
			"is the evidence (of|for) [requirement] {id} (valid|good|still good|in order|ok)"},
		Type: planning.Verify, Kind: "requirement.evidence",
		Examples: []string{"verify the evidence of REQ-7", "is the evidence for REQ-7 still good"},
	},
	{
		Say: []string{
			"(set|move|change|put) [the] [status] [of] [requirement] {id} (to|into|in) [status] {status} [because [of] {reason}]",
			"mark [requirement] {id} [as] {status} [because [of] {reason}]",
		},
		Type: planning.Achieve, Kind: "requirement.status", Build: justified,
		Examples: []string{
			"set REQ-7 to design_ready because the design stands, see docs/design.md",
			"mark REQ-7 as blocked because the supplier is late, see mail/late.txt:3-9",
		},
	},
}

// name returns what a form makes: REPORT(query.math).
func (f *form) name() string { return string(f.Type) + "(" + f.Kind + ")" }

// payload returns the members that a form makes of its slots.
func (f *form) payload(slots map[string]any) (payload map[string]any, why string) {
	if f.Build != nil {
		if slots, why = f.Build(slots); why != "" {
			return nil, why
		}
	}
	payload = map[string]any{"kind": f.Kind}
	if f.Into != "" {
		payload[f.Into] = slots
		return payload, ""
	}
	maps.Copy(payload, slots)
	return payload, ""
}

// shownBy finds the words before the file that shows a reason, and the lines of that file.
var shownBy = regexp.MustCompile(`(?i)^(.+?),? see ([^\s:"]+)(?::([1-9][0-9]*(?:-[1-9][0-9]*)?))?$`)

// justified makes the justification of a change of status, which has evidence besides the reason: a file, and lines of
// it.
func justified(slots map[string]any) (map[string]any, string) {
	members := map[string]any{"id": slots["id"], "status": slots["status"]}
	reason, given := slots["reason"].(string)
	if !given {
		return members, ""
	}
	found := shownBy.FindStringSubmatch(reason)
	if found == nil {
		return nil, "a reason is shown by a file: because REASON, see PATH"
	}
	evidence := map[string]any{"kind": "file", "path": found[2]}
	if found[3] != "" {
		evidence["lines"] = found[3]
	}
	members["justification"] = map[string]any{"reason": unquote(found[1]), "evidence": []any{evidence}}
	return members, ""
}

// factsOf makes facts about a person; their predicates are the filters of query.people.
func factsOf(slots map[string]any) (map[string]any, string) {
	facts := []any{}
	for _, predicate := range []string{"relation", "city"} {
		if object, said := slots[predicate]; said {
			facts = append(facts, map[string]any{"subject": slots["who"], "predicate": predicate, "object": object})
		}
	}
	return map[string]any{"facts": facts}, ""
}

// requirementFilters joins a status that stands before the word "requirements" with the clauses behind it.
func requirementFilters(slots map[string]any) (map[string]any, string) {
	filters, _ := slots["filters"].(map[string]any)
	if filters == nil {
		filters = map[string]any{}
	}
	if status, said := slots["status"]; said {
		if _, twice := filters["status"]; twice {
			return nil, "it names two statuses"
		}
		filters["status"] = status
	}
	return map[string]any{"filters": filters}, ""
}

var patternWords = regexp.MustCompile(`\{(?:(\w+):)?(\w+)\}`)

// shown returns a pattern as a reader sees it: {city:place} becomes CITY.
func shown(say string) string {
	return patternWords.ReplaceAllStringFunc(say, func(slot string) string {
		name, _, _ := strings.Cut(strings.Trim(slot, "{}"), ":")
		return strings.ToUpper(name)
	})
}

// knownForms returns the first example of each form.
func knownForms() []string {
	var all []string
	for _, f := range forms {
		all = append(all, f.Examples[0])
	}
	return all
}
