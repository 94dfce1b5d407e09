package records

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"orchestrator/internal/httpapi/web/words"
	"orchestrator/internal/rules/lifecycle"
)

// kind is a kind of record, and what one says, as a sentence goes on after who did it.
type kind struct {
	name          string
	ofRequirement bool // its subject is a requirement
	mark          string
	says          func(row) string
}

// kinds are all, those of requirements first.
var kinds = []kind{
	{"requirement.changed", true, "", func(r row) string { return changed(r.Content.Change) }},
	{"requirement.refused", true, "m-refused", func(r row) string {
		return refused(r.Content, wanted(r.Content.Change))
	}},
	{"request.refused", true, "m-refused", func(r row) string { return refused(r.Content, r.Content.Request) }},
	{"refusals.folded", false, "m-refused", folded},
	{"requirement.unchanged", true, "", always("asked again for what is there already")},
	{"requirement.claimed", true, "", func(r row) string { return "claimed the " + words.Part(r.Content.Field) }},
	{"requirement.released", true, "", released},
	{"requirements.imported", false, "", imported},
	{"requirements.renamed", false, "", renamed},
	{"evidence.rechecked", false, "", func(r row) string {
		return "looked at evidence again, and found news of " + counted(len(r.Content.Changed), "requirement")
	}},
	{"tokens.changed", false, "", tokens},
	{"workflow.chosen", false, "", chose("the workflow")},
	{"evidence.chosen", false, "", chose("how evidence is handled:")},
	{"branch.chosen", false, "", chose("the branch")},
	{"audit.key_chosen", false, "", always("chose the key that signs the log")},
	{"ledger.created", false, "", always("began the log")},
	{"log.restored", false, "m-unmet", always("restored the log from a backup")},
	{"conductor.stepped", false, "", func(r row) string {
		return "went on with run " + r.Content.Run + ": " + r.Content.Step
	}},
	{"boundary.recorded", false, "", func(r row) string {
		return "took over " + counted(len(r.Content.Lines), "line") + " of the boundary's journal"
	}},
	{"webhook.added", false, "", func(r row) string {
		return "added the webhook " + r.Content.Name + " to " + r.Content.Host
	}},
	{"webhook.removed", false, "", func(r row) string { return "removed the webhook " + r.Content.Name }},
	{"idempotency.keys_expired", false, "", always("forgot keys of requests that were answered long ago")},
}

func always(what string) func(row) string { return func(row) string { return what } }

// chose says that a setting was chosen.
func chose(what string) func(row) string {
	return func(r row) string {
		said := fmt.Sprintf("chose %s %v", what, r.Content.To)
		if from, is := r.Content.From.(string); is && from != "" {
			said += ", before it was " + from
		}
		return said
	}
}

func counted(n int, one string) string { return words.Counted(n, one, one+"s") }

// changed says what a change did: the move first, then what was written.
func changed(change map[string]jsontext.Value) string {
	var all []string
	var status string
	if json.Unmarshal(change["status"], &status) == nil {
		all = append(all, "moved it to "+words.Status(status))
	}
	for _, f := range []struct{ name, says, cleared string }{
		{lifecycle.FieldDesignSpec, "wrote the design", "cleared the design"},
		{lifecycle.FieldImplementation, "wrote the implementation", "cleared the implementation"},
		{lifecycle.FieldTest, "recorded tests", "cleared the tests"},
		{"approvals", approval(change["approvals"]), ""},
		{"deviations", "recorded a deviation", ""},
		{"pm_notes", "wrote a note", ""},
		{"accept_fingerprint", "accepted the new text", ""},
	} {
		switch value, sent := change[f.name]; {
		case sent && value.Kind() == 'n':
			all = append(all, f.cleared)
		case sent:
			all = append(all, f.says)
		}
	}
	if len(all) == 0 {
		return "changed it"
	}
	return words.And(all...)
}

func approval(raw jsontext.Value) string {
	var list []struct {
		Decision string `json:"decision"`
	}
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 && list[len(list)-1].Decision != lifecycle.Approved {
		return "rejected it"
	}
	return "approved it"
}

// infinitive turns what was done into what was to be done.
var infinitive = strings.NewReplacer(
	"moved it to", "move to", "changed it", "change", "wrote", "write", "recorded", "record", "cleared", "clear",
	"approved it", "approve", "rejected it", "reject", "accepted", "accept",
)

// wanted says what a change that was refused was to do.
func wanted(change map[string]jsontext.Value) string {
	if len(change) == 0 {
		return ""
	}
	return infinitive.Replace(changed(change))
}

// refused says that something was refused, and why.
func refused(c content, wanted string) string {
	said := "was refused"
	if wanted != "" {
		said += " (" + wanted + ")"
	}
	return said + ", " + c.Refusal.Code + ": " + c.Refusal.Detail
}

func folded(r row) string {
	c := r.Content
	said := fmt.Sprintf("counted %s more of %s", counted(c.Count, "refusal"), c.Actor.Name)
	if c.Code == "" {
		return said
	}
	return said + ": " + c.Code
}

func released(r row) string {
	if r.Content.Broken {
		return "ended the claim on the " + words.Part(r.Content.Field)
	}
	return "gave back the " + words.Part(r.Content.Field)
}

func imported(r row) string {
	defined, retired := len(r.Content.Defined), len(r.Content.Retired)
	switch {
	case defined+retired == 0:
		return "imported the documents; no requirement changed"
	case retired == 0:
		return fmt.Sprintf("imported the documents: %s new or changed", counted(defined, "requirement"))
	}
	return fmt.Sprintf("imported the documents: %s new or changed, %s retired", counted(defined, "requirement"),
		words.Count(retired))
}

func renamed(r row) string {
	c := r.Content
	if len(c.Renames) == 1 {
		return "renamed " + c.Renames[0].From + " to " + c.Renames[0].To
	}
	return "renamed " + counted(len(c.Renames), "requirement")
}

func tokens(r row) string {
	var all []string
	if n := len(r.Content.Added); n > 0 {
		all = append(all, "added "+counted(n, "token"))
	}
	if n := len(r.Content.Revoked); n > 0 {
		all = append(all, "revoked "+counted(n, "token"))
	}
	if len(all) == 0 {
		return "changed tokens"
	}
	return words.And(all...)
}
