package language

import (
	"strings"

	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/rules/planning"
)

// anyFingerprint stands for the digest of a text in examples.
var anyFingerprint = strings.Repeat("0123456789abcdef", 4)

// acts are the forms that bring something about.
var acts = []form{
	{
		Say:  []string{"my name is {value:name}"},
		Type: planning.Achieve, Kind: "status.name",
		Examples: []string{"my name is Jeff"},
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
		Say: []string{
			"forget [that] {who:name} is my {relation}",
			"forget [that] {who:name} lives in {city:place}",
		},
		Type: planning.Achieve, Kind: "ir.retract", Build: factEnded,
		Examples: []string{"forget that Bob Johnson lives in Seattle", "forget that Bob is my friend"},
	},
	{
		Say: []string{
			"(set|move|change|put) [the] [status] [of] [requirement] {id} (to|into|in) [status] {status} " +
				"[because [of] {reason}]",
			"mark [requirement] {id} [as] {status} [because [of] {reason}]",
		},
		Type: planning.Achieve, Kind: planning.KindStatus, Build: justified,
		Examples: []string{
			"set REQ-7 to design_ready because the design stands, see docs/design.md",
			"mark REQ-7 as blocked because the supplier is late, see mail/late.txt:3-9",
		},
	},
	{
		Say:  []string{"(block|stop) [requirement] {id} [because [of] {reason}]"},
		Type: planning.Achieve, Kind: planning.KindStatus, Build: movedTo(string(lifecycle.Blocked)),
		Examples: []string{"block REQ-7 because the supplier is late"},
	},
	{
		Say:  []string{"(defer|postpone) [requirement] {id} [because [of] {reason}]"},
		Type: planning.Achieve, Kind: planning.KindStatus, Build: movedTo(string(lifecycle.Deferred)),
		Examples: []string{"defer REQ-7 because it can wait for spring"},
	},
	{
		Say: []string{
			"[requirement] {id} needs changes [because [of] {reason}]",
			"(send back|send) [requirement] {id} [back] [because [of] {reason}]",
		},
		Type: planning.Achieve, Kind: planning.KindStatus, Build: movedTo(string(lifecycle.NeedsChanges)),
		Examples: []string{"REQ-7 needs changes because the form is empty",
			"send REQ-7 back because the form is empty"},
	},
	{
		Say:  []string{"(unblock|resume) [requirement] {id} [because [of] {reason}]"},
		Type: planning.Achieve, Kind: planning.KindStatus, Build: movedTo(Held),
		Examples: []string{"unblock REQ-7 because the supplier has delivered"},
	},
	{
		Say:  []string{"(approve|sign off|sign off on) [requirement] {id} [because [of] {reason}]"},
		Type: planning.Achieve, Kind: "requirement.signoff", Build: decided(lifecycle.Approved),
		Examples: []string{"approve REQ-7", "approve REQ-7 because the demonstration went well"},
	},
	{
		Say:  []string{"(reject|refuse) [requirement] {id} [because [of] {reason}]"},
		Type: planning.Achieve, Kind: "requirement.signoff", Build: decided(lifecycle.Rejected),
		Examples: []string{"reject REQ-7 because the form is empty"},
	},
	{
		Say: []string{
			"[add|make|take|write] [a] note (on|to|for|about) [requirement] {id} [that] {text:reason}",
			"note [that] {text:reason} (on|for|about) [requirement] {id}",
		},
		Type: planning.Achieve, Kind: "requirement.pm_notes", Build: noted,
		Examples: []string{"note on REQ-7: the customer has agreed", "note that the customer has agreed on REQ-7"},
	},
	{
		Say: []string{
			"(record|add|note) [a|the] deviation {deviation} (of|on|for|from) [requirement] {id} " +
				"[that|because] {text:reason}",
		},
		Type: planning.Achieve, Kind: "requirement.deviations", Build: deviating,
		Examples: []string{"record the deviation D-1 of REQ-7: only German is supported"},
	},
	{
		Say: []string{"{outcome} [the] deviation {deviation} (of|on|for|from) [requirement] {id} " +
			"because [of] {text:reason}"},
		Type: planning.Achieve, Kind: "requirement.deviations", Build: settledDeviation,
		Examples: []string{"accept the deviation D-1 of REQ-7 because the customer has agreed"},
	},
	{
		Say:  []string{"accept [the] text {accept_fingerprint:fingerprint} (of|for) [requirement] {id} [because [of] {reason}]"},
		Type: planning.Achieve, Kind: "requirement.accept_fingerprint", Build: accepted,
		Examples: []string{"accept the text sha256:" + anyFingerprint + " of REQ-7 because the work still fits"},
	},
}
