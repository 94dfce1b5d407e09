package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/internal/datadir"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/qualify"
	"orchestrator/internal/requirements/reqdoc"
)

// DataFlag adds --data.
func DataFlag(cmd *cobra.Command, data *string) {
	cmd.Flags().StringVar(data, "data", datadir.Default, "folder of the database and the tokens")
	setting.DeclarePaths(cmd, "data")
}

// FormatFlag adds --format; the first one known is the default.
func FormatFlag(cmd *cobra.Command, format *string, known []string) {
	cmd.Flags().StringVar(format, "format", known[0], "how to show it: "+strings.Join(known, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
}

// UnknownFormat refuses a --format; known are the ones there are.
func UnknownFormat(format string, known []string) error {
	return fault.Misuse("there is no format %q", format).
		WithFix("use --format with one of %s", strings.Join(known, ", "))
}

// ReadingFlags adds how documents are read, the same for every command that reads some.
func ReadingFlags(cmd *cobra.Command, o *reqdoc.Options) {
	families := reqdoc.Families()
	cmd.Flags().StringVar(&o.Family, "family", "",
		"read every document as this family, and look for no marks: "+strings.Join(families, ", "))
	cmd.Flags().BoolVar(&o.Assign, "assign", false, "make ids from section and item for documents that have none")
	cmd.Flags().StringVar(&o.Qualify, "qualify", "", "whether ids begin with the folder of their document: folder or none "+
		"(default: of a new project, where the family numbers requirements per folder; then as they are on record)")
	cmd.Flags().BoolVar(&o.Strict, "strict", false,
		"refuse templates and drafts, which are left out with a warning where other documents define requirements")
	setting.Declare(cmd, "family", "qualify")
	_ = cmd.RegisterFlagCompletionFunc("qualify", cobra.FixedCompletions(qualify.Forms(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("family", cobra.FixedCompletions(families, cobra.ShellCompDirectiveNoFileComp))
}
