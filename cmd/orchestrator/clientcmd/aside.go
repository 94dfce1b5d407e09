package clientcmd

import (
	"github.com/spf13/cobra"

	"orchestrator/internal/apiclient"
	"orchestrator/internal/requirements/guidance"
	"orchestrator/internal/requirements/proposal"
	"orchestrator/internal/rules/lifecycle"
)

func blockCommand() *cobra.Command {
	return asideCommand("block", "Block a requirement that cannot go on, as the pm",
		proposal.Blocked)
}

func deferCommand() *cobra.Command {
	return asideCommand("defer", "Defer a requirement to a later release, as the pm", proposal.Deferred)
}

func reopenCommand() *cobra.Command {
	return asideCommand("reopen", "Take a blocked, deferred or done requirement up again, as the pm", "")
}

const asideLong = ` --reason says why, and goes on record. Without --evidence the move cites what the service
offers as evidence: the text of the requirement, or its tests.`

// asideWhat says what each of the commands does.
var asideWhat = map[string]string{
	"block":  "Block moves a requirement into blocked.",
	"defer":  "Defer moves a requirement into deferred: the gate passes it, and it counts as postponed.",
	"reopen": "Reopen moves a requirement back to where it was put aside, and a done one to needs_changes.",
}

// asideCommand makes a command that moves a requirement into a status; "" is where it goes back to.
func asideCommand(name, short, to string) *cobra.Command {
	var ch changing
	ch.Role = "pm"
	cmd := &cobra.Command{
		Use:     name + " ID",
		Short:   short,
		Long:    asideWhat[name] + asideLong,
		Example: "  orchestrator " + name + " REQ-001 --reason \"the supplier is late\"",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return ch.aside(cmd, args[0], to) },
	}
	justifying(cmd, &ch.reason, &ch.evidence)
	cmd.Flags().BoolVar(&ch.dryRun, "dry-run", false, "ask whether it would be accepted, and change nothing")
	return ch.command(cmd, true)
}

func (ch *changing) aside(cmd *cobra.Command, id, to string) error {
	if err := ch.justified(cmd); err != nil {
		return err
	}
	c, err := ch.connect()
	if err != nil {
		return err
	}
	view, to, err := ch.target(cmd, c, id, to)
	if err != nil {
		return advised(id, err)
	}
	ch.status = to
	given, err := ch.cite(cmd, c, view.ID)
	if err != nil {
		return ch.remaining(cmd, err)
	}
	return ch.move(cmd, c, view.ID, proposal.Aside(view, to, ch.reason, given), "moved")
}

// target asks what the service offers, and where a requirement goes back to if no status is named.
func (ch *changing) target(cmd *cobra.Command, c *apiclient.Client, id, to string) (guidance.View, string, error) {
	var view guidance.View
	var req lifecycle.Requirement
	_, err := apiclient.ByID(id, func(id string) ([]byte, error) {
		if raw, err := get(cmd.Context(), c, path(id, "/next"), &view); err != nil || to != "" {
			return raw, err
		}
		return get(cmd.Context(), c, path(id, ""), &req)
	})
	if err == nil && to == "" {
		to, err = proposal.Reopening(view, req)
	}
	return view, to, err
}
