package main

import "github.com/spf13/cobra"

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Take the log out of the service, and check it as an outsider",
		Long: `The log of every decision is a Merkle tree (RFC 6962) that is signed at every size it is shown at.
Whoever keeps one signed checkpoint can later find out whether anything before it was changed, taken out or put in,
without trusting the service.`,
	}
	cmd.AddCommand(verifyCommand(), bundleCommand(), auditWitness())
	return group(cmd)
}
