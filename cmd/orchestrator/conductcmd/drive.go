package conductcmd

import (
	"context"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/conductor/drive"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
)

const driveLong = `Drive has the running service bring requirements to done. The state of a requirement says what it
waits for: a move, which is made in the name of the token, or work, which is done by an agent, a tool whose contract
in .orchestrator/tools has a role. Each run of an agent gets a prompt (orchestrator prompts) and a token of that role,
which is revoked when the run ends. The project shows whether an agent did its work; what it says does not count. If
it did not, the next agent is tried. If all fail, the requirement is set to blocked, with the reason.

It acts with the token tokens/pm.token of the data folder, unless --token-file names another. After an interrupt no
further step begins; an agent that is running finishes.

Exit codes: 0 all driven requirements are done; 1 some are not, or the request was refused; 2 usage;
3 no service answers.`

func DriveCommand() *cobra.Command {
	o := driveOptions{Service: cli.Service{Role: "pm"}}
	cmd := &cobra.Command{
		Use:   "drive",
		Short: "Bring requirements to done by running agents",
		Long:  driveLong,
		Example: `  orchestrator drive --plan                              # what would be done first
  orchestrator drive --requirement REQ-1 --max-steps 1   # one step
  orchestrator drive --parallel 4 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.roles, "role", nil,
		"whose work to do: pm, architect, coder or tester; may be given several times (default all of a pm, "+
			"else the token's own)")
	f.StringArrayVar(&o.requirements, "requirement", nil,
		"id of a requirement to drive; may be given several times (default all that are not done)")
	_ = cmd.RegisterFlagCompletionFunc("role", completion.Roles) // the flags exist
	_ = cmd.RegisterFlagCompletionFunc("requirement", completion.IDs)
	f.IntVar(&o.maxSteps, "max-steps", drive.DefaultSteps, "most obligations, of all requirements together")
	f.IntVar(&o.parallel, "parallel", 1,
		fmt.Sprintf("requirements to drive at once, %d at most, where none depends on another", drive.MaxParallel))
	f.Int64Var(&o.maxTokens, "max-tokens", 0,
		"start no agent once agents have reported this many tokens (default no bound)")
	f.Float64Var(&o.maxCostUSD, "max-cost-usd", 0,
		"start no agent once agents have reported to cost this much, in US dollars (default no bound)")
	f.BoolVar(&o.plan, "plan", false, "show what would be done first, and do nothing")
	f.BoolVar(&o.asJSON, "json", false,
		"print each event as a line of JSON, the report last; with --plan the plan as JSON")
	cli.ServiceFlags(cmd, &o.Service)
	cli.WithEnv(cmd)
	return cmd
}

// driveOptions are the flags of drive.
type driveOptions struct {
	cli.Service
	roles, requirements []string
	maxSteps, parallel  int
	maxTokens           int64
	maxCostUSD          float64
	plan, asJSON        bool
}

func (o driveOptions) run(ctx context.Context, out, notes io.Writer) error {
	body, err := o.order()
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	if o.plan {
		raw, err := c.PostJSON(ctx, "/drive?plan=true", body)
		if err != nil {
			return err
		}
		return o.showPlan(out, raw)
	}
	shown := &driven{out: out, asJSON: o.asJSON, bar: output.NewBar(notes)}
	err = c.PostLines(ctx, "/drive", drive.MediaType, body, shown.line)
	shown.bar.Clear()
	if shown.report == nil {
		return shown.cutOff(ctx, err)
	}
	if err != nil {
		return err
	}
	return cli.Found(shown.report.NotDone())
}

// order returns the order as the service takes it.
func (o driveOptions) order() ([]byte, error) {
	order := map[string]any{"max_steps": o.maxSteps, "parallel": o.parallel}
	if len(o.roles) > 0 {
		order["roles"] = o.roles
	}
	if len(o.requirements) > 0 {
		order["requirements"] = o.requirements
	}
	if o.maxTokens != 0 {
		order["max_tokens"] = o.maxTokens
	}
	if o.maxCostUSD != 0 {
		order["max_cost_usd"] = o.maxCostUSD
	}
	return jsonv2.Marshal(order, jsonv2.Deterministic(true))
}

// cutOff returns the error of a drive whose report did not come.
func (d *driven) cutOff(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.Unavailable, "drive_interrupted",
			"interrupted: no further step begins, and an agent that is running finishes").
			WithFix("orchestrator drive continues from the present state")
	case d.begun && (err == nil || fault.Is(err, apiclient.CodeUnreachable)):
		return fault.New(fault.Unavailable, "drive_cut_off", "the service ended before the drive did").
			WithFix("start it, and run orchestrator drive again: it continues from the present state")
	case err != nil:
		return err
	}
	return fault.New(fault.Unavailable, "drive_cut_off", "the service did not report the result of the drive").
		WithFix("check that --server names the service itself, and run orchestrator drive again")
}

func (o driveOptions) showPlan(out io.Writer, raw []byte) error {
	if o.asJSON {
		return output.Indented(out, raw)
	}
	var plan struct {
		Requirements []drive.Plan `json:"requirements"`
	}
	if err := jsonv2.Unmarshal(raw, &plan); err != nil {
		return err
	}
	for _, p := range plan.Requirements {
		writePlan(out, p)
	}
	if len(plan.Requirements) == 0 {
		fmt.Fprintln(out, "nothing is left to be driven")
	}
	return nil
}

func writePlan(out io.Writer, p drive.Plan) {
	line := fmt.Sprintf("%s %s", p.Requirement, p.Status)
	if p.Obligation != "" {
		line += fmt.Sprintf(": %s by the %s", p.Obligation, p.Role)
	}
	fmt.Fprintln(out, output.Printable(line))
	for _, n := range p.Needs {
		fmt.Fprintf(out, "  needs %s\n", output.Printable(n))
	}
	for _, t := range p.Tools {
		fmt.Fprintf(out, "  %s: %s\n", output.Printable(t.Tool), output.Printable(t.Reason))
	}
	if p.Why != "" {
		fmt.Fprintf(out, "  %s\n", output.Printable(advice.Typed(anID, p.Why)))
	}
}
