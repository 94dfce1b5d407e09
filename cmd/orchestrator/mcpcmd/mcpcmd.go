// Package mcpcmd has the command mcp, which serves one client of the Model Context Protocol on standard input and
// output, and those below it: they register it with agent clients, and try what is registered.
package mcpcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/completion"
	"orchestrator/internal/fault"
	door "orchestrator/internal/httpapi/mcp"
	"orchestrator/internal/system/tree"
)

// maxReport is the most bytes of a test report, as the service takes it.
const maxReport = 8 << 20

// Command returns the command mcp, with all of its own.
func Command() *cobra.Command {
	var o cli.Service
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one client of the Model Context Protocol on standard input and output",
		Long: `Mcp gives an agent client the tools, resources and prompts of one role, over standard input and output.
It asks the running service in the name of a token, whose role decides what is listed and allowed. A client
starts it itself; it ends with its client.

The service has the same over HTTP, at /mcp. A test report can be named by its path here, if it lies below the
folder that the client works in.`,
		Example: `  orchestrator mcp install CLIENT --as coder
  orchestrator mcp --as coder
  orchestrator mcp --server https://orchestrator.example.org --token-file coder.token`,
	}
	cmd.AddCommand(installCommand(), uninstallCommand(), statusCommand())
	cli.Group(cmd) // which refuses a command that it does not have
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return serve(cmd, o) }
	identityFlags(cmd, &o)
	return cli.WithEnv(cmd)
}

// identityFlags adds the flags that say which service is asked, and in whose name.
func identityFlags(cmd *cobra.Command, o *cli.Service) {
	cli.ServiceFlags(cmd, o)
	cmd.Flags().StringVar(&o.Role, "as", "", "use the token of this `role` in --data (default viewer, or else pm)")
	_ = cmd.RegisterFlagCompletionFunc("as", completion.Roles)
}

// serve serves the client until it goes, or the command is interrupted.
func serve(cmd *cobra.Command, o cli.Service) error {
	client, err := o.Connect()
	if err != nil {
		return err
	}
	err = door.Serve(cmd.Context(), client, door.Options{
		Version: cli.BuildVersion, Report: report,
		Defect: func(panicked any, stack []byte) {
			fmt.Fprintf(cmd.ErrOrStderr(), "a message met a defect: %v\n%s", panicked, stack)
		},
	}, &mcp.StdioTransport{})
	if cmd.Context().Err() != nil {
		return nil //nolint:nilerr // it was interrupted, as it may end
	}
	return err
}

// report reads a test report below the working folder, which no link leads out of: what a client names may be what a
// text of somebody else has made it name.
func report(ctx context.Context, path string) ([]byte, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	folder, err := tree.OpenFolder(here)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	name := path
	if filepath.IsAbs(path) {
		if name, err = filepath.Rel(folder.Path(), path); err != nil {
			return nil, err
		}
	}
	content, err := folder.Read(ctx, name, maxReport)
	if err != nil {
		return nil, fault.New(fault.Invalid, "report_unreadable", "the report %s cannot be read below %s",
			fault.Clip(path, 200), folder.Path()).
			WithFix("give the path of a regular file below that folder, of at most %d MiB", maxReport>>20).Because(err)
	}
	return content, nil
}
