package main

import (
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/internal/requirements/reqdoc"
)

// readingFlags are how documents are read, the same for every command that reads some.
func readingFlags(cmd *cobra.Command, o *reqdoc.Options) {
	families := reqdoc.Families()
	cmd.Flags().StringVar(&o.Family, "family", "",
		"read every document as this family, and look for no marks: "+strings.Join(families, ", "))
	cmd.Flags().BoolVar(&o.Assign, "assign", false, "where a document has no ids, make them from section and item")
	_ = cmd.RegisterFlagCompletionFunc("family", cobra.FixedCompletions(families, cobra.ShellCompDirectiveNoFileComp))
}
