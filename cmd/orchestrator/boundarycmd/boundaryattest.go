package boundarycmd

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/person"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/boundary/control"
	"orchestrator/internal/fault"
	"orchestrator/internal/rules/boundary"
)

// attestOptions are the flags of attest.
type attestOptions struct {
	boundaryOptions
	service cli.Service
	revoke  bool
}

func boundaryAttestCommand() *cobra.Command {
	o := attestOptions{service: cli.Service{Role: "pm"}}
	cmd := &cobra.Command{
		Use:   "attest ITEM",
		Short: "Vouch for what no journal shows, such as that the team is briefed",
		Long: `Attest records that a person vouches for an item of the checklist, or with --revoke that it does not hold
any more. The latest statement on an item counts; a rollback invalidates earlier ones on feedback.

A running service records it in the name of its pm. Without a service it must be typed in a terminal.

Items:
` + attestable(),
		Example: `  orchestrator boundary attest team --note "all five were shown a block and the bypass on 2 March"
  orchestrator boundary attest workflows --revoke --note "nobody may regenerate the API"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			said, err := o.attest(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), attestationLine(said))
			return nil
		},
	}
	o.rootFlag(cmd)
	o.noteFlag(cmd, "what was done, and when; it is recorded")
	cmd.Flags().BoolVar(&o.revoke, "revoke", false, "take back what was attested")
	cli.TypedOnly(cmd, "revoke")
	cli.ServiceFlags(cmd, &o.service)
	cli.TimeoutFlag(cmd, &o.service)
	return person.Only(cli.WithEnv(cmd))
}

func attestable() string {
	lines := make([]string, 0, len(boundary.Attestables()))
	for _, a := range boundary.Attestables() {
		lines = append(lines, fmt.Sprintf("  %-10s %s", a.Item, a.What))
	}
	return strings.Join(lines, "\n")
}

// attest has the service record it, or where none runs with the folder writes it to the journal.
func (o *attestOptions) attest(ctx context.Context, item string) (said boundary.Attestation, err error) {
	c, err := o.service.Connect()
	if fault.Is(err, apiclient.CodeNotRunning) {
		return o.attestHere(item)
	}
	if err != nil {
		return said, err
	}
	body, err := jsonv2.Marshal(control.Attesting{Item: item, Note: o.reason, Revoke: o.revoke})
	if err == nil {
		body, err = c.PostJSON(ctx, "/boundary/attestations", body)
	}
	if err == nil {
		err = jsonv2.Unmarshal(body, &said)
	}
	return said, err
}

// attestHere writes what a person typed to the journal.
func (o *attestOptions) attestHere(item string) (said boundary.Attestation, err error) {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return said, fault.Misuse("no service runs with the folder %s, and standard input is no terminal",
			o.service.Data).
			WithFix("type it in a terminal; or start the service with orchestrator up, and attest as a pm")
	}
	dir, err := o.dir()
	if err != nil {
		return said, err
	}
	return control.Attest(dir, item, o.revoke, o.change())
}

// attestationLine shows what a person said of an item last.
func attestationLine(a boundary.Attestation) string {
	word := map[bool]string{false: "attested", true: "revoked"}[a.Revoked]
	return fmt.Sprintf("%s: %s on %s by %s: %s", output.Printable(a.Item), word, a.At.UTC().Format(time.DateOnly),
		output.Printable(a.By), output.Printable(a.Note))
}
