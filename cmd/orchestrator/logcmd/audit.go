package logcmd

import (
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
)

func AuditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Export the log, and check it from outside",
		Long: `The log of all decisions is a Merkle tree (RFC 6962). A checkpoint is its signed head: size and root
hash. Whoever keeps one can find out later whether any record before it was changed, removed or inserted, without
trusting the service.`,
	}
	cmd.AddCommand(VerifyCommand(), bundleCommand(), auditWitness())
	return cli.Group(cmd)
}
