package clientcmd

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/typed"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
)

func noteCommand() *cobra.Command {
	var a asking
	a.Role = "pm"
	return a.command(&cobra.Command{
		Use:     "note ID TEXT",
		Short:   "Add a note to a requirement, as the pm",
		Long:    "Note appends to pm_notes. Nothing appended is ever removed.",
		Example: `  orchestrator note REQ-001 "the customer asked again"`,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(args[1]) == "" {
				return fault.Misuse("the note has no text").
					WithFix("give it as one argument: %s", strings.TrimSpace(cmd.Example))
			}
			c, err := a.connect()
			if err != nil {
				return err
			}
			body := guidance.Body{PMNotes: []lifecycle.NewNote{{Text: args[1]}}}
			got, err := send(cmd.Context(), c, change{id: args[0], body: body})
			return a.report(cmd.OutOrStdout(), got, "noted", err)
		},
	}, true)
}

func attachCommand() *cobra.Command {
	var a asking
	var tests, commit string
	var dryRun bool
	a.Role = "tester"
	cmd := &cobra.Command{
		Use:   "attach ID REPORT",
		Short: "Attach the report of a test run as the test record, as the tester",
		Long: `Attach sends JUnit XML, go test -json, TAP or CTRF as the test tool wrote it; - is standard input.
The tests that name the requirement are cited, or those that --tests chooses; where none names it,
all are.`,
		Example: `  orchestrator attach REQ-001 report.xml --commit HEAD
  go test -json ./... | orchestrator attach REQ-001 -`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			query, err := reportQuery(cmd, tests, commit, dryRun)
			if err != nil {
				return err
			}
			content, err := typed.Input(cmd, args[1], maxReport)
			if err != nil {
				return err
			}
			c, err := a.connect()
			if err != nil {
				return err
			}
			got, err := attach(cmd.Context(), c, args[0], query, content, "")
			return a.report(cmd.OutOrStdout(), got, "the report is attached", err)
		},
	}
	cmd.Flags().StringVar(&tests, "tests", "", "regular `expression` that chooses the tests to cite")
	cmd.Flags().StringVar(&commit, "commit", "", "`revision` of git that was tested, such as HEAD")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "ask whether it would be accepted, and change nothing")
	cmd = a.command(cmd, true)
	cmd.ValidArgsFunction = completion.FirstID
	return cmd
}

// reportQuery returns the parameters of a report.
func reportQuery(cmd *cobra.Command, tests, commit string, dryRun bool) (url.Values, error) {
	query := url.Values{}
	if tests != "" {
		query.Set("tests", tests)
	}
	if dryRun {
		query.Set("dry_run", "true")
	}
	if commit == "" {
		return query, nil
	}
	t, err := proposal.TreeAt(cmd.Context(), ".")
	if err != nil {
		return nil, err
	}
	id, err := t.Commit(cmd.Context(), commit)
	query.Set("commit", id)
	return query, err
}
