package language

import (
	"time"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// requirementsWord is how a list of requirements may be called.
const requirementsWord = "(requirements|requirement|reqs)"

// reads are the forms that ask, and change nothing.
var reads = []form{
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
			"whose turn is it (on|for|with) [requirement] {id}",
			"who is [requirement] {id} waiting for",
			"(show|describe|about|what about) [me] [requirement] {id}",
		},
		Type: planning.Report, Kind: planning.KindStatus,
		Examples: []string{
			"status of REQ-7", "what is the status of REQ-7", "what the status of REQ-7 is", "REQ-7 status",
			"which status is REQ-7 in",
			"how is REQ-7 doing", "whose turn is it on REQ-7", "who is REQ-7 waiting for", "show REQ-7",
		},
	},
	{
		Say: []string{
			"is [requirement] {id} [already|still|now|yet] {status:known_status} [already|now|yet]",
			"is [requirement] {id} [already|still|now|yet] {status}",
			"is [requirement] {id} [already|now|yet] (finished|complete) [already|now|yet]",
		},
		Type: planning.Report, Kind: planning.KindStatus, Build: believed,
		Examples: []string{"is REQ-7 done", "is REQ-7 finished yet"},
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
		Build: func(map[string]any, time.Time) (map[string]any, string) {
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
			"how (do|can) (i|we) (get|bring|move) [requirement] {id} to done",
			"how (do|can) (i|we) (finish|complete) [requirement] {id}",
			"how does [requirement] {id} get [to be] (done|finished)",
		},
		Type: planning.Report, Kind: "requirement.missing",
		Examples: []string{
			"why is REQ-7 not done", "why isn't REQ-7 finished yet", "why is not REQ-7 done", "why is REQ-7 stuck",
			"what is missing for REQ-7", "what does REQ-7 need to be done", "what keeps REQ-7 from being done",
			"how do I get REQ-7 to done", "how can we finish REQ-7", "how does REQ-7 get done",
		},
	},
	{
		Say: []string{
			"what should [the|a] {role} do next [(with|for|on|about) {id}]",
			"what is next for [the] {role}",
			"what is next (for|with|on) {id}",
			"what (should|can|must) i do next [(with|for|on|about) {id}]",
			"what is next",
			"what (waits|is waiting) [for me]",
			"(which|what) " + requirementsWord + " (wait|are waiting) [for me]",
		},
		Type: planning.Report, Kind: "requirement.next",
		Examples: []string{
			"what should I do next", "what should the tester do next", "what is next for REQ-7",
			"what is next for the coder",
			"what should I do next with REQ-7", "what's next", "what waits for me", "which requirements wait for me",
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
			"which requirements are waiting for the tester", "which requirements are not done",
		},
	},
	{
		Say: []string{
			"how many " + requirementsWord + " [are there]",
			"how many " + requirementsWord + " [there are|are|is] {filters}",
			"how many {status:known_status} " + requirementsWord + " [are there] [{filters}]",
			"how many " + requirementsWord + " (have|has) [the] status {status:known_status}",
			"(count|number of) [all] [of] [the] " + requirementsWord + " [{filters}]",
		},
		Type: planning.Report, Kind: "query.requirements", Build: counted,
		Examples: []string{
			"how many requirements are done", "how many requirements are there",
			"how many blocked requirements are there", "how many requirements have the status done",
			"count the requirements assigned to ada",
		},
	},
	{
		Say: []string{
			"(list|show|give|find|who are) [me] [all] [of] my {relation} " +
				"[[who|that] [live|lives|living] in {city:place}]",
			"(which|who) of my {relation} (live|lives) in {city:place}",
		},
		Type: planning.Report, Kind: "query.people", Into: "filters",
		Examples: []string{"list my friends in Seattle", "which of my friends live in Seattle"},
	},
	{
		Say: []string{
			"what [facts] do you know [about {subject:name}]",
			"(list|show|give) [me] [all] [of] [the] facts [(about|on|of) {subject:name}]",
		},
		Type: planning.Report, Kind: "query.facts",
		Examples: []string{"what do you know about Bob Johnson", "what do you know", "list all facts about Bob",
			"list the facts"},
	},
	{
		Say:  []string{"what is my name", "what my name is", "who am i", "do you know my name"},
		Type: planning.Report, Kind: "status.name",
		Examples: []string{"what is my name", "what my name is", "who am I", "do you know my name"},
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
		Say: []string{
			"[what is|show|give|get] [me] [the] history of [requirement] {id}",
			"what [has] happened to [requirement] {id}",
			"how did [requirement] {id} get here",
		},
		Type: planning.Report, Kind: "requirement.history",
		Examples: []string{"history of REQ-7", "what happened to REQ-7", "how did REQ-7 get here"},
	},
	{
		Say: []string{
			"who [has] {did} [requirement] {id}",
			"who [has] (asked for|requested|wanted) changes (on|to|of|in|for) [requirement] {id}",
			"(when|by whom) (was|were) [requirement] {id} {did}",
			"when (were changes|was a change) (asked for|requested|wanted) (on|to|of|in|for) [requirement] {id}",
			"(was|has) [requirement] {id} [ever] [been] {did} [yet]",
		},
		Type: planning.Report, Kind: "requirement.acts", Build: deeds,
		Examples: []string{"who approved REQ-7", "who asked for changes on REQ-7", "when was REQ-7 approved",
			"when were changes asked for on REQ-7", "who implemented REQ-7", "was REQ-7 ever blocked"},
	},
	{
		Say: []string{
			"(what|which (requests|changes)) (was|were) refused [{day}] [in {zone}]",
			"(what|which (requests|changes)) (was|were) refused (on|of) {day} [in {zone}]",
			"(what|which (requests|changes)) (was|were) refused since {since:day} [in {zone}]",
			"(what|which (requests|changes)) of {actor:name} (was|were) refused [{day}] [in {zone}]",
			"what was refused (for|about) {id} [{day}] [in {zone}]",
			"(list|show|give|get) [me] [all] [the] refusals [of|on|from] [{day}] [in {zone}]",
			"(list|show|give|get) [me] [all] [the] refusals since {since:day} [in {zone}]",
			"why was {id} refused [{day}] [in {zone}]",
		},
		Type: planning.Report, Kind: "query.refusals", Build: refusedWithin,
		Examples: []string{
			"what was refused today", "what was refused", "what was refused on 2026-11-02",
			"what was refused since 2026-11-02 in Europe/Berlin", "what of Ada was refused yesterday",
			"what was refused for REQ-7", "show me the refusals of today", "show the refusals since yesterday",
			"why was REQ-7 refused",
		},
	},
	{
		Say:  []string{"(verify|check) (the|all|my|these) answers", "(verify|check) all of it"},
		Type: planning.Verify, Kind: "answers",
		Examples: []string{"verify the answers", "check all of it"},
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
}
