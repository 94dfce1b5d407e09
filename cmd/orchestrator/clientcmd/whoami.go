package clientcmd

import (
	"cmp"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/clientcmd/sheet"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/lifecycle"
)

func whoamiCommand() *cobra.Command {
	var a asking
	return a.command(&cobra.Command{
		Use:     "whoami",
		Short:   "Say whose token is used, and at which service",
		Long:    "Whoami asks the service to whom the token belongs. It does not print the token.",
		Example: "  orchestrator whoami\n  orchestrator whoami --as pm",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.connect()
			if err != nil {
				return err
			}
			var front struct {
				Caller lifecycle.Actor `json:"caller"`
				Token  string          `json:"token"`
			}
			raw, err := get(cmd.Context(), c, "/", &front)
			if err != nil {
				return a.refusedAs(cmd, "", raw, err)
			}
			if front.Caller.Name == "" { // the page is open to everybody; a question that is not says why
				raw, err := get(cmd.Context(), c, "/next", new(any))
				return a.refusedAs(cmd, "", raw, err)
			}
			if a.asJSON {
				return passOn(cmd.OutOrStdout(), raw)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, role %s, at %s\n",
				output.Printable(front.Caller.Name), front.Caller.Role, output.Printable(c.Base()))
			return err
		},
	}, false)
}

func workflowCommand() *cobra.Command {
	var a asking
	var reason string
	a.Role = "pm"
	cmd := &cobra.Command{
		Use:   "workflow [NAME]",
		Short: "Show which workflow is in force, or switch to another, as the pm",
		Long: `Workflow names the workflow and the statuses from which nothing leads to done. With NAME, v1 or
rework, it switches the project; the switch is on record.`,
		Example: `  orchestrator workflow
  orchestrator workflow rework --reason "work comes back from blocked"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && reason == "" {
				return fault.Misuse("switching the workflow needs a reason").
					WithFix("give --reason '<why>'; it goes on record")
			}
			c, err := a.connect()
			if err != nil {
				return err
			}
			r := apiclient.Request{Method: "GET", Path: "/workflow"}
			if len(args) == 1 {
				r.Method = "PUT"
				body := map[string]string{"workflow": args[0], "reason": reason}
				r.Body, _ = jsonv2.Marshal(body, jsonv2.Deterministic(true))
			}
			answer, err := c.Send(cmd.Context(), r)
			if err != nil {
				return a.refusedAs(cmd, "", answer.Body, err)
			}
			return a.writeWorkflow(cmd, c, answer.Body)
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "`text` that says why; it goes on record")
	return a.command(cmd, false)
}

func (a *asking) writeWorkflow(cmd *cobra.Command, c *apiclient.Client, raw []byte) error {
	if a.asJSON {
		return passOn(cmd.OutOrStdout(), raw)
	}
	var found struct {
		Name     string   `json:"name"`
		Workflow string   `json:"workflow"`
		DeadEnds []string `json:"dead_ends"`
	}
	if err := jsonv2.Unmarshal(raw, &found); err != nil {
		return c.Stranger("JSON of another shape").Because(err)
	}
	p, columns := sheet.Printer(cmd.OutOrStdout())
	p.Line("workflow %s", output.Printable(cmp.Or(found.Name, found.Workflow))) // one is read, the other written
	for _, s := range found.DeadEnds {
		sheet.Paragraph(p, columns, "  ", "nothing leads from "+s+" to done")
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), p.String())
	return err
}
