package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"orchestrator/cmd/orchestrator/cli/setting"
	"orchestrator/cmd/orchestrator/output"
	"orchestrator/internal/apiclient"
	"orchestrator/internal/operator/config"
	"orchestrator/internal/operator/exportfile"
)

// Offline reads the export of the project where no service was named and none runs, as in a clone, and says so on
// standard error. Asked is the error of asking; it is returned where an export does not stand in for the answer.
func Offline(cmd *cobra.Command, asked error) (exportfile.Status, error) {
	path, err := setting.ExportPath(cmd)
	if err != nil || ServiceOf(cmd).Server != "" || !apiclient.NotRunning(asked) || !exportfile.StandsIn(path, asked) {
		return exportfile.Status{}, asked
	}
	status, err := exportfile.ReadStatus(cmd.Context(), path)
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "no service runs here: this is what %s says, as of record %d of the log\n",
			output.Printable(path), status.Log.Size)
		if outer, nested := config.Above(filepath.Dir(ServiceOf(cmd).Data)); nested {
			fmt.Fprintf(cmd.ErrOrStderr(), "this folder lies in another project: %s\n", output.Printable(outer))
		}
	}
	return status, err
}
