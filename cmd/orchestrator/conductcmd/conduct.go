package conductcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/conductor"
	"orchestrator/internal/fault"
	"orchestrator/internal/requirements/advice"
	"orchestrator/internal/rules/planning"
)

// maxConducted is the most bytes of a file of obligations.
const maxConducted = 1 << 20

func ConductCommand() *cobra.Command {
	var o conductOptions
	var plan bool
	var run string
	cmd := &cobra.Command{
		Use:   "conduct FILE",
		Short: "Run the obligations of a file",
		Long: `Conduct sends a file of obligations (schemas/obligations.schema.json) to the running service, and shows
the result of each. FILE - is standard input. With --plan it shows which tools would run, and runs nothing.
With --trace RUN, and no file, it shows every attempt of an earlier run, and why it failed.

Exit codes: 0 all are resolved; 1 one failed or waits for something, or the request was
refused; 2 usage; 3 no service answers.`,
		Example: `  orchestrator conduct obligations.json
  orchestrator conduct - < obligations.json
  orchestrator conduct --plan obligations.json
  orchestrator conduct --trace 5d41402abc4b2a76`,
		Args: func(cmd *cobra.Command, args []string) error {
			if run != "" {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if run != "" {
				return o.attempts(cmd.Context(), run, cmd.OutOrStdout())
			}
			body, err := readConducted(args[0], cmd.InOrStdin())
			if err != nil {
				return err
			}
			if plan {
				return o.plan(cmd.Context(), body, cmd.OutOrStdout())
			}
			return o.send(cmd, "/obligations", body)
		},
	}
	cmd.Flags().BoolVar(&plan, "plan", false, "show which tools would run, and run nothing")
	cmd.Flags().StringVar(&run, "trace", "", "show every attempt of the run with this id")
	return o.flags(cmd)
}

// conductOptions are the flags of ask, conduct and answer.
type conductOptions struct {
	cli.Service
	asJSON bool
}

func (o *conductOptions) flags(cmd *cobra.Command) *cobra.Command {
	cli.ServiceFlags(cmd, &o.Service)
	cmd.Flags().DurationVar(&o.Timeout, "timeout", conductor.Limit(planning.Budgets{})+time.Minute,
		"how long the service may take for its answer")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print what the service answers, as JSON")
	cli.WithEnv(cmd)
	return cmd
}

func readConducted(name string, in io.Reader) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fault.New(fault.NotFound, "file_unreadable", "%s cannot be read", name).
				WithFix("name a file of obligations, or - for standard input").Because(err)
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxConducted+1))
	if err == nil && len(body) > maxConducted {
		err = fault.New(fault.TooLarge, "body_too_large", "the obligations have more than %d bytes", maxConducted).
			WithFix("send them in several requests")
	}
	return body, err
}

// refused shows what was answered beside a refusal, and returns the refusal as a person can follow it.
func (o conductOptions) refused(out io.Writer, err error) error {
	if with, is := errors.AsType[*apiclient.Answered](err); is {
		showTexts(out, anID, with.Texts...)
	}
	if f := fault.As(err); f != nil {
		f.Fix = advice.Typed(anID, f.Fix)
	}
	return err
}

// send runs a request and shows its trace.
func (o conductOptions) send(cmd *cobra.Command, path string, body []byte) error {
	out := cmd.OutOrStdout()
	raw, err := o.post(cmd.Context(), path, body)
	if err != nil {
		return o.refused(out, err)
	}
	var trace conductor.Trace
	if err := jsonv2.Unmarshal(raw, &trace); err != nil {
		return err
	}
	if o.asJSON {
		if err := output.Indented(out, raw); err != nil {
			return err
		}
	} else {
		showTrace(out, trace)
		for _, a := range trace.Answers {
			if a.NotRephrased != "" {
				fmt.Fprintf(cmd.ErrOrStderr(), "not in other words: %s\n", output.Printable(a.NotRephrased))
			}
		}
	}
	unresolved := trace.Unresolved()
	if f := fault.As(unresolved); f != nil {
		f.Fix = advice.Typed(anID, f.Fix)
	}
	return cli.Found(unresolved)
}

