package adoptcmd

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/fault"
	"orchestrator/internal/operator/applying"
	"orchestrator/internal/requirements/adoption"
	"orchestrator/internal/rules/lifecycle"
	"orchestrator/internal/system/tree"
)

// sending are the flags of apply.
type sending struct {
	cli.Service
	tokens         []string // ROLE=FILE
	digest         string   // that the plan must have
	dryRun, asJSON bool
	yes            bool
}

const applyLong = `Apply sends a plan: a file with a change in each line, as adopt writes it, or written by hand:

  {"role":"coder","requirement":"REQ-001","request":{…}}
  {"role":"tester","requirement":"REQ-001","report":{"path":"r.xml"}}

The request is one as change --from takes it; the report is attached.
A member revision says which revision the line is meant for; without it, the one that the line before it made. A
requirement that has changed since is left as it is. A refusal stops the lines of its requirement alone.

Each line is sent with the token of its role: a file given by --token-file, or the one in the folder tokens of --data,
if the service is that folder's. Apply can be run again at any time: it goes on where it stood, and says what was there
already. A line that was refused is sent anew.

With --dry-run nothing is sent. The service is asked whether it would accept the next line of each requirement, with all
that the line cites. The lines behind it presuppose what is not there yet: they are put to the same rules here, as if
all they cite were found. Whether it is, only applying them tells.

What the plan signs in the name of the pm - approvals, accepted texts and deviations, moves to done - is listed first,
and apply asks for it, or wants --yes. The dry run prints the SHA-256 of the plan; with --sha256, apply sends no other.

Exit codes: 0 all lines were accepted, now or before; 1 a line was refused; 2 usage; 3 no service answers.`

// ApplyCommand returns apply.
func ApplyCommand() *cobra.Command {
	var o sending
	cmd := &cobra.Command{
		Use:   "apply FILE",
		Short: "Send a plan of changes, each line in the name of its role",
		Long:  applyLong,
		Args:  cobra.ExactArgs(1),
		Example: `  orchestrator apply plan.jsonl --dry-run
  orchestrator apply plan.jsonl
  orchestrator apply plan.jsonl --token-file coder=coder.token --token-file tester=tester.token`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	cli.DataFlag(cmd, &o.Data)
	cli.ServerFlag(cmd, &o.Server)
	cli.TLSCAFlag(cmd, &o.TlsCA)
	cli.TimeoutFlag(cmd, &o.Service)
	f := cmd.Flags()
	f.StringArrayVar(&o.tokens, "token-file", nil,
		"`ROLE=FILE`: a role, and the file with its token; may be given several times; FILE alone is for all others")
	f.BoolVar(&o.dryRun, "dry-run", false, "ask what would be accepted, and change nothing")
	f.BoolVar(&o.yes, "yes", false, "do not ask before the plan signs in the name of the pm")
	f.StringVar(&o.digest, "sha256", "", "`digest` that the plan must have, as the dry run prints it")
	f.BoolVar(&o.asJSON, "json", false, "print the report as JSON")
	setting.WorkAtRoot(cmd, "data", "tls-ca")
	setting.DeclarePathArguments(cmd)
	cli.TypedOnly(cmd, "yes")
	cli.TypedOnly(cmd, "sha256")
	return o.seen(cli.WithEnv(cmd))
}

// seen makes the paths of tokens whole before the command moves to the root of the project.
func (o *sending) seen(cmd *cobra.Command) *cobra.Command {
	move := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		for i, word := range o.tokens {
			role, file := roleAndFile(word)
			whole, err := filepath.Abs(file)
			if err != nil {
				return err
			}
			o.tokens[i] = role + "=" + whole
		}
		return move(cmd, args)
	}
	return cmd
}

// roleAndFile reads what --token-file takes. A file without a role is for all others.
func roleAndFile(word string) (role, file string) {
	if role, file, found := strings.Cut(word, "="); found {
		if _, err := lifecycle.ParseRole(role); err == nil || role == "" {
			return role, file
		}
	}
	return "", word
}

func (o *sending) run(cmd *cobra.Command, file string) error {
	content, err := tree.ReadFile(cmd.Context(), file, adoption.MaxBytes)
	if err != nil {
		return fault.New(fault.Invalid, fault.CodeUsage, "the plan %s cannot be read", file).
			WithFix("name the file that orchestrator adopt -o FILE wrote").Because(err)
	}
	plan, err := adoption.Read(content)
	if err != nil {
		return err
	}
	review := applying.ReviewOf(plan, content)
	if err := o.reviewed(cmd, review); err != nil {
		return err
	}
	clients, err := o.clients(plan)
	if err != nil {
		return err
	}
	shown := output.NewProgress(cmd.ErrOrStderr(), "lines")
	report, err := applying.Run(cmd.Context(), plan,
		applying.Options{Clients: clients, DryRun: o.dryRun, Progress: shown.Update()})
	shown.Clear()
	if wrong := o.write(cmd.OutOrStdout(), report, review); wrong != nil {
		return wrong
	}
	if err != nil {
		return err
	}
	return cli.Found(report.Err())
}

// clients connects in the name of each role of a plan, before anything is sent.
func (o *sending) clients(plan []adoption.Line) (map[lifecycle.Role]applying.Client, error) {
	files := map[string]string{}
	for _, word := range o.tokens {
		role, file := roleAndFile(word)
		files[role] = file
	}
	clients := map[lifecycle.Role]applying.Client{}
	for _, l := range plan {
		if clients[l.Role] != nil {
			continue
		}
		c, err := o.ConnectAs(string(l.Role), cmp.Or(files[string(l.Role)], files[""]))
		if err != nil {
			return nil, err
		}
		clients[l.Role] = c
	}
	return clients, nil
}

// write writes what became of a plan.
func (o *sending) write(out io.Writer, r applying.Report, review applying.Review) error {
	if o.asJSON {
		return output.WriteJSON(out, struct {
			applying.Review
			applying.Report
		}{review, r})
	}
	p, columns := output.NewPrinter(output.Colourful(out)), output.Columns(out)
	sent := "SENT"
	if r.DryRun {
		sent = "WOULD DO"
	}
	var rows [][]string
	for _, q := range r.Requirements {
		rows = append(rows, []string{q.ID, q.Status, fmt.Sprint(q.Sent), fmt.Sprint(q.There), q.Refusals(),
			fmt.Sprint(q.Left)})
	}
	if len(rows) > 0 {
		p.Table(columns, []string{"ID", "LEADS TO", sent, "THERE", "REFUSED", "LEFT"}, rows)
	}
	writeRefusals(p, r)
	p.Line("%s: %d; there already: %d; refused: %d; left: %d", r.Verb(), r.Sent, r.There, r.Refused, r.Left)
	_, err := io.WriteString(out, p.String())
	return err
}

// writeRefusals writes which lines were refused, and what can be done.
func writeRefusals(p *output.Printer, r applying.Report) {
	for _, q := range r.Requirements {
		if q.Stopped == nil {
			continue
		}
		p.Line("%s: line %d was refused: %s", output.Printable(q.ID), q.Stopped.Line,
			output.Printable(q.Stopped.Detail))
		if q.Stopped.Fix != "" {
			p.Line("  fix: %s", output.Printable(q.Stopped.Fix))
		}
	}
}
