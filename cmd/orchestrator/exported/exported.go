// Package exported lets commands answer from the export of a project where no service can be asked, as in a clone.
package exported

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli"
	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/exportfile"
)

// Status reads the export of the project where no service was named and none runs, as in a clone, and says so on
// standard error. Asked is the error of asking; it is returned where an export does not stand in for the answer.
func Status(cmd *cobra.Command, asked error) (exportfile.Status, error) {
	path, err := Path(cmd, asked)
	if err != nil {
		return exportfile.Status{}, err
	}
	status, err := exportfile.ReadStatus(cmd.Context(), path)
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "no service runs here: this is what %s says, as of record %d of the log\n",
			output.Printable(path), status.Log.Size)
		if outer, nested := config.Above(filepath.Dir(cli.ServiceOf(cmd).Data)); nested {
			fmt.Fprintf(cmd.ErrOrStderr(), "this folder lies in another project: %s\n", output.Printable(outer))
		}
	}
	return status, err
}

// Path returns the path of the export that stands in for the answer of a service; where none does, the error of
// asking.
func Path(cmd *cobra.Command, asked error) (string, error) {
	path, err := setting.ExportPath(cmd)
	if err != nil || cli.ServiceOf(cmd).Server != "" || !apiclient.NotRunning(asked) || !exportfile.StandsIn(path, asked) {
		return "", asked
	}
	return path, nil
}
