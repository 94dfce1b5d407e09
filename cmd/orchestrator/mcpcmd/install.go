package mcpcmd

import (
	"os"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/internal/agentclient/settings"
)

func installCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Register the MCP server with an agent client",
		Long: `Install adds an entry named orchestrator to the client's list of MCP servers: this program with the
command mcp, the service, and the file with the token. The token itself is not written. All else in the file stays as it
is; done twice, the second time changes nothing, and with other flags the entry gets them.

The token decides what sessions may do. Without --as and --token-file it is that of the viewer, or else of the pm.` +
			clientsLine(),
		Example: "  orchestrator mcp install CLIENT --as pm\n" +
			"  orchestrator mcp install CLIENT --scope user --server https://HOST --token-file FILE",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			so, err := o.files()
			if err != nil {
				return err
			}
			flags, tokenFile, err := o.service.Lasting()
			if err != nil {
				return err
			}
			if so.Program, err = os.Executable(); err != nil {
				return err
			}
			so.Args, so.TokenFile = append([]string{"mcp"}, flags...), tokenFile
			change, err := settings.InstallServer(args[0], so)
			if err != nil {
				return err
			}
			d := doneOf(args[0], so, change)
			d.Program, d.Args = so.Program, so.Args
			return o.show(cmd.OutOrStdout(), d, d.writeInstalled)
		},
	}
	identityFlags(cmd, &o.service)
	cli.TypedOnly(cmd, "as")
	return o.changing(cmd)
}

func uninstallCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "uninstall CLIENT",
		Short: "Remove the MCP server from the settings of an agent client",
		Long: `Uninstall removes the entry that install made, and leaves the rest. A file that has not changed since
becomes what it was before, byte for byte; one that install made is removed.` + clientsLine(),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			so, err := o.files()
			if err != nil {
				return err
			}
			change, err := settings.UninstallServer(args[0], so)
			if err != nil {
				return err
			}
			d := doneOf(args[0], so, change)
			return o.show(cmd.OutOrStdout(), d, d.writeUninstalled)
		},
	}
	cli.DataFlag(cmd, &o.service.Data)
	return o.changing(cmd)
}