func (o conductOptions) plan(ctx context.Context, body []byte, out io.Writer) error {
	raw, err := o.post(ctx, "/obligations?plan=true", body)
	if err != nil {
		return err
	}
	if o.asJSON {
		return output.Indented(out, raw)
	}
	var plan conductor.Plan
	if err := jsonv2.Unmarshal(raw, &plan); err != nil {
		return err
	}
	showPlan(out, "", plan.Obligations)
	return nil
}

// showPlan shows what would be run for obligations, each before its steps.
func showPlan(out io.Writer, indent string, all []conductor.ObligationPlan) {
	for _, one := range all {
		fmt.Fprintf(out, "%s%s %s\n", indent, one.ID, output.Printable(one.Obligation.String()))
		if len(one.Candidates) == 0 && one.Why != "" {
			fmt.Fprintf(out, "%s  %s\n", indent, output.Printable(one.Why))
		}
		for i, c := range one.Candidates {
			reason := output.Printable(c.Reason)
			if i > 0 && c.Taken {
				reason += " if the one before fails"
			}
			fmt.Fprintf(out, "%s  %s: %s\n", indent, output.Printable(c.Tool), reason)
		}
		showPlan(out, indent+"  ", one.Steps)
	}
}

func (o conductOptions) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	c, err := o.Connect()
	if err != nil {
		return nil, err
	}
	return c.PostJSON(ctx, path, body)
}

// anID stands for an id in commands that a text names for any requirement.
const anID = "ID"

// showTrace shows the answers, and what was not resolved.
func showTrace(out io.Writer, trace conductor.Trace) {
	showResolved(out, trace)
	withheld := map[string]bool{} // of which the answer says why
	for _, a := range trace.Answers {
		withheld[a.Obligation] = a.Uncertain && a.Result == nil
	}
	for _, t := range trace.Obligations {
		if !t.Status.Resolved() && !withheld[t.ID] {
			if len(trace.Obligations) > 1 { // which tells those of one kind apart
				fmt.Fprintf(out, "%s ", t.ID)
			}
			showUnresolved(out, trace.ID, t)
			if remedy := t.Remedy(); remedy != "" && len(trace.Obligations) > 1 {
				fmt.Fprintf(out, "  fix: %s\n", output.Printable(advice.Typed(anID, remedy)))
			}
		}
	}
}

// showTexts shows answers about a requirement, with the commands for what they name.
func showTexts(out io.Writer, id string, texts ...string) {
	for _, text := range texts {
		for line := range strings.SplitSeq(text, "\n") {
			fmt.Fprintln(out, output.Printable(advice.Steps(id, line)))
		}
	}
}

// showResolved shows the answers, and what was brought about that has no words.
func showResolved(out io.Writer, trace conductor.Trace) {
	ids := map[string]string{}
	for t := range trace.Each() {
		ids[t.ID], _ = t.Obligation.Payload["id"].(string)
	}
	told := map[string]bool{}
	for _, a := range trace.Answers {
		told[a.Obligation] = true
		showTexts(out, cmp.Or(ids[a.Obligation], anID), a.Text)
	}
	for _, t := range trace.Obligations {
		if t.Status.Resolved() && !told[t.ID] {
			fmt.Fprintf(out, "%s: %s\n", output.Printable(t.Obligation.String()), doneBy(t))
		}
	}
}

// doneBy returns the answer to a question, or that what has no words was done.
func doneBy(t conductor.ObligationTrace) string {
	if reply, answered := t.Reply(); answered {
		if value, err := jsonv2.Marshal(reply); err == nil {
			return output.Printable(string(value))
		}
	}
	return "done"
}

// showUnresolved shows why an obligation was not met, what it asks, and how to answer.
func showUnresolved(out io.Writer, run string, t conductor.ObligationTrace) {
	fmt.Fprintf(out, "%s: %s: %s\n", output.Printable(t.Obligation.String()), t.Outcome,
		output.Printable(advice.Typed(anID, t.Why)))
	showAsked(out, run, t)
	for _, step := range t.Steps {
		if step.Status.Resolved() {
			fmt.Fprintf(out, "  %s %s: done\n", step.ID, output.Printable(step.Obligation.String()))
			continue
		}
		fmt.Fprintf(out, "  %s ", step.ID)
		showUnresolved(out, run, step)
	}
}
