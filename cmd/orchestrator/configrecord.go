package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/datadir"
	"orchestrator/internal/operator/exportfile"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/system/tree"
)

// sourceRecord is where a value comes from that is no setting any more, since the log of the project has it.
const sourceRecord = "on record"

// withRecord puts in what the project has on record. The database may be in use by the service, so the export says it;
// where there is none, only that it is on record is known.
func withRecord(cmd *cobra.Command, all []settled) []settled {
	if !tree.Exists(datadir.Dir(cli.ServiceOf(cmd).Data).Database()) {
		return withDefaults(all)
	}
	var status exportfile.Status
	from := ""
	if path, err := setting.ExportPath(cmd); err == nil {
		if status, err = exportfile.ReadStatus(cmd.Context(), path); err == nil {
			from = ", as " + path + " says"
		}
	}
	recorded := map[string]string{"workflow": status.Workflow, "qualify": status.Qualify,
		"evidence": status.Evidence, "branch": status.Branch}
	for i, s := range all {
		value, may := recorded[s.Key]
		if may && (s.Key == "workflow" || s.Source == "default" && value != "") {
			all[i].Value, all[i].Source = value, sourceRecord+from
		}
	}
	return all
}

// withDefaults says what a first start would choose.
func withDefaults(all []settled) []settled {
	values := map[string]string{"workflow": "v1", "qualify": qualify.Families}
	rules := map[string]string{"evidence": "default: verify in a git working tree, else record",
		"branch": "default: the one that HEAD names"}
	for i, s := range all {
		if s.Source == "default" {
			all[i].Value, all[i].Source = valueOr(values[s.Key], s.Value), cmp.Or(rules[s.Key], s.Source)
		}
	}
	return all
}

// valueOr returns a text, or else another value.
func valueOr(text string, value any) any {
	if text == "" {
		return value
	}
	return text
}

// tokenInUse says where the token comes from that commands use if they name none, without the token.
func tokenInUse(cmd *cobra.Command, all []settled) settled {
	s := settled{Key: "token", Value: "", Source: cli.TokenSource()}
	by := map[string]settled{}
	for _, one := range all {
		by[one.Key] = one
	}
	file, saved := by["token_file"].text(), strings.HasPrefix(by["token_file"].Source, "file ")
	switch {
	case file != "" && (s.Source == "" || !saved): // a variable with the token itself goes before a saved file
		s.Source = "file " + file
	case s.Source == "" && by["url"].text() == "":
		s.Source = cli.ServiceOf(cmd).OwnTokenSource()
	}
	if s.Source != "" {
		s.Value = "(masked)"
	}
	return s
}
