package boundarycmd

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/agentclient"
	"orchestrator/internal/boundary/hook"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
	"orchestrator/internal/system/durable"
)

func boundaryExplainCommand() *cobra.Command {
	var o boundaryOptions
	var client string
	cmd := &cobra.Command{
		Use:   "explain FILE",
		Short: "Judge a call from a file, and print every rule that was considered",
		Long: `Explain reads a call as a client sends it to its hook, judges it by the policy of the project as in
enforce, says what becomes of it in the mode that it has now, and prints every rule that was considered, in order.
Nothing is recorded, and no bypass counts. FILE - is standard input.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, p, err := o.policy()
			if err != nil {
				return err
			}
			raw, err := readCall(cmd.InOrStdin(), args[0])
			if err != nil {
				return err
			}
			v, call, err := hook.Explain(client, raw, dir, p)
			if err != nil {
				return fault.New(fault.Invalid, "call_unreadable",
					"the call cannot be read: in enforce it would be blocked").
					WithFix("give what %s sends before a tool, or name another --client", client).Because(err)
			}
			return o.show(cmd.OutOrStdout(), v, func(rp *output.Printer) {
				now, decision := hook.Now(client, p, call)
				writeRuled(rp, v)
				rp.Line("now, in %s: %s", now, decision)
				writeExplained(rp, &p, call, v)
			})
		},
	}
	o.rootFlag(cmd)
	o.jsonFlag(cmd)
	cmd.Flags().StringVar(&client, "client", agentclient.Names()[0],
		"client whose format the call has: "+strings.Join(agentclient.Names(), ", "))
	return cli.WithEnv(cmd)
}

func readCall(in io.Reader, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(in, hook.MaxInput))
	}
	raw, err := durable.ReadRegular(path, hook.MaxInput)
	if err != nil {
		return nil, fault.New(fault.NotFound, "call_missing", "the call %s cannot be read", path).
			WithFix("name a file that holds one call as JSON").Because(err)
	}
	return raw, nil
}

// writeRuled writes what would become of a call in enforce.
func writeRuled(p *output.Printer, v boundary.Verdict) {
	p.Line("in enforce: %s by rule %s: the call %s", output.Printable(string(v.Decision)), output.Printable(v.Rule),
		output.Printable(v.Class.Does()))
}

func writeExplained(p *output.Printer, policy *boundary.Policy, c boundary.Call, v boundary.Verdict) {
	for _, s := range v.Steps {
		mark := " "
		if s.Matched {
			mark = "*"
		}
		p.Line("  %s %-20s %s", mark, output.Printable(s.Rule), output.Printable(s.Note))
	}
	for _, part := range c.Parts {
		p.Line("  %s: %s %s", output.Printable(strings.Join(part.Words, " ")), output.Printable(string(part.Class)),
			output.Printable(part.Why))
	}
	if v.Violation() {
		enforced := *policy
		enforced.Mode = boundary.Enforce
		p.Line("")
		p.Line("In enforce the session is told:")
		for said := range strings.SplitSeq(boundary.Message(&enforced, c, v), "\n") {
			p.Line("%s", output.Printable(said))
		}
	}
}
