package clientcmd

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/typed"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/shellquote"
)

// maxBody is the most bytes of a change request, as the service takes it.
const maxBody = 1 << 20

// changing are the flags of change.
type changing struct {
	asking
	status, reason, from, ifMatch string
	evidence                      []string
	dryRun                        bool

	attached   map[string]changed // by the paths of the reports
	unattached bool               // a dry run ended at a report that is not attached
}

func changeCommand() *cobra.Command {
	var c changing
	c.moves = true
	cmd := &cobra.Command{
		Use:   "change ID",
		Short: "Move a requirement into another status, with reason and evidence",
		Long: `Change proposes a move. Evidence is file:PATH, file:PATH:10-20, file:PATH:10-20@COMMIT,
commit:HEAD or test:NAME@REPORT; a test that failed is test:NAME=fail@REPORT. Paths begin in the
present folder, and are sent as paths of the repository; a revision of git is sent as its full id.
A tester's REPORT is attached first, and then cited; for others it is cited as a file. With --from
the request is read from a file, as PATCH takes it. A dry run attaches nothing: with a REPORT that
is not attached yet it says which test record the report would make, and does not check the move,
which depends on that record.`,
		Example: `  orchestrator change REQ-001 --status planned --reason "agreed" --evidence file:REQUIREMENTS.md:1-3
  orchestrator change REQ-001 --status tested_pass --reason green --evidence test:TestLogin@a.xml
  orchestrator change REQ-001 --from change.json --dry-run`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&c.status, "status", "", "`status` to move to")
	f.StringVar(&c.from, "from", "", "`file` with the request as JSON; - is standard input")
	f.StringVar(&c.ifMatch, "if-match", "", "`revision` that the change is meant for; another one is refused")
	f.BoolVar(&c.dryRun, "dry-run", false, "ask whether it would be accepted, and change nothing")
	justifying(cmd, &c.reason, &c.evidence)
	_ = cmd.RegisterFlagCompletionFunc("status", completion.Statuses)
	return c.command(cmd, true)
}

// justifying adds --reason and --evidence.
func justifying(cmd *cobra.Command, reason *string, evidence *[]string) {
	cmd.Flags().StringVar(reason, "reason", "", "`text` that says why")
	cmd.Flags().StringArrayVar(evidence, "evidence", nil,
		"`piece` of evidence: file:PATH:10-20, commit:HEAD or test:NAME@REPORT; may be given several times")
}

func (ch *changing) run(cmd *cobra.Command, id string) error {
	if (ch.from == "") == (ch.status == "") {
		return fault.Misuse("give --status, or the whole request with --from").
			WithFix("orchestrator next %s lists the moves, each as a command", shellquote.Quote(id))
	}
	if err := ch.complete(cmd, id); err != nil {
		return err
	}
	if ch.Role == "" {
		ch.Role = proposal.Mover(ch.status)
	}
	c, err := ch.connect()
	if err != nil {
		return err
	}
	body, err := ch.body(cmd, c, id)
	if err != nil {
		return ch.remaining(cmd, err)
	}
	return ch.move(cmd, c, id, body, "changed")
}

// move sends a change, unless it is a dry run that ended before.
func (ch *changing) move(cmd *cobra.Command, c *apiclient.Client, id string, body any, did string) error {
	if ch.unattached {
		return nil
	}
	sent := change{id: id, dryRun: ch.dryRun, body: body}
	if ch.ifMatch != "" {
		sent.ifMatch = strconv.Quote(ch.ifMatch)
	}
	got, err := send(cmd.Context(), c, sent)
	return ch.remaining(cmd, ch.report(cmd.OutOrStdout(), got, did, err))
}

// complete refuses a move without what every move has.
func (ch *changing) complete(cmd *cobra.Command, id string) error {
	if ch.from != "" {
		return typed.Whole(cmd, ch.from, besides...)
	}
	if !slices.Contains(lifecycle.Statuses(), lifecycle.Status(ch.status)) {
		return fault.Misuse("%q is not a status", ch.status).
			WithFix("orchestrator next %s lists the moves, each as a command", shellquote.Quote(id))
	}
	if err := ch.justified(cmd); err != nil {
		return err
	}
	if len(ch.evidence) == 0 {
		return fault.Misuse("%s needs evidence", cmd.CommandPath()).
			WithFix("give --evidence file:PATH:10-20, --evidence commit:HEAD or --evidence test:NAME@REPORT")
	}
	return nil
}

// body makes the request.
func (ch *changing) body(cmd *cobra.Command, c *apiclient.Client, id string) (any, error) {
	if ch.from != "" {
		content, err := typed.Input(cmd, ch.from, maxBody)
		if err != nil {
			return nil, err
		}
		return proposal.Request(content)
	}
	cited, err := ch.cite(cmd, c, id)
	if err != nil {
		return nil, err
	}
	return guidance.Body{Status: lifecycle.Status(ch.status),
		Justification: &lifecycle.Justification{Reason: ch.reason, Evidence: cited}}, nil
}
